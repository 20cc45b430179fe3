// Scripts for browsers, written in TypeScript in folders named `browser`. The entry and the files that it imports are joined to one
// function, in the order in which modules would run, without types and lines of comments.

import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

export interface BrowserScript {
  // Hash of everything on which the text depends, so a URL can be built without building the text.
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

// All files share one scope, so a name is declared in only one of them. Indentation, a fifth of a script, is removed.
export function joinSources(sources: readonly string[]): string {
  const lines = ["(()=>{'use strict'", ...sources.map(stripTypes).map(inOneScope)].join('\n')
  return `${lines.replace(/\n\s*(?=\n)|\n\s*(?=;)|\n$/g, '').replace(/^[ \t]+/gm, '')}})()`
}

const imports = /^import (?:\{[^}]*\} from )?'(\.[^']+)'$/gm

// Returns every imported file before the files that import it.
function sourcesOf(entry: URL): string[] {
  const sources = new Map<string, string>()
  function read(file: URL): void {
    if (sources.has(file.href)) return
    const source = readFileSync(file, 'utf8')
    sources.set(file.href, '')
    for (const [, specifier = ''] of source.matchAll(imports)) read(new URL(specifier, file))
    // Moves the file behind the files that it imports.
    sources.delete(file.href)
    sources.set(file.href, source)
  }
  read(entry)
  return [...sources.values()]
}

// Node replaces types by spaces. They are removed, together with the space before a type.
export function stripTypes(source: string): string {
  const stripped = stripTypeScriptTypes(source)
  if (stripped.length !== source.length) throw new Error('stripping the types has changed the length of the script')
  const marked = Array.from({ length: source.length }, (_, at) => {
    const character = stripped[at] as string
    return /\s/.test(character) && !/\s/.test(source[at] as string) ? '\0' : character
  }).join('')
  return marked.replace(/ *\0+(?:\s+\0+)*/g, '')
}

// Removes imports and exports, which are not allowed in a function, and comment lines.
function inOneScope(text: string): string {
  return text
    .replace(imports, '')
    .replace(/^export (?=(?:async )?function\b|class\b|const\b)/gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
}

// Stripping types loads a compiler (75 ms, 35 MB), so the result is stored in Node's compile cache, a folder that no other user can write
// to. If there is no such folder, the compiler was already loaded at the start.
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
