// The merchant's day of docs/admin-api.md is run as it stands there.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openOrderTestServer } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { testSecret } from '../harness/testServer.ts'
import { indexOrders } from '../src/domain/search/orders.ts'

const run = promisify(execFile)

// The commands read answers with jq, which is not everywhere: node reads the same paths.
const jq = `jq() { node -e '
  const path = process.argv[1].replace(/^\\./, "").split(/[.[\\]]+/).filter(Boolean)
  let value = JSON.parse(require("node:fs").readFileSync(0, "utf8"))
  for (const name of path) value = value[name]
  console.log(value)' "$2"; }`

eachEngine('docs/admin-api.md', (given) => {
  test('every command of the example day succeeds', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place({ items: { CARD: 2 } })
    await indexOrders(testServer.storage, testSecret, { now: testServer.clock.now, limit: 10 })
    const text = readFileSync(join(import.meta.dirname, '..', 'docs', 'admin-api.md'), 'utf8')
    const [, script] = text.match(/```sh\n(ask\(\)[\s\S]*?)```/) ?? []
    assert.ok(script)
    const { stdout } = await run('bash', ['-euc', `${jq}\n${script.replaceAll(/^ask /gm, 'echo; ask ')}`], {
      env: { ...process.env, BASE: testServer.origin, KEY: testServer.keys.admin },
    })
    const answers = stdout
      .trim()
      .split(/\n+/)
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      answers.filter((answer) => answer.error),
      [],
    )
    assert.equal(answers.length, 10)
    const { data } = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body
    assert.deepEqual(
      [data.status, data.paymentStatus, data.fulfillments[0].trackingNumber, data.notes.length],
      ['completed', 'refunding', '0034', 1],
    )
    assert.deepEqual(answers.at(-2).data.orders[0].id, orderId)
  })
})
