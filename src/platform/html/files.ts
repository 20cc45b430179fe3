// Style sheets and scripts of the pages: read once, and served with the hash of the content in the URL, so a browser downloads each
// version once.

import { readFileSync } from 'node:fs'
import type { HtmlPage } from '../http/pages.ts'
import { type Asset, answerAsset, makeAsset } from './asset.ts'
import { type BrowserScript, browserScript } from './browser.ts'

export interface ServedFile {
  readonly href: string
  page: HtmlPage
}

interface FileParts {
  path: string
  // Name in the log and the metrics.
  name: string
  file: URL
}

// Colours, fonts and sizes that all pages share, prepended to each style sheet.
const tokens = textOf(new URL('tokens.css', import.meta.url))

export function serveStyleSheet({ path, name, file }: FileParts): ServedFile {
  const asset = assetOf('text/css', `${tokens}\n${textOf(file)}`)
  return {
    href: `${path}?v=${asset.hash}`,
    page: { path, name, answer: async (request) => answerAsset(asset, request) },
  }
}

// `file` is the entry of the script. Its files are read when a page first contains the script, and joined at the first request for it, so
// neither delays the start.
export function serveScript({ path, name, file }: FileParts): ServedFile {
  let made: BrowserScript | undefined
  let asset: Asset | undefined
  function read(): BrowserScript {
    made ??= browserScript(file)
    return made
  }
  return {
    get href() {
      return `${path}?v=${read().hash}`
    },
    page: {
      path,
      name,
      answer: async (request) => {
        const { hash, text } = read()
        asset ??= { ...assetOf('text/javascript', text()), hash }
        return answerAsset(asset, request)
      },
    },
  }
}

function assetOf(type: string, text: string): Asset {
  return makeAsset(text, { 'content-type': `${type}; charset=utf-8` })
}

function textOf(file: URL): string {
  return readFileSync(file, 'utf8')
}
