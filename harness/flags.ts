// What `npm start` gives to Node, so that whatever tests, proves and measures the server runs it as its users do.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<'start', string>>
}

export const nodeFlags: readonly string[] = scripts.start.split(' ').filter((word) => word.startsWith('--'))
