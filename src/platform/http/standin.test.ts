import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { freePort } from '../../../harness/ports.ts'
import { createStartupServer } from './standin.ts'

const host = '127.0.0.1'

// Requests the URL in another process while this thread is blocked.
function askWhileBusy(url: string): { status: number; body: unknown } {
  const script = `fetch('${url}').then(async (r) => console.log(JSON.stringify({ status: r.status, body: await r.json() })))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--eval', script], { encoding: 'utf8' })
  assert.ok(stdout, stderr)
  return JSON.parse(stdout)
}

test('the startup server answers probes while the main thread is busy, and then frees the port', async () => {
  const port = await freePort()
  const standIn = createStartupServer({ port, host })
  const origin = `http://${host}:${port}`
  await standIn.show({ migration: '0001_first', number: 1, of: 2 })
  assert.deepEqual(askWhileBusy(`${origin}/healthz?x`), { status: 200, body: { status: 'ok' } })
  const body = { status: 'migrating', migration: '0001_first', number: 1, of: 2 }
  assert.deepEqual(askWhileBusy(`${origin}/readyz`), { status: 503, body })
  await standIn.end()
  await assert.rejects(fetch(`${origin}/healthz`))
})

test('the startup server ignores a port that is in use or not known yet', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as { port: number }
  for (const taken of [port, 0]) {
    const standIn = createStartupServer({ port: taken, host })
    await standIn.show({})
    await standIn.end()
  }
  server.close()
})
