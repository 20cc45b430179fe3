// Renders examples: calls with curl, and JSON with marked names and strings.

import type { Operation } from '../../contract/surface.ts'
import { type Html, html, trusted } from '../../platform/html/html.ts'

export interface ExampleCall {
  origin: string
  method: Operation['method']
  // The path, with its parameters filled in.
  path: string
  // Options of curl that name the reader's secrets, which the reader's shell inserts. No secret is shown.
  credential: readonly string[]
  body?: unknown
}

export function curlFor({ origin, method, path, credential, body }: ExampleCall): string {
  const verb = method === 'GET' ? '' : `-X ${method} `
  const sent =
    body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`]
  return [`curl ${verb}${origin}${path}`, ...credential, ...sent].join(' \\\n  ')
}

export interface ClientCall {
  // Name of the variable in the reader's code: `shop`, `admin` or `client`.
  client: string
  // The client's method, such as `carts.putItem`.
  method: string
  path: readonly string[]
  // The body or the query; undefined if the operation has none.
  input: unknown
  isList: boolean
}

// Renders the call with the typed client, which creates the idempotency key itself. A long body is replaced by `input`, because the call
// with curl shows the body.
export function clientCallFor({ client, method, path, input, isList }: ClientCall): string {
  const { idempotencyKey: _, ...members } = (input ?? {}) as Record<string, unknown>
  const isEmpty = Object.keys(members).length === 0
  const text = literal(members)
  const sent = isEmpty ? [] : [text.length > 160 ? 'input' : text]
  const call = `${client}.${method}(${[...path.map(literal), ...sent].join(', ')})`
  return isList ? `for await (const row of ${call}) …` : `await ${call}`
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

// Quotes a text for a shell, which leaves everything within single quotes unchanged. A single quote itself must be outside the quotes.
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function fillExamplePath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

// `label`: for screen readers. A block that scrolls must be focusable for the keyboard.
export function codeBlock(label: string, code: Html | string): Html {
  return html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre></div>`
}

export function jsonCode(value: unknown): Html {
  return trusted(JSON.stringify(value, null, 2).split('\n').map(jsonLine).join('\n'))
}

// A line of pretty-printed JSON has at most one name and one value.
function jsonLine(line: string): string {
  const [, indent = '', name, value = '', comma = ''] = /^( *)(?:("(?:[^"\\]|\\.)*"): )?(.*?)(,?)$/.exec(line) ?? []
  const shown = value.startsWith('"') ? `<i>${asText(value)}</i>` : asText(value)
  return `${indent}${name === undefined ? '' : `<b>${asText(name)}</b>: `}${shown}${comma}`
}

// Between tags only these two characters must be escaped. Escaping quotes too would add 17 KB to the reference.
function asText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
