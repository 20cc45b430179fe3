// Every script that is sent to browsers, as it is sent.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { limits } from '../src/contract/limits.ts'
import { browserScript, stripTypes } from '../src/platform/html/browser.ts'
import { pictureBytesMax } from '../src/web/dashboard/browser/names.ts'

const root = join(import.meta.dirname, '..')
const files = globSync('{src,apps}/**/browser/*.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'))
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

// What no other file imports, but types alone.
const entries = files.filter((file) => !isImported(file) && stripTypes(textOf(file)).trim() !== '')

function isImported(file: string): boolean {
  return files.some((other) => dirname(other) === dirname(file) && textOf(other).includes(`from './${basename(file)}'`))
}

function textOf(file: string): string {
  return sources.get(file) ?? ''
}

// Attributes and ids that a script looks for, without those that it writes itself.
function namesIn(text: string): string[] {
  const written = new Set([...text.matchAll(/\bdataset\.(\w+) =(?!=)/g)].map(([, name = '']) => attributeOf(name)))
  const attributes = [
    ...[...text.matchAll(/\[(data-[a-z-]+)/g)].map(([, name = '']) => name),
    ...[...text.matchAll(/\bdataset\.(\w+)/g)].map(([, name = '']) => attributeOf(name)),
  ]
  const ids = [...text.matchAll(/\b(?:getElementById|byId|element)\('([\w-]+)'\)|'#([\w-]+)'/g)]
  return [
    ...new Set(attributes.filter((name) => !written.has(name))),
    ...new Set(ids.map(([, name, selected]) => `id="${name ?? selected}"`)),
  ]
}

function attributeOf(name: string): string {
  return `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

// The source of the pages: what is beside the folder of the script. The page of a provider's frame is the checkout's.
function pagesOf(folder: string): string {
  const beside = folder.startsWith('src/domain/') ? 'src/web/checkout' : dirname(folder)
  return globSync(`${beside}/**/*.ts`, { cwd: root, exclude: ['**/browser/**', '**/*.test.ts'] })
    .map((page) => readFileSync(join(root, page), 'utf8'))
    .join('\n')
}

describe('scripts for browsers', () => {
  test('are all TypeScript in folders named browser', () => {
    const plain = globSync('{src,apps}/**/*.js', { cwd: root, exclude: ['**/node_modules/**'] })
    // Plain JavaScript for the server: what an old Node must read, and what starts without stripping types.
    assert.deepEqual(plain.sort(), [
      'src/domain/images/decoder.js',
      'src/main.js',
      'src/platform/http/standin.js',
      'src/platform/node.js',
      'src/platform/storage/check.js',
    ])
    assert.ok(entries.length > 7, entries.join(' '))
  })

  for (const entry of entries)
    test(`${entry} is bundled as one script without imports, exports, types or comments`, () => {
      const text = browserScript(pathToFileURL(join(root, entry))).text()
      assert.doesNotThrow(() => new Script(text))
      assert.doesNotMatch(text, /^\s*(?:import|export|\/\/)|[ \t]$/m)
    })

  for (const folder of new Set(files.map(dirname)))
    test(`${folder} reads only attributes and ids that a page has`, () => {
      const text = files
        .filter((file) => dirname(file) === folder)
        .map(textOf)
        .join('\n')
      const pages = pagesOf(folder)
      assert.deepEqual(
        namesIn(text).filter((name) => !pages.includes(name) && !pages.includes(name.replace(/^id="(.*)"$/, "'$1'"))),
        [],
      )
      // The check must be able to fail.
      assert.ok(!pages.includes('data-unknown'))
    })

  test('share names in files that import nothing', () => {
    const shared = files.filter((file) => basename(file) === 'names.ts')
    assert.ok(shared.length > 0)
    for (const file of shared) assert.doesNotMatch(textOf(file), /^(?:import|export \{)/m, file)
  })

  test('limit a picture to the size that the contract allows', () =>
    assert.equal(pictureBytesMax, limits.pictureBytesMax))
})
