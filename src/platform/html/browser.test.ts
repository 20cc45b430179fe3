import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { browserScript, stripTypes } from './browser.ts'

describe('types in browser scripts', () => {
  for (const [source, text] of [
    ['const a: string = b as unknown as string', 'const a = b'],
    ['function f(a: string, b?: number | undefined): void {}', 'function f(a, b) {}'],
    ['const f = async <T>(a: T): Promise<\n  T\n> => a!', 'const f = async(a\n) => a'],
    ['const a = (b as Set<string>).size && c!.d', 'const a = (b).size && c.d'],
    ["import { type A, b } from './b.ts'", "import { b } from './b.ts'"],
    ['a\ninterface B {\n  c: "é→"\n}\nd', 'a\n\nd'],
    ["const a = '  as  b '", "const a = '  as  b '"],
  ] as const)
    test(`are removed, and nothing else: ${source}`, () => assert.equal(stripTypes(source), text))
})

describe('a browser script', () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'browser-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  function scriptOf(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return browserScript(pathToFileURL(join(folder, Object.keys(files)[0] as string)))
  }

  test('consists of its entry and the imported files, each once, in the order in which modules run', () => {
    const { text } = scriptOf({
      'page.ts':
        "import { one } from './one.ts'\nimport {\n  two,\n} from './two.ts'\nimport './three.ts'\nfound.push(one, two)\n",
      'one.ts':
        "// A comment.\nimport { two } from './two.ts'\nimport type { Four } from './four.ts'\nexport const one: Four = two + 1\n\n  // Another.\nfound.push('one')\n",
      'two.ts': "export const two: number = 1\nfound.push('two')\n",
      'three.ts': "export function three(): void {}\n;(found as string[]).push('three')\n",
    })
    assert.equal(
      text(),
      "(()=>{'use strict'\nconst two = 1\nfound.push('two')\nconst one = two + 1\nfound.push('one')\nfunction three() {};(found).push('three')\nfound.push(one, two)})()",
    )
    const found: unknown[] = []
    runInNewContext(text(), { found })
    assert.deepEqual(found, ['two', 'one', 'three', 2, 1])
  })

  test('has a different hash after each change of one of its files', () => {
    const files = { 'page.ts': "import './one.ts'\n", 'one.ts': 'const a = 1\n' }
    const { hash } = scriptOf(files)
    assert.equal(scriptOf(files).hash, hash)
    assert.notEqual(scriptOf({ ...files, 'one.ts': 'const a = 2\n' }).hash, hash)
  })
})
