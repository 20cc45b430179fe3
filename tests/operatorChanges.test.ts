// What the operator does at the command line is in the merchant's list of changes, as it is when a person or a key does it.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { AdminHouse } from '../harness/admin/world.ts'
import { cartwright } from '../harness/commandline.ts'
import { settingsOf } from '../harness/house.ts'
import { openOrderHouse } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'

eachEngine('changes by the operator', (given) => {
  let house: AdminHouse
  before(async () => {
    house = await openOrderHouse(given)
  })

  interface Row {
    operation: string
    actorKind: string
    actorId: string | null
    changes: string
  }

  // Runs the command, and answers what it printed and the entries that it wrote.
  // biome-ignore lint/suspicious/noExplicitAny: commands print every shape
  async function run(words: readonly string[]): Promise<{ out: any; entries: readonly (readonly [string, string])[] }> {
    const listed = () =>
      house.storage.read(
        (db) => db.sql<Row & { id: string }>`
          select id, operation, actor_kind as "actorKind", actor_id as "actorId", changes from audit_entries
          where merchant_id = ${house.merchantId} order by id`,
      )
    const known = new Set((await listed()).map(({ id }) => id))
    const { code, out, err } = await cartwright([...words, '--json'], settingsOf(house))
    assert.equal(code, 0, err)
    const rows = (await listed()).filter(({ id }) => !known.has(id))
    assert.ok(rows.every(({ actorKind, actorId }) => actorKind === 'operator' && actorId === null))
    assert.doesNotMatch(JSON.stringify(rows), /bloom\.example|path-secret/)
    return { out: JSON.parse(out), entries: rows.map(({ operation, changes }) => [operation, changes] as const) }
  }

  const of = ({ entries }: Awaited<ReturnType<typeof run>>) => entries.map(([operation]) => operation)
  const shop = ['--merchant', 'bloom']

  test('keys, people and endpoints', async () => {
    const made = await run(['keys', 'create', '--name', 'Till', '--scopes', 'catalog:read', ...shop])
    assert.deepEqual(of(made), ['createAdminKey'])
    assert.match(made.entries[0]?.[1] ?? '', /"member":"scopes","from":null,"to":\["catalog:read"\]/)
    assert.ok(!made.entries[0]?.[1].includes(made.out.key))
    const rotated = await run(['keys', 'rotate', made.out.id])
    assert.deepEqual(of(rotated), ['rotateAdminKey'])
    assert.deepEqual(of(await run(['keys', 'revoke', rotated.out.id])), ['revokeAdminKey'])
    assert.deepEqual(of(await run(['keys', 'revoke', rotated.out.id])), [], 'nothing changed')

    const email = 'grace@bloom.example'
    assert.deepEqual(of(await run(['users', 'create', '--email', 'boss@bloom.example', ...shop])), [
      'inviteAdminMember',
    ])
    assert.deepEqual(of(await run(['users', 'create', '--email', email, '--role', 'staff', ...shop])), [
      'inviteAdminMember',
    ])
    assert.deepEqual(of(await run(['users', 'role', email, 'viewer', ...shop])), ['updateAdminMember'])
    assert.deepEqual(of(await run(['users', 'reset', email])), ['resetAdminMemberPassword'])
    assert.deepEqual(of(await run(['users', 'disable', email])), ['updateAdminMember'])
    assert.deepEqual(of(await run(['users', 'remove', email, ...shop])), ['removeAdminMember'])
    assert.deepEqual(of(await run(['users', 'invite', '--email', email, '--role', 'viewer', ...shop])), [
      'inviteAdminMember',
    ])

    const url = 'https://hooks.example.com/path-secret'
    const added = await run(['webhooks', 'add', '--url', url, ...shop])
    assert.deepEqual(of(added), ['createAdminWebhookEndpoint'])
    const { id } = added.out.endpoint
    assert.deepEqual(of(await run(['webhooks', 'pause', id])), ['updateAdminWebhookEndpoint'])
    assert.deepEqual(of(await run(['webhooks', 'rotate', id])), ['rotateAdminWebhookSecret'])
    assert.deepEqual(of(await run(['webhooks', 'remove', id])), ['removeAdminWebhookEndpoint'])
  })

  test('orders: sent, refunded, cancelled; what is refused writes nothing', async () => {
    const { number: first } = await house.orders.place()
    const sent = await run(['orders', 'fulfil', first, '--carrier', 'DHL', '--test', ...shop])
    assert.deepEqual(of(sent), ['fulfilAdminOrder'])
    assert.match(sent.entries[0]?.[1] ?? '', /"what":"fulfillment"/)
    const refunded = await run(['orders', 'refund', first, '--amount', '100', ...shop])
    assert.deepEqual(of(refunded), ['refundAdminOrder'])
    assert.match(refunded.entries[0]?.[1] ?? '', /"what":"refund".*"member":"amount","from":null,"to":100/)
    const { number: second } = await house.orders.place()
    assert.deepEqual(of(await run(['orders', 'cancel', second, ...shop])), ['cancelAdminOrder'])
    const count = () => house.storage.read((db) => db.sql`select id from audit_entries`)
    const before = (await count()).length
    assert.notEqual((await cartwright(['orders', 'cancel', second, ...shop], settingsOf(house))).code, 0)
    assert.equal((await count()).length, before)
  })
})
