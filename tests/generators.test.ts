// Clients that others generate from docs/openapi.json: their digests are of today's document. Where `npm run generators:print`
// wrote the clients, they have these digests, and the requests of README compile with them. `npm run proof -- generators`
// generates them anew.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { placeOfData } from '../harness/folder.ts'
import { root } from '../harness/prose.ts'
import { digestOf } from '../proof/baredocument.ts'
import {
  clientDigests,
  compileClients,
  generators,
  openSurface,
  readPrinted,
  sourcesOf,
  storedFolder,
} from '../proof/clients.ts'

const isPrinted = generators.every(({ folder }) => existsSync(join(storedFolder, folder, 'generated')))

test('the stored digests of the generated clients are those of the present document and the named versions of the generators', async () => {
  const { clients, ...sources } = await readPrinted()
  const today = sourcesOf(await readFile(openSurface.document, 'utf8'))
  assert.deepEqual(sources, today, 'run `npm run generators:print`, which needs the npm registry')
  if (isPrinted) assert.deepEqual(await clientDigests(storedFolder), clients)
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  assert.equal(today.packages['openapi-typescript']?.['openapi-fetch'], devDependencies['openapi-fetch'])
})

test('the digest of the document depends only on the parts that determine types', async () => {
  const text = await readFile(openSurface.document, 'utf8')
  const changed = (part: RegExp, by: string) => {
    assert.match(text, part)
    return digestOf(text.replace(part, by))
  }
  assert.equal(changed(/("(?:description|summary)": )"(?:[^"\\]|\\.)+"/g, '$1"Other words."'), digestOf(text))
  assert.equal(changed(/"maxLength": \d+/g, '"maxLength": 5'), digestOf(text))
  assert.notEqual(changed(/"\/api\/v1\/open\/catalog\/products"/, '"/api/v2/products"'), digestOf(text))
  assert.notEqual(changed(/"description": \{/, '"text": {'), digestOf(text))
})

// Bash reads the commands of README.
const skip = isPrinted
  ? spawnSync('bash', ['--version']).error !== undefined && 'there is no bash'
  : 'no clients: npm run generators:print'

test('the requests of README and the programs compile with the generated clients, and wrong requests do not', {
  skip,
}, async () => {
  const folder = await mkdtemp(join(await placeOfData(), 'generators-'))
  try {
    await cp(storedFolder, folder, { recursive: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
    assert.deepEqual(await compileClients(folder, generators, openSurface), [])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
