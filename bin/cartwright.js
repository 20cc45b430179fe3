#!/usr/bin/env node
// The command `cartwright` of the npm package. It runs on any Node from 20 on and starts the program with one that can run it: this one,
// or the one that npm installed as a dependency. In a clone it runs the sources, in the package what deploy/pack.ts made of them.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = [join(root, 'dist', 'src'), join(root, 'src')].find((folder) => existsSync(join(folder, 'main.js')))
const { isNodeTooOld, oldestNode } = await import(`${source}/platform/node.js`)
const flags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=16']

const node = isNodeTooOld(process.versions.node) ? installedNode() : process.execPath
if (node === undefined) {
  process.stderr.write(
    `cartwright: Node ${oldestNode} or later is needed, this is ${process.version}, and the npm package "node" is not installed beside it: allow its install script, or install a newer Node\n`,
  )
  process.exitCode = 1
} else {
  run(node, [...flags, join(source, 'main.js'), ...process.argv.slice(2)])
}

// Its install script puts the binary there. npm can be told not to run it.
function installedNode() {
  try {
    const file = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node')
    return [file, `${file}.exe`].find((path) => existsSync(path))
  } catch {
    return undefined
  }
}

// Where this Node can, the program takes the place of this process, with its id and its signals.
function run(path, args) {
  if (process.execve !== undefined && process.platform !== 'win32') process.execve(path, [path, ...args])
  const child = spawn(path, args, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      // The terminal sends Ctrl-C to both, and a second one would end the server at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    process.stderr.write(`cartwright: ${path} cannot be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGKILL' ? 137 : 1)
  })
}
