// Style sheets and scripts of our pages: read once, served with the hash of the content in the address, so a browser fetches
// each version once.

import { readFileSync } from 'node:fs'
import type { HtmlPage } from '../http/pages.ts'
import { answerAsset, makeAsset } from './asset.ts'

export interface ServedFile {
  href: string
  page: HtmlPage
}

interface FileParts {
  path: string
  // In the log and the metrics.
  name: string
  file: URL
}

// Colours, letters and measures are the same on all pages, and stand in front of each sheet.
const tokens = textOf(new URL('tokens.css', import.meta.url))

export function styleSheet({ path, name, file }: FileParts): ServedFile {
  return served({ path, name, type: 'text/css', text: `${tokens}\n${textOf(file)}` })
}

// `more`: served together with it, where every page needs both.
export function script({ path, name, file, more = [] }: FileParts & { more?: readonly URL[] }): ServedFile {
  return served({ path, name, type: 'text/javascript', text: [file, ...more].map(textOf).join('\n') })
}

function served({ path, name, type, text }: Record<'path' | 'name' | 'type' | 'text', string>): ServedFile {
  const asset = makeAsset(text, { 'content-type': `${type}; charset=utf-8` })
  return {
    href: `${path}?v=${asset.hash}`,
    page: { path, name, answer: async (request) => answerAsset(asset, request) },
  }
}

function textOf(file: URL): string {
  return readFileSync(file, 'utf8')
}
