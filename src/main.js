#!/usr/bin/env node
// The entry point. It refuses a Node that cannot run our files, and opens the cache in which Node keeps what it makes of them
// (types stripped, code compiled), so only the first start pays for it. Plain JavaScript, because even one file with types
// loads a compiler, and an old Node could not read it.

import { lstatSync, mkdirSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isNodeTooOld, oldestNode } from './platform/node.js'

// In the folder for temporary files, which may be emptied at any time. What is in the cache is run, so it
// must be a folder that no other user can write to, on a machine that we may share. Where there is none, every start is
// like the first.
function privateFolder() {
  const user = process.getuid?.() ?? ''
  const folder = join(tmpdir(), `cartwright-cache-${user}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    const isOurs = user === '' || (uid === user && (mode & 0o022) === 0)
    return isOurs ? folder : undefined
  } catch {
    return undefined
  }
}

// Our imports name files, extension included, so each one is its own address. Node would ask the file system three questions about
// each, which took a quarter of the time to load them.
function findOurFilesByName() {
  const ours = new URL('..', import.meta.url).href
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '' } = context
      const isOurs = parentURL.startsWith(ours) && !parentURL.startsWith('node_modules/', ours.length)
      const [, extension] = (isOurs && /^\.\.?\/.*\.(js|ts)$/.exec(specifier)) || []
      if (extension === undefined) return next(specifier, context)
      const format = extension === 'ts' ? 'module-typescript' : 'module'
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
    },
  })
}

if (isNodeTooOld(process.versions.node)) {
  process.stderr.write(
    `cartwright: Node ${oldestNode} or later is needed, and this is ${process.version}; npm start uses the one that npm ci installs\n`,
  )
  process.exitCode = 1
} else {
  const folder = privateFolder()
  if (folder !== undefined) nodeModule.enableCompileCache(folder)
  findOurFilesByName()
  await import('./main.ts')
}
