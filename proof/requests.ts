// Requests generated from a schema: valid ones, which match it by construction, and invalid ones, which violate it at
// one known place. Nothing here uses the server's validator, so the two can disagree.

import { hostileHtml } from '../harness/hostileHtml.ts'
import { limits } from '../src/contract/limits.ts'
import { patterns } from '../src/contract/patterns.ts'
import type { TSchema } from '../src/contract/schema.ts'
import { idPrefixes } from '../src/contract/words.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { pick, shuffled, whole } from './random.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

// The keywords that the contract uses, read as plain JSON.
interface Node {
  type?: string
  const?: Json
  enum?: readonly Json[]
  anyOf?: readonly Node[]
  properties?: Readonly<Record<string, Node>>
  required?: readonly string[]
  additionalProperties?: false | Node
  propertyNames?: Node
  minProperties?: number
  maxProperties?: number
  items?: Node
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
}

// Values that a valid request needs and no schema can express, by the name of the member.
export type Known = Readonly<Record<string, (random: () => number) => Json>>

export function goodValue(schema: TSchema, known: Known, random: () => number): Json {
  return good(schema as Node, '', known, random)
}

function good(node: Node, name: string, known: Known, random: () => number): Json {
  const own = known[name] ?? always[name]
  if (own) return own(random)
  if (node.anyOf) return good(pick(random, node.anyOf), '', known, random)
  if (node.const !== undefined) return node.const
  if (node.enum) return pick(random, node.enum)
  switch (node.type) {
    case 'object':
      return goodObject(node, known, random)
    case 'array': {
      const length = whole(random, node.minItems ?? 0, Math.min(node.maxItems ?? 4, 4))
      return Array.from({ length }, () => good(node.items ?? {}, '', known, random))
    }
    case 'integer': {
      const [least, most] = [node.minimum ?? -1_000, node.maximum ?? 1_000]
      return random() < 0.2 ? pick(random, [least, most]) : whole(random, least, Math.min(most, least + 20))
    }
    case 'boolean':
      return random() < 0.5
    case 'null':
      return null
    case 'string':
      return goodText(node, random)
    default:
      throw new Error(`a schema of an unknown kind: ${JSON.stringify(node).slice(0, 200)}`)
  }
}

// What any text would satisfy, but no such text would test.
const always: Known = {
  descriptionHtml: (random) => (random() < 0.1 ? null : goodHtml(random)),
}

const tags = [
  'p',
  'h2',
  'h3',
  'ul',
  'ol',
  'li',
  'b',
  'em',
  'a',
  'table',
  'tr',
  'td',
  'blockquote',
  'div',
  'span',
  'pre',
]
const attributes = [
  '',
  '',
  ' href="https://example.com/?a=1&amp;b=2"',
  ' style="color:red"',
  ' colspan=3',
  ' onclick=x()',
]

// Allowed and other elements, closed or not, with texts and what people try between them.
function goodHtml(random: () => number): string {
  return Array.from({ length: whole(random, 0, 12) }, () => {
    const tag = pick(random, tags)
    const text = goodText({ type: 'string' }, random)
    return pick(random, [
      `<${tag}${pick(random, attributes)}>${text}</${tag}>`,
      `<${tag}${pick(random, attributes)}>`,
      `</${tag}>`,
      text,
      '<br>\r\n\t&nbsp;&#x1f600;&copy',
      pick(random, hostileHtml),
    ])
  })
    .join('')
    .slice(0, limits.descriptionHtmlLengthMax)
    .toWellFormed()
}

function goodObject(node: Node, known: Known, random: () => number): Json {
  if (!node.properties) {
    const { propertyNames = {}, additionalProperties } = node
    const count = whole(random, node.minProperties ?? 0, Math.min(node.maxProperties ?? 3, 5))
    const entries = Array.from({ length: count }, () => [
      goodText({ type: 'string', ...propertyNames }, random),
      good(additionalProperties || {}, '', known, random),
    ])
    // A member of this name is refused in every body.
    return Object.fromEntries(entries.filter(([name]) => name !== '__proto__')) as Json
  }
  const wanted = Object.entries(node.properties).filter(
    ([name]) => (node.required ?? []).includes(name) || random() < 0.5,
  )
  // In any order: JSON has none.
  return Object.fromEntries(
    shuffled(random, wanted).map(([name, member]) => [name, good(member, name, known, random)]),
  ) as Json
}

const emails = [...'abc XYZ 0189 äöüß éñ 漢字 עברית 😀👩‍👩‍👧 "\\/\'<>&;{}%$#\u2028\u00a0\u0301']
const visible = Array.from({ length: 0x7e - 0x21 + 1 }, (_, index) => String.fromCharCode(0x21 + index))

// A text that matches a pattern, hand-written for each pattern in the contract.
function goodText(node: Node, random: () => number): string {
  const { pattern, minLength = 0, maxLength = 40 } = node
  const length =
    random() < 0.15
      ? pick(random, [minLength, maxLength])
      : whole(random, minLength, Math.min(maxLength, minLength + 20))
  const of = (characters: readonly string[], count = length) =>
    Array.from({ length: count }, () => pick(random, characters)).join('')
  switch (pattern) {
    case undefined:
    case patterns.line.source:
      return of(emails)
    case patterns.paragraph.source:
      return of([...emails, '\n', '\r\n'[1] as string])
    case patterns.visibleAscii.source:
      return of(visible, Math.max(1, length))
    case patterns.country.source:
      return pick(random, ['DE', 'FR', 'US', 'JP'])
    case patterns.email.source:
      // Dots stand only between atoms.
      return `${Array.from({ length: whole(random, 1, 4) }, () => of([...'abc+-019'], whole(random, 1, 5))).join('.')}@example.com`
    case patterns.phone.source:
      return of([...'+0123456789 ()./-'], Math.max(3, length))
    case patterns.locale.source:
      return pick(random, ['auto', 'de', 'pt-BR', 'zh-Hant-TW', 'gsw'])
    case patterns.slug.source:
      return `s${whole(random, 0, 1e6)}`
    case patterns.option.source:
      return pick(random, ['Colour:Plum', 'Size:L:XL', 'Größe:groß'])
    case patterns.instant.source:
      return new Date(Date.now() + whole(random, 1, 1e6) * 1_000).toISOString()
    case patterns.currency.source:
      return pick(random, ['EUR', 'USD', 'JPY'])
    case patterns.subscription.source:
      return pick(random, ['*', 'order.*', 'order.paid', 'product.updated'])
    default: {
      const texts = textsOfEntries.get(pattern)
      if (texts) return pick(random, texts)
      const prefix = Object.values(idPrefixes).find((known) => pattern.startsWith(`^${known}_`))
      if (prefix === undefined) throw new Error(`a pattern without a generator: ${pattern}`)
      return newId(prefix as Parameters<typeof newId>[0])
    }
  }
}

// Patterns of the entries of shop files and of single members.
const textsOfEntries: ReadonlyMap<string, readonly string[]> = new Map([
  ['^[a-z0-9]+([_-][a-z0-9]+)*$', ['standard', 'reduced', 'a_b-c']],
  ['^https?://[^\\s]+$', ['https://example.com/track?n=1', 'http://localhost/']],
  ['^https?://', ['https://example.com/terms', 'http://localhost']],
  [
    '^(https://|http://(localhost|127\\.0\\.0\\.1)(:[0-9]{1,5})?(/|$)|/media/)',
    ['https://example.com/a.webp', 'http://localhost:80/a.png', '/media/none'],
  ],
  ['^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$', ['2026-03-01T09:00:00Z', '2031-12-31T23:59:59.9Z']],
  ['^https://[^\\s]+$', ['https://example.com/track?n=1']],
  [
    '^[A-Za-z0-9/-]*(\\{year\\}[A-Za-z0-9/-]*)?\\{number(:[1-9])?\\}[A-Za-z0-9/-]*$',
    ['{year}-{number:6}', 'R{number}', '{number:9}/A'],
  ],
  ['^[A-Za-z0-9_-]{43}$', ['f0yMZc0JkQb1xk1d3p9rj2nVb0mF6w8sQh4TtUe7LaE', '_'.repeat(43)]],
  ['^[0-9\\s-]{6,40}$', ['481205', '481 205', '4-8-1-2-0-5']],
  ['^[A-Za-z]{1,40}$', ['secretKey', 'key', 'A', 'k'.repeat(40)]],
  ['^[A-Z0-9]{1,3}$', ['BE', '9', '13A']],
  ['^[^\\s@]+@[^\\s@]+$', ['shop@example.com']],
  [patterns.contact.source, ['shop@example.com', 'https://example.com/contact']],
  ['^#[0-9a-fA-F]{6}$', ['#000000', '#a1B2c3']],
  ['^[A-Za-z0-9+/]+={0,2}$', ['AAAA', 'UklGRg==']],
])

export interface BadRequest {
  // The body: JSON, or a text that is not the JSON of any value.
  text: string
  // JSON Pointer to the invalid place.
  place: string
  how: string
}

// Makes a valid value invalid at one place. Undefined if this value has no such place.
export function brokenFrom(
  schema: TSchema,
  value: Json,
  strangers: readonly string[],
  random: () => number,
): BadRequest | undefined {
  const places = placesIn(schema as Node, value, [])
  const { node, path } = pick(random, places)
  const how = pick(random, breakers)
  const broken = how(node, valueAt(value, path), random, strangers)
  if (!broken) return undefined
  const { replaced, member = '', text } = broken
  const place = [...path, ...(member === '' ? [] : [member])]
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
  if (text !== undefined) {
    const marked = JSON.stringify(withValue(value, path, mark))
    return { text: marked.replace(JSON.stringify(mark), () => text), place, how: how.name }
  }
  return { text: JSON.stringify(withValue(value, path, replaced ?? null)), place, how: how.name }
}

const mark = '\u0001 the place \u0001'

interface Broken {
  replaced?: Json
  // The invalid member of the place, if it is not the place itself.
  member?: string
  // Replaces a value with text that JSON.stringify cannot produce.
  text?: string
}

type Breaker = (node: Node, value: Json, random: () => number, strangers: readonly string[]) => Broken | undefined

const breakers: readonly Breaker[] = [
  function anotherType(node, _, random) {
    const types = typesOf(node)
    const values: readonly (readonly [string, Json])[] = [
      ['null', null],
      ['boolean', true],
      ['integer', 1],
      ['number', 1.5],
      ['string', '1'],
      ['string', ''],
      ['string', 'null'],
      ['array', []],
      ['array', [1]],
      ['object', {}],
      ['object', { toString: 1 }],
    ]
    const [, replaced] = pick(
      random,
      values.filter(([type]) => !types.has(type)),
    )
    return { replaced }
  },
  // The same value as another type: nothing may be coerced.
  function dressed(node, value, random) {
    const types = typesOf(node)
    const dresses: readonly (readonly [string, Json])[] = [
      ['string', typeof value === 'string' ? value : JSON.stringify(value)],
      ['array', [value]],
      ['object', { value }],
    ]
    const [, replaced] = pick(
      random,
      dresses.filter(([type]) => !types.has(type)),
    )
    return { replaced }
  },
  function missing(node, value) {
    const [member] = node.required ?? []
    if (member === undefined || !isObject(value)) return undefined
    const { [member]: _, ...rest } = value
    return { replaced: rest, member }
  },
  function unknownMember(node, value, random, strangers) {
    if (!isObject(value) || !node.properties) return undefined
    const member = pick(random, [...strangers, 'constructor', 'toString', 'a/b~c', 'Ä', 'id ', 'IdempotencyKey'])
    if (member in node.properties) return undefined
    return { replaced: { ...value, [member]: pick<Json>(random, [1, null, 'x', [], {}]) }, member }
  },
  function outOfBounds(node, _, random) {
    const { minimum, maximum, minLength, maxLength, maxItems, pattern } = node
    if (minimum !== undefined && maximum !== undefined)
      return pick<Broken>(random, [
        { replaced: minimum - 1 },
        { text: String(BigInt(maximum) + 1n) },
        { text: '1e400' },
        { text: '9007199254740993' },
        { text: '-1e-7' },
      ])
    if (maxLength !== undefined && pattern !== undefined) {
      const filler = pattern === patterns.httpUrl.source ? 'http://localhost/' : ''
      const long = { replaced: filler + (pattern === patterns.phone.source ? '1' : 'a').repeat(maxLength + 1) }
      return minLength === 1 && random() < 0.5 ? { replaced: '' } : long
    }
    if (maxItems !== undefined) return { replaced: Array.from({ length: maxItems + 1 }, () => null) }
    return undefined
  },
  function brokenPattern(node, value, random) {
    if (typeof value !== 'string' || node.pattern === undefined) return undefined
    return pick<Broken>(random, [
      { replaced: `${value}\u0007` },
      { replaced: `\u0000${value}`.slice(0, 3) },
      // Half of a surrogate pair: JSON can express it, no database stores it.
      { text: '"\\ud83d"' },
    ])
  },
  function anotherWord(node, value, random) {
    if (!node.enum || typeof value !== 'string') return undefined
    return { replaced: pick(random, [`${value}s`, value.toUpperCase(), ` ${value}`, '']) }
  },
  function twice(node, value) {
    if (!isObject(value) || !node.properties) return undefined
    const [[member, inner] = []] = Object.entries(value)
    if (member === undefined) return undefined
    const once = `${JSON.stringify(member)}:${JSON.stringify(inner)}`
    return { text: `{${once},${JSON.stringify(value).slice(1)}`, member }
  },
  function prototype(node, value) {
    if (!isObject(value) || !node.properties) return undefined
    const rest = JSON.stringify(value).slice(1)
    return { text: `{"__proto__":{"admin":true}${rest === '}' ? '' : ','}${rest}`, member: '__proto__' }
  },
]

function typesOf(node: Node): Set<string> {
  if (node.anyOf) return new Set(node.anyOf.flatMap((branch) => [...typesOf(branch)]))
  return new Set(node.type === undefined ? [] : [node.type])
}

interface PlaceIn {
  node: Node
  path: readonly (string | number)[]
}

function placesIn(node: Node, value: Json, path: readonly (string | number)[]): PlaceIn[] {
  const here = [{ node, path }]
  if (isObject(value) && node.properties) {
    return [
      ...here,
      ...Object.entries(value).flatMap(([name, inner]) =>
        placesIn(node.properties?.[name] ?? {}, inner, [...path, name]),
      ),
    ].filter(({ node }) => node.type !== undefined || node.anyOf !== undefined)
  }
  if (Array.isArray(value) && node.items) {
    const { items } = node
    return [...here, ...value.flatMap((inner, index) => placesIn(items, inner, [...path, index]))]
  }
  return here
}

function valueAt(value: Json, path: readonly (string | number)[]): Json {
  let found = value
  for (const step of path) found = (found as Record<string, Json>)[step] as Json
  return found
}

function withValue(value: Json, path: readonly (string | number)[], replaced: Json): Json {
  const [step, ...rest] = path
  if (step === undefined) return replaced
  if (Array.isArray(value))
    return value.map((inner, index) => (index === step ? withValue(inner, rest, replaced) : inner))
  const object = value as Record<string, Json>
  return { ...object, [step]: withValue(object[step] as Json, rest, replaced) }
}

function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
