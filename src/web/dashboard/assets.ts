// Style sheets, scripts, and the rules for prefetching links.

import { answerAsset, makeAsset } from '../../platform/html/asset.ts'
import { type ServedFile, serveScript, serveStyleSheet } from '../../platform/html/files.ts'
import type { Html } from '../../platform/html/html.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'
import { passkeyScript } from '../signin/page/assets.ts'
import { speculationPath } from './headers.ts'

export const style = styleFile('style.css')
export const printStyle = styleFile('print.css')
const live = scriptFile('live')
const scripts: readonly { file: ServedFile; needs?: string }[] = [
  { file: live },
  { file: scriptFile('picture'), needs: 'data-pictures' },
  { file: scriptFile('sheet'), needs: 'data-sheet' },
  { file: scriptFile('rich'), needs: 'data-rich' },
  { file: scriptFile('pick'), needs: 'data-pick=' },
]

// Served by the sign-in pages, which also use it.
const passkeys = { file: passkeyScript, needs: 'data-passkey=' }

// Files that every page needs. The sign-in page prefetches them.
export const sharedAssets = [
  { file: style, as: 'style' },
  { file: live, as: 'script' },
] as const

// Returns the scripts that this page needs, because each additional file delays the first paint by about 10 ms.
export function scriptsFor(page: Html): string[] {
  const text = page.toString()
  return [...scripts, passkeys]
    .filter(({ needs }) => needs === undefined || text.includes(needs))
    .map(({ file }) => file.href)
}

function styleFile(file: string): ServedFile {
  return serveStyleSheet({ path: `/admin/${file}`, name: 'dashboard style', file: new URL(file, import.meta.url) })
}

function scriptFile(name: string): ServedFile {
  return serveScript({
    path: `/admin/${name}.js`,
    name: 'dashboard script',
    file: new URL(`browser/${name}.ts`, import.meta.url),
  })
}

// A page is prefetched when the pointer rests on its link. A GET below a shop changes nothing: pages whose display is recorded are opened
// by a post, except lists with the names of customers.
const speculation = makeAsset(
  JSON.stringify({
    prefetch: [
      {
        source: 'document',
        where: {
          and: [
            { href_matches: '/admin/*/*' },
            { not: { href_matches: '/admin/*/export*' } },
            { not: { selector_matches: '[download], [target=_blank]' } },
          ],
        },
        eagerness: 'moderate',
      },
    ],
  }),
  { 'content-type': 'application/speculationrules+json', 'cache-control': 'public, max-age=3600' },
)

export const assetPages: readonly HtmlPage[] = [
  style.page,
  printStyle.page,
  ...scripts.map(({ file }) => file.page),
  {
    path: speculationPath,
    name: 'dashboard speculation rules',
    answer: async (request) => answerAsset(speculation, request),
  },
]
