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

it('our schema builders produce the same JSON as those of TypeBox', () => {
  assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox.Type)))
})

it("our objects and those of TypeBox accept each other's optional members", () => {
  const theirs = object({ there: TypeBox.Type.Optional(TypeBox.Type.String()), here: Type.String() })
  assert.deepEqual((theirs as { required?: string[] }).required, ['here'])
  const ours = TypeBox.Type.Object({ there: Type.Optional(Type.String()), here: Type.String() })
  assert.deepEqual((ours as { required?: string[] }).required, ['here'])
})

it('the schema from which a described or optional member was made is found', () => {
  const part = Type.Integer()
  assert.equal(originalSchemaOf(part), part)
  assert.equal(originalSchemaOf(Type.Optional(withDescription('another', withDescription('one', part)))), part)
  assert.notEqual(originalSchemaOf(nullable(part)), part)
})
