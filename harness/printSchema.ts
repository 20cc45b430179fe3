// Prints src/platform/storage/schema.sqlite.sql anew (`npm run schema:print`), from a database in which each migration has run.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { printSchema } from '../src/platform/storage/printed.ts'

const folder = await mkdtemp(join(tmpdir(), 'cartwright-schema-'))
const storage = await openStorage(`sqlite:${join(folder, 'new.db')}`)
await migrate(storage, { now: new Date(), oneByOne: true })
await printSchema(storage)
await storage.close()
await rm(folder, { recursive: true })
