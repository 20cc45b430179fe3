// What the operator does at the command line is in the merchant's list of changes, as it is when a person or a key does it.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { AdminTestServer } from '../harness/admin/world.ts'
import { cartwright } from '../harness/commandline.ts'
import { openOrderTestServer } from '../harness/orders.ts'
import { makePasswordsCheap } from '../harness/passwords.ts'
import { eachEngine } from '../harness/storage.ts'
import { settingsOf } from '../harness/testServer.ts'

makePasswordsCheap()

eachEngine('the audit log of changes by the operator', (given) => {
  let testServer: AdminTestServer
  before(async () => {
    testServer = await openOrderTestServer(given)
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
      testServer.storage.read(
        (db) => db.sql<Row & { id: string }>`
          select id, operation, actor_kind as "actorKind", actor_id as "actorId", changes from audit_entries
          where merchant_id = ${testServer.merchantId} order by id`,
      )
    const known = new Set((await listed()).map(({ id }) => id))
    const { code, out, err } = await cartwright([...words, '--json'], settingsOf(testServer))
    assert.equal(code, 0, err)
    const rows = (await listed()).filter(({ id }) => !known.has(id))
    assert.ok(rows.every(({ actorKind, actorId }) => actorKind === 'operator' && actorId === null))
    assert.doesNotMatch(JSON.stringify(rows), /bloom\.example|path-secret/)
    return { out: JSON.parse(out), entries: rows.map(({ operation, changes }) => [operation, changes] as const) }
  }

  const of = ({ entries }: Awaited<ReturnType<typeof run>>) => entries.map(([operation]) => operation)
  const shop = ['--merchant', 'bloom']

  test('has entries for keys, people and endpoints', async () => {
    const made = await run(['keys', 'create', '--name', 'Till', '--scopes', 'catalog:read', ...shop])
    assert.deepEqual(of(made), ['createAdminKey'])
    assert.match(made.entries[0]?.[1] ?? '', /"member":"scopes","from":null,"to":\["catalog:read"\]/)
    assert.ok(!made.entries[0]?.[1].includes(made.out.secret))
    const rotated = await run(['keys', 'rotate', made.out.key.id])
    assert.deepEqual(of(rotated), ['rotateAdminKey'])
    assert.deepEqual(of(await run(['keys', 'revoke', rotated.out.key.id])), ['revokeAdminKey'])
    assert.deepEqual(of(await run(['keys', 'revoke', rotated.out.key.id])), [], 'nothing changed')

    const pages = ['--publishable', 'https://shop.example,http://localhost:3000']
    const forPages = await run(['keys', 'create', '--name', 'Pages', ...pages, ...shop])
    assert.match(forPages.out.secret, /^cwp_test_/)
    assert.match(
      forPages.entries[0]?.[1] ?? '',
      /"origins","from":null,"to":\["https:\/\/shop.example","http:\/\/localhost:3000"\]/,
    )
    const refused = await cartwright(
      ['keys', 'create', '--name', 'Pages', '--publishable', 'https://shop.example/cart', ...shop],
      settingsOf(testServer),
    )
    assert.deepEqual([refused.code, refused.out], [2, ''])
    const catalog = await testServer.fetch('/api/v1/open/catalog/products', {
      headers: { authorization: `Bearer ${forPages.out.secret}`, origin: 'https://shop.example' },
    })
    assert.deepEqual(
      [catalog.status, catalog.headers.get('access-control-allow-origin')],
      [200, 'https://shop.example'],
    )

    const email = 'grace@bloom.example'
    assert.deepEqual(of(await run(['users', 'create', '--email', 'boss@bloom.example', ...shop])), [
      'inviteAdminMember',
    ])
    assert.deepEqual(of(await run(['users', 'create', '--email', email, '--role', 'staff', ...shop])), [
      'inviteAdminMember',
    ])
    assert.deepEqual(of(await run(['users', 'role', email, 'viewer', ...shop])), ['updateAdminMember'])
    assert.deepEqual(of(await run(['users', 'reset', email])), ['resetAdminMemberPassword'])
    assert.deepEqual(of(await run(['users', 'sessions', email])), [], 'only shown')
    assert.deepEqual(of(await run(['users', 'sessions', email, '--end'])), ['endAdminMemberSessions'])
    assert.deepEqual(of(await run(['users', 'disable', email])), ['updateAdminMember'])
    assert.deepEqual(of(await run(['users', 'remove', email, ...shop])), ['removeAdminMember'])
    assert.deepEqual(of(await run(['users', 'invite', '--email', email, '--role', 'viewer', ...shop])), [
      'inviteAdminMember',
    ])

    const helper = 'ada@bloom.example'
    await cartwright(['users', 'create', '--email', helper, '--merchant', 'rival'], settingsOf(testServer))
    assert.deepEqual(of(await run(['users', 'merchants', helper, '--merchant', 'rival,bloom'])), ['inviteAdminMember'])
    assert.deepEqual(of(await run(['users', 'merchants', helper, '--merchant', 'rival'])), ['removeAdminMember'])

    const url = 'https://hooks.example.com/path-secret'
    const added = await run(['webhooks', 'add', '--url', url, ...shop])
    assert.deepEqual(of(added), ['createAdminWebhookEndpoint'])
    const { id } = added.out.endpoint
    assert.deepEqual(of(await run(['webhooks', 'pause', id])), ['updateAdminWebhookEndpoint'])
    assert.deepEqual(of(await run(['webhooks', 'rotate', id])), ['rotateAdminWebhookSecret'])
    assert.deepEqual(of(await run(['webhooks', 'remove', id])), ['removeAdminWebhookEndpoint'])
  })

  test('has entries for fulfilled, refunded and cancelled orders, and none for refused commands', async () => {
    const { number: first } = await testServer.orders.place()
    const sent = await run(['orders', 'fulfil', first, '--carrier', 'DHL', '--test', ...shop])
    assert.deepEqual(of(sent), ['fulfilAdminOrder'])
    assert.match(sent.entries[0]?.[1] ?? '', /"what":"fulfillment"/)
    const refunded = await run(['orders', 'refund', first, '--amount', '100', ...shop])
    assert.deepEqual(of(refunded), ['refundAdminOrder'])
    assert.match(refunded.entries[0]?.[1] ?? '', /"what":"refund".*"member":"amount","from":null,"to":100/)
    const { number: second } = await testServer.orders.place()
    assert.deepEqual(of(await run(['orders', 'cancel', second, ...shop])), ['cancelAdminOrder'])
    const count = () => testServer.storage.read((db) => db.sql`select id from audit_entries`)
    const before = (await count()).length
    assert.notEqual((await cartwright(['orders', 'cancel', second, ...shop], settingsOf(testServer))).code, 0)
    assert.equal((await count()).length, before)
  })

  test('has entries for apply, import, promotions, agents and payment methods; a change made by apply can be undone', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'cartwright-'))
    t.after(() => rm(folder, { recursive: true }))
    const file = async (name: string, text: string) => {
      const path = join(folder, name)
      await writeFile(path, text)
      return path
    }
    const { data } = (await testServer.askAdmin('getAdminShop')).body
    const merchant = { ...data.shop, color: '#123456' }
    const product = {
      slug: 'fern',
      name: 'Fern',
      categories: ['ferns'],
      skus: [{ code: 'FERN', price: 900, stock: 3 }],
    }
    const categories = [{ slug: 'ferns', name: 'Ferns' }]
    const path = await file('shop.json', JSON.stringify({ merchant, categories, products: [product] }))
    const dry = await run(['apply', path, '--dry-run'])
    assert.deepEqual(of(dry), [])
    const applied = await run(['apply', path])
    assert.deepEqual(of(applied), ['apply', 'apply', 'apply'])
    assert.deepEqual(
      applied.entries.map(([, changes]) => JSON.parse(changes).map(({ what, kind }: never) => `${kind} ${what}`)),
      [['change merchant'], ['create category'], ['create product', 'create sku']],
    )
    assert.deepEqual(of(await run(['apply', path])), [], 'nothing changed')
    const { body } = await testServer.askAdmin('listAdminChanges', { query: '?operation=apply' })
    const shopChange = body.data.find(
      ({ changes }: { changes: { subject: { type: string } }[] }) => changes[0]?.subject.type === 'merchant',
    )
    const undone = await testServer.askAdmin('undoAdminChange', {
      path: { changeId: shopChange.id },
      body: { idempotencyKey: 'undo-the-colour' },
    })
    assert.equal(undone.status, 200, undone.text)
    assert.equal((await testServer.askAdmin('getAdminShop')).body.data.shop.color, data.shop.color)

    const products = await file(
      'products.csv',
      'Handle,Title,Type,Variant SKU,Variant Price\nmoss,Moss,Mosses,MOSS,4.00\n',
    )
    const imported = await run(['import', products, ...shop])
    assert.deepEqual(of(imported), ['import'])
    assert.match(imported.entries[0]?.[1] ?? '', /"what":"category".*"what":"product".*"what":"sku"/)
    assert.deepEqual(of(await run(['import', products, ...shop])), [], 'nothing changed')
    const stock = await file('stock.csv', 'SKU,On hand (new)\nFERN,8\n')
    const counted = await run(['import', stock, ...shop])
    assert.deepEqual(of(counted), ['import', 'import'], 'one in each mode')
    assert.match(counted.entries[0]?.[1] ?? '', /"member":"onHand","from":3,"to":8/)

    const code = ['--code', 'FERNS', '--name', 'Ferns', '--type', 'percentage', '--percentage', '1000']
    assert.deepEqual(of(await run(['promotions', 'add', ...code, ...shop])), ['createAdminPromotion'])
    assert.deepEqual(of(await run(['promotions', 'disable', 'FERNS', ...shop])), ['replaceAdminPromotion'])
    assert.deepEqual(of(await run(['promotions', 'disable', 'FERNS', ...shop])), [], 'nothing changed')
    const agents = ['--test', ...shop]
    assert.deepEqual(of(await run(['agents', 'open', '--level', 'buy', '--who', 'signed', ...agents])), [
      'updateAdminAgents',
    ])
    const profile = 'https://platform.example/.well-known/ucp'
    assert.deepEqual(of(await run(['agents', 'approve', profile, ...agents])), ['createAdminAgentPlatform'])
    assert.deepEqual(of(await run(['agents', 'key', profile, ...agents])), ['createAdminAgentKey'])
    const webhook = ['agents', 'webhook', profile, '--url', 'https://platform.example/orders', ...agents]
    assert.deepEqual(of(await run(webhook)), ['createAdminAgentWebhook'])
    assert.deepEqual(of(await run(['agents', 'rotate', ...agents])), ['rotateAdminAgentSigningKey'])
    assert.deepEqual(of(await run(['agents', 'close', ...agents])), ['updateAdminAgents'])
    assert.deepEqual(of(await run(['agents', 'close', ...agents])), [], 'nothing changed')
    const method = await run(['methods', 'set', 'cash_on_delivery', '--off', '--mode', 'test', ...shop])
    assert.deepEqual(of(method), ['updateAdminPaymentProvider'])
  })
})
