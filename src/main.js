#!/usr/bin/env node
// The entry point. Refuses a Node release that is too old, and enables Node's compile cache, so types are stripped and code is compiled
// only at the first start. Plain JavaScript, because even one TypeScript file loads a compiler, and an old Node could not read it.

import { lstatSync, mkdirSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isNodeTooOld, oldestNode } from './platform/node.js'

// Returns a folder for the cache inside the folder for temporary files, which may be emptied at any time. Cached code is run, so no other
// user may be able to write to the folder. Returns undefined if there is no such folder: every start is then as slow as the first.
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

// Our imports name files with their extensions, so they need no lookup. Node would make three file system calls per import, a quarter of
// the time to load all files.
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
