import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { ticked } from '../../../harness/timed.ts'
import { createSink } from './sink.ts'

const folder = mkdtempSync(join(tmpdir(), 'cartwright-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a file gets every line, in order', async () => {
  const file = join(folder, 'log')
  const fd = openSync(file, 'a')
  const sink = createSink(fd)
  const lines = Array.from({ length: 5_000 }, (_, n) => `line ${n}\n`)
  for (const line of lines) assert.equal(sink.write(line), true)
  await sink.drain(60_000)
  closeSync(fd)
  assert.equal(readFileSync(file, 'utf8'), lines.join(''))
})

test('on a full disk nothing is thrown, lines fill a limited buffer, and further lines are refused', {
  skip: process.platform !== 'linux',
}, async () => {
  const sink = createSink(openSync('/dev/full', 'w'), { bytesMax: 100 })
  const line = `${'x'.repeat(39)}\n`
  assert.deepEqual([sink.write(line), sink.write(line), sink.write(line)], [true, true, false])
  const { ms } = await ticked(() => sink.drain(60_000))
  assert.ok(ms < 20_000, 'does not wait for a full disk')
  assert.equal(sink.write(line), false)
})

// Writes lines to a sink until the sink refuses one, waits for input, and then writes the rest.
const writer = `
  import { createSink } from ${JSON.stringify(join(import.meta.dirname, 'sink.ts'))}
  const sink = createSink(process.stdout.fd, { bytesMax: 1_000_000 })
  let taken = 0
  while (sink.write('line ' + taken + ' ' + 'x'.repeat(900) + '\\n')) {
    taken += 1
    await new Promise(setImmediate)
  }
  console.error(taken)
  await new Promise((resolve) => process.stdin.once('data', resolve))
  await sink.drain(30_000)
  process.exit()
`

test('a reader that stalls blocks nothing, and gets complete lines when it continues', {
  timeout: 60_000,
}, async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', writer], { stdio: ['pipe', 'pipe', 'pipe'] })
  const taken = Number(await firstWord(child))
  assert.ok(taken > 1_000)
  child.stdin.write('go\n')
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  const lines = text.split('\n').filter(Boolean)
  assert.deepEqual(
    lines.map((line) => /^line (\d+) x{900}$/.exec(line)?.[1]),
    Array.from({ length: taken }, (_, n) => String(n)),
  )
})

async function firstWord({ stderr }: { stderr: Readable }): Promise<string> {
  for await (const chunk of stderr) return String(chunk)
  return ''
}
