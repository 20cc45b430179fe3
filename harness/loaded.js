// Loaded into a process (`NODE_OPTIONS=--import …?to=FILE`): records the URL of every module that it loads. Plain
// JavaScript, like the program it is loaded into.

import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const to = new URL(import.meta.url).searchParams.get('to')

registerHooks({
  load(url, context, next) {
    if (to !== null) appendFileSync(to, `${url}\n`)
    return next(url, context)
  },
})
