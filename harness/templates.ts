// A store of each engine with the schema, created once per run: a copy costs a fraction of migrating an empty store.

import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { makeFolder } from './folder.ts'
import { freshDatabase } from './postgres.ts'

export interface Templates {
  // A file.
  sqlite: string
  // The name of a database of the common cluster.
  postgres: string
}

const variable = 'CARTWRIGHT_TEST_TEMPLATES'
let common: Promise<Templates> | undefined

// Created by the global setup, whose environment the test processes inherit; a file that is run alone creates its own.
export function templates(): Promise<Templates> {
  const given = process.env[variable]
  common ??= given === undefined ? makeTemplates() : Promise.resolve(JSON.parse(given) as Templates)
  return common
}

export async function shareTemplates(): Promise<void> {
  process.env[variable] = JSON.stringify(await templates())
}

async function makeTemplates(): Promise<Templates> {
  const sqlite = join(await makeFolder(), 'template.db')
  const { url } = await freshDatabase()
  for (const place of [`sqlite:${sqlite}`, url]) {
    const storage = await openStorage(place)
    await migrate(storage, { now: new Date() })
    await storage.close()
  }
  return { sqlite, postgres: new URL(url).pathname.slice(1) }
}

// A SQLite file with the schema, in a folder that is made if need be.
export async function copyTemplate(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await copyFile((await templates()).sqlite, file)
}
