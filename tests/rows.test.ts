// What holds for every operation is tested from the rows of the contract, once, on both engines.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { checkoutOf } from '../harness/checkout.ts'
import { assertError, type House, openHouse, testSecret } from '../harness/house.ts'
import { eachEngine } from '../harness/storage.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { type Operation, type OperationId, operationIds, operations } from '../src/contract/open/operations.ts'
import type { RefusalCode } from '../src/contract/refusals.ts'
import { deriveKey, signToken } from '../src/kit/secrets.ts'

// Whatever takes a key, or nothing.
const routed: readonly OperationId[] = [
  'getInstallationCredentialIdentity',
  'listApiKeyCatalogCategories',
  'listApiKeyCatalogProducts',
  'getApiKeyCatalogProduct',
  'getPublicMerchantProduct',
  'getPublicCart',
  'updatePublicCartItemQuantity',
  'removePublicCartItem',
  'applyPublicCartPromotion',
  'setPublicCartAddress',
  'createPublicCart',
  'putPublicCartItem',
  'createHostedCheckoutSession',
  'getHostedCheckoutSession',
  'cancelHostedCheckoutSession',
  'listStorefrontOrders',
  'getStorefrontOrder',
  'cancelStorefrontOrder',
  'listInstallationWebhooks',
  'getInstallationWebhookSignatureFixture',
  'replayInstallationWebhookDelivery',
]

const unknownCart = 'cart_01h455vb4pex5vsknk084sn02q'
const examplePath: Readonly<Record<string, string>> = {
  slug: 'red-roses',
  merchantSlug: 'bloom',
  productSlug: 'red-roses',
  cartId: unknownCart,
  skuId: 'sku_01h455vb4pex5vsknk084sn02q',
  sessionId: 'cks_01h455vb4pex5vsknk084sn02q',
  orderId: 'ord_01h455vb4pex5vsknk084sn02q',
}

// A body that is good for each operation that takes one.
const exampleBody: Partial<Record<OperationId, object>> = {
  updatePublicCartItemQuantity: { quantity: 1 },
  removePublicCartItem: {},
  applyPublicCartPromotion: { code: null },
  setPublicCartAddress: {
    address: { name: 'Ada', line1: 'Linden 1', city: 'Berlin', postalCode: '10117', country: 'DE' },
  },
  createPublicCart: {},
  putPublicCartItem: { quantity: 1 },
  createHostedCheckoutSession: { cartId: unknownCart, successUrl: 'http://localhost/x' },
  cancelHostedCheckoutSession: {},
  cancelStorefrontOrder: {},
  replayInstallationWebhookDelivery: {},
}

let keys = 0
function freshKey(): { idempotencyKey: string } {
  keys += 1
  return { idempotencyKey: `row-${keys}` }
}

function bodyOf(id: OperationId): { body?: object } {
  return exampleBody[id] ? { body: { ...exampleBody[id], ...freshKey() } } : {}
}

// A request that is answered with 200: of things that are there and belong to the caller.
async function goodRequest(house: House, id: OperationId): Promise<{ path: Record<string, string>; body?: object }> {
  const path = pathOf(operations[id])
  const given = bodyOf(id)
  if (id === 'getInstallationWebhookSignatureFixture' || id === 'replayInstallationWebhookDelivery') {
    const { endpointId, deliveryId } = await webhooksOf(house).given('failed')
    return { ...given, path: { id: given.body ? deliveryId : endpointId } }
  }
  const { carts, ready, pay } = await checkoutOf(house)
  if (id === 'createHostedCheckoutSession')
    return { path, body: { ...given.body, cartId: await carts.create({ 'ROSE-12': 1 }) } }
  if (path.cartId !== undefined) {
    const cartId = await carts.create({ 'ROSE-12': 1 })
    return { ...given, path: { ...path, cartId, ...(path.skuId === undefined ? {} : { skuId: carts.sku('ROSE-12') }) } }
  }
  if (path.sessionId === undefined && path.orderId === undefined) return { ...given, path }
  const { sessionId, secret, view } = await ready({ 'ROSE-12': 1 })
  if (path.sessionId !== undefined) return { ...given, path: { sessionId } }
  return { ...given, path: { orderId: (await pay(secret, view)).view.session.orderId ?? '' } }
}

function pathOf({ path }: Operation): Record<string, string> {
  return Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, examplePath[name] ?? 'unknown']),
  )
}

function issuePaths(answer: { body: { error: { issues: { path: string }[] } } }): string[] {
  return answer.body.error.issues.map((issue) => issue.path)
}

eachEngine('every routed operation', (given) => {
  let house: House
  let strict: House
  before(async () => {
    house = await openHouse(given)
    strict = await openHouse(given, { rateLimit: { perSecond: 1, burst: 3 } })
  })

  for (const id of routed) {
    const row: Operation = operations[id]
    const path = pathOf(row)

    test(`${id}: 200 to a good request`, async () => {
      const key = row.scope === null ? house.keys.none : house.keys.full
      const answer = await house.ask(id, { ...(await goodRequest(house, id)), key })
      assert.equal(answer.status, 200)
    })

    if (row.method === 'GET')
      test(`${id}: HEAD is GET without a body, also where it is refused`, async () => {
        const { path } = await goodRequest(house, id)
        const address = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '')
        for (const authorization of [house.keys.full, 'nonsense']) {
          const headers = { authorization }
          const [get, head] = [
            await house.fetch(address, { headers }),
            await house.fetch(address, { method: 'HEAD', headers }),
          ]
          assert.deepEqual([head.status, head.text], [get.status, ''])
          assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
          assert.equal(head.headers.get('etag'), get.headers.get('etag'))
        }
      })

    test(`${id}: 400 names the unknown query parameter`, async () => {
      const answer = await house.ask(id, { path, query: '?page=2&a%2Fb=1', ...bodyOf(id) })
      assert.equal(answer.status, 400)
      assertError(answer, 'invalid_request')
      assert.deepEqual(issuePaths(answer), ['/query/page', '/query/a~1b'])
    })

    test(`${id}: 400 to a cursor that it did not give`, async () => {
      for (const query of ['?cursor=', '?cursor=x', '?cursor=x&cursor=y', `?cursor=${'x'.repeat(3000)}`]) {
        const answer = await house.ask(id, { path, query, ...bodyOf(id) })
        assertError(answer, 'invalid_request')
        assert.deepEqual(issuePaths(answer), ['/query/cursor'])
      }
    })

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

    if (row.body !== null) {
      test(`${id}: 400 to a missing body, an unknown member and a body that is no object`, async () => {
        assertError(await house.ask(id, { path }), 'body_required')
        const unknown = await house.ask(id, { path, body: { ...bodyOf(id).body, surprise: 1 } })
        assertError(unknown, 'invalid_request')
        assert.deepEqual(issuePaths(unknown), ['/surprise'])
        assertError(await house.ask(id, { path, body: '[]' }), 'invalid_request')
        assertError(
          await house.ask(id, { path, ...bodyOf(id), headers: { 'content-type': 'text/plain' } }),
          'unsupported_media_type',
        )
      })
    }

    if (row.body === null) {
      test(`${id}: 400 to a body where none is declared`, async () => {
        for (const [headers, body] of [
          ['content-type: application/json\r\ncontent-length: 2', '{}'],
          ['content-length: 1', ' '],
          ['transfer-encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
        ] as const) {
          const address = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '')
          const text = await house.wire(
            `GET ${address} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${house.keys.full}\r\n${headers}\r\n\r\n${body}`,
          )
          assert.match(text, /^HTTP\/1.1 400 /)
          assert.match(text, /"code":"body_not_allowed"/)
        }
      })
    }

    if (row.caller === 'key') {
      test(`${id}: 401, one answer for every bad credential`, async () => {
        const { key, id: revokedId } = await house.newKey(['catalog:read'])
        await house.storage.write((tx) => tx.sql`update credentials set revoked_at = 1 where id = ${revokedId}`)
        const expired = (await house.newKey([], { expiresAt: house.clock.now })).key
        const mistyped = `${house.keys.full.slice(0, -1)}${house.keys.full.endsWith('a') ? 'b' : 'a'}`
        const bodies = new Set<string>()
        for (const authorization of [
          undefined,
          '',
          'Bearer',
          `Bearer ${mistyped}`,
          `Bearer ${key}`,
          `Bearer ${expired}`,
          `Basic ${house.keys.full}`,
          'nonsense',
        ]) {
          const answer = await house.ask(id, {
            path,
            key: null,
            ...bodyOf(id),
            ...(authorization === undefined ? {} : { headers: { authorization } }),
          })
          assert.equal(answer.status, 401)
          assertError(answer, 'unauthenticated')
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
          bodies.add(answer.text.replaceAll(answer.body.error.requestId, ''))
        }
        assert.equal(bodies.size, 1)
      })

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

      if (row.scope !== null) {
        test(`${id}: 403 names the scope that is missing`, async () => {
          const answer = await house.ask(id, { path, key: house.keys.none, ...bodyOf(id) })
          assertError(answer, 'scope_missing')
          assert.deepEqual(answer.body.error.current, { requiredScope: row.scope })
        })
      }
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

    test(`${id}: 429 when asked too often, and not any more after a while`, async () => {
      const { key } = await strict.newKey(row.scope === null ? [] : [row.scope])
      const burst = row.caller === 'key' ? 3 : 60
      const statuses: number[] = []
      for (let i = 0; i <= burst; i += 1) statuses.push((await strict.ask(id, { path, key, ...bodyOf(id) })).status)
      assert.deepEqual(
        statuses.map((status) => status === 429),
        [...Array<boolean>(burst).fill(false), true],
      )
      const refused = await strict.ask(id, { path, key, ...bodyOf(id) })
      assertError(refused, 'rate_limited')
      assert.equal(Number(refused.headers.get('retry-after')), 1)
      strict.clock.now += 1_000
      assert.notEqual((await strict.ask(id, { path, key, ...bodyOf(id) })).status, 429)
      strict.clock.now += 60_000
    })
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
      const row: Operation = operations[id]
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
      { ...line, time: 0, durationMs: 0, credentialId: 0 },
      {
        time: 0,
        level: 'info',
        message: 'request',
        requestId: answer.headers.get('x-request-id'),
        credentialId: 0,
        operation: 'getApiKeyCatalogProduct',
        method: 'GET',
        status: 200,
        code: null,
        durationMs: 0,
      },
    )
    assert.match(String(line?.credentialId), /^key_/)
    const all = JSON.stringify(house.lines())
    for (const key of Object.values(house.keys)) assert.ok(!all.includes(key.slice(9, 40)))
  })
})
