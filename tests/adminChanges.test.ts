// The list of changes, and taking one back.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { eventsOf } from '../harness/carts.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertAdminError, type TestServer } from '../harness/testServer.ts'
import { insertEntry, trimLargeEntries } from '../src/platform/audit/store.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('admin changes', (given) => {
  let testServer: TestServer & { orders: Orders }
  before(async () => {
    testServer = await openOrderTestServer(given)
  })

  const key = () => ({ idempotencyKey: newId('req') })

  async function sentParcel(): Promise<{ orderId: string; fulfillmentId: string }> {
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    const body = { ...key(), trackingNumber: 'A' }
    const sent = await testServer.askAdmin('fulfilAdminOrder', { path: { orderId }, body })
    return { orderId, fulfillmentId: sent.body.data.fulfillment.id }
  }

  const track = (path: { orderId: string; fulfillmentId: string }, trackingNumber: string | null) =>
    testServer.askAdmin('updateAdminFulfillment', { path, body: { ...key(), trackingNumber } })
  const list = async (query: string) => (await testServer.askAdmin('listAdminChanges', { query })).body.data
  const undo = (changeId: string, more: { body?: object; key?: string } = {}) =>
    testServer.askAdmin('undoAdminChange', { path: { changeId }, ...more, body: { ...key(), ...more.body } })
  const trackingOf = async ({ orderId, fulfillmentId }: { orderId: string; fulfillmentId: string }) => {
    const { fulfillments } = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
    return fulfillments.find(({ id }: { id: string }) => id === fulfillmentId).trackingNumber
  }

  test('when large audit entries exceed the limit, the oldest lose their values and can no longer be undone, but still name the actor and 50 of the changed subjects', async () => {
    const skus = (price: number) =>
      Array.from({ length: 200 }, (_, i) => ({ code: `CUT-${i}`, price, options: { Number: `${i}` } }))
    const options = [{ name: 'Number', values: skus(1).map((sku) => sku.options.Number) }]
    const product = (price: number) => ({ slug: 'cut', name: 'Cut', options, skus: skus(price) })
    const made = await testServer.askAdmin('createAdminProduct', { body: { ...key(), product: product(100) } })
    const { id: productId } = made.body.data
    let expectedVersion = made.body.data.version
    for (const price of [200, 300]) {
      const body = { ...key(), expectedVersion, product: product(price) }
      const { body: after } = await testServer.askAdmin('replaceAdminProduct', { path: { productId }, body })
      expectedVersion = after.data.version
    }
    const sizes = () =>
      testServer.storage.read(
        (db) => db.sql<{ id: string; bytes: number; large: number | null; subjects: number }>`
          select e.id, octet_length(e.changes) as "bytes", e.large_bytes as "large",
            (select count(*) from audit_subjects s where s.merchant_id = e.merchant_id and s.entry_id = e.id) as "subjects"
          from audit_entries e where e.operation in ('createAdminProduct', 'replaceAdminProduct')
            and e.merchant_id = ${testServer.merchantId} order by e.id`,
      )
    const [first, second, third] = await sizes()
    assert.ok(first && second && third && second.bytes > 8_192 && Number(second.large) === second.bytes)
    // Room for the newest one alone.
    assert.equal(await trimLargeEntries(testServer.storage, third.bytes), 2)
    assert.equal(await trimLargeEntries(testServer.storage, third.bytes), 0)
    const after = await sizes()
    assert.ok(
      after.slice(0, 2).every(({ bytes, large, subjects }) => bytes < 8_192 && large === null && subjects <= 50),
    )
    assert.deepEqual({ ...after[2] }, { ...third })
    const [shown] = await list(`?changeId=${second.id}`)
    assert.deepEqual(
      [shown.operation, shown.actor.name, shown.changesCount >= 200, shown.changes.length, shown.changes[0].members],
      ['replaceAdminProduct', 'admin', true, 50, []],
    )
    assert.equal(
      (await testServer.askAdmin('listAdminChanges', { query: `?changeId=${second.id}` })).body.meta.next,
      null,
    )
    for (const { id } of [first, second]) assertAdminError(await undo(id), 'change_not_undoable')
    assert.equal((await undo(third.id)).status, 200)
  })

  test('listAdminChanges lists the newest first and filters by subject, actor, operation and time', async () => {
    const parcel = await sentParcel()
    await track(parcel, 'B')
    const changes = await list(`?subjectId=${parcel.orderId}`)
    assert.deepEqual(
      changes.map(({ operation, actor }: { operation: string; actor: { kind: string; name: string } }) => [
        operation,
        actor.kind,
        actor.name,
      ]),
      [
        ['updateAdminFulfillment', 'key', 'admin'],
        ['fulfilAdminOrder', 'key', 'admin'],
      ],
    )
    const [{ actor, requestId }] = changes
    assert.match(requestId, /^req_/)
    assert.equal((await list(`?subjectId=${parcel.orderId}&actorId=${actor.id}`)).length, 2)
    assert.equal((await list(`?subjectId=${parcel.orderId}&actorId=usr_1`)).length, 0)
    assert.equal((await list(`?subjectId=${parcel.orderId}&operation=fulfilAdminOrder`)).length, 1)
    const later = new Date(testServer.clock.now + 1).toISOString()
    assert.equal((await list(`?subjectId=${parcel.orderId}&from=${later}`)).length, 0)
    assert.equal((await list(`?subjectId=${parcel.orderId}&to=${later}`)).length, 2)
    // Another merchant sees nothing of it.
    const foreign = await testServer.askAdmin('listAdminChanges', { key: testServer.keys.rivalAdmin })
    assert.deepEqual(foreign.body.data, [])
  })

  test('listAdminChanges returns 50 entries and a link to the rest', async () => {
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    for (let i = 0; i < 52; i += 1) await testServer.askAdmin('getAdminOrderCustomer', { path: { orderId } })
    const first = await testServer.askAdmin('listAdminChanges', { query: `?subjectId=${orderId}` })
    assert.equal(first.body.meta.count, 50)
    const init = { headers: { authorization: `Bearer ${testServer.keys.admin}` } }
    const second = await testServer.fetch(first.body.meta.next, init)
    assert.deepEqual([second.body.meta.count, second.body.meta.next], [2, null])
    const ids = [...first.body.data, ...second.body.data].map(({ id }) => id)
    assert.deepEqual(ids, [...new Set(ids)].sort().reverse())
  })

  test('listAdminChanges shows at most 50 changes of an entry, and fewer entries on a page if they are large', async () => {
    const changes = (name: string, length: number) =>
      Array.from({ length }, (_, index) => ({
        ...({ kind: 'change', what: 'product', id: `prd_${name}_${index}`, name } as const),
        members: [{ member: 'description', from: 'x'.repeat(1_500), to: name }],
      }))
    const write = (operation: string, length: number) =>
      testServer.storage.write(async (tx) => {
        const { merchantId } = testServer.seller
        const entry = { merchantId, mode: null, requestId: null, undoes: null, at: testServer.clock.now, operation }
        return insertEntry(tx, { ...entry, actor: { kind: 'operator', id: null }, changes: changes(operation, length) })
      })
    for (let i = 0; i < 5; i += 1) await write('large', 70)
    const { body } = await testServer.askAdmin('listAdminChanges', { query: '?operation=large&subjectId=prd_large_69' })
    const [{ changes: shown, changesCount }] = body.data
    assert.deepEqual([shown.length, changesCount, shown[0].subject.id], [50, 70, 'prd_large_69'])
    assert.equal(body.meta.count, 2)
    const init = { headers: { authorization: `Bearer ${testServer.keys.admin}` } }
    const second = (await testServer.fetch(body.meta.next, init)).body
    const third = (await testServer.fetch(second.meta.next, init)).body
    assert.deepEqual([second.meta.count, third.meta.count, third.meta.next], [2, 1, null])
    // One that is larger than a page is a page of its own.
    const alone = await write('alone', 300)
    await write('alone', 1)
    const newest = (await testServer.askAdmin('listAdminChanges', { query: '?operation=alone' })).body
    assert.equal(newest.meta.count, 1)
    assert.deepEqual((await testServer.fetch(newest.meta.next, init)).body.data[0].id, alone)
    const pages: { changes: { subject: { id: string } }[] }[] = []
    let page = (await testServer.askAdmin('listAdminChanges', { query: `?changeId=${alone}&subjectId=prd_alone_7` }))
      .body
    for (; page.meta.next !== null; page = (await testServer.fetch(page.meta.next, init)).body) pages.push(...page.data)
    pages.push(...page.data)
    assert.deepEqual(
      pages.map((entry) => entry.changes.length),
      [50, 50, 50, 50, 50, 50],
    )
    const seen = pages.flatMap((entry) => entry.changes.map(({ subject }) => subject.id))
    assert.deepEqual([seen[0], new Set(seen).size], ['prd_alone_7', 300])
    for (const [status, count, query, caller] of [
      [200, 0, `?changeId=${newId('chg')}`, testServer.keys.admin],
      [200, 0, `?changeId=${alone}`, testServer.keys.rivalAdmin],
      [400, undefined, '?changeId=1', testServer.keys.admin],
    ] as const) {
      const answer = await testServer.askAdmin('listAdminChanges', { query, key: caller })
      assert.deepEqual([answer.status, answer.body.data?.length], [status, count], query)
    }
    await assert.rejects(write('refused', 5_600), { code: 'change_too_large' })
  })

  test('undoAdminChange restores the earlier value once, and the undo itself can be undone', async () => {
    const parcel = await sentParcel()
    await track(parcel, 'B')
    const [change] = await list(`?subjectId=${parcel.fulfillmentId}`)
    const planned = await undo(change.id, { body: { dryRun: true } })
    const reverse = [{ member: 'trackingNumber', from: 'B', to: 'A' }]
    assert.deepEqual([planned.body.data.changes[0].members, await trackingOf(parcel)], [reverse, 'B'])
    const done = await undo(change.id)
    assert.deepEqual([done.body.data.changes[0].members, await trackingOf(parcel)], [reverse, 'A'])
    const [undoing, undone] = await list(`?subjectId=${parcel.fulfillmentId}`)
    assert.deepEqual([undoing.undoes, undone.undoneBy], [undone.id, undoing.id])
    const again = await undo(change.id)
    assertAdminError(again, 'change_already_undone')
    assert.deepEqual(again.body.error.current, { undoneBy: undoing.id })
    assert.equal((await undo(undoing.id)).status, 200)
    assert.equal(await trackingOf(parcel), 'B')
  })

  test('correcting a tracking number, and undoing that, each increase the version and emit an event', async () => {
    const parcel = await sentParcel()
    const version = async () =>
      (await testServer.askAdmin('getAdminOrder', { path: { orderId: parcel.orderId } })).body.data.version
    const before = await version()
    await track(parcel, 'B')
    const [change] = await list(`?subjectId=${parcel.fulfillmentId}`)
    await track(parcel, 'B')
    await undo(change.id, { body: { dryRun: true } })
    await undo(change.id)
    assert.equal(await version(), before + 2)
    const events = (await eventsOf(testServer, parcel.orderId)).slice(-2)
    assert.deepEqual(
      events.map(({ type, sequence, body }) => [type, sequence, body.data.order.fulfillments[0].trackingNumber]),
      [
        ['order.fulfilled', before + 1, 'B'],
        ['order.fulfilled', before + 2, 'A'],
      ],
    )
  })

  test('of two concurrent undoAdminChange requests for one change, one succeeds', async () => {
    const parcel = await sentParcel()
    await track(parcel, 'B')
    const [change] = await list(`?subjectId=${parcel.fulfillmentId}`)
    const answers = await Promise.all([undo(change.id), undo(change.id)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assert.equal(await trackingOf(parcel), 'A')
  })

  test('undoAdminChange is refused for a value that has changed again, a shipment, a read of personal data and a key without the scope', async () => {
    const parcel = await sentParcel()
    await track(parcel, 'B')
    const [change] = await list(`?subjectId=${parcel.fulfillmentId}`)
    const { key: reader } = await testServer.newKey(['admin:read'])
    const refused = await undo(change.id, { key: reader })
    assertAdminError(refused, 'scope_missing')
    assert.equal(refused.body.error.current.requiredScope, 'admin:orders')
    await track(parcel, 'C')
    const overtaken = await undo(change.id)
    assertAdminError(overtaken, 'change_overtaken')
    assert.deepEqual(
      [overtaken.body.error.current.member, overtaken.body.error.current.present],
      ['trackingNumber', 'C'],
    )
    assert.equal(await trackingOf(parcel), 'C')
    const [sending] = await list(`?subjectId=${parcel.orderId}&operation=fulfilAdminOrder`)
    assertAdminError(await undo(sending.id), 'change_not_undoable')
    await testServer.askAdmin('getAdminOrderCustomer', { path: { orderId: parcel.orderId } })
    const [look] = await list(`?subjectId=${parcel.orderId}&operation=getAdminOrderCustomer`)
    assertAdminError(await undo(look.id), 'change_not_undoable')
  })
})
