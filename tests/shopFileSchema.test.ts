// The schema of shop files as editors get it, and the page that explains it.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { cartwright } from '../harness/commandline.ts'
import { blocksBelow, pageText, root } from '../harness/prose.ts'
import { compileSchema } from '../src/contract/validator.ts'
import { withMemberTables } from '../src/ops/provisioning/reference.ts'

async function printed(): Promise<string> {
  const { code, out, err } = await cartwright(['apply', '--schema'], {})
  assert.deepEqual([code, err], [0, ''])
  return out
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema
function* objectsIn(schema: any, path = ''): Generator<[path: string, schema: any]> {
  if (schema.properties) yield [path, schema]
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield* objectsIn(member, `${path}/${name}`)
  if (schema.items) yield* objectsIn(schema.items, `${path}/*`)
}

describe('apply --schema', () => {
  test('prints a JSON Schema that accepts our own shop files and refuses a mistake at its path', async () => {
    const schema = JSON.parse(await printed())
    assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
    const check = compileSchema(schema)
    const shop = parse(await readFile(join(root, 'apps/demo/shop.yaml'), 'utf8'))
    assert.deepEqual(check(shop), [])
    for (const [page, heading] of [
      ['README.md', '## Your own shop'],
      ['docs/shop-file.md', '## An example'],
    ] as const) {
      const [yaml] = blocksBelow(await pageText(page), heading).filter(({ language }) => language === 'yaml')
      assert.deepEqual(check(parse(yaml?.text ?? '')), [], page)
    }
    const wrong = { ...shop, shiping: [], products: [{ ...shop.products[0], price: 1 }] }
    assert.deepEqual(
      check(wrong)
        .map(({ path }) => path)
        .sort(),
      ['/products/0/price', '/shiping'],
    )
  })

  test('allows no unknown members in any object, so editors can mark misspelt ones', async () => {
    const schema = JSON.parse(await printed())
    const found = [...objectsIn(schema)]
    assert.ok(found.length > 15)
    for (const [path, { additionalProperties }] of found) assert.equal(additionalProperties, false, path)
  })

  test('uses only keywords of JSON Schema from before 2019, which every editor supports', async () => {
    const known = new Set([
      ...['$schema', 'title', 'type', 'const', 'enum', 'anyOf', 'items', 'properties', 'required', 'description'],
      ...['additionalProperties', 'propertyNames', 'maxProperties', 'minItems', 'maxItems', 'uniqueItems'],
      ...['minimum', 'maximum', 'minLength', 'maxLength', 'pattern'],
    ])
    const walk = (schema: object): void => {
      for (const [name, value] of Object.entries(schema)) {
        assert.ok(known.has(name), name)
        if (name === 'properties') for (const member of Object.values(value)) walk(member as object)
        else if (name === 'anyOf') for (const branch of value) walk(branch)
        else if (typeof value === 'object' && !Array.isArray(value)) walk(value)
      }
    }
    walk(JSON.parse(await printed()))
  })
})

test('docs/shop-file.md describes every member as npm run shop-file prints it', async () => {
  const page = await pageText('docs/shop-file.md')
  assert.equal(page, withMemberTables(page))
})
