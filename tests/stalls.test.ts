// Work that holds the event loop is named in the metrics, and fails the test in which it happened.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { takeStalls } from '../harness/stalls.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { measureStorage } from '../src/platform/metrics/watched.ts'

function burn(): void {
  const before = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    if (user + system > 300_000) return
  }
}

eachEngine('work that blocks the event loop', (given) => {
  let testServer: TestServer
  const name = `burner ${given.engine}`
  const answer = { status: 200, headers: {}, body: '' }
  before(async () => {
    testServer = await openTestServer(given, {
      extraPages: [
        {
          path: '/burn',
          name: 'burners',
          async answer(request) {
            request.named?.(name)
            // Between two questions to the database.
            await measureStorage(testServer.storage).read(async (db) => {
              await db.sql`select 1`
              burn()
              await db.sql`select 1`
            })
            return answer
          },
        },
        {
          path: '/burn/body',
          name: `${name} body`,
          methods: ['POST'],
          async answer({ raw, receive }) {
            await receive(async () => void (await raw.toArray()))
            burn()
            return answer
          },
        },
      ],
    })
  })

  // A server that is held up says 503 for a while.
  async function ask(path: string, init?: RequestInit): Promise<void> {
    while ((await testServer.fetch(path, init)).status === 503);
  }

  test('is counted in the metrics', async () => {
    await ask('/burn')
    await ask('/burn/body', { method: 'POST', body: 'x' })
    const { text } = await testServer.fetch('/metrics')
    for (const work of [name, `${name} body`]) {
      assert.ok(text.includes(`cartwright_event_loop_stall_seconds_count{work="${work}"} 1\n`), text)
      const [, sum] = new RegExp(`_stall_seconds_sum\\{work="${work}"\\} ([\\d.]+)\n`).exec(text) ?? []
      assert.ok(Number(sum) > 0.1 && Number(sum) < 2, sum)
    }
  })

  test('is reported to the test, which fails, unless its code ran for the first time', async () => {
    assert.deepEqual(takeStalls(), [])
    await ask('/burn')
    assert.deepEqual(
      takeStalls().map(({ work }) => work),
      [name],
    )
  })
})
