// Promotions and the shop by the admin surface.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createPromotion } from '../harness/admin/catalog.ts'
import { type Carts, cartsOf, market } from '../harness/carts.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, assertAdminError, openTestServer, type TestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('shop settings and promotions of the admin surface', (given) => {
  let testServer: TestServer
  let carts: Carts
  before(async () => {
    testServer = await openTestServer(given, { shops: [market, rival] })
    carts = await cartsOf(testServer)
  })

  async function ask(id: AdminOperationId, body: object, path: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return testServer.askAdmin(id, { path, body: { idempotencyKey: newId('req'), ...body } })
  }

  async function done(id: AdminOperationId, body: object, path: Readonly<Record<string, string>> = {}) {
    const answer = await ask(id, body, path)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  const shop = async () => (await testServer.askAdmin('getAdminShop')).body.data

  test('using a promotion does not change its version, editing it keeps its uses, and its code cannot be changed', async () => {
    const { id, version, promotion } = await createPromotion(testServer, { usageLimit: 5 })
    // A use, as an order counts it.
    const set = (used: number) =>
      testServer.storage.write(
        (tx) => tx.sql`update promotions set test_used = ${used}, test_version = test_version + 1 where id = ${id}`,
      )
    await set(1)
    const path = { promotionId: id }
    const { data } = await done(
      'replaceAdminPromotion',
      { expectedVersion: version, promotion: { ...promotion, name: 'New' } },
      path,
    )
    assert.deepEqual([data.version, data.used, data.promotion.name, data.status], [2, 1, 'New', 'active'])
    for (const [body, refusal] of [
      [{ expectedVersion: 1, promotion }, 'version_conflict'],
      [{ expectedVersion: 2, promotion: { ...promotion, code: 'ELSE' } }, 'code_not_changeable'],
      [{ expectedVersion: 2, promotion: { ...promotion, skus: ['NOPE'] } }, 'sku_not_found'],
      [{ expectedVersion: 2, promotion: { ...promotion, categories: ['nope'] } }, 'category_not_found'],
      [{ expectedVersion: 2, promotion: { ...promotion, amount: 5 } }, 'invalid_request'],
    ] as const)
      assertAdminError(await ask('replaceAdminPromotion', body, path), refusal)
    assertAdminError(await ask('createAdminPromotion', { promotion }), 'promotion_exists')
    const same = await done('replaceAdminPromotion', { expectedVersion: 2, promotion: data.promotion }, path)
    assert.equal(same.data.version, 2)
    await set(0)
  })

  test('lowering the limit of a promotion to its uses emits promotion.exhausted and promotion.updated, each with its own sequence number', async () => {
    const { id, version, promotion } = await createPromotion(testServer, { usageLimit: 5 })
    const lowered = { ...promotion, usageLimit: 0, name: 'Done' }
    await done('replaceAdminPromotion', { expectedVersion: version, promotion: lowered }, { promotionId: id })
    const events = await testServer.storage.read(
      (db) => db.sql<{ type: string; sequence: number }>`
        select type, sequence from events where subject_id = ${id} order by sequence`,
    )
    assert.deepEqual(
      events.map(({ type, sequence }) => `${sequence} ${type}`),
      ['1 promotion.created', '2 promotion.exhausted', '3 promotion.updated'],
    )
  })

  test('promotions are listed by code and by status', async () => {
    const soon = await createPromotion(testServer, { startsAt: new Date(testServer.clock.now + 60_000).toISOString() })
    const past = await createPromotion(testServer, { endsAt: new Date(testServer.clock.now).toISOString() })
    const none = await createPromotion(testServer, { usageLimit: 0 })
    const stopped = await createPromotion(testServer, { disabled: true })
    for (const [status, wanted] of [
      ['scheduled', soon],
      ['expired', past],
      ['exhausted', none],
      ['disabled', stopped],
    ] as const) {
      const { body } = await testServer.askAdmin('listAdminPromotions', { query: `?status=${status}` })
      assert.ok(body.data.some(({ id }: { id: string }) => id === wanted.id))
      assert.ok(body.data.every((promotion: { status: string }) => promotion.status === status))
    }
    const { body } = await testServer.askAdmin('listAdminPromotions', { query: '?status=active' })
    assert.ok(body.data.every(({ status }: { status: string }) => status === 'active'))
    const byCode = await testServer.askAdmin('listAdminPromotions', {
      query: `?q=${soon.promotion.code.toLowerCase()}`,
    })
    assert.ok(byCode.body.data.some(({ id }: { id: string }) => id === soon.id))
  })

  test('shop settings are changed individually and against a version, and products show the new shop name', async () => {
    const before = await shop()
    const { data, changes } = await done('updateAdminShop', {
      expectedVersion: before.version,
      name: 'Bloom & Co',
      timeZone: 'Europe/Berlin',
    })
    assert.deepEqual(
      [data.version, data.shop.name, data.timeZone, data.shop.lowStockAt],
      [before.version + 1, 'Bloom & Co', 'Europe/Berlin', 5],
    )
    assert.deepEqual(
      changes[0].members.map(({ member }: { member: string }) => member),
      ['name', 'timeZone'],
    )
    const { body } = await testServer.ask('getApiKeyCatalogProduct', { path: { slug: 'card' } })
    assert.equal(body.data.merchant.name, 'Bloom & Co')
    const late = await ask('updateAdminShop', { expectedVersion: before.version, name: 'Late' })
    assertAdminError(late, 'version_conflict')
    assert.deepEqual(late.body.error.current, data)
    assertAdminError(
      await ask('updateAdminShop', { expectedVersion: data.version, timeZone: 'Mars/Olympus' }),
      'invalid_request',
    )
    assertAdminError(await ask('updateAdminShop', { expectedVersion: data.version, name: ' ' }), 'invalid_request')
  })

  test('synonyms apply to the search immediately, until the change is undone', async () => {
    const found = async () => (await testServer.ask('searchCatalogProducts', { query: '?q=greeting+billet' })).body.meta
    const { version } = await shop()
    assert.equal((await found()).total, 0)
    const synonyms = [['card', 'greeting billet']]
    const { data } = await done('updateAdminShop', { expectedVersion: version, synonyms })
    assert.deepEqual([data.shop.synonyms, (await found()).total, (await found()).leftOut], [synonyms, 1, []])
    assertAdminError(
      await ask('updateAdminShop', { expectedVersion: data.version, synonyms: [['card', '–']] }),
      'invalid_request',
    )
    const { body } = await testServer.askAdmin('listAdminChanges')
    const { status } = await ask('undoAdminChange', {}, { changeId: body.data[0].id })
    assert.deepEqual([status, (await found()).total], [200, 0])
  })

  test('new tax rates apply to open carts, and their preview shows each changed rate; shipping zones are replaced; repeated rates or countries are refused', async () => {
    const cartId = await carts.create({ CARD: 3 })
    const read = async () => (await testServer.ask('getPublicCart', { path: { cartId } })).body.data
    const before = await shop()
    assert.equal((await read()).totals.tax, 160) // of 999 at 19 %
    const taxes = [
      { country: 'DE', rate: 700 },
      { country: 'AT', rate: 2_000 },
    ]
    const preview = await done('replaceAdminTaxes', { expectedVersion: before.version, taxes, dryRun: true })
    assert.deepEqual(
      preview.changes[0].members.map(({ member, from, to }: { member: string; from: number; to: number }) => [
        member,
        from,
        to,
      ]),
      [
        ['DE reduced', 700, null],
        ['DE standard', 1_900, 700],
        ['FR standard', 2_000, null],
        ['AT standard', null, 2_000],
      ],
    )
    assert.deepEqual((await shop()).taxes, before.taxes)
    const { data } = await done('replaceAdminTaxes', { expectedVersion: before.version, taxes })
    assert.equal((await read()).totals.tax, 65)
    const shipping = [{ zone: 'all', countries: ['*'], options: [{ id: 'post', label: 'Post', amount: 100 }] }]
    const zones = await done('replaceAdminShipping', { expectedVersion: data.version, shipping })
    assert.deepEqual(zones.data.shipping[0].zone, 'all')
    assertAdminError(
      await ask('replaceAdminTaxes', { expectedVersion: zones.data.version, taxes: [...taxes, ...taxes] }),
      'invalid_request',
    )
    assertAdminError(
      await ask('replaceAdminShipping', {
        expectedVersion: zones.data.version,
        shipping: [...shipping, { ...shipping[0], zone: 'two' }],
      }),
      'invalid_request',
    )
  })

  test('a payment method is disabled only in the mode of the caller', async () => {
    const { version } = await shop()
    const path = { provider: 'cash_on_delivery' }
    const { data } = await done('updateAdminPaymentProvider', { expectedVersion: version, enabled: false }, path)
    assert.deepEqual(
      data.paymentMethods.map(({ provider, enabled }: { provider: string; enabled: boolean }) => [provider, enabled]),
      [
        ['bank_transfer', true],
        ['cash_on_delivery', false],
      ],
    )
    const rows = await testServer.storage.read(
      (db) => db.sql<{ mode: string }>`select mode from manual_methods where merchant_id = ${testServer.merchantId}`,
    )
    assert.deepEqual(rows, [{ mode: 'test' }])
  })
})
