// Prints the demo shop as JSON (`npm run demo:print`, after each change of shop.yaml). The JSON is checked here, so a start does not
// check it.

import { readFileSync, writeFileSync } from 'node:fs'
import { readShopFile } from '../../src/ops/provisioning/read.ts'

export function printedShop(yaml: string): string {
  const read = readShopFile(yaml, Date.now())
  if ('problems' in read) throw new Error(`the demo shop's own file is bad: ${JSON.stringify(read.problems)}`)
  return `${JSON.stringify(read.file, null, 1)}\n`
}

if (import.meta.main) {
  const yaml = readFileSync(new URL('shop.yaml', import.meta.url), 'utf8')
  writeFileSync(new URL('shop.json', import.meta.url), printedShop(yaml))
}
