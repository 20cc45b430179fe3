// Makes `dist`, the program as JavaScript, for the npm package: Node does not strip types from files below `node_modules`. `npm pack`
// runs it (`prepack`). Types become spaces, so lines and columns are those of the sources.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const target = join(root, 'dist')
// What the server consists of. Tests beside their subject, and what prints our documents, are left out.
const folders = ['src', 'apps/demo', 'apps/storefront', 'packages/client/src']
const isLeftOut = (path: string) => /\.test\.ts$|\/demo\/(print\.ts|shop\.yaml)$|\/README\.md$/.test(path)
// Scripts for browsers are read as TypeScript when they are first asked for.
const isForBrowsers = (path: string) => /\/browser\/[^/]+\.ts$/.test(path)

const specifier = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"\n]+)\.ts\2/g

rmSync(target, { recursive: true, force: true })
for (const path of folders.flatMap(filesBelow)) {
  if (isLeftOut(path)) continue
  const [from, to] = [join(root, path), join(target, path)]
  mkdirSync(dirname(to), { recursive: true })
  if (!/\.(ts|js)$/.test(path) || isForBrowsers(path)) copyFileSync(from, to)
  if (/\.(ts|js)$/.test(path)) writeFileSync(to.replace(/\.ts$/, '.js'), javascriptOf(path, readFileSync(from, 'utf8')))
}
const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
writeFileSync(join(target, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`)

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

function javascriptOf(path: string, source: string): string {
  const text = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source
  return text.replace(specifier, '$1$2$3.js$2').replace(/[ \t]+$/gm, '')
}
