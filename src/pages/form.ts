// Reads what a browser posts: in which form and how much. Nothing here knows what the fields mean.

import type { IncomingMessage } from 'node:http'
import { readBytes } from '../http/body.ts'
import { type Html, html } from './html.ts'

export const formBytesMax = 16_384

// The status with which a body is refused.
export type FormRefusal = 413 | 415 | 400

export async function readForm(
  raw: IncomingMessage,
  bytesMax: number = formBytesMax,
): Promise<URLSearchParams | FormRefusal> {
  const encoding = raw.headers['content-encoding'] ?? 'identity'
  const isForm = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(raw.headers['content-type'] ?? '')
  if (!isForm || encoding !== 'identity') return 415
  const bytes = await readBytes(raw, bytesMax)
  if (bytes === 'too_large') return 413
  return bytes === 'ended_early' ? 400 : new URLSearchParams(bytes.toString('utf8'))
}

// Longer than anything one types into a field; the rest is cut.
const lineLengthMax = 500

// One line of text as it was meant: bounded, trimmed and without control characters. The first of two fields with one name
// counts, and a missing one is empty. Not for passwords, which are taken as they are.
export function lineIn(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '')
    .slice(0, lineLengthMax)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

export function hiddenFields(fields: Readonly<Record<string, string | number>>): Html {
  return html`${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}`
}
