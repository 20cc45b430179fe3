// `.ci/run`, with stand-ins for the programs that it calls.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { tempFolder } from '../harness/process.ts'

const run = join(import.meta.dirname, '..', '.ci', 'run')
const always = ['npm ci', 'npm run -s check', 'npm test']

interface Machine {
  architecture?: string
  userId?: number
  // What apt-get ends with; undefined: there is none.
  aptGet?: number
  programs?: readonly string[]
  environment?: Readonly<Record<string, string>>
}

// What it called, in order, by the first two words that matter.
async function callsOn({
  architecture = 'aarch64',
  userId = 0,
  aptGet,
  programs = [],
  environment = {},
}: Machine): Promise<string[]> {
  const folder = await tempFolder()
  const bin = join(folder, 'bin')
  const log = join(folder, 'log')
  await mkdir(bin)
  await writeFile(log, '')
  const script = (name: string, body: string) => writeFile(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  await script('uname', `[ "$1" = -m ] && echo ${architecture} || echo Linux`)
  await script('id', `echo ${userId}`)
  await script('npm', `echo "npm $*" >> '${log}'`)
  await script('timeout', 'shift; exec "$@"')
  if (aptGet !== undefined)
    await script('apt-get', `for last; do :; done; echo "apt-get $last" >> '${log}'; exit ${aptGet}`)
  for (const name of programs) await script(name, 'exit 0')
  for (const name of ['bash', 'dirname']) {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `command -v ${name}`])
    await symlink(stdout.trim(), join(bin, name))
  }
  await promisify(execFile)(join(bin, 'bash'), [run], { env: { PATH: bin, ...environment } })
  return (await readFile(log, 'utf8')).trim().split('\n')
}

const installing = ['apt-get update', 'apt-get chromium-headless-shell']

const machines: [name: string, machine: Machine, before: readonly string[]][] = [
  ['the script installs a browser if npm has none for the machine', { aptGet: 0 }, installing],
  ['the script continues if the browser cannot be installed', { aptGet: 100 }, ['apt-get update']],
  ['the script continues if there is no apt-get', {}, []],
  ['the script installs nothing without root', { aptGet: 0, userId: 1000 }, []],
  ['the script installs nothing if npm has a browser', { aptGet: 0, architecture: 'x86_64' }, []],
  ['the script installs nothing if there is a browser', { aptGet: 0, programs: ['chromium'] }, []],
  [
    'the script installs nothing if a browser is configured',
    { aptGet: 0, environment: { CARTWRIGHT_TEST_BROWSER: 'none' } },
    [],
  ],
]
for (const [name, machine, before] of machines)
  test(name, async () => {
    assert.deepEqual(await callsOn(machine), [...before, ...always])
  })
