// A server for runs about the admin surface: every row can be asked with a good request, so a new operation is covered without
// being named here.

import { bankAccounts } from '../harness/admin/payments.ts'
import type { AdminTestServer } from '../harness/admin/world.ts'
import { orderMarket, ordersOf } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import type { Given } from '../harness/storage.ts'
import { openTestServer, testSecret } from '../harness/testServer.ts'
import { adminScopes } from '../src/contract/words.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { createKey } from '../src/platform/access/keys.ts'
import { listTables } from '../src/platform/storage/catalogue.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { Fragment, type Storage } from '../src/platform/storage/storage.ts'
import type { Ground } from './place.ts'
import type { RunResult } from './runs.ts'

export interface ProofTestServer extends AdminTestServer {
  // Of the same merchant, in the other mode.
  liveKey: string
  // Without any scope but that to read.
  viewerKey: string
  // Another server of its database.
  another(): Promise<ProofTestServer>
}

export async function withAdminTestServer<T>(
  ground: Ground,
  work: (testServer: ProofTestServer) => Promise<T>,
): Promise<T> {
  const ends: (() => Promise<void>)[] = []
  const given: Given = {
    engine: ground.engine,
    freshUrl: ground.freshUrl,
    async migratedUrl() {
      const url = await ground.freshUrl()
      const storage = await openStorage(url)
      await migrate(storage, { now: new Date() })
      await storage.close()
      return url
    },
    async open(options = {}) {
      const storage = await openStorage(options.url ?? (await this.migratedUrl()))
      ends.push(() => storage.close())
      return storage
    },
    later: (end) => void ends.push(end),
    get shared() {
      return given
    },
  }
  try {
    const shop = {
      ...orderMarket,
      installations: [...(orderMarket.installations ?? []), { name: 'Real', mode: 'live' as const }],
    }
    const opened = await openTestServer(given, { shops: [shop, rival], accountProviders: bankAccounts() })
    const testServer = { ...opened, orders: await ordersOf(opened) }
    const liveKey = await testServer.storage.write(async (tx) => {
      const real = (await listInstallations(tx, testServer.merchantId)).find(({ mode }) => mode === 'live')
      if (!real) throw new Error('the shop has no live installation')
      const input = { name: 'live', scopes: adminScopes, expiresAt: null }
      return (await createKey(tx, testSecret, real, input, testServer.clock.now)).key
    })
    const { key: viewerKey } = await testServer.newKey(['admin:read'])
    const more = { liveKey, viewerKey, another }
    async function another(): Promise<ProofTestServer> {
      const { url, clock } = testServer
      const other = await openTestServer(given, { shops: [shop, rival], url, now: clock.now })
      return { ...other, ...more, orders: await ordersOf(other) }
    }
    return await work({ ...testServer, ...more })
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

// Of these a request may leave a trace without changing anything: its answer, and that its key was used.
const unjudged: ReadonlySet<string> = new Set(['idempotency_keys', 'credentials'])

// Everything that is stored, as one text.
export async function dumpOf(storage: Storage): Promise<string> {
  return storage.read(async (db) => {
    const texts: string[] = []
    for (const { name, key } of await listTables(db)) {
      if (unjudged.has(name)) continue
      const order = key.length > 0 ? key.join(', ') : '1'
      texts.push(JSON.stringify(await db.sql`select * from ${new Fragment(name)} order by ${new Fragment(order)}`))
    }
    return texts.join('\n')
  })
}

// One result of several.
export function together(...results: readonly RunResult[]): RunResult {
  return {
    seen: Object.assign({}, ...results.map(({ seen }) => seen)),
    violations: results.flatMap(({ violations }) => violations),
  }
}
