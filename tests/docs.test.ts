// The documents name every command and setting, and link only to files and headings that exist.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { root } from '../harness/prose.ts'
import { verbs } from '../harness/verbs.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')

test('docs/commands.md names every command and verb, and only options that they have', () => {
  const [, commands = ''] = read('docs/commands.md').split('## Commands')
  const [table = ''] = commands.split('## Settings')
  const forms = table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split(/(?<!\\)\|/)[1] ?? '').matchAll(/`([a-z]+)(?: ([^`]+))?`/g)])
    .flatMap(([, command = '', rest = '']) => {
      const [first = '', ...others] = rest.replaceAll('\\', '').split(' ')
      const words = /^[a-z|]+$/.test(first) ? first.split('|') : []
      const options = [...(words.length > 0 ? others : [first, ...others]).join(' ').matchAll(/--([a-z-]+)/g)]
      const names = words.length > 0 ? words.map((word) => `${command} ${word}`) : [command]
      return names.map((name) => ({ name, options: options.map(([, option = '']) => option) }))
    })
  assert.deepEqual([...new Set(forms.map(({ name }) => name))].sort(), [...verbs.keys()].sort())
  for (const { name, options } of forms)
    for (const option of options)
      assert.ok(Object.hasOwn(verbs.get(name)?.options ?? {}, option), `${name} --${option}`)
})

test('docs/commands.md names every setting, and no other', () => {
  const settingsIn = (text: string) => [...new Set(text.match(/CARTWRIGHT_[A-Z_]+/g))].sort()
  assert.deepEqual(
    settingsIn(read('docs/commands.md')),
    settingsIn(read('src/platform/config.ts') + read('src/ops/cli/cellsfile.ts')),
  )
})

function codeLinesOf(page: string): string[] {
  let isCode = false
  return read(page)
    .split('\n')
    .filter((line) => {
      const isFence = /^ *```/.test(line)
      if (isFence) isCode = !isCode
      return isCode && !isFence
    })
}

// The endpoint is found by its address.
const merchantless = ['webhooks listen']

test('examples of commands that take --merchant contain it, since there may be several merchants', () => {
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)]
  const nameless = pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) =>
      codeLinesOf(page)
        .filter((line) => {
          const [, first = '', second = ''] = /\bcartwright (?:-- )?([a-z]+)(?: ([a-z]+))?/.exec(line) ?? []
          const name = verbs.has(`${first} ${second}`) ? `${first} ${second}` : first
          const isOfOne = Object.hasOwn(verbs.get(name)?.options ?? {}, 'merchant') && !merchantless.includes(name)
          return isOfOne && !line.includes('--merchant')
        })
        .map((line) => `${page}: ${line.trim()}`),
    )
  assert.deepEqual(nameless, [])
})

// As the usual forges make them.
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

function anchorsIn(text: string): string[] {
  const prose = text.replaceAll(/^ *```.*?^ *```/gms, '')
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

test('links in documents lead to files and headings that exist', () => {
  const pages = ['', 'docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file)),
  )
  assert.ok(pages.length > 30, 'the pages are found')
  const broken = pages.flatMap((page) => {
    const text = read(page)
    return [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([link, file = '', anchor]) => {
      const target = file === '' ? page : join(dirname(page), file)
      if (!existsSync(join(root, target))) return [`${page}: ${link}`]
      return anchor === undefined || anchorsIn(read(target)).includes(anchor) ? [] : [`${page}: ${link}`]
    })
  })
  assert.deepEqual(broken, [])
})

test('the paths in docs/ARCHITECTURE.md lead to existing files and exports', () => {
  const [, chapter = ''] = read('docs/ARCHITECTURE.md').split('## Where is …?')
  const rows = (chapter.split('## ')[0] ?? '').match(/^\| where .*$/gm) ?? []
  assert.ok(rows.length >= 8)
  for (const row of rows) {
    const walks = [...row.matchAll(/((?:`[\w.-]+\/?`(?: → )?)+)(?:: `(\w+)`)?/g)]
    let folder = 'src'
    for (const [, steps = '', name] of walks) {
      const path = [...steps.matchAll(/`([\w.-]+)\/?`/g)].map(([, step]) => step).join('/')
      const file = path.startsWith('src/') ? path : `${folder}/${path}`
      folder = dirname(file)
      assert.ok(existsSync(join(root, file)), `${file}: ${row}`)
      if (name !== undefined) assert.ok(new RegExp(`^export .*\\b${name}\\b`, 'm').test(read(file)), row)
    }
  }
})
