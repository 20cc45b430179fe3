// The colours, letters and measures of every page; each room adds a sheet of its own.

import { readFileSync } from 'node:fs'

export const tokens = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')
