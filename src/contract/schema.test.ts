import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as TypeBox from 'typebox'
import { nullable, object, originalSchemaOf, Type, withDescription } from './schema.ts'

// One schema, built by our builders and by TypeBox's.
const build = (T: typeof Type) =>
  T.Object(
    {
      text: T.String({ minLength: 1, description: 'a text' }),
      count: T.Optional(T.Integer({ minimum: 0 })),
      flag: T.Optional(T.Boolean()),
      list: T.Array(T.Object({ kind: T.Literal('a'), number: T.Literal(3), yes: T.Literal(true) }), { maxItems: 3 }),
      either: T.Union([T.String(), T.Null()], { description: 'or nothing' }),
      raw: T.Unsafe<'x'>({ type: 'string', enum: ['x'] }),
      empty: T.Object({ maybe: T.Optional(T.String()) }),
    },
    { additionalProperties: false },
  )

it('builds the JSON that TypeBox builds', () => {
  assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox.Type)))
})

it('accepts schemas that TypeBox built', () => {
  const theirs = object({ there: TypeBox.Type.Optional(TypeBox.Type.String()), here: Type.String() })
  assert.deepEqual((theirs as { required?: string[] }).required, ['here'])
  const ours = TypeBox.Type.Object({ there: Type.Optional(Type.String()), here: Type.String() })
  assert.deepEqual((ours as { required?: string[] }).required, ['here'])
})

it('remembers the schema from which a described or optional member was made', () => {
  const part = Type.Integer()
  assert.equal(originalSchemaOf(part), part)
  assert.equal(originalSchemaOf(Type.Optional(withDescription('another', withDescription('one', part)))), part)
  assert.notEqual(originalSchemaOf(nullable(part)), part)
})
