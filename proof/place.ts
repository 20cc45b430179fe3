// Where a run takes place: a fresh database with a shop, removed afterwards, and more databases on request.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase, startCluster } from '../harness/postgres.ts'
import { makeDemoShop } from '../src/ops/provisioning/demo.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Engine, Storage } from '../src/platform/storage/storage.ts'

// What a run with its own servers needs: it creates its shop itself, so no connection of ours is open while a server is
// killed, and the next server has the file for itself.
export interface Ground {
  engine: Engine
  // The URL of a store that is empty or does not exist yet.
  freshUrl(): Promise<string>
}

export interface Place extends Ground {
  url: string
  storage: Storage
  rootSecret: RootSecret
  rootSecretText: string
  installationId: string
}

export async function withPlace<T>(engine: Engine, work: (place: Place) => Promise<T>): Promise<T> {
  return withGround(engine, async (ground) => {
    const url = await ground.freshUrl()
    const rootSecretText = randomBytes(32).toString('base64url')
    const rootSecret = parseRootSecret(rootSecretText) as RootSecret
    const storage = await openStorage(url)
    try {
      await migrate(storage, { now: new Date() })
      const { installation } = await makeDemoShop(storage, rootSecret, Date.now())
      return await work({ ...ground, url, storage, rootSecret, rootSecretText, installationId: installation.id })
    } finally {
      await storage.close()
    }
  })
}

export async function withGround<T>(engine: Engine, work: (ground: Ground) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-proof-'))
  const cluster = engine === 'postgres' ? await startCluster({ asShipped: true }) : undefined
  let made = 0
  async function freshUrl(): Promise<string> {
    made += 1
    if (cluster) return (await freshDatabase({ cluster: cluster.url })).url
    return `sqlite:${join(folder, `proof-${made}.db`)}`
  }
  try {
    return await work({ engine, freshUrl })
  } finally {
    await cluster?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
