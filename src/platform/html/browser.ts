// Scripts for browsers, written in TypeScript in folders named `browser`. A script is its entry and the files that it imports, as one
// function: each file once, in the order in which modules would run, without types and comments.

import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

export interface BrowserScript {
  // Changes with everything that the text depends on, so URLs can be made without the text.
  hash: string
  text: () => string
}

export function browserScript(entry: URL): BrowserScript {
  const sources = sourcesOf(entry)
  const hash = createHash('sha256')
    .update(JSON.stringify([...sources, process.version, readFileSync(new URL(import.meta.url), 'utf8')]))
    .digest('base64url')
    .slice(0, 16)
  return { hash, text: () => stored(hash, () => joinSources(sources)) }
}

// All files share one scope, so each name is declared once in them. Indentation is removed: it is a fifth of a script.
export function joinSources(sources: readonly string[]): string {
  const lines = ["(()=>{'use strict'", ...sources.map(stripTypes).map(inOneScope)].join('\n')
  return `${lines.replace(/\n\s*(?=\n)|\n\s*(?=;)|\n$/g, '').replace(/^[ \t]+/gm, '')}})()`
}

const imports = /^import (?:\{[^}]*\} from )?'(\.[^']+)'$/gm

// Returns imported files before those that import them.
function sourcesOf(entry: URL): string[] {
  const sources = new Map<string, string>()
  function read(file: URL): void {
    if (sources.has(file.href)) return
    const source = readFileSync(file, 'utf8')
    sources.set(file.href, '')
    for (const [, specifier = ''] of source.matchAll(imports)) read(new URL(specifier, file))
    // Moves the file to the end.
    sources.delete(file.href)
    sources.set(file.href, source)
  }
  read(entry)
  return [...sources.values()]
}

// Node replaces types with spaces. These are removed, with the space before them.
export function stripTypes(source: string): string {
  const stripped = stripTypeScriptTypes(source)
  if (stripped.length !== source.length) throw new Error('the length has changed')
  const marked = Array.from({ length: source.length }, (_, at) => {
    const character = stripped[at] as string
    return /\s/.test(character) && !/\s/.test(source[at] as string) ? '\0' : character
  }).join('')
  return marked.replace(/ *\0+(?:\s+\0+)*/g, '')
}

// Removes imports, exports and comment lines: imports and exports are not allowed in a function, and comments are not needed.
function inOneScope(text: string): string {
  return text
    .replace(imports, '')
    .replace(/^export (?=(?:async )?function\b|class\b|const\b)/gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
}

// Stripping types loads a compiler (75 ms, 35 MB), so the result is stored in Node's compile cache, in a folder that no other user can
// write to. Without that folder, the compiler was loaded at the start anyway.
function stored(hash: string, make: () => string): string {
  const folder = getCompileCacheDir()
  if (folder === undefined) return make()
  const file = join(folder, `script-${hash}.js`)
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The result is not stored yet.
  }
  const text = make()
  try {
    writeFileSync(`${file}.${process.pid}`, text)
    renameSync(`${file}.${process.pid}`, file)
  } catch {
    // The next start tries again to store the result.
  }
  return text
}
