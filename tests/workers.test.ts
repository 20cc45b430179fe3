// Several processes on one port: they answer alike, a lost one is replaced, and all of them end with their leader.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { freshDatabase } from './support/postgres.ts'
import { type Environment, runProcess, type Server, serve, tempFolder } from './support/process.ts'
import { openReceiver } from './support/receiver.ts'

// The workers that the leader has told of, and that live.
function workersOf({ printed }: Server): number[] {
  return [...printed().matchAll(/"message":"a worker is open","pid":(\d+)/g)]
    .map(([, pid]) => Number(pid))
    .filter(isAlive)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const hopelessAt = performance.now() + 20_000
  while (!(await isSo())) {
    assert.ok(performance.now() < hopelessAt, 'it did not come')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function settingsFor(engine: string): Promise<{ settings: Environment; drop: () => Promise<void> }> {
  const secret = {
    CARTWRIGHT_SECRET: 'a-root-secret-that-only-these-workers-know',
    CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE: '1',
  }
  if (engine === 'sqlite') {
    const url = `sqlite:${join(await tempFolder(), 'shop.db')}`
    return { settings: { ...secret, CARTWRIGHT_DATABASE_URL: url }, drop: async () => {} }
  }
  const database = await freshDatabase()
  return { settings: { ...secret, CARTWRIGHT_DATABASE_URL: database.url }, drop: database.drop }
}

describe('serve --workers', () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    test(`${engine}: one shop from three processes, through the loss of one, to the end of all`, async () => {
      const { settings, drop } = await settingsFor(engine)
      const server = await serve(settings, ['--workers', '2'])
      const demo = JSON.parse((await runProcess(['demo', '--json'], settings)).out)
      const headers = { authorization: `Bearer ${demo.keys.full}`, 'content-type': 'application/json' }
      const make = (key: string) =>
        fetch(`${server.origin}/api/v1/open/storefront/carts`, {
          method: 'POST',
          headers: { ...headers, connection: 'close' },
          body: JSON.stringify({ idempotencyKey: key, items: [] }),
        })
      const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => make(`key-${i % 8}`)))
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())))
      assert.equal(bodies.size, 8, 'whichever process is asked, a key has one answer')

      const receivers: (() => Promise<void>)[] = []
      const receiver = await openReceiver({ later: (end) => void receivers.push(end) })
      const added = await runProcess(['webhooks', 'add', '--url', receiver.url, '--events', 'cart.created'], settings)
      assert.equal(added.code, 0, added.err)
      await make('told')
      await until(() => receiver.received.length === 1)

      const [first] = workersOf(server)
      assert.ok(first)
      process.kill(first, 'SIGKILL')
      await until(() => workersOf(server).length === 2 && !isAlive(first))
      await until(async () => (await make('after').catch(() => undefined))?.status === 200)
      const family = workersOf(server)
      assert.equal(await server.stop(), 0, server.printed())
      assert.match(server.printed(), /"message":"a worker was lost and is replaced"/)
      assert.match(server.printed(), /"message":"stopped"/)
      assert.deepEqual([family.length, family.filter(isAlive)], [2, []], 'nobody is left')
      for (const end of receivers) await end()
      await drop()
    })
  }

  test('all lost at once are replaced, on the same port', async () => {
    const { settings } = await settingsFor('sqlite')
    const server = await serve(settings, ['--workers', '2'])
    const family = workersOf(server)
    assert.equal(family.length, 2)
    for (const pid of family) process.kill(pid, 'SIGKILL')
    await until(() => workersOf(server).length === 2 && !family.some(isAlive))
    await until(async () => (await fetch(`${server.origin}/readyz`).catch(() => undefined))?.status === 200)
    assert.equal(await server.stop(), 0, server.printed())
  })

  test('a taken port is told in one line, and a bad number is refused', async () => {
    const { settings } = await settingsFor('sqlite')
    const server = await serve(settings, ['--workers', '2'])
    const other = (await settingsFor('sqlite')).settings
    const port = new URL(server.origin).port
    const { code, err } = await runProcess(['serve', '--workers', '2'], { ...other, HOST: '127.0.0.1', PORT: port })
    assert.equal(err, `cartwright: port ${port} of 127.0.0.1 is in use by another program; set PORT to a free one\n`)
    assert.equal(code, 1)
    assert.equal(await server.stop(), 0)
    for (const bad of ['0', '65', 'many'])
      assert.match(
        (await runProcess(['serve', '--workers', bad], other)).err,
        /--workers must be a number from 1 to 64/,
      )
  })

  test('workers end when their leader is killed', async () => {
    const { settings } = await settingsFor('sqlite')
    const server = await serve(settings, ['--workers', '2'])
    const family = workersOf(server)
    assert.equal(family.length, 2)
    await server.stop('SIGKILL')
    await until(() => !family.some(isAlive))
  })
})
