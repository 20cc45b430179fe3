// What holds for every operation is tested from the rows of the contract, once, on both engines.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  bodyOf,
  examplePath,
  goodRequest,
  pathOf,
  queryOf,
  signedInHeaders,
  unknownCart,
} from '../harness/openRequests.ts'
import { type LimitedWorld, type RowWorld, testRows } from '../harness/rows.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import { assertError, openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import {
  type OpenInterfaceOperation,
  type OperationId,
  openInterface,
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
async function badKeysOf(testServer: TestServer): Promise<Record<string, string>[]> {
  const { key, id: revokedId } = await testServer.newKey(['catalog:read'])
  await testServer.storage.write((tx) => tx.sql`update credentials set revoked_at = 1 where id = ${revokedId}`)
  const expired = (await testServer.newKey([], { expiresAt: testServer.clock.now })).key
  const mistyped = `${testServer.keys.full.slice(0, -1)}${testServer.keys.full.endsWith('a') ? 'b' : 'a'}`
  const shown = [
    '',
    'Bearer',
    `Bearer ${mistyped}`,
    `Bearer ${key}`,
    `Bearer ${expired}`,
    `Basic ${testServer.keys.full}`,
    'nonsense',
  ]
  return [{}, ...shown.map((authorization) => ({ authorization }))]
}

eachEngine('every routed operation', (given) => {
  let testServer: TestServer
  let strict: TestServer
  before(async () => {
    testServer = await openTestServer(given)
    strict = await openTestServer(given, { rateLimit: { perSecond: 1, burst: 3 } })
  })

  const worldOf = (of: TestServer): RowWorld => ({
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
      const key = { authorization: `Bearer ${(await of.newKey(wanted as Scope[])).key}` }
      return caller === 'customer' ? { ...key, ...(await signedInHeaders(of)) } : key
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
    burstOf: ({ caller }) => (caller === 'anyone' ? 60 : 3),
    pass: (ms) => {
      strict.clock.now += ms
    },
  })
  testRows(openInterface, routed, () => worldOf(testServer), limitedWorld, { isShort: !isOnce(given) })

  for (const id of routed) {
    const row: OpenInterfaceOperation = operations[id]
    const path = pathOf(row)

    if (row.paged) {
      test(`${id}: 400 for a signed cursor with an invalid position`, async () => {
        const other = 'whe_01h455vb4pex5vsknk084sn02q'
        const headers = row.caller === 'customer' ? await signedInHeaders(testServer) : {}
        const sessions = await testServer.storage.read((db) => db.sql<{ id: string }>`select id from customer_sessions`)
        const claimants = [
          testServer.installationId,
          ...(row.caller === 'customer' ? sessions.map(({ id }) => id) : []),
        ]
        for (const position of [
          ...['', ' ', 'x', 'x y', '1.5', '-1', '1e3', 'NaN', 'Infinity', '0x10', '9007199254740993', '\0', '1 2 3'],
          ...[`1 ${other}`, `x ${examplePath.orderId}`, `${examplePath.orderId} 1`, `1 ${examplePath.orderId} 2`],
        ]) {
          const token = signToken(deriveKey(testSecret, 'list cursor'), `${id} ${claimants.join(' ')} ${position}`)
          const answer = await testServer.ask(id, { path, headers, query: `?cursor=${token}` })
          assertError(answer, 'invalid_request')
          assert.deepEqual(issuePaths(answer), ['/query/cursor'], position)
        }
      })
    }

    if (row.caller !== 'anyone') {
      test(`${id}: accepts the scheme in any letter case, and the key without a scheme`, async () => {
        for (const authorization of [
          `bearer ${testServer.keys.full}`,
          `BEARER ${testServer.keys.full}`,
          testServer.keys.full,
        ]) {
          const { headers, ...good } = await goodRequest(testServer, id)
          const answer = await testServer.ask(id, { ...good, key: null, headers: { ...headers, authorization } })
          assert.equal(answer.status, 200)
        }
      })

      test(`${id}: 400 for two Authorization headers`, async () => {
        const address = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '')
        const header = `authorization: Bearer ${testServer.keys.full}\r\n`
        const text = await testServer.wire(
          `${row.method} ${address} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}${header.toUpperCase()}\r\n`,
        )
        assert.match(text, /^HTTP\/1.1 400 /)
        assert.match(text, /"path":"\/headers\/authorization"/)
      })
    }

    if (Object.keys(path).length > 0) {
      test(`${id}: 404 is the same for unknown, foreign and malformed ids`, async () => {
        const answers = new Set<string>()
        const headers = row.caller === 'customer' ? await signedInHeaders(testServer) : {}
        const subject = path.cartId === undefined ? (Object.keys(path).at(-1) as string) : 'cartId'
        const foreign = await testServer.ask('createPublicCart', {
          key: testServer.keys.rival,
          ...bodyOf('createPublicCart'),
        })
        for (const name of [
          unknownCart,
          foreign.body.data.id,
          'unknown',
          'rival-only',
          'secret-tulips',
          'Red-Roses',
          'red roses',
          '\0',
          '.hidden',
          "x' or 1=1",
          'é',
          'a'.repeat(121),
          'x'.repeat(900),
        ]) {
          const asked = { path: { ...path, [subject]: name }, headers, ...bodyOf(id), ...queryOf(id) }
          const answer = await testServer.ask(id, asked)
          assert.equal(answer.status, 404, name)
          assertError(answer, row.refusals[0] as RefusalCode)
          answers.add(answer.text.replaceAll(answer.body.error.requestId, ''))
        }
        assert.equal(answers.size, 1)
      })
    }
  }

  test('429 takes precedence over 403 and 400, and 401 over 429', async () => {
    const { key } = await strict.newKey([])
    for (let i = 0; i < 3; i += 1) await strict.ask('listApiKeyCatalogProducts', { key })
    assertError(await strict.ask('listApiKeyCatalogProducts', { key, query: '?x=1' }), 'rate_limited')
    assertError(await strict.ask('listApiKeyCatalogProducts', { key: null, query: '?x=1' }), 'unauthenticated')
  })

  test('wrong keys are limited by network address, and a valid key still works', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 70; i += 1) {
      statuses.push((await strict.ask('listApiKeyCatalogCategories', { key: 'wrong' })).status)
    }
    assert.equal(statuses[0], 401)
    assert.equal(statuses.at(-1), 429)
    const { key } = await strict.newKey([])
    assert.equal((await strict.ask('listApiKeyCatalogCategories', { key })).status, 200)
  })

  test('every operation has a route, and operations for installed apps require a DPoP token', async () => {
    for (const id of operationIds.filter((known) => !routed.includes(known))) {
      const row: OpenInterfaceOperation = operations[id]
      assert.equal(row.caller, 'oauth', id)
      const answer = await testServer.ask(id, { path: { keyId: 'x' } })
      assertError(answer, 'unauthenticated')
      assert.match(answer.headers.get('www-authenticate') ?? '', /^DPoP /)
    }
  })

  test('each request is one log line without a secret', async () => {
    const before = testServer.lines().length
    const answer = await testServer.ask('getApiKeyCatalogProduct', {
      path: { slug: 'red-roses' },
      key: testServer.keys.catalog,
    })
    const [line, ...more] = testServer.lines().slice(before)
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
    const all = JSON.stringify(testServer.lines())
    for (const key of Object.values(testServer.keys)) assert.ok(!all.includes(key.slice(9, 40)))
  })
})
