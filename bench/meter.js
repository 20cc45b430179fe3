// Loaded into every measured process (`node --import`): reports to its parent how much processor time and memory the
// whole process, including all threads, has used. It does not keep the process running and adds nothing to a request.
// Plain JavaScript, because stripping types here would load a compiler that the server itself does not need once its
// files are cached.

import { readFileSync } from 'node:fs'

/** @returns {import('./process.ts').Usage} */
function usage() {
  const { user, system } = process.cpuUsage()
  const rssBytes = process.memoryUsage.rss()
  return { cpuUs: user + system, rssBytes, privateBytes: anonymousBytes() ?? rssBytes }
}

function anonymousBytes() {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}

process.on('message', (question) => {
  if (question === 'usage') process.send?.(usage())
})
// Listening alone would keep the process alive.
process.channel?.unref()
