// What holds for every operation of the admin surface, tested from its rows, on both engines.

import { before } from 'node:test'
import { bankAccounts } from '../harness/admin/payments.ts'
import { type AdminTestServer, goodAdminRequest, isSharedByModes, moreScopes } from '../harness/admin/world.ts'
import { orderMarket, ordersOf } from '../harness/orders.ts'
import { type LimitedWorld, type RowWorld, testRows } from '../harness/rows.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import { assertAdminError, openTestServer, testSecret } from '../harness/testServer.ts'
import { adminDocument } from '../src/contract/admin/document.ts'
import { type AdminOperationId, adminOperationIds, adminSurface } from '../src/contract/admin/operations.ts'
import { shopOperationRows } from '../src/contract/admin/shop.ts'
import type { Scope } from '../src/contract/words.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { createKey } from '../src/platform/access/keys.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('every admin operation', (given) => {
  let testServer: AdminTestServer
  let strict: AdminTestServer
  before(async () => {
    const shops = [
      {
        ...orderMarket,
        installations: [...(orderMarket.installations ?? []), { name: 'Real', mode: 'live' as const }],
      },
      rival,
    ]
    const open = async (rateLimit: { perSecond: number; burst: number } | null) => {
      const opened = await openTestServer(given, { shops, rateLimit, accountProviders: bankAccounts() })
      return { ...opened, orders: await ordersOf(opened) }
    }
    testServer = await open(null)
    strict = await open({ perSecond: 1, burst: 3 })
  })

  const worldOf = (of: AdminTestServer): RowWorld => ({
    fetch: of.fetch,
    wire: of.wire,
    good: (id) => goodAdminRequest(of, id as AdminOperationId),
    // The example of the document, with a key of its own.
    plain(id) {
      const { path, query, body } = adminDocument.examples[id] ?? { path: {}, query: {}, body: undefined }
      const search = new URLSearchParams(
        Object.entries(query ?? {}).flatMap(([name, value]) =>
          [value].flat().map((item): [string, string] => [name, String(item)]),
        ),
      )
      return {
        path,
        ...(search.size > 0 && { query: `?${search}` }),
        ...(body !== undefined && { body: { ...(body as object), idempotencyKey: newId('req') } }),
      }
    },
    credential: async (_, wanted) => ({ authorization: `Bearer ${(await of.newKey(wanted as Scope[])).key}` }),
    async badCredentials() {
      const { key, id } = await of.newKey(['admin:read'])
      await of.storage.write((tx) => tx.sql`update credentials set revoked_at = 1 where id = ${id}`)
      // A cookie opens pages and not this.
      return [{}, { authorization: `Bearer ${key}` }, { authorization: 'nonsense' }, { cookie: 'session=x' }]
    },
    moreScopes: (id) => moreScopes(id as AdminOperationId),
    // Another merchant, and the same one in the other mode.
    async foreignCredentials(id, wanted) {
      const rivals = { authorization: `Bearer ${of.keys.rivalAdmin}` }
      if (isSharedByModes(id as AdminOperationId)) return [rivals]
      // Every shop has the same payment methods.
      if (id in shopOperationRows) return []
      const live = await of.storage.write(async (tx) => {
        const real = (await listInstallations(tx, of.merchantId)).find(({ mode }) => mode === 'live')
        if (!real) throw new Error('the shop has no live installation')
        return createKey(
          tx,
          testSecret,
          real,
          { name: 'live', scopes: wanted as Scope[], expiresAt: null },
          of.clock.now,
        )
      })
      return [rivals, { authorization: `Bearer ${live.key}` }]
    },
    errorIn(answer) {
      assertAdminError(answer)
      const { code, requestId, issues, current } = answer.body.error
      const paths = (issues as { path: string }[]).map(({ path }) => path)
      return { code, requestId, issues: paths, ...(current && { requiredScope: current.requiredScope }) }
    },
    entriesOf: (requestId) =>
      of.storage.read(
        (db) => db.sql<{ operation: string; changes: string }>`
          select operation, changes from audit_entries where merchant_id = ${of.merchantId} and request_id = ${requestId}`,
      ),
  })
  const limitedWorld = (): LimitedWorld => ({
    ...worldOf(strict),
    burstOf: () => 3,
    pass: (ms) => {
      strict.clock.now += ms
    },
  })
  testRows(adminSurface, adminOperationIds, () => worldOf(testServer), limitedWorld, {
    isolation: true,
    audit: true,
    isShort: !isOnce(given),
  })
})
