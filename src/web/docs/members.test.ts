import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { memberTable, renderType, type Schema, type Schemas, schemaRules } from './members.ts'

const schemas: Schemas = {
  Part: { type: 'object', required: ['inside'], properties: { inside: { type: 'boolean', description: 'Deep.' } } },
  Count: { type: 'integer', minimum: 0 },
  Word: { type: 'string', enum: ['yes', 'no'] },
}

const text = (schema: Schema) =>
  renderType(schema, schemas)
    .toString()
    .replaceAll(/<[^>]+>/g, '')

describe('a rendered schema', () => {
  test('shows types with their limits', () => {
    const cases: [Schema, string][] = [
      [{ type: 'integer', minimum: 1, maximum: 999 }, 'integer, 1 to 999'],
      [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'integer, 0 or more'],
      [{ type: 'string', minLength: 4, maxLength: 4 }, 'string, 4 characters'],
      [{ type: 'string', pattern: '^[A-Z]{2}$' }, 'string, an ISO 3166-1 code of two capital letters'],
      [{ type: 'string', pattern: '^x$' }, 'string, matches ^x$'],
      [{ enum: ['a', 'b'] }, 'one of a b'],
      [{ const: 'v1' }, 'always &quot;v1&quot;'],
      [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
      [
        { type: 'array', items: { type: 'string' }, maxItems: 20, uniqueItems: true },
        'array of string, at most 20 items, each once',
      ],
      [{ $ref: '#/components/schemas/Word' }, 'Word: yes no'],
      [{ $ref: '#/components/schemas/Count' }, 'Count, integer'],
      [{ $ref: '#/components/schemas/Part' }, 'Part'],
      [{ type: 'object', additionalProperties: { type: 'string' } }, 'object: any names, each string'],
    ]
    for (const [schema, words] of cases) assert.equal(text(schema), words)
  })

  test('links a named schema, or shows it inline down to the requested depth', () => {
    const schema: Schema = {
      properties: { part: { anyOf: [{ $ref: '#/components/schemas/Part' }, { type: 'null' }] } },
    }
    const closed = memberTable(schema, 'caption', { schemas, as: 'answer', openLevels: 0 }).toString()
    assert.match(closed, /<a href="#schema-Part">Part<\/a> or null/)
    assert.doesNotMatch(closed, /inside/)
    const opened = memberTable(schema, 'caption', { schemas, as: 'answer', openLevels: 1 }).toString()
    assert.match(opened, /<tr class="d1"><th scope="row"><code>inside<\/code>/)
    assert.match(opened, /or null/)
  })

  test('marks required members of a request and optional members of a response', () => {
    const schema: Schema = { required: ['a'], properties: { a: { type: 'string' }, b: { type: 'string' } } }
    const request = memberTable(schema, 'caption', { schemas, as: 'request', openLevels: 0 }).toString()
    const answer = memberTable(schema, 'caption', { schemas, as: 'answer', openLevels: 0 }).toString()
    assert.equal(request.match(/required/g)?.length, 1)
    assert.equal(answer.match(/may be missing/g)?.length, 1)
  })

  test('escapes the texts of a schema', () => {
    const evil = '<img src=x onerror=alert(1)>`"\''
    const schema: Schema = {
      properties: { [evil]: { enum: [evil], description: evil }, b: { pattern: evil, type: evil } },
    }
    const page = memberTable(schema, evil, { schemas, as: 'request', openLevels: 0 }).toString()
    assert.doesNotMatch(page, /<img/)
    assert.equal(page.match(/&lt;img/g)?.length, 6)
  })

  test('explains rules between members in sentences', () => {
    const schema: Schema = { oneOf: [{ required: ['a'] }, { required: ['b'] }], dependentRequired: { c: ['a'] } }
    assert.deepEqual(schemaRules(schema), ['Exactly one of `a` and `b` is sent.', '`c` only together with `a`.'])
  })
})
