// The flags that `npm start` passes to Node, so tests, proofs and benchmarks run the server as its users do.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<'start', string>>
}

export const nodeFlags: readonly string[] = scripts.start.split(' ').filter((word) => word.startsWith('--'))
