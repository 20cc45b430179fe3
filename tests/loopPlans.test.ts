// What the loops ask every second or two, although there is nothing to do, must not grow with the shop.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givenEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { loopsFor } from '../src/ops/cli/loops.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import type { Reader, Storage, Tx } from '../src/platform/storage/storage.ts'

const given = givenEngine('sqlite')

interface Asked {
  loop: string
  text: string
  // Of SQLite's plan, such as `SCAN products USING INDEX products_listed`.
  steps: string[]
}

// Each has a row for an app or an endpoint, or is a queue that is empty in the end.
const small = new Set(['installations', 'webhook_endpoints', 'sales_recounts'])

test('loops without work do not fully scan any table that grows with the shop', async () => {
  const testServer = await openTestServer(given)
  const asked: Asked[] = []
  let loop = ''

  async function explain(db: Reader, [template, ...parts]: Parameters<Reader['sql']>): Promise<void> {
    const explained = [`explain query plan ${template[0]}`, ...template.slice(1)] as unknown as TemplateStringsArray
    const plan = await db.sql<{ detail: string }>(explained, ...parts)
    asked.push({ loop, text: template.join('?'), steps: plan.map(({ detail }) => detail) })
  }
  function explaining<Db extends Reader>(db: Db): Db {
    const sql = async (...call: Parameters<Reader['sql']>) => {
      await explain(db, call)
      return db.sql(...call)
    }
    const send = (...call: Parameters<Tx['send']>) => {
      void explain(db, call)
      ;(db as unknown as Tx).send(...call)
    }
    return new Proxy(db, {
      get: (_, name) => (name === 'sql' ? sql : name === 'send' ? send : Reflect.get(db, name, db)),
    })
  }

  const storage: Storage = {
    ...testServer.storage,
    read: (work) => testServer.storage.read((db) => work(explaining(db))),
    write: (work) => testServer.storage.write((tx) => work(explaining(tx))),
  }
  const clock = () => testServer.clock.now
  for (const { name, work } of loopsFor({ storage, app: testServer.app, retentionMs: retentionDefaultsMs, clock })) {
    loop = name
    await work(() => false)
  }

  const indexes = await testServer.storage.read(
    (db) =>
      db.sql<{ name: string; table: string; sql: string | null }>`
        select name, tbl_name as "table", sql from sqlite_master where type in ('index', 'table')`,
  )
  const tables = new Set(indexes.map(({ table }) => table))
  const isPartial = new Set(
    indexes.filter(({ sql }) => /^create index[\s\S]* where /i.test(sql ?? '')).map(({ name }) => name),
  )
  const scanned = asked.flatMap(({ loop, text, steps }) =>
    steps.flatMap((step) => {
      const [, alias = '', index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(step) ?? []
      const [, table = alias] = new RegExp(`\\b(\\w+) (?:as )?${alias}\\b`).exec(text) ?? []
      const name = tables.has(table) ? table : alias
      return tables.has(name) && !small.has(name) && !isPartial.has(index) ? [`${loop}: ${step}`] : []
    }),
  )
  assert.ok(asked.length > 30, `${asked.length} statements`)
  assert.deepEqual(scanned, [])
})
