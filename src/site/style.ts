// The style sheet of our pages and the little script that makes them kinder: read once, from the files beside this one.

import { readFileSync } from 'node:fs'
import { makeAsset } from '../pages/asset.ts'
import { tokens } from '../pages/style.ts'

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
