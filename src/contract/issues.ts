// Every rule that a place in a request or a file can break: the code of the rule, and its sentence without a subject. `{name}` stands for
// a value. Text between `[?` and `?]` is left out if its values are missing. Programs and translations use the code and the values; the
// sentence is for people.

import { limits } from './limits.ts'
import { patterns } from './patterns.ts'

// Length limit, appended to the sentence of a pattern.
const length = '[? ({min} to {max} characters)?]'

// Issues that an operation of the open interface may answer with.
// biome-ignore format: a table reads best with one row a line
export const openInterfaceIssues = {
  // Violations of the schema.
  does_not_match:          'does not match the contract',
  required:                'is required',
  required_unless:         'is required unless {alternatives} is given',
  unknown_member:          'is not a known member',
  unknown_parameter:       'is not a parameter of this operation',
  needs_members:           'is only allowed together with {members}',
  excluded_by:             'is not allowed together with {member}',
  too_many_members:        'must have at most {max} members',
  bad_member_name:         'must have a name that is {rule}',
  no_rule_met:             'must be {rule}',
  not_exactly:             'must be {value}',
  not_one_of:              'must be one of {allowed}',
  not_an_integer:          'must be an integer',
  integer_out_of_range:    'must be an integer from {min} to {max}',
  integer_too_low:         'must be an integer of at least {min}',
  integer_too_high:        'must be an integer of at most {max}',
  not_a_string:            'must be a string',
  string_length:           'must be a string of {min} to {max} characters',
  string_too_short:        'must be a string of at least {min} characters',
  string_too_long:         'must be a string of at most {max} characters',
  not_an_array:            'must be an array',
  array_length:            'must be an array of {min} to {max} items',
  array_too_short:         'must be an array of at least {min} items',
  array_too_long:          'must be an array of at most {max} items',
  not_a_boolean:           'must be true or false',
  not_an_object:           'must be an object',
  not_null:                'must be null',
  repeated_item:           'must not repeat an earlier item',

  // Patterns that a string does not match.
  not_a_slug:              `must be ${patterns.slug.words}${length}`,
  not_an_option:           `must be ${patterns.option.words}${length}`,
  not_an_instant:          `must be ${patterns.instant.words}${length}`,
  not_a_currency:          `must be ${patterns.currency.words}${length}`,
  not_a_country_code:      `must be ${patterns.country.words}${length}`,
  not_a_line:              `must be ${patterns.line.words}${length}`,
  not_plain_text:          `must be ${patterns.paragraph.words}${length}`,
  not_visible_ascii:       `must be ${patterns.visibleAscii.words}${length}`,
  not_a_web_address:       `must be ${patterns.httpUrl.words}${length}`,
  not_an_email:            `must be ${patterns.email.words}${length}`,
  not_a_contact:           `must be ${patterns.contact.words}${length}`,
  not_a_phone:             `must be ${patterns.phone.words}${length}`,
  not_a_locale:            `must be ${patterns.locale.words}${length}`,
  not_a_subscription:      `must be ${patterns.subscription.words}${length}`,
  not_an_api_key:          `must be ${patterns.apiKey.words}${length}`,
  not_an_id:               `must be an id of the form {prefix}_…${length}`,
  pattern_mismatch:        `must be a string that matches {pattern}${length}`,

  // JSON that cannot be parsed.
  malformed:               'is not well-formed JSON: the error is at position {position}',
  ends_early:              'ends before the JSON is complete',
  forbidden_name:          'is not allowed as a name',
  repeated_name:           'must not be given more than once',
  number_too_large:        'must be a number within ±(2^53 − 1)',
  number_too_precise:      'must not have more digits than a 64-bit floating-point number',
  nested_too_deep:         'must not be nested deeper than {max} levels',
  bad_text:                'must not contain U+0000 or half of a surrogate pair',
  not_utf8:                'must be UTF-8',

  // Issues of headers, paths and query parameters.
  contains_zero:           'must not contain U+0000',
  too_long:                'must have at most {max} characters',
  ascii_length:            'must be {min} to {max} visible ASCII characters',
  header_missing:          'is required',
  header_repeated:         'must be sent only once',
  bad_host_header:         'must be sent exactly once, as a host with or without a port',
  bad_expectation:         'must be absent or 100-continue',
  bad_content_encoding:    'must be absent or identity',
  bad_content_type:        'must be application/json',
  too_many_headers:        'must be at most {max} headers, with at most {kibibytes} KiB in total',
  bad_path:                'must be a path in percent-encoded UTF-8',
  bad_cursor:              'must be unchanged from the link of an earlier response',

  // Rules about the meaning of members.
  empty_search:            'must have at least one of q, category, brand, minPrice, maxPrice, inStock, tag and option',
  unknown_sku:             'is not a SKU of this merchant',
  duplicate:               'must not appear twice',
  not_in_future:           'must be in the future',
  test_mode_only:          'is only possible in test mode',
  needed:                  'is needed',
  needed_in_country:       'is needed in this country',
  not_a_country:           'must be an assigned ISO 3166-1 code of two capital letters',
  not_a_region:            'must be the code or the name of a region of this country',
  not_a_vat_id:            'must be a VAT number of a member state of the EU, with its prefix, such as ATU12345678',
  not_a_postal_code:       'must be a postal code of this country[?, such as {example}?]',
  phone_digits:            'must be a telephone number of {min} to {max} digits',
  no_letter:               'must contain a letter',
  no_letter_or_digit:      'must contain a letter or a digit',
  contains_angle_bracket:  'must not contain < or >',
  contains_link:           'must not contain a web address',
  url_characters:          'must not contain white space, control characters or backslashes',
  url_unreadable:          'must be a URL',
  url_not_secure:          'must begin with https://, or with http:// if its host is a loopback address',
  url_has_credentials:     'must not contain a user name or a password',
  url_host_unclear:        'must name its host right after two slashes',
  url_host_not_allowed:    'must have a host that is on the allow-list of the installation',
} as const satisfies Record<string, string>

// Further issues of the admin interface, shop files and commands.
// biome-ignore format: a table reads best with one row a line
export const operatorIssues = {
  blank:                   'must not be blank',
  control_characters:      'must not contain control characters or half of a surrogate pair',
  too_many_items:          'must have at most {max} items',
  one_of_two:              'either {member} or {other} must be sent, but not both',
  goes_with:               'must be sent if {member} is sent, and only then',
  not_offered:             'is not offered',
  form_altered:            'must be unchanged since the server rendered the form',

  // Issues of products and categories.
  html_too_long:           'is too long',
  not_uploaded_here:       'must be the address of a picture that was uploaded to this shop',
  not_an_image_address:    'must be a URL with a host, or a path under /media/ without .. and //',
  option_missing:          'must have a value for the option {option}',
  unknown_option:          'must be an option of the product',
  unknown_option_value:    'must be one of the values of the option',
  not_above_price:         'must be above the price',
  other_kind_of_measure:   'must be a unit of the same kind as the unit of the content, such as kg for g',
  unreadable_instant:      'must be an instant, such as 2026-12-01T00:00:00Z',
  published_in_future:     'must not be in the future: to hide the product, use published: false',
  maker_not_in_file:       'must be a maker of this file',
  category_not_in_file:    'must be a category of this file',
  sku_not_in_file:         'must be the code of a SKU of this file',
  category_circle:         'must not form a cycle, or be nested deeper than {max} levels',

  // Issues of the columns of an imported file.
  unknown_column:          'must be a column of the file',
  meaning_missing:         'must assign a column to {member}',
  meaning_repeated:        'must not be assigned to more than {max} columns',

  // Issues of uploaded images.
  unknown_image_format:    'must be a WebP, JPEG, PNG or AVIF file',
  broken_image:            'must be a complete picture file',
  image_too_large:         'must be at most {max} pixels wide and {max} pixels high',
  image_too_heavy:         'must not be larger than {mebibytes} MiB',
  image_has_metadata:      'must not contain camera metadata, which cannot be removed from an AVIF file',

  // Issues of promotions.
  promotion_code:          'must be {min} to {max} letters, digits or signs, without spaces',
  needed_for_type:         'is required for the type {type}',
  unfit_for_type:          'is not allowed for the type {type}',
  not_an_instant_in_utc:   'must be an instant in UTC, such as 2026-12-01T00:00:00Z',
  not_after_start:         'must be after the start',

  // Issues of the shop and its settings.
  unknown_currency:        'must be an ISO 4217 currency code',
  unknown_country:         'must be an ISO 3166-1 country code of two letters',
  unknown_time_zone:       'must be an IANA time zone, such as Europe/Berlin',
  not_one_email:           'must be a single e-mail address without a display name',
  not_rising:              'must be in ascending order without repetition',
  instructions_needed:     'is required: it tells shoppers where to send the money',

  // Keys and accounts of payment providers. These are whole sentences, because some of them do not concern a single place.
  key_of_other_mode:       'the key must not be a key of {mode} mode',
  not_a_publishable_key:   'the publishable key must begin with pk_test_ or pk_live_',
  not_a_secret_key:        'the key must be a restricted key, which begins with rk_test_ or rk_live_, or a secret key, which begins with sk_test_ or sk_live_',
  not_a_mollie_key:        'the key must be an API key of Mollie, which begins with test_ or live_',
  live_key_with_stand_in:  'live keys are refused while {setting} is set',
  key_not_accepted:        '{provider} does not accept the key',
  keys_of_two_accounts:    'the keys belong to different accounts at {provider}',
  key_of_other_account:    'the key belongs to another account at {provider}',
  permissions_missing:     'the key lacks permissions[?: {members}?]',
  account_not_charging:    '{provider} does not let this account take payments yet',
  account_blocked:         '{provider} has blocked the account',
  no_method_at_provider:   'no payment method is enabled at {provider}',
  endpoint_missing:        '{provider} no longer has the webhook endpoint {value}: connect the account again',
  endpoint_moved:          'the webhook endpoint {value} at {provider} does not point to this server',
  endpoint_off:            'the webhook endpoint {value} is disabled at {provider}',
  endpoint_not_deleted:    '{provider} did not delete the webhook endpoint {value}: delete it in the dashboard of {provider}',
  domain_unknown:          '{provider} does not know the domain {value}, so wallets are not offered: add it in the dashboard of {provider} under Payment method domains',
  domain_off:              'the domain {value} is disabled at {provider}, so wallets are not offered: enable it in the dashboard of {provider} under Payment method domains',
  wallet_inactive:         '{provider} does not offer {option} on {value} yet[?: {reason}?]',
  provider_refused:        '{provider} refused the request[? ({reason})?]',
  provider_unreachable:    '{provider} could not be reached, or its response could not be read[? ({reason})?]',
  secrets_unopened:        'the stored keys cannot be decrypted with the root secret of this server: connect the account again',

  // Issues of reports, imports and exports.
  not_a_day:               'must be a day, such as 2026-06-01',
  after_last_day:          'must not be after the last day',
  too_many_days:           'must be at most {max} days before the last day',
  text_too_large:          'must be at most {kibibytes} KiB in UTF-8',
  link_not_secure:         'must be a URL that begins with https://',
  placeholder_missing:     'must contain {placeholder}',

  // Issues of installations, keys, hosts and paths.
  not_a_host:              'must be a host such as shop.example.com',
  not_one_host:            'must be one host such as shop.example.com or shop.example.com:8443, without https:// and without wildcards',
  host_not_public:         'must be a public name such as shop.example.com, without https:// and without a port',
  own_host:                'must not be the host name of this server',
  page_reserved:           'must not be a path that the shop itself uses',
  link_not_allowed:        'must begin with https://, http://, mailto: or tel:, or be a path that begins with a slash',
  not_a_shop_path:         'must be a path of the shop that begins with one slash, such as /products/tea',
  leads_to_itself:         'must not lead back to the path that is redirected',
  not_an_origin:           'must be an origin such as https://shop.example, or http://localhost:3000 in test mode',
  no_origin:               'must name at least one origin',
  origins_of_secret_key:   'must be empty for a secret key',
  scopes_of_publishable_key: 'must be empty for a publishable key',

  // Issues of webhook endpoints.
  target_too_long:         'the URL must have at most {max} characters',
  target_characters:       'the URL must not contain white space, control characters or backslashes',
  target_unreadable:       'the URL must be a valid URL, such as https://shop.example.com/webhooks',
  target_not_secure:       'the URL must begin with https://[?; for development, {setting} also allows http://?]',
  target_host_unclear:     'the URL must name its host right after two slashes',
  target_has_credentials:  'the URL must not contain a user name or a password',
  target_has_fragment:     'the URL must not contain a fragment (#)',
  target_private_address:  'the URL must not point to a private or special address[?; for development, {setting} allows private addresses?]',
  target_host_invalid:     'the host name in the URL must be valid',
  target_private_host:     'the URL must name a public host[?; for development, {setting} allows private hosts?]',
  target_port:             'the port in the URL must be 443, or at least 1024 and not the usual port of a database or similar service[?; for development, {setting} also allows port 80?]',
  no_event:                'the endpoint must subscribe to at least one event, subject.* or *',
  too_many_events:         'the endpoint must subscribe to at most {max} events: use subject.* or * for more',
  unknown_event:           '"{event}" is not an event: use one of {members}, or subject.* or *',

  // Issues of apps.
  line_length:             'must be one line of {min} to {max} characters',
  line_too_long:           'must be one line of at most {max} characters',
  address_count:           'must be {min} to {max} addresses',
  not_some_of:             'must only contain {members}',
  not_either:              'must be {alternatives}',
  redirect_not_secure:     'must be an absolute https URL',
  redirect_has_fragment:   'must not contain a fragment (#)',
  redirect_has_credentials: 'must not contain a user name or a password',
  redirect_has_wildcard:   'must be an exact URL without wildcards',
  redirect_not_loopback:   'must begin with https://, or with http:// if its host is 127.0.0.1, [::1] or localhost',
  redirect_spelling:       'must be written as {value}',
  app_of_other_file:       "another merchant's shop file declares an app with this name: choose another name",
  app_of_other_merchant:   'another merchant has installed the app, so only the operator can change it, with `apps change`',
  not_a_key_set:           'must be a JSON Web Key Set: {example}',
  key_count:               'must have {min} to {max} keys',
  repeated_key_id:         'must not be the id of another key in the set',
  not_a_key:               'must be a JSON Web Key',
  private_key:             'must not be sent, because it is part of a private key: replace this key, and send public keys only',
  unknown_key_type:        'must be EC, OKP or RSA',
  bad_key_id:              'must be visible ASCII of at most {max} characters',
  not_base64url:           'must be base64url',
  invalid_key:             'must be a valid key',
  weak_key:                'must have {min} to {max} bits, and an exponent e of at least 65537',

  // Issues of shop files.
  file_too_large:          'the file is larger than {mebibytes} MiB: import a large catalog instead',
  file_not_utf8:           'the file is not UTF-8',
  file_too_deep:           'the file is nested too deeply',
  file_unreadable:         '{reason}',
} as const satisfies Record<string, string>

export const issueSentences = { ...openInterfaceIssues, ...operatorIssues } as const

export type IssueCode = keyof typeof issueSentences

export const openInterfaceIssueCodes = Object.keys(openInterfaceIssues) as (keyof typeof openInterfaceIssues)[]
export const issueCodes = Object.keys(issueSentences) as IssueCode[]

// Types of the values that sentences contain.
export interface IssueValueTypes {
  min: number
  max: number
  position: number
  kibibytes: number
  mebibytes: number
  alternatives: readonly string[]
  members: readonly string[]
  allowed: readonly string[]
  member: string
  other: string
  rule: string
  value: string
  prefix: string
  pattern: string
  example: string
  option: string
  type: string
  placeholder: string
  setting: string
  provider: string
  mode: string
  event: string
  reason: string
}

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type Parts<Text extends string> = Text extends `${string}[?${infer Part}?]${infer Rest}` ? Part | Parts<Rest> : never
type WithoutParts<Text extends string> = Text extends `${infer Start}[?${string}?]${infer Rest}`
  ? `${Start}${WithoutParts<Rest>}`
  : Text
type TypeOf<Name, Types> = Name extends keyof Types ? Types[Name] : never

// The values of a sentence: ValuesIn<'at most {max}[?, not {value}?]', IssueValueTypes> is { max: number; value?: string }.
export type ValuesIn<Text extends string, Types> = {
  readonly [Name in NamesIn<WithoutParts<Text>>]: TypeOf<Name, Types>
} & {
  readonly [Name in NamesIn<Parts<Text>>]?: TypeOf<Name, Types> | undefined
}

export type IssueValues<Code extends IssueCode> = ValuesIn<(typeof issueSentences)[Code], IssueValueTypes>

export type AnyIssueValues = Readonly<Record<string, IssueValue>>
export type IssueValue = string | number | readonly string[]

// A rule that a value breaks, with the values and the message of the violation.
export interface BrokenRule {
  code: IssueCode
  values: AnyIssueValues
  message: string
}

export interface Issue extends BrokenRule {
  // JSON Pointer to the place in the value. For a request, the value is the body; `/query/…` and `/headers/…` point outside of the body.
  path: string
}

type ValuesGiven<Code extends IssueCode> =
  Record<never, never> extends IssueValues<Code> ? [values?: IssueValues<Code>] : [values: IssueValues<Code>]

export function issue<Code extends IssueCode>(code: Code, ...[given]: ValuesGiven<Code>): BrokenRule {
  const members: Readonly<Record<string, IssueValue | undefined>> = given ?? {}
  const values = Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? cut(value) : value]],
    ),
  )
  return { code, values, message: fillSentence(issueSentences[code], values, english) }
}

export function issueAt<Code extends IssueCode>(path: string, code: Code, ...values: ValuesGiven<Code>): Issue {
  return { path, ...issue(code, ...values) }
}

// How a language formats values in a sentence.
export interface ValueStyle {
  number(value: number): string
  // The word before the last of several values.
  or: string
}

const english: ValueStyle = { number: String, or: 'or' }

// Returns the sentence with its values filled in.
export function fillSentence(sentence: string, values: AnyIssueValues, style: ValueStyle): string {
  return sentence
    .replace(/\[\?(.*?)\?\]/g, (_, part: string) =>
      [...part.matchAll(valueName)].every(([, name = '']) => Object.hasOwn(values, name)) ? part : '',
    )
    .replace(valueName, (_, name: string) => shown(name, values[name] ?? '', style))
}

const valueName = /\{(\w+)\}/g

function shown(name: string, value: IssueValue, { number, or }: ValueStyle): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return number(value)
  const items = name === 'allowed' || name === 'names' ? value.map((one) => JSON.stringify(one)) : value
  return items.join(name === 'alternatives' || name === 'names' ? ` ${or} ` : ', ')
}

// Returns the issue with its message cut to the length that the schema of errors allows.
export function withShortMessage(one: Issue): Issue {
  return { ...one, message: cut(one.message) }
}

function cut(text: string): string {
  return text.length <= limits.issueLengthMax ? text : `${text.slice(0, limits.issueLengthMax - 1)}…`
}
