// What holds for every operation is tested from the rows of the contract, once, on both engines.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { assertError, type House, openHouse, testSecret } from '../harness/house.ts'
import { bodyOf, examplePath, goodRequest, pathOf, queryOf, unknownCart } from '../harness/openRequests.ts'
import { type LimitedWorld, type RowWorld, testRows } from '../harness/rows.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import {
  type OpenOperation,
  type OperationId,
  openSurface,
  operationIds,
  operations,
} from '../src/contract/open/operations.ts'
import type { RefusalCode } from '../src/contract/refusals.ts'
import type { Scope } from '../src/contract/words.ts'
import { deriveKey, signToken } from '../src/platform/secrets/secrets.ts'

// Whatever takes a key, or nothing. Operations of an installed app have tests of their own.
const routed = operationIds.filter((id) => operations[id].caller !== 'oauth')

function issuePaths(answer: { body: { error: { issues: { path: string }[] } } }): string[] {
  return answer.body.error.issues.map((issue) => issue.path)
}

// All that must not pass, for every reason alike.
async function badKeysOf(house: House): Promise<Record<string, string>[]> {
  const { key, id: revokedId } = await house.newKey(['catalog:read'])
  await house.storage.write((tx) => tx.sql`update credentials set revoked_at = 1 where id = ${revokedId}`)
  const expired = (await house.newKey([], { expiresAt: house.clock.now })).key
  const mistyped = `${house.keys.full.slice(0, -1)}${house.keys.full.endsWith('a') ? 'b' : 'a'}`
  const shown = [
    '',
    'Bearer',
    `Bearer ${mistyped}`,
    `Bearer ${key}`,
    `Bearer ${expired}`,
    `Basic ${house.keys.full}`,
    'nonsense',
  ]
  return [{}, ...shown.map((authorization) => ({ authorization }))]
}

eachEngine('every routed operation', (given) => {
  let house: House
  let strict: House
  before(async () => {
    house = await openHouse(given)
    strict = await openHouse(given, { rateLimit: { perSecond: 1, burst: 3 } })
  })

  const worldOf = (of: House): RowWorld => ({
    fetch: of.fetch,
    wire: of.wire,
    good: (id) => goodRequest(of, id as OperationId),
    plain: (id) => ({
      path: pathOf(operations[id as OperationId]),
      ...queryOf(id as OperationId),
      ...bodyOf(id as OperationId),
    }),
    async credential(caller, wanted): Promise<Record<string, string>> {
      if (caller === 'anyone') return {}
      return { authorization: `Bearer ${(await of.newKey(wanted as Scope[])).key}` }
    },
    badCredentials: () => badKeysOf(of),
    errorIn(answer) {
      assertError(answer)
      const { code, requestId, issues, current } = answer.body.error
      const paths = (issues as { path: string }[]).map(({ path }) => path)
      return { code, requestId, issues: paths, ...(current && { requiredScope: current.requiredScope }) }
    },
  })
  const limitedWorld = (): LimitedWorld => ({
    ...worldOf(strict),
    burstOf: ({ caller }) => (caller === 'key' ? 3 : 60),
    pass: (ms) => {
      strict.clock.now += ms
    },
  })
  testRows(openSurface, routed, () => worldOf(house), limitedWorld, { refusals: isOnce(given) })

  for (const id of routed) {
    const row: OpenOperation = operations[id]
    const path = pathOf(row)

    if (row.paged) {
      test(`${id}: 400 to a cursor that is signed and leads nowhere`, async () => {
        const other = 'whe_01h455vb4pex5vsknk084sn02q'
        for (const position of [
          ...['', ' ', 'x', 'x y', '1.5', '-1', '1e3', 'NaN', 'Infinity', '0x10', '9007199254740993', '\0', '1 2 3'],
          ...[`1 ${other}`, `x ${examplePath.orderId}`, `${examplePath.orderId} 1`, `1 ${examplePath.orderId} 2`],
        ]) {
          const token = signToken(deriveKey(testSecret, 'list cursor'), `${id} ${house.installationId} ${position}`)
          const answer = await house.ask(id, { path, query: `?cursor=${token}` })
          assertError(answer, 'invalid_request')
          assert.deepEqual(issuePaths(answer), ['/query/cursor'], position)
        }
      })
    }

    if (row.caller === 'key') {
      test(`${id}: accepts the scheme in any case, and the bare key`, async () => {
        for (const authorization of [`bearer ${house.keys.full}`, `BEARER ${house.keys.full}`, house.keys.full]) {
          assert.equal(
            (await house.ask(id, { ...(await goodRequest(house, id)), key: null, headers: { authorization } })).status,
            200,
          )
        }
      })

      test(`${id}: 400 to two Authorization headers`, async () => {
        const address = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '')
        const header = `authorization: Bearer ${house.keys.full}\r\n`
        const text = await house.wire(
          `${row.method} ${address} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}${header.toUpperCase()}\r\n`,
        )
        assert.match(text, /^HTTP\/1.1 400 /)
        assert.match(text, /"path":"\/headers\/authorization"/)
      })
    }

    if (Object.keys(path).length > 0) {
      test(`${id}: 404, one answer for unknown, foreign and malformed`, async () => {
        const answers = new Set<string>()
        const subject = path.cartId === undefined ? (Object.keys(path).at(-1) as string) : 'cartId'
        const foreign = await house.ask('createPublicCart', { key: house.keys.rival, ...bodyOf('createPublicCart') })
        for (const name of [
          unknownCart,
          foreign.body.data.id,
          'unknown',
          'rival-only',
          'secret-tulips',
          'Red-Roses',
          'red roses',
          '%00',
          '.hidden',
          "x' or 1=1",
          'é',
          'a'.repeat(121),
          'x'.repeat(900),
        ]) {
          const answer = await house.ask(id, { path: { ...path, [subject]: name }, ...bodyOf(id) })
          assert.equal(answer.status, 404, name)
          assertError(answer, row.refusals[0] as RefusalCode)
          answers.add(answer.text.replaceAll(answer.body.error.requestId, ''))
        }
        assert.equal(answers.size, 1)
      })
    }
  }

  test('429 comes before 403 and 400, and after 401', async () => {
    const { key } = await strict.newKey([])
    for (let i = 0; i < 3; i += 1) await strict.ask('listApiKeyCatalogProducts', { key })
    assertError(await strict.ask('listApiKeyCatalogProducts', { key, query: '?x=1' }), 'rate_limited')
    assertError(await strict.ask('listApiKeyCatalogProducts', { key: null, query: '?x=1' }), 'unauthenticated')
  })

  test('wrong keys are limited by address, and the right key still works', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 70; i += 1) {
      statuses.push((await strict.ask('listApiKeyCatalogCategories', { key: 'wrong' })).status)
    }
    assert.equal(statuses[0], 401)
    assert.equal(statuses.at(-1), 429)
    const { key } = await strict.newKey([])
    assert.equal((await strict.ask('listApiKeyCatalogCategories', { key })).status, 200)
  })

  test('every operation is routed; those of an installed app know no key, and have tests of their own', async () => {
    for (const id of operationIds.filter((known) => !routed.includes(known))) {
      const row: OpenOperation = operations[id]
      assert.equal(row.caller, 'oauth', id)
      const answer = await house.ask(id, { path: { keyId: 'x' } })
      assertError(answer, 'unauthenticated')
      assert.match(answer.headers.get('www-authenticate') ?? '', /^DPoP /)
    }
  })

  test('each request is one log line without a secret', async () => {
    const before = house.lines().length
    const answer = await house.ask('getApiKeyCatalogProduct', { path: { slug: 'red-roses' }, key: house.keys.catalog })
    const [line, ...more] = house.lines().slice(before)
    assert.equal(more.length, 0)
    assert.deepEqual(
      { ...line, time: 0, durationMs: 0, callerId: 0 },
      {
        time: 0,
        level: 'info',
        message: 'request',
        requestId: answer.headers.get('x-request-id'),
        callerId: 0,
        operation: 'getApiKeyCatalogProduct',
        method: 'GET',
        status: 200,
        code: null,
        durationMs: 0,
      },
    )
    assert.match(String(line?.callerId), /^key_/)
    const all = JSON.stringify(house.lines())
    for (const key of Object.values(house.keys)) assert.ok(!all.includes(key.slice(9, 40)))
  })
})
