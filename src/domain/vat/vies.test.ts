import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createAskVat } from './asking.ts'
import { type VatId, vatIdFrom } from './id.ts'
import { testRegister, VatUnanswered } from './port.ts'
import { createVies } from './vies.ts'

// A fake register. Each test sets its response.
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {}
let asked: unknown[] = []
let paths: (string | undefined)[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    paths.push(request.url)
    asked.push(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    answer(request, response)
  })
})
let url = ''
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const json =
  (body: unknown, status = 200) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
const idOf = (text: string) => vatIdFrom(text) as VatId // the tests pass valid numbers
const buyer = idOf('FR40303265045')
const seller = idOf('DE123456789')

function ask(question: { name?: string; requester?: VatId } = {}) {
  asked = []
  paths = []
  const { name = null, requester = null } = question
  return createVies(url)({ id: buyer, requester, name }, AbortSignal.timeout(5_000))
}

const code = (expected: string) => (error: unknown) => error instanceof VatUnanswered && error.code === expected

test('for a valid number the consultation number is returned, and the name is compared but not returned', async () => {
  answer = json({
    valid: true,
    requestIdentifier: 'WAPIAAAA1',
    name: 'SÖHNE ET CIE',
    address: 'Rue 1',
    traderNameMatch: 'NOT_PROCESSED',
  })
  const found = await ask({ name: 'Söhne & Cie', requester: seller })
  assert.deepEqual(found, { isValid: true, consultationNumber: 'WAPIAAAA1', nameMatch: 'differs' })
  assert.deepEqual(paths, ['/check-vat-number'])
  assert.deepEqual(asked, [
    {
      ...{ countryCode: 'FR', vatNumber: '40303265045', traderName: 'Söhne & Cie' },
      ...{ requesterMemberStateCode: 'DE', requesterNumber: '123456789' },
    },
  ])
  answer = json({ valid: true, requestIdentifier: 'W2', name: 'SOHNE, CIE.' })
  assert.equal((await ask({ name: 'Söhne Cie' })).nameMatch, 'match')
  answer = json({ valid: true, requestIdentifier: '', name: '---', traderNameMatch: 'VALID' })
  assert.deepEqual(await ask({ name: 'Cie' }), { isValid: true, consultationNumber: null, nameMatch: 'match' })
  answer = json({ valid: true, name: '---' })
  assert.equal((await ask({ name: 'Cie' })).nameMatch, 'unknown')
})

test('an unregistered number is a result, not an error', async () => {
  const no = { isValid: false, consultationNumber: null, nameMatch: 'unknown' }
  answer = json({ valid: false, requestIdentifier: '', name: '---' })
  assert.deepEqual(await ask(), no)
  answer = json({ actionSucceed: false, errorWrappers: [{ error: 'INVALID_INPUT' }] }, 400)
  assert.deepEqual(await ask(), no)
})

test('any other response counts as a missing one', async () => {
  for (const [respond, expected] of [
    [json({ actionSucceed: false, errorWrappers: [{ error: 'MS_UNAVAILABLE' }] }), 'VIES_MS_UNAVAILABLE'],
    [
      json({ actionSucceed: false, errorWrappers: [{ error: 'INVALID_REQUESTER_INFO' }] }, 400),
      'VIES_INVALID_REQUESTER_INFO',
    ],
    [json({ valid: true, errorWrappers: [{ error: 'x\ny' }] }), 'VIES_ERROR'],
    [json({ valid: 'true' }), 'VIES_STATUS_200'],
    [json({ valid: true }, 503), 'VIES_STATUS_503'],
    [json({ valid: true, name: 'x'.repeat(70_000) }), 'VIES_TOO_LONG'],
    [(_: unknown, response: ServerResponse) => response.end('<html>'), 'VIES_STATUS_200'],
  ] as const) {
    answer = respond
    await assert.rejects(ask(), code(expected), expected)
  }
  answer = (_, response) => response.writeHead(302, { location: `${url}/other` }).end()
  await assert.rejects(ask())
  assert.deepEqual(paths, ['/check-vat-number'])
})

test('a register that fails repeatedly is not called for a while, and a call that takes too long times out', async () => {
  let now = 1_000_000
  const clock = () => new Date(now)
  const register = createVies(url)
  const question = { id: buyer, requester: null, name: null }
  answer = () => {}
  await assert.rejects(createAskVat({ register, clock, askMs: 40 })('mer_1', question), code('TIMEOUT'))
  answer = (request) => request.socket.destroy()
  const asking = createAskVat({ register, clock })
  for (let i = 0; i < 5; i++) await assert.rejects(asking('mer_1', question), code('UNREACHABLE'))
  asked = []
  await assert.rejects(asking('mer_2', question), code('RESTING'))
  assert.deepEqual(asked, [])
  answer = json({ valid: true })
  // The register of another state has not failed.
  assert.equal((await asking('mer_2', { ...question, id: seller })).isValid, true)
  now += 30_000
  assert.equal((await asking('mer_1', question)).isValid, true)
})

test('the requests of one merchant are limited, and few run concurrently', async () => {
  const clock = () => new Date(0)
  let free = () => {}
  const waits = new Promise<void>((resolve) => {
    free = resolve
  })
  const asking = createAskVat({
    register: async () => {
      await waits
      return { isValid: true, consultationNumber: null, nameMatch: 'unknown' }
    },
    clock,
  })
  const question = { id: buyer, requester: null, name: null }
  const running = Array.from({ length: 10 }, () => asking('mer_1', question))
  await assert.rejects(asking('mer_2', question), code('BUSY'))
  free()
  assert.equal((await Promise.all(running)).length, 10)
  for (let i = 0; i < 20; i++) await asking('mer_1', question)
  await assert.rejects(asking('mer_1', question), code('TOO_MANY'))
  assert.equal((await asking('mer_2', question)).isValid, true)
})

test('in test mode a number of zeros is unregistered, a number of nines gets no response, and no request is sent', async () => {
  const of = (text: string) => testRegister('mer_1', { id: idOf(text) })
  assert.equal((await of('ATU12345678')).isValid, true)
  assert.equal((await of('ATU00000000')).isValid, false)
  await assert.rejects(of('ATU99999999'), code('TEST_UNAVAILABLE'))
})
