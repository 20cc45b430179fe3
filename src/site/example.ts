// Examples: calls by curl, and JSON with names and strings marked up.

import type { Operation } from '../contract/surface.ts'
import { type Html, html, trusted } from '../pages/html.ts'

export interface Call {
  origin: string
  method: Operation['method']
  // With its parameters filled in.
  path: string
  // Secrets are named, never shown: the reader's shell fills them in.
  credential: readonly string[]
  body?: unknown
}

export function curlFor({ origin, method, path, credential, body }: Call): string {
  const verb = method === 'GET' ? '' : `-X ${method} `
  const sent =
    body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`]
  return [`curl ${verb}${origin}${path}`, ...credential, ...sent].join(' \\\n  ')
}

// Within single quotes a shell changes nothing; a single quote itself is written outside of them.
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function fill(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

// `label` is for screen readers. A block that scrolls must be reachable by keyboard.
export function codeBlock(label: string, code: Html | string): Html {
  return html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre></div>`
}

export function jsonCode(value: unknown): Html {
  return trusted(JSON.stringify(value, null, 2).split('\n').map(jsonLine).join('\n'))
}

// Pretty-printed JSON has at most one name and one value a line.
function jsonLine(line: string): string {
  const [, indent = '', name, value = '', comma = ''] = /^( *)(?:("(?:[^"\\]|\\.)*"): )?(.*?)(,?)$/.exec(line) ?? []
  const shown = value.startsWith('"') ? `<i>${asText(value)}</i>` : asText(value)
  return `${indent}${name === undefined ? '' : `<b>${asText(name)}</b>: `}${shown}${comma}`
}

// Between tags only these two need escaping. Escaping quotes as well would add 17 KB to the reference.
function asText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
