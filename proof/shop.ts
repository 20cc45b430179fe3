// The shop of a run: created in its own database before any server is started, with a key for each installation.

import { randomBytes } from 'node:crypto'
import { type Scope, scopes } from '../src/contract/words.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { addEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { createKey } from '../src/platform/access/keys.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { unlimitedTime } from '../src/platform/storage/copy.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Engine, Storage } from '../src/platform/storage/storage.ts'
import type { Ground } from './place.ts'

export interface Shop {
  engine: Engine
  url: string
  rootSecretText: string
  rootSecret: RootSecret
  // Where the stand-ins of payment providers are, by name.
  providerUrls: Readonly<Record<string, string>>
  mailUrl?: string
  // One for each installation, in the order of the files.
  stands: readonly Stand[]
  // The id of a SKU of the first merchant, or of the one with this slug.
  sku(code: string, merchantSlug?: string): string
  // The storage is only open while the work runs, so a server has the file for itself otherwise.
  withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T>
}

export interface Stand {
  merchantSlug: string
  merchantId: string
  installationId: string
  // With every scope, of a storefront and of a program that imports: each key has its own rate limit.
  key: string
  importKey: string
  // With catalog:read alone, and without any scope.
  readKey: string
  bareKey: string
}

export interface ShopOptions {
  // Where every event of every installation is sent.
  webhookUrl?: string
  providerUrls?: Readonly<Record<string, string>>
  // Where its e-mails go (default: nowhere).
  mailUrl?: string
  // Default: one of its own.
  rootSecretText?: string
}

export async function makeShop(ground: Ground, files: readonly ShopFile[], options: ShopOptions = {}): Promise<Shop> {
  const url = await ground.freshUrl()
  const rootSecretText = options.rootSecretText ?? randomBytes(32).toString('base64url')
  const rootSecret = parseRootSecret(rootSecretText) as RootSecret

  async function withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
    const storage = await openStorage(url, unlimitedTime)
    try {
      return await work(storage)
    } finally {
      await storage.close()
    }
  }

  const { stands, skus } = await withStorage(async (storage) => {
    await migrate(storage, { now: new Date() })
    const stands: Stand[] = []
    for (const file of files) stands.push(...(await furnish(storage, file)))
    // As autovacuum does within a minute, which is longer than a short run: new tables would be planned as empty ones.
    if (storage.engine === 'postgres') await storage.write((tx) => tx.sql`analyze`)
    const skus = await storage.read(
      (db) => db.sql<{ slug: string; code: string; id: string }>`
        select m.slug, s.code, s.id from skus s join merchants m on m.id = s.merchant_id`,
    )
    return { stands, skus: new Map(skus.map(({ slug, code, id }) => [`${slug} ${code}`, id])) }
  })

  async function furnish(storage: Storage, file: ShopFile): Promise<Stand[]> {
    const now = Date.now()
    const { merchantId, refused } = await applyShop(storage, file, { now, stock: false, dryRun: false })
    if (refused.length > 0) throw new Error(`the shop of this run was refused: ${JSON.stringify(refused)}`)
    const installations = await storage.read((db) => listInstallations(db, merchantId))
    return storage.write(async (tx) => {
      const made: Stand[] = []
      for (const installation of installations) {
        const keyOf = async (requested: readonly Scope[]) =>
          (await createKey(tx, rootSecret, installation, { name: 'proof', scopes: requested, expiresAt: null }, now))
            .key
        const { webhookUrl } = options
        if (webhookUrl !== undefined) {
          const endpoint = { url: webhookUrl, description: 'the journal', events: ['*'] }
          await addEndpoint(tx, installation.id, endpoint, { rootSecret, allowPrivate: true }, now)
        }
        made.push({
          merchantSlug: file.merchant.slug,
          merchantId,
          installationId: installation.id,
          key: await keyOf(scopes),
          importKey: await keyOf(scopes),
          readKey: await keyOf(['catalog:read']),
          bareKey: await keyOf([]),
        })
      }
      return made
    })
  }

  return {
    engine: ground.engine,
    url,
    rootSecretText,
    rootSecret,
    providerUrls: options.providerUrls ?? {},
    ...(options.mailUrl !== undefined && { mailUrl: options.mailUrl }),
    stands,
    sku(code, merchantSlug = stands[0]?.merchantSlug ?? '') {
      const id = skus.get(`${merchantSlug} ${code}`)
      if (id === undefined) throw new Error(`there is no SKU ${code} of ${merchantSlug}`)
      return id
    },
    withStorage,
  }
}

export function standOf(shop: Shop, index = 0): Stand {
  const stand = shop.stands[index]
  if (!stand) throw new Error(`the shop has no installation ${index}`)
  return stand
}

const publishedAt = '2026-01-01T00:00:00.000Z'

// One product for each SKU. A SKU without shipping can be bought without an address.
export function product(
  code: string,
  stock: number,
  more: { price?: number; isSent?: boolean; isBackordered?: boolean } = {},
): NonNullable<ShopFile['products']>[number] {
  const { price = 1_000, isSent = false, isBackordered = false } = more
  return {
    slug: code.toLowerCase(),
    name: `Thing ${code}`,
    publishedAt,
    skus: [{ code, price, stock, requiresShipping: isSent, backorder: isBackordered, maxPerOrder: 999 }],
  }
}

export function shopFile(slug: string, more: Partial<ShopFile>): ShopFile {
  return {
    merchant: { slug, name: slug, currency: 'EUR', country: 'DE', lowStockAt: 0 },
    taxes: [{ country: 'DE', rate: 1900 }],
    shipping: [{ zone: 'home', countries: ['DE'], options: [{ id: 'standard', label: 'Standard', amount: 490 }] }],
    installations: [{ name: 'Storefront', mode: 'test', redirectHosts: ['localhost'] }],
    ...more,
  }
}

export const berlin = {
  name: 'Ada Lovelace',
  line1: 'Unter den Linden 1',
  city: 'Berlin',
  postalCode: '10117',
  country: 'DE',
}
