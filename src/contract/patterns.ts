// Each pattern of the contract, with words that state its rule, because a pattern alone is a poor error message.

import { idPrefixes } from './words.ts'

export interface Pattern {
  source: string
  words: string
}

// A pattern, and the code of the issue if a text does not match it.
interface NamedPattern extends Pattern {
  code: string
}

// Control characters and lone surrogates are refused in all text that callers send, because no database stores them faithfully.
const control = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f\\ud800-\\udfff'

// The parts of an e-mail address. The part before the @ consists of ASCII atoms (RFC 5322), as in the e-mail field of a browser: few mail
// servers accept more (RFC 6531), and a confirmation that cannot be delivered is of no use. The domain may be internationalized. Letters
// are named by ranges because not every reader of our schemas supports \p{L}.
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const letter = 'A-Za-z\\u00b7\\u00c0-\\u167f\\u1681-\\u1fff\\u2c00-\\u2dff\\u3005-\\ud7ff'
const label = `[${letter}0-9]([${letter}0-9-]{0,61}[${letter}0-9])?`
const topLevel = `[${letter}]([${letter}0-9-]{0,61}[${letter}0-9])?`

export const patterns = {
  slug: {
    code: 'not_a_slug',
    source: '^[a-z0-9]+(-[a-z0-9]+)*$',
    words: 'a slug: lower-case letters and digits joined by single hyphens',
  },
  option: {
    code: 'not_an_option',
    source: '^[^:]+:.+$',
    words: 'the name and the value of an option, such as Colour:Plum',
  },
  // Seconds end at 59: JavaScript has no leap seconds, and would parse one as an invalid date.
  instant: {
    code: 'not_an_instant',
    source: '^\\d{4}-\\d\\d-\\d\\dT([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$',
    words: 'an instant in UTC with milliseconds, such as 2026-01-31T09:30:00.000Z',
  },
  currency: { code: 'not_a_currency', source: '^[A-Z]{3}$', words: 'an ISO 4217 code of three capital letters' },
  country: { code: 'not_a_country_code', source: '^[A-Z]{2}$', words: 'an ISO 3166-1 code of two capital letters' },
  line: {
    code: 'not_a_line',
    source: `^[^${control}\\t\\n\\r]*$`,
    words: 'one line of text without control characters',
  },
  paragraph: { code: 'not_plain_text', source: `^[^${control}]*$`, words: 'text without control characters' },
  visibleAscii: { code: 'not_visible_ascii', source: '^[\\x21-\\x7e]+$', words: 'a string of visible ASCII' },
  httpUrl: {
    code: 'not_a_web_address',
    source: '^https?://[\\x21-\\x7e]+$',
    words: 'an absolute http or https address',
  },
  email: {
    code: 'not_an_email',
    source: `^(?=.{1,64}@)${atom}(\\.${atom})*@(${label}\\.)+${topLevel}$`,
    words: 'an e-mail address',
  },
  contact: {
    code: 'not_a_contact',
    source: '^([^\\s@]+@[^\\s@]+|https://[^\\s]+)$',
    words: 'an e-mail address, or a page that begins with https://',
  },
  phone: {
    code: 'not_a_phone',
    source: '^[+0-9 ()./-]+$',
    words: 'a telephone number of digits, spaces and + ( ) . / -',
  },
  locale: {
    code: 'not_a_locale',
    source: '^(auto|[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?)$',
    words: 'auto or a language such as de or pt-BR',
  },
  subscription: {
    code: 'not_a_subscription',
    source: '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))$',
    words: 'an event name, subject.* or *',
  },
  apiKey: { code: 'not_an_api_key', source: '^cw[kp]_(live|test)_[0-9A-Za-z]{48}$', words: 'an API key' },
} as const satisfies Record<string, NamedPattern>

// A TypeID: the prefix, then a UUIDv7 in Crockford's base32. The first digit is at most 7, since 26 digits hold 130 bits and a UUID has
// 128.
export function idPattern(prefix: string): Pattern {
  return { source: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, words: `an id of the form ${prefix}_…` }
}

const prefixBySource = new Map(Object.values(idPrefixes).map((prefix) => [idPattern(prefix).source, prefix]))

// Returns the prefix of the ids that match this pattern.
export function idPrefixOfPattern(source: string): string | undefined {
  return prefixBySource.get(source)
}

const wordsBySource = new Map(
  [...Object.values(patterns), ...Object.values(idPrefixes).map(idPattern)].map(({ source, words }) => [source, words]),
)

export function patternDescription(source: string): string | undefined {
  return wordsBySource.get(source)
}
