// The style sheet of our pages and the little script that makes them kinder: read once, from the files beside this one.

import { readFileSync } from 'node:fs'
import { makeAsset } from './asset.ts'

// The colours, letters and measures alone, for pages that bring a sheet of their own.
export const tokens = readBeside('tokens.css')

export const styleSheet = makeAsset(`${tokens}\n${readBeside('style.css')}`, {
  'content-type': 'text/css; charset=utf-8',
})
export const script = makeAsset(readBeside('reference.js'), { 'content-type': 'text/javascript; charset=utf-8' })

// With the hash of the content in the address, so that a browser asks once and never again.
export const styleHref = `/site/style.css?v=${styleSheet.hash}`
export const scriptSrc = `/site/reference.js?v=${script.hash}`

function readBeside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}
