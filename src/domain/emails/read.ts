// Parses e-mails in the form in which `smtp.ts` writes them: a text part, an HTML part and the pictures of the HTML, all in base64. Used
// by development pages and tests.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ReadEmail {
  // Headers by lower-case name, unfolded and decoded. Repeated headers are joined by a line break.
  headers: Readonly<Record<string, string>>
  text: string
  html: string
  // Pictures to which the HTML refers by `cid:`.
  pictures: readonly { cid: string; media: string; bytes: Buffer }[]
}

// Reads an e-mail that the file transport has written. Returns undefined if the transport has deleted it since, or never wrote it.
export function findStoredEmail(folder: string, id: string): ReadEmail | undefined {
  try {
    return readEmail(readFileSync(join(folder, `${id}.eml`), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export function readEmail(bytes: string): ReadEmail {
  const whole = partIn(bytes.replaceAll('\r\n', '\n'))
  const parts = leavesOf(whole)
  const textOf = (type: string) => {
    const found = parts.find(({ headers }) => headers['content-type']?.startsWith(type))
    return found ? Buffer.from(found.body, 'base64').toString('utf8') : ''
  }
  return {
    headers: whole.headers,
    text: textOf('text/plain').replaceAll('\r\n', '\n'),
    html: textOf('text/html'),
    pictures: parts.flatMap(({ headers, body }) => {
      const [, cid] = /^<(.+)>$/.exec(headers['content-id'] ?? '') ?? []
      const [media = ''] = (headers['content-type'] ?? '').split(';')
      return cid === undefined ? [] : [{ cid, media, bytes: Buffer.from(body, 'base64') }]
    }),
  }
}

interface Part {
  headers: Record<string, string>
  body: string
}

function partIn(text: string): Part {
  const [head, body] = split(text)
  return { headers: headersOf(head), body }
}

// Parts that contain no other parts.
function leavesOf(part: Part): Part[] {
  const [, boundary] = /boundary="([^"]+)"/.exec(part.headers['content-type'] ?? '') ?? []
  if (boundary === undefined) return [part]
  const inner = part.body.split(`--${boundary}`).slice(1, -1)
  return inner.flatMap((text) => leavesOf(partIn(text.replace(/^\n/, ''))))
}

function split(text: string): [head: string, body: string] {
  const at = text.indexOf('\n\n')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 2)]
}

function headersOf(head: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of head.replaceAll(/\n[ \t]+/g, ' ').split('\n')) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).toLowerCase()
    const value = decoded(line.slice(at + 1).trim())
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}\n${value}` : value
  }
  return headers
}

// Decodes encoded words (RFC 2047) in UTF-8. White space between two encoded words is not part of the text.
function decoded(text: string): string {
  return text.replaceAll(/\?=\s+=\?/g, '?==?').replaceAll(/((?:=\?utf-8\?[bq]\?[^?]*\?=)+)/gi, (words: string) => {
    const bytes = [...words.matchAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi)].map(([, way = '', content = '']) =>
      way.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : fromQuoted(content),
    )
    return Buffer.concat(bytes).toString('utf8')
  })
}

function fromQuoted(content: string): Buffer {
  const latin = content
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(latin, 'latin1')
}
