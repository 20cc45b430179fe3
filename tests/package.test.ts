// The npm package: packed, unpacked beside its dependencies, and started in an empty folder as `npx cartwright serve` does, by the oldest
// Node that it promises to run on where the machine has it.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../harness/ports.ts'
import { tempFolder } from '../harness/process.ts'
import { root } from '../harness/prose.ts'
import { until } from '../harness/until.ts'

const run = promisify(execFile)

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function nodeOutside(): Promise<string> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  for (const folder of folders) if (await exists(join(folder, 'node'))) return join(folder, 'node')
  return process.execPath
}

describe('the npm package', () => {
  let installed: string
  let empty: string
  let node: string
  before(async () => {
    const folder = await tempFolder()
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root })
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
    const modules = join(folder, 'project', 'node_modules')
    installed = join(modules, 'cartwright')
    empty = join(folder, 'an empty folder')
    await mkdir(installed, { recursive: true })
    await mkdir(empty)
    await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1'])
    for (const name of await readdir(join(root, 'node_modules')))
      if (name !== 'cartwright') await symlink(join(root, 'node_modules', name), join(modules, name))
    node = await nodeOutside()
  })

  function begin(args: readonly string[], settings: Record<string, string> = {}): ChildProcess {
    const quiet = { CARTWRIGHT_MAIL_URL: 'off', CARTWRIGHT_DEMO_HISTORY: 'off', HOST: '127.0.0.1' }
    const env = { PATH: process.env.PATH ?? '', ...quiet, ...settings }
    return spawn(node, [join(installed, 'bin', 'cartwright.js'), ...args], { cwd: empty, env })
  }

  async function outcomeOf(args: readonly string[], settings?: Record<string, string>) {
    const child = begin(args, settings)
    let out = ''
    child.stdout?.on('data', (text) => {
      out += text
    })
    const [code] = await once(child, 'close')
    return { code, out }
  }

  test('contains every file that its files import, and depends on every library that they import', async () => {
    const { dependencies, optionalDependencies, bin } = JSON.parse(
      await readFile(join(installed, 'package.json'), 'utf8'),
    )
    const known = { ...dependencies, ...optionalDependencies }
    assert.ok(await exists(join(installed, bin.cartwright)))
    const dist = join(installed, 'dist')
    const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'))
    assert.ok(files.length > 500, `${files.length} files`)
    assert.deepEqual(
      files.filter((file) => file.endsWith('.test.js')),
      [],
    )
    const missing: string[] = []
    for (const file of files) {
      const text = await readFile(join(dist, file), 'utf8')
      const imports = text.matchAll(
        /^(?:import|export)\s[^'"`=();]*?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]/gm,
      )
      for (const [, still, late] of imports) {
        const to = still ?? late ?? ''
        if (to.startsWith('.') ? await exists(join(dirname(join(dist, file)), to)) : isKnown(to, known)) continue
        missing.push(`${file}: ${to}`)
      }
    }
    assert.deepEqual(missing, [])
  })

  test('starts a shop with one command in an empty folder, and stops on SIGTERM', async () => {
    const port = String(await freePort())
    const server = begin(['serve'], { PORT: port })
    after(() => server.kill('SIGKILL'))
    const closed = once(server, 'close')
    let printed = ''
    const listening = Promise.withResolvers<void>()
    server.stdout?.on('data', (text) => {
      printed += text
      if (printed.includes('"message":"listening"')) listening.resolve()
    })
    void closed.then(() => listening.reject(new Error(`it ended: ${printed}`)))
    await listening.promise
    const origin = `http://127.0.0.1:${port}`
    assert.match(printed, /To get new ones, run `cartwright demo`/)
    assert.deepEqual(await outcomeOf(['health'], { PORT: port }), { code: 0, out: 'ready\n' })
    for (const path of ['/', '/shop', '/docs', '/admin/sign-in']) {
      const page = await found(origin + path)
      for (const [, source = ''] of (await page.text()).matchAll(/<script[^>]* src="([^"]+)"/g))
        await found(new URL(source, origin + path).href)
    }
    assert.ok(await exists(join(empty, 'data', 'cartwright.db')))
    server.kill('SIGTERM')
    assert.deepEqual(await closed, [0, null])
  })

  test('prints its version, and reports that no server is ready', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    assert.deepEqual(await outcomeOf(['--version']), { code: 0, out: `${version}\n` })
    assert.deepEqual(await outcomeOf(['health'], { PORT: String(await freePort()) }), {
      code: 1,
      out: 'ECONNREFUSED\n',
    })
  })
})

// A busy machine may shed the first requests of a new process.
function found(url: string): Promise<Response> {
  return until(async () => {
    const response = await fetch(url)
    if (response.status === 503) return undefined
    assert.equal(response.status, 200, url)
    return response
  }, url) as Promise<Response>
}

function isKnown(specifier: string, dependencies: Record<string, string>): boolean {
  if (specifier.startsWith('node:')) return builtinModules.includes(specifier.slice(5)) || specifier === 'node:sqlite'
  return Object.keys(dependencies).some((name) => specifier === name || specifier.startsWith(`${name}/`))
}
