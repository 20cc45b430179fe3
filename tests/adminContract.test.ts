// The admin surface as a document: valid, complete, and apart from the open one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { issuesOf } from '../harness/schemas.ts'
import { adminDocument } from '../src/contract/admin/document.ts'
import { adminOperations } from '../src/contract/admin/operations.ts'
import type { AdminOperation } from '../src/contract/admin/row.ts'
import { operations } from '../src/contract/open/operations.ts'
import { printOpenApi } from '../src/contract/openapi.ts'
import { adminScopes } from '../src/contract/words.ts'

const rows: [string, AdminOperation][] = Object.entries(adminOperations)

test('the OpenAPI document of the admin surface is valid', async () => {
  const config = await createConfig({ extends: ['spec'] })
  const problems = await lintFromString({ source: printOpenApi(adminDocument, { version: '1' }), config })
  assert.deepEqual(
    problems.map(({ message, location }) => [message, location[0]?.pointer]),
    [],
  )
})

test('every example matches its schemas', () => {
  for (const [id, row] of rows) {
    const example = adminDocument.examples[id]
    assert.ok(example, id)
    if (row.query) assert.deepEqual(issuesOf(row.query, example.query ?? {}), [], id)
    if (row.body) assert.deepEqual(issuesOf(row.body, example.body), [], id)
    assert.deepEqual(issuesOf(row.reply.schema, example.reply), [], id)
  }
})

test('every operation has an admin scope and a unique route, and every changing operation is audited', () => {
  const routes = new Set<string>()
  for (const [id, row] of rows) {
    assert.ok(adminScopes.includes(row.scope), id)
    assert.ok(!(id in operations), id)
    assert.match(id, /Admin/)
    const changes = row.idempotency === 'required'
    assert.equal(row.audit === 'change', changes, `${id} changes something and does not say so`)
    assert.equal(row.idempotency === 'required', row.method !== 'GET', id)
    assert.equal(row.paged, id.startsWith('list'), id)
    for (const [, name = ''] of row.path.matchAll(/\{(\w+)\}/g)) assert.ok(adminDocument.pathWords[name], name)
    routes.add(`${row.method} ${row.path}`)
  }
  assert.equal(routes.size, rows.length)
})
