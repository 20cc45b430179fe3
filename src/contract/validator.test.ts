import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isWide } from '../../harness/wide.ts'
import { openInterfaceIssueCodes } from './issues.ts'
import { openInterfaceExamples } from './open/examples.ts'
import { type OpenInterfaceOperation, operationIds, operations } from './open/operations.ts'
import { Metadata } from './parts.ts'
import { object, type TSchema, Type } from './schema.ts'
import { compileSchema } from './validator.ts'
import { scopes } from './words.ts'

const quantity = sentencesBy(operations.updatePublicCartItemQuantity.body)
const checkout = sentencesBy(operations.createHostedCheckoutSession.body)
const promotion = sentencesBy(operations.applyPublicCartPromotion.body)
const address = sentencesBy(operations.setPublicCartAddress.body)
const key = sentencesBy(operations.createInstallationKey.body)
const reply = sentencesBy(operations.listInstallationWebhooks.reply.schema)

function sentencesBy(schema: TSchema) {
  const check = compileSchema(schema)
  return (value: unknown) => check(value).map(({ path, message }) => ({ path, message }))
}

describe('a quantity', () => {
  const rule = [{ path: '/quantity', message: 'must be an integer from 0 to 999' }]
  for (const good of [0, 1, 999]) {
    it(`may be ${good}`, () => assert.deepEqual(quantity({ quantity: good }), []))
  }
  for (const bad of ['2', '', 1.5, -1, 1000, 1e21, Number.NaN, null, true, [], {}, [2]]) {
    it(`must not be ${JSON.stringify(bad)}`, () => assert.deepEqual(quantity({ quantity: bad }), rule))
  }
  it('is required', () => assert.deepEqual(quantity({}), [{ path: '/quantity', message: 'is required' }]))
})

describe('a body', () => {
  for (const bad of [null, [], 'text', 7, true]) {
    it(`must not be ${JSON.stringify(bad)}`, () =>
      assert.deepEqual(quantity(bad), [{ path: '', message: 'must be an object' }]))
  }

  it('must not have unknown members at any depth, and the path of the issue contains them', () => {
    assert.deepEqual(quantity({ quantity: 1, zip: 1, 'a/b~c': 2, constructor: 3 }), [
      { path: '/zip', message: 'is not a known member' },
      { path: '/a~1b~0c', message: 'is not a known member' },
      { path: '/constructor', message: 'is not a known member' },
    ])
    const body = openInterfaceExamples.setPublicCartAddress.body
    assert.deepEqual(address({ ...body, address: { ...body.address, zip: '1' } }), [
      { path: '/address/zip', message: 'is not a known member' },
    ])
  })

  it('does not take a missing member from Object.prototype', () => {
    const check = compileSchema(object({ toString: Type.String(), here: Type.Optional(Type.String()) }))
    assert.ok(check({}).length > 0)
  })

  it('gets all its issues in one response, in the order of the schema', () => {
    assert.deepEqual(quantity({ expectedVersion: 0, idempotencyKey: 'a b', extra: 1 }), [
      { path: '/idempotencyKey', message: 'must be a string of visible ASCII (1 to 255 characters)' },
      { path: '/quantity', message: 'is required' },
      { path: '/expectedVersion', message: 'must be an integer from 1 to 9007199254740991' },
      { path: '/extra', message: 'is not a known member' },
    ])
  })

  it('gets issues with a code and values', () => {
    const { body } = operations.createHostedCheckoutSession
    const rules = compileSchema(body)({
      items: [{ skuId: 'x', quantity: 0 }],
      successUrl: 7,
      metadata: [],
      locale: 'de_DE',
    })
    assert.deepEqual(
      rules.map(({ path, code, values }) => [path, code, values]),
      [
        ['/items/0/skuId', 'not_an_id', { prefix: 'sku' }],
        ['/items/0/quantity', 'integer_out_of_range', { min: 1, max: 999 }],
        ['/successUrl', 'not_a_web_address', { min: 8, max: 2000 }],
        ['/locale', 'not_a_locale', {}],
        ['/metadata', 'not_an_object', {}],
      ],
    )
    const kinds = compileSchema(
      object({ kind: Type.Union([Type.Literal('a'), Type.Null()]), list: Type.Array(Type.Boolean(), { minItems: 1 }) }),
    )
    assert.deepEqual(kinds({ kind: 'b', list: [] }), [
      { path: '/kind', code: 'not_exactly', values: { value: '"a"' }, message: 'must be "a" or null' },
      { path: '/list', code: 'array_too_short', values: { min: 1 }, message: 'must be an array of at least 1 items' },
    ])
  })

  it('gets at most 20 issues, with paths of limited length', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${i}${'x'.repeat(500)}`, i]))
    const issues = quantity({ quantity: 1, ...many })
    assert.equal(issues.length, 20)
    assert.ok(issues.every(({ path }) => path.length <= 101))
  })
})

describe('text', () => {
  const line = 'must be one line of text without control characters (1 to 64 characters) or null'
  for (const good of [null, 'x', 'WELCOME10', 'é', '日本', '😀'.repeat(64)]) {
    it(`may be ${JSON.stringify(good)}`, () => assert.deepEqual(promotion({ code: good }), []))
  }
  for (const bad of ['', 'x'.repeat(65), 'a\u0000b', 'a\nb', '\u007f', '\ud800', 5, false, ['x']]) {
    it(`must not be ${JSON.stringify(bad).slice(0, 20)}`, () =>
      assert.deepEqual(promotion({ code: bad }), [{ path: '/code', message: line }]))
  }
})

describe('an idempotency key', () => {
  for (const good of ['a', '!~', 'x'.repeat(255)]) {
    it(`may have ${good.length} visible ASCII characters`, () =>
      assert.deepEqual(quantity({ quantity: 1, idempotencyKey: good }), []))
  }
  for (const bad of ['', ' ', 'a b', 'ü', 'a\n', 'x'.repeat(256), null, 1]) {
    it(`must not be ${JSON.stringify(bad).slice(0, 20)}`, () =>
      assert.deepEqual(
        quantity({ quantity: 1, idempotencyKey: bad }).map(({ path }) => path),
        ['/idempotencyKey'],
      ))
  }
})

describe('an instant', () => {
  const at = (expiresAt: unknown) => key({ name: 'x', scopes: [], expiresAt })
  for (const good of ['2026-01-31T09:30:00.000Z', '2024-02-29T23:59:59.999Z']) {
    it(`may be ${good}`, () => assert.deepEqual(at(good), []))
  }
  for (const bad of [
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00.000+00:00',
    '2026-02-30T09:30:00.000Z',
    '2026-13-01T09:30:00.000Z',
    '2026-01-31T24:00:00.000Z',
    '2026-06-30T23:59:60.000Z',
    '2026-01-31',
    '',
    1767225600,
    null,
  ]) {
    it(`must not be ${JSON.stringify(bad)}`, () =>
      assert.deepEqual(at(bad), [
        {
          path: '/expiresAt',
          message: 'must be an instant in UTC with milliseconds, such as 2026-01-31T09:30:00.000Z',
        },
      ]))
  }
})

describe('a list of words', () => {
  it('may contain each known word once, and no other words', () => {
    assert.deepEqual(key({ name: 'x', scopes: ['catalog:read', 'checkout:quote'] }), [])
    assert.deepEqual(key({ name: 'x', scopes: ['catalog:read', 'catalog:read'] }), [
      { path: '/scopes/1', message: 'must not repeat an earlier item' },
    ])
    assert.deepEqual(key({ name: 'x', scopes: ['admin'] }), [
      {
        path: '/scopes/0',
        message: `must be one of ${scopes.map((scope) => `"${scope}"`).join(', ')}`,
      },
    ])
    assert.deepEqual(key({ name: 'x', scopes: 'catalog:read' }), [
      { path: '/scopes', message: `must be an array of at most ${scopes.length} items` },
    ])
  })
})

describe('the creation of a checkout session', () => {
  const { items: _, ...rest } = openInterfaceExamples.createHostedCheckoutSession.body
  const items = [{ skuId: openInterfaceExamples.putPublicCartItem.path.skuId, quantity: 1 }]
  const { cartId } = openInterfaceExamples.getPublicCart.path

  it('may have a cart or items', () => {
    assert.deepEqual(checkout({ ...rest, items }), [])
    assert.deepEqual(checkout({ ...rest, cartId, expectedCartVersion: 3 }), [])
  })
  it('must have a cart or items', () => {
    assert.deepEqual(checkout(rest), [{ path: '/cartId', message: 'is required unless items is given' }])
  })
  it('must not have both a cart and items', () => {
    assert.deepEqual(checkout({ ...rest, cartId, items }), [
      { path: '/items', message: 'is not allowed together with cartId' },
    ])
  })
  it('may have an expected version only with a cart', () => {
    assert.deepEqual(checkout({ ...rest, items, expectedCartVersion: 3 }), [
      { path: '/expectedCartVersion', message: 'is only allowed together with cartId' },
    ])
  })
  it('has issues with paths inside the items', () => {
    assert.deepEqual(checkout({ ...rest, items: [...items, { skuId: 'sku_1', quantity: 0, price: 1 }] }), [
      { path: '/items/1/skuId', message: 'must be an id of the form sku_…' },
      { path: '/items/1/quantity', message: 'must be an integer from 1 to 999' },
      { path: '/items/1/price', message: 'is not a known member' },
    ])
    assert.deepEqual(checkout({ ...rest, items: [] }), [
      { path: '/items', message: 'must be an array of 1 to 100 items' },
    ])
  })
})

describe('metadata', () => {
  const check = sentencesBy(Metadata)
  it('has names and texts of limited length', () => {
    assert.deepEqual(check({}), [])
    assert.deepEqual(check({ a: '', ['k'.repeat(40)]: 'v'.repeat(500), 'two\tlines': '1' }).length, 1)
    assert.deepEqual(check({ a: 'one\ntwo' }), [])
  })
  it('has issues with the path of the invalid member', () => {
    assert.deepEqual(check({ a: 1, b: 'v'.repeat(501), '': 'x' }), [
      { path: '/a', message: 'must be text without control characters (0 to 500 characters)' },
      { path: '/b', message: 'must be text without control characters (0 to 500 characters)' },
      {
        path: '/',
        message: 'must have a name that is one line of text without control characters (1 to 40 characters)',
      },
    ])
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, '']))
    assert.deepEqual(check(many), [{ path: '', message: 'must have at most 20 members' }])
  })
})

describe('a union distinguished by kind', () => {
  it('reports the errors of the branch with the given kind', () => {
    assert.deepEqual(reply({ data: { kind: 'webhook_endpoints', endpoints: 5 } }), [
      { path: '/data/endpoints', message: 'must be an array' },
    ])
  })
  it('lists the kinds if no branch has the given kind', () => {
    const words = '"webhook_endpoints", "webhook_signature_fixture", "webhook_replay", "oauth_authorization"'
    assert.deepEqual(reply({ data: { kind: 'other' } }), [{ path: '/data/kind', message: `must be one of ${words}` }])
    assert.deepEqual(reply({ data: {} }), [{ path: '/data/kind', message: 'is required' }])
    assert.deepEqual(reply({ data: 1 }), [{ path: '/data', message: 'must be an object' }])
  })
})

it('no issue has the fallback message, and no message contains the input', () => {
  const schemas = operationIds.flatMap((id) => {
    const row: OpenInterfaceOperation = operations[id]
    const { body, reply } = openInterfaceExamples[id]
    return [
      { check: compileSchema(row.reply.schema), good: reply as unknown },
      ...(row.body ? [{ check: compileSchema(row.body), good: body as unknown }] : []),
    ]
  })
  const secret = 'Tr0ub4dor'
  const junk = fc.oneof(fc.constant(secret), fc.constant(null), fc.integer(), fc.double(), fc.boolean(), fc.jsonValue())
  fc.assert(
    fc.property(
      fc.constantFrom(...schemas),
      fc.nat(),
      fc.constantFrom('set', 'add', 'remove'),
      junk,
      (schema, seed, how, value) => {
        const issues = schema.check(mutated(schema.good, seed, how, value))
        assert.ok(issues.length <= 20)
        for (const { path, code, message } of issues) {
          assert.match(path, /^(\/|$)/)
          assert.ok(
            openInterfaceIssueCodes.some((known) => known === code),
            code,
          )
          assert.notEqual(message, 'does not match the contract')
          assert.ok(!message.includes(secret))
        }
      },
    ),
    { numRuns: isWide ? 3_000 : 1_000 },
  )
})

// A copy with one member set, added or removed somewhere.
function mutated(good: unknown, seed: number, how: string, value: unknown): unknown {
  const copy = structuredClone(good)
  const places: [Record<string, unknown>, string][] = []
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const name of Object.keys(node)) {
      places.push([node as Record<string, unknown>, name])
      collect((node as Record<string, unknown>)[name])
    }
  }
  collect(copy)
  const [parent, name] = places[seed % places.length] as [Record<string, unknown>, string]
  if (how === 'set') parent[name] = value
  else if (how === 'remove') delete parent[name]
  else if (!Array.isArray(parent)) parent.added = value
  return copy
}
