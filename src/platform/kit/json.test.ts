import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { longestTurn } from '../../../harness/longestTurn.ts'
import { anyText } from '../../../harness/texts.ts'
import { leastOf } from '../../../harness/timed.ts'
import { isWide } from '../../../harness/wide.ts'
import { issueAt } from '../../contract/issues.ts'
import { type JsonProblem, parseJson, parseLongJson } from './json.ts'

function problemOf(text: string): { problem: JsonProblem; path: string } | undefined {
  const result = parseJson(text)
  return 'problem' in result ? { problem: result.problem, path: result.issue.path } : undefined
}

// What JSON.parse accepts and our parser refuses, as far as the parsed value shows it: duplicate names and `__proto__` are not visible in
// the value.
function isRefusedValue(value: unknown, depth = 1): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  if (typeof value === 'number') return !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)
  if (value === null || typeof value !== 'object') return false
  if (depth > 16) return true
  return Object.entries(value).some(
    ([key, member]) => key === '__proto__' || isRefusedValue(key) || isRefusedValue(member, depth + 1),
  )
}

function withoutNegativeZero(value: unknown): unknown {
  if (typeof value === 'number') return value + 0
  if (Array.isArray(value)) return value.map(withoutNegativeZero)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutNegativeZero(member)]))
}

interface PlatformResult {
  value: unknown
  // Whether a number in the text differs from the parsed number.
  isRounded: boolean
}

function platformParse(text: string): PlatformResult | undefined {
  let isRounded = false
  function look(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
    if (typeof value === 'number' && Number.isFinite(value) && !isSameDecimal(source, String(value))) isRounded = true
    return value
  }
  try {
    return { value: JSON.parse(text, look), isRounded }
  } catch {
    return undefined
  }
}

test('every JSON value is parsed as by JSON.parse, unless we refuse it', () => {
  const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 18 }), fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }))
  fc.assert(
    fc.property(anyJson, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const parsed: unknown = JSON.parse(text)
      const result = parseJson(text)
      if (isRefusedValue(parsed)) assert.ok('problem' in result)
      else assert.deepEqual(result, { value: withoutNegativeZero(parsed) })
    }),
    { numRuns: isWide ? 2_000 : 400 },
  )
})

test('random text that JSON.parse refuses is refused, and text that it accepts is refused only by our additional rules', () => {
  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '"a"', '"b":', '\\', '\\u00', '\\u0041', '\\n', ' ', '\n', '\t', '\u00a0'],
    ...['0', '1', '-', '+', '.', 'e', 'E5', '1.5', '-0', '01', '9007199254740993', '1e400', 'true', 'false', 'null'],
    ...['nul', 'NaN', 'Infinity', '\u0000', '\u001f', '\ud800', '\udc00', '\ufeff', 'é', '//', "'"],
  )
  const garbage = fc.oneof(
    anyText(),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc
      .tuple(fc.json(), fc.nat(), piece)
      .map(([text, at, extra]) => text.slice(0, at % (text.length + 1)) + extra + text.slice(at % (text.length + 1))),
    fc.tuple(fc.json(), fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
  )
  fc.assert(
    fc.property(garbage, (text) => {
      const result = parseJson(text)
      const platform = platformParse(text)
      if (!platform) {
        assert.ok('problem' in result)
      } else if ('problem' in result) {
        const isOurs = result.problem === 'duplicate_key' || platform.isRounded || isRefusedValue(platform.value)
        assert.ok(isOurs, result.problem)
      } else {
        assert.ok(!platform.isRounded)
        assert.deepEqual(result.value, withoutNegativeZero(platform.value))
      }
    }),
    { numRuns: isWide ? 10_000 : 2_000 },
  )
})

// Compares both numbers exactly, as integers m × 10^e.
function isSameDecimal(left: string, right: string): boolean {
  const [a, b] = [fractionOf(left), fractionOf(right)]
  const low = a.exponent < b.exponent ? a.exponent : b.exponent
  return a.digits * 10n ** (a.exponent - low) === b.digits * 10n ** (b.exponent - low)
}

function fractionOf(text: string): { digits: bigint; exponent: bigint } {
  const [, sign, whole = '', part = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text) ?? []
  const digits = BigInt(`${whole}${part}`) * (sign === '-' ? -1n : 1n)
  return digits === 0n ? { digits, exponent: 0n } : { digits, exponent: BigInt(exponent) - BigInt(part.length) }
}

test('a decimal number is accepted exactly if the parsed number equals it', () => {
  const digits = fc.stringMatching(/^[0-9]{1,24}$/)
  const whole = fc.stringMatching(/^(0|[1-9][0-9]{0,17})$/)
  const exponent = fc.integer({ min: -340, max: 20 }).map((value) => `e${value}`)
  const decimal = fc.oneof(
    fc.tuple(whole, digits).map(([left, right]) => `${left}.${right}`),
    fc.tuple(whole, exponent).map(([left, power]) => `${left}${power}`),
    fc.tuple(whole, digits, exponent).map(([left, right, power]) => `-${left}.${right}${power}`),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc
      .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 15, max: 21 }))
      .map(([v, n]) => v.toFixed(n)),
  )
  fc.assert(
    fc.property(decimal, (text) => {
      const value = Number(text)
      const isTaken = Math.abs(value) <= Number.MAX_SAFE_INTEGER && isSameDecimal(text, String(value))
      assert.deepEqual(problemOf(`[${text}]`), isTaken ? undefined : { problem: 'bad_number', path: '/0' }, text)
    }),
    { numRuns: isWide ? 20_000 : 4_000 },
  )
})

test('each refusal has its reason and path', () => {
  const cases: [string, JsonProblem, string][] = [
    ['', 'malformed', ''],
    ['  ', 'malformed', ''],
    ['{"a":1,}', 'malformed', ''],
    ['{"a":[1,2,]}', 'malformed', '/a/2'],
    ['{"a" 1}', 'malformed', '/a'],
    ['{"a":1} x', 'malformed', ''],
    ["{'a':1}", 'malformed', ''],
    ['{"a":01}', 'malformed', ''],
    ['{"a":.5}', 'malformed', '/a'],
    ['{"a":"\u0001"}', 'malformed', '/a'],
    ['{"a":"\\x"}', 'malformed', '/a'],
    ['{"a":1,"a":2}', 'duplicate_key', '/a'],
    ['{"a":1,"\\u0061":2}', 'duplicate_key', '/a'],
    ['{"x":[{},{"a/b":1,"a~c":{"d":1,"d":1}}]}', 'duplicate_key', '/x/1/a~0c/d'],
    ['{"a/b":{"":1,"":2}}', 'duplicate_key', '/a~1b/'],
    ['{"a":{"__proto__":{"admin":1}}}', 'forbidden_key', '/a/__proto__'],
    ['{"\\u005f_proto__":1}', 'forbidden_key', '/__proto__'],
    ['{"a":"\\u0000"}', 'bad_text', '/a'],
    ['{"a":"\\ud800"}', 'bad_text', '/a'],
    ['{"a":"\\udc00\\ud800"}', 'bad_text', '/a'],
    ['["\ud83d"]', 'bad_text', '/0'],
    ['{"x":{"\\ud800":1}}', 'bad_text', '/x'],
    ['[9007199254740992]', 'bad_number', '/0'],
    ['[-9007199254740992]', 'bad_number', '/0'],
    ['[0,1e400]', 'bad_number', '/1'],
    ['{"n":1e16}', 'bad_number', '/n'],
    [`[${'9'.repeat(60_000)}]`, 'bad_number', '/0'],
    ['{"quantity":0.99999999999999999999}', 'bad_number', '/quantity'],
    ['{"a":[0,{"b":999.0000000000000000001}]}', 'bad_number', '/a/1/b'],
    ['[1e-400]', 'bad_number', '/0'],
    ['[-1e-400]', 'bad_number', '/0'],
    ['[9007199254740991.4]', 'bad_number', '/0'],
    ['[1e99999999999999999999]', 'bad_number', '/0'],
    ['[1e-99999999999999999999]', 'bad_number', '/0'],
    [`[1.${'0'.repeat(60_000)}1]`, 'bad_number', '/0'],
    [`[0.${'0'.repeat(60_000)}1]`, 'bad_number', '/0'],
    [`${'['.repeat(17)}${']'.repeat(17)}`, 'depth', '/0'.repeat(16)],
    [`${'{"a":'.repeat(17)}`, 'depth', '/a'.repeat(16)],
    ['['.repeat(65_536), 'depth', '/0'.repeat(16)],
    ['{"a":'.repeat(13_107), 'depth', '/a'.repeat(16)],
  ]
  for (const [text, problem, path] of cases) {
    assert.deepEqual(problemOf(text), { problem, path }, text.slice(0, 60))
  }
})

test('values at the limits are accepted', () => {
  for (const text of [
    '9007199254740991',
    '-9007199254740991',
    '1e15',
    '0.1',
    '5e-324',
    '0.30000000000000004',
    '2.50',
    '0.000e99999999999999999999',
    `1.${'0'.repeat(60_000)}`,
    `1${'0'.repeat(15)}`,
    '900719925474099100e-2',
    '1000E-3',
    '"\\ud83d\\ude00"',
    '"\\u0001"',
  ]) {
    assert.deepEqual(parseJson(text), { value: JSON.parse(text) })
  }
  assert.deepEqual(parseJson('-0'), { value: 0 })
  assert.equal(problemOf('['.repeat(16) + ']'.repeat(16)), undefined)
  assert.equal(Object.hasOwn(parseJson('[[]]', 1), 'problem'), true)
})

test('no member name reaches a prototype', () => {
  const result = parseJson('{"constructor":{"prototype":{"admin":1}},"toString":1,"hasOwnProperty":2}')
  assert.ok('value' in result)
  assert.deepEqual(Object.keys(result.value as object), ['constructor', 'toString', 'hasOwnProperty'])
  assert.equal(Object.getPrototypeOf(result.value), Object.prototype)
  assert.equal(({} as { admin?: number }).admin, undefined)
})

test('a problem does not contain the text', () => {
  const result = parseJson('{"card":4242x}')
  assert.deepEqual(result, { problem: 'malformed', issue: issueAt('', 'malformed', { position: 12 }) })
  assert.deepEqual(parseJson('{"a":'), { problem: 'malformed', issue: issueAt('/a', 'ends_early') })
})

test('long texts are parsed in pieces with the same result', async () => {
  const piece = fc.constantFrom(
    'x',
    '\\n',
    '\\"',
    '\\\\',
    '\\u00e9',
    '\\ud83d\\ude00',
    '\\ud83d',
    '\\u0000',
    '\\x',
    '\\u12',
    '"',
    '\n',
    'é',
  )
  const long = fc
    .tuple(
      fc.array(piece, { maxLength: 6 }),
      fc.integer({ min: 65_500, max: 65_560 }),
      fc.array(piece, { maxLength: 6 }),
    )
    .map(([before, length, after]) => [...before, '\\n'.repeat(length / 2), ...after].join(''))
  await fc.assert(
    fc.asyncProperty(long, long, async (one, two) => {
      for (const text of [`{"a":"${one}","b":["${two}",1]}`, `{"${one}":"${two}"}`, `["${one}`])
        assert.deepEqual(await parseLongJson(text), parseJson(text))
    }),
    { numRuns: isWide ? 500 : 50 },
  )
})

for (const [name, text] of [
  ['a megabyte of line breaks', '\n'.repeat(1_000_000)],
  ['a megabyte of quotes', '"'.repeat(1_000_000)],
  ['half a megabyte of control characters', '\u0001'.repeat(500_000)],
] as const) {
  test(`${name} does not block the event loop`, async () => {
    const json = JSON.stringify({ text })
    await parseLongJson(json)
    const heldMs = await leastOf(30, () => longestTurn(() => parseLongJson(json)))
    assert.ok(heldMs < 30, `held the loop for ${heldMs} ms`)
  })
}
