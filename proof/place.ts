// Where a run takes place: a fresh database with a shop, removed afterwards, and more databases on request.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDemoShop } from '../apps/demo/shop.ts'
import { freshDatabase, startCluster } from '../harness/postgres.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { addCell } from '../src/platform/storage/cells.ts'
import { unlimitedTime } from '../src/platform/storage/copy.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { type Engine, Fragment, type Storage } from '../src/platform/storage/storage.ts'

// What a run with its own servers needs: it creates its shop itself, so no connection of ours is open while a server is
// killed, and the next server has the file for itself.
export interface Ground {
  engine: Engine
  // The coordinator of Citus, where every store is a cell, by the URL of an operator.
  operatorUrl?: string
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

// What a run can be asked for with `--engine`.
export const groundNames = ['sqlite', 'postgres', 'cells'] as const

export type GroundName = (typeof groundNames)[number]

// A Citus that is there; its addresses and roles are those of the operator.
export const citusVariable = 'CARTWRIGHT_PROOF_CITUS'

export async function withPlace<T>(name: GroundName, work: (place: Place) => Promise<T>): Promise<T> {
  return withGround(name, async (ground) => {
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

export async function withGround<T>(name: GroundName, work: (ground: Ground) => Promise<T>): Promise<T> {
  if (name === 'cells') return withCells(process.env[citusVariable] ?? '', work)
  return withEngine(name, work)
}

// Each store is a schema of its own role, distributed as `cells add` does it.
async function withCells<T>(operatorUrl: string, work: (ground: Ground) => Promise<T>): Promise<T> {
  const operator = await openStorage(operatorUrl, { ...unlimitedTime, connectionsMax: 2 })
  const made: string[] = []
  async function freshUrl(): Promise<string> {
    const cell = `proof_${randomBytes(6).toString('hex')}`
    made.push(cell)
    return (await addCell(operator, operatorUrl, cell, { now: new Date() })).url
  }
  try {
    return await work({ engine: 'postgres', freshUrl, operatorUrl })
  } finally {
    for (const cell of made)
      for (const command of [`drop schema if exists ${cell} cascade`, `drop role if exists ${cell}`])
        await operator.write((tx) => tx.sql`${new Fragment(command)}`)
    await operator.close()
  }
}

async function withEngine<T>(engine: Engine, work: (ground: Ground) => Promise<T>): Promise<T> {
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
