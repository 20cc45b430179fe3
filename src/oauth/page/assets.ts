// The style sheet of the authorization pages: read once, from the file beside this one. They have no script.

import { readFileSync } from 'node:fs'
import type { HtmlPage } from '../../http/server.ts'
import { answerAsset, makeAsset } from '../../pages/asset.ts'
import { tokens } from '../../pages/style.ts'

const sheet = readFileSync(new URL('style.css', import.meta.url), 'utf8')
const styleSheet = makeAsset(`${tokens}\n${sheet}`, { 'content-type': 'text/css; charset=utf-8' })

// With the hash of the content in the address, so that a browser asks once and never again.
export const styleHref = `/oauth/style.css?v=${styleSheet.hash}`

export const stylePage: HtmlPage = {
  path: '/oauth/style.css',
  name: 'oauth style',
  answer: async (request) => answerAsset(styleSheet, request),
}
