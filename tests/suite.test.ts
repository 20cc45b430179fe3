// The runner of `npm test` loses nothing: every file runs once, with its hooks, and a run fails if anything fails or does
// not finish.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { sqliteOnlyFiles } from '../harness/engines.ts'
import { longestFirst, longFiles } from '../harness/fileQueue.ts'
import { until } from '../harness/until.ts'

const runner = join(import.meta.dirname, '..', 'harness', 'suite.ts')
const processes = 2

describe('the runner of the tests', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartwright-runner-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  // Starts a run of these test files, with a folder for temporary files of its own.
  async function start(name: string, files: readonly string[]) {
    const own = join(folder, name)
    const temporary = join(own, 'tmp')
    await mkdir(temporary, { recursive: true })
    await writeFile(join(own, 'package.json'), '{ "type": "module" }')
    const paths = files.map((_, i) => join(own, `file${i}.test.js`))
    const head = `import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
      import { appendFileSync } from 'node:fs'
      const note = (line) => appendFileSync(${JSON.stringify(join(own, 'notes'))}, line + '\\n')
    `
    for (const [i, path] of paths.entries()) await writeFile(path, head + files[i])
    // With a cluster that exists: these files use none.
    const { NODE_TEST_CONTEXT, ...inherited } = process.env
    const settings = { CARTWRIGHT_TEST_POSTGRES: 'postgres://unused', CARTWRIGHT_TEST_PROCESSES: String(processes) }
    const env = { ...inherited, ...settings, TMPDIR: temporary }
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', runner, ...paths], { env })
    const printed = text(child.stdout)
    return {
      child,
      exited: once(child, 'exit') as Promise<[number | null, string | null]>,
      printed,
      notes: async () => (await readFile(join(own, 'notes'), 'utf8').catch(() => '')).trim().split('\n'),
      temporary,
    }
  }

  it('runs every file once with its hooks, and leaves no temporary files', async () => {
    const file = (i: number) => `
      before(() => note('${i} before'))
      after(() => note('${i} after'))
      test('one', () => note('${i} ' + one))
      describe('more', () => {
        after(() => note('${i} after more'))
        test('two', () => note('${i} two'))
      })
      const one = 'one'`
    const count = processes + 3
    const waiting = `
      const wait = () => new Promise((resolve) => setTimeout(resolve, 1))
      await wait()
      describe('late', () => {
        after(() => note('late after'))
        test('one', async () => {
          await wait()
          after(() => note('late after one'))
          note('late one')
        })
        test('two', () => note('late two'))
      })`
    const { exited, printed, notes, temporary } = await start('whole', [
      ...Array.from({ length: count }, (_, i) => file(i)),
      waiting,
    ])
    assert.deepEqual(await exited, [0, null], await printed)
    const noted = await notes()
    for (let i = 0; i < count; i++)
      assert.deepEqual(
        noted.filter((line) => line.startsWith(`${i} `)),
        [`${i} before`, `${i} one`, `${i} two`, `${i} after more`, `${i} after`],
      )
    assert.deepEqual(
      noted.filter((line) => line.startsWith('late ')),
      ['late one', 'late after one', 'late two', 'late after'],
    )
    assert.match(await printed, /^ℹ fail 0$/m)
    assert.deepEqual(await readdir(temporary), [])
  })

  it('calls hooks when node:test does, also those that a test declares after it has waited', async () => {
    const file = `
      const later = (line, also) => async () => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        if (also) after(later(also))
        note(line)
      }
      before(later('before the file'))
      after(later('after the file'))
      describe('more', () => {
        before(later('before the suite'))
        beforeEach(later('before each'))
        afterEach(later('after each'))
        after(later('after the suite'))
        test('one', later('one', 'after one'))
        test('two', async (t) => {
          await t.test('three', later('three', 'after three'))
          after(later('after two'))
        })
      })
      test('four', later('four', 'after four'))`
    const { exited, printed, notes } = await start('hooks', [file])
    assert.deepEqual(await exited, [0, null], await printed)
    const noted = await notes()
    await rm(join(folder, 'hooks', 'notes'))
    const { NODE_TEST_CONTEXT, ...env } = process.env
    const [code] = await once(spawn(process.execPath, [join(folder, 'hooks', 'file0.test.js')], { env }), 'exit')
    assert.deepEqual([code, await notes()], [0, noted])
    assert.equal(noted.length, 17)
  })

  it('ends although a failed test left a server open', async () => {
    const leaving = `
      const { createServer } = await import('node:net')
      test('leaves a server', () => {
        createServer().listen(0, '127.0.0.1')
        throw new Error('left')
      })`
    const { exited, printed } = await start('leaving', [leaving])
    assert.deepEqual(await exited, [1, null])
    assert.match(await printed, /^ℹ fail 1$/m)
  })

  it('fails if a test, a hook, the loading of a file or an uncaught error fails, and still runs the other files', async () => {
    const failures = [
      [`test('one', () => { throw new Error('of a test') })`, /Error: of a test$/m],
      [`describe('more', () => { test('one', () => { throw new Error('of a suite') }) })`, /Error: of a suite$/m],
      [`test('one', () => {}); after(() => { throw new Error('of a hook') })`, /Error: of a hook$/m],
      [`import './missing.js'`, /ERR_MODULE_NOT_FOUND/],
      [
        `test('one', async () => {
          setTimeout(() => { throw new Error('of a timer') }, 1)
          await new Promise((resolve) => setTimeout(resolve, 50))
        })`,
        /uncaughtException in one: Error: of a timer$/m,
      ],
      [
        `test('one', async () => {
          void Promise.reject(new Error('of a promise'))
          await new Promise((resolve) => setTimeout(resolve, 50))
        })`,
        /unhandledRejection in one: Error: of a promise$/m,
      ],
      [
        `describe('more', async () => {
          await new Promise((resolve) => setTimeout(resolve, 50))
          test('after the load', () => {})
        })`,
        /declared after its file was loaded: after the load/,
      ],
    ] as const
    const others = Array.from({ length: processes }, (_, i) => `test('other', () => note('other ${i}'))`)
    const { exited, printed, notes, temporary } = await start('failing', [...failures.map(([file]) => file), ...others])
    assert.deepEqual(await exited, [1, null], await printed)
    for (const [, words] of failures) assert.match(await printed, words)
    assert.equal((await notes()).length, processes)
    assert.deepEqual(await readdir(temporary), [])
  })

  it('fails if a file ends its process, and still runs the other files', async () => {
    const files = [`test('one', () => process.exit(0))`, `test('other', () => note('other'))`]
    const { exited, printed, notes, temporary } = await start('ending', files)
    assert.deepEqual(await exited, [1, null], await printed)
    assert.match(await printed, /^not finished: .*file0\.test\.js$/m)
    assert.deepEqual(await notes(), ['other'])
    assert.deepEqual(await readdir(temporary), [])
  })

  it('begins with the files that take longest, then the largest ones', async () => {
    const own = join(folder, 'order')
    await mkdir(own)
    const [small = '', large = ''] = ['small', 'large'].map((name) => join(own, name))
    await writeFile(small, '1')
    await writeFile(large, '22')
    for (const file of [...longFiles, ...sqliteOnlyFiles()])
      assert.ok(existsSync(join(import.meta.dirname, '..', file)), file)
    assert.deepEqual(longestFirst([small, large, ...longFiles.toReversed()]), [...longFiles, large, small])
  })

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    it(`ends its processes and starts no further files after ${signal}`, async () => {
      const waiting = `test('waits for the end of the run', async () => {
        const parent = process.ppid
        note(String(process.pid))
        while (process.ppid === parent) await new Promise((resolve) => setTimeout(resolve, 10))
      })`
      const files = [...Array.from({ length: processes }, () => waiting), `test('late', () => note('late'))`]
      const { child, exited, notes, temporary } = await start(signal, files)
      const pids = await until(async () => {
        const noted = await notes()
        return noted.length === processes && noted
      }, 'every process')
      child.kill(signal)
      await exited
      await until(() => !pids.some((pid) => isRunning(Number(pid))), 'the end of the processes')
      assert.deepEqual(await notes(), pids)
      if (signal === 'SIGTERM') assert.deepEqual(await readdir(temporary), [])
    })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
