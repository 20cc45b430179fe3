// Files that take long to read, on purpose or not, do not hold the event loop: everything else has its turn meanwhile.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { clearTransfers, confirmTransfer, sendFile, transferWith } from '../harness/admin/transfers.ts'
import { nodeFlags } from '../harness/flags.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { eachEngine, inTurns } from '../harness/storage.ts'
import type { TestServer } from '../harness/testServer.ts'
import { leastOf } from '../harness/timed.ts'

// Slices are of 3 ms; what cannot be divided, such as a transaction, may take some more.
const turnMsMax = 50

const header = 'Handle,Title,Body (HTML),Image Src,Variant SKU,Variant Price\n'
const withBody = (body: string, count = 1) =>
  header + Array.from({ length: count }, (_, at) => `p${at},Bowl,${body},,BODY-${at},1.00\n`).join('')
const feed = (text: string) => `<rss><channel>${text}</channel></rss>`

const files: [name: string, text: string, state: 'ready' | 'failed', problem: RegExp | null][] = [
  ['cells of `&`', withBody('&'.repeat(150_000), 5), 'ready', null],
  ['a cell of nested tables', withBody('<table><tr><td>'.repeat(20_000)), 'ready', null],
  ['a cell of lists', withBody('<ul><li>x</ul>'.repeat(20_000)), 'ready', null],
  ['a cell of comments', withBody('<!---->'.repeat(100_000)), 'ready', null],
  ['a cell of elements that are ignored', withBody(`<svg>${'<b>'.repeat(200_000)}`), 'ready', null],
  ['a tag full of quotes', withBody(`<a ${"'".repeat(500_000)}>`), 'ready', null],
  ['rows of empty cells', header + ',,,,,\n'.repeat(60_000), 'ready', null],
  ['empty lines', header + '\n'.repeat(900_000), 'ready', null],
  [
    'a product of many pictures',
    `${withBody('')}${Array.from({ length: 15_000 }, (_, at) => `p0,,,https://x.example/${at}.jpg,,\n`).join('')}`,
    'ready',
    null,
  ],
  ['a row of too many cells', `${header}${','.repeat(900_000)}\n`, 'failed', /more than 16384 cells/],
  [
    'a category name with many blanks',
    `Type,Name,Categories,Regular price\nsimple,Bowl,a${' '.repeat(900_000)}a,1.00\n`,
    'ready',
    null,
  ],
  [
    'many categories',
    `Type,Name,Categories,Regular price\nsimple,Bowl,"${'a,'.repeat(200_000)}",1.00\n`,
    'ready',
    null,
  ],
  [
    'a product of many variations',
    `Type,SKU,Name,Parent,Regular price,Attribute 1 name,Attribute 1 value(s)\nvariable,V,Bowl,,,,\n${Array.from({ length: 12_000 }, (_, at) => `variation,V-${at},Bowl,V,1.00,Size,${at}\n`).join('')}`,
    'ready',
    null,
  ],
  ['elements that are not items', feed('<a/>'.repeat(200_000)), 'failed', /more than 10000 elements/],
  ['the same item many times', feed('<item><g:id>1</g:id></item>'.repeat(12_000)), 'ready', null],
  ['line breaks in XML', feed('\n'.repeat(900_000)), 'ready', null],
  [
    'a tag with many attributes',
    feed(`<item ${Array.from({ length: 60_000 }, (_, at) => `a${at}="b" `).join('')}/>`),
    'failed',
    /longer than 64 KiB/,
  ],
  ['a text of entities', feed(`<item><g:id>1</g:id><title>${'&amp;'.repeat(180_000)}</title></item>`), 'ready', null],
]

eachEngine('imports', (given) => {
  let testServer: TestServer & { orders: Orders }
  let loop: ChildProcess
  before(async () => {
    testServer = await openOrderTestServer(given)
    const script = join(import.meta.dirname, '..', 'harness', 'transferTurns.ts')
    loop = fork(script, [testServer.url], { execArgv: [...nodeFlags] })
    await once(loop, 'message')
  })
  after(async () => {
    loop.kill('SIGKILL')
    await once(loop, 'exit')
  })

  async function heldBy(): Promise<number> {
    loop.send(testServer.clock.now)
    const [heldMs] = (await once(loop, 'message')) as [number]
    return heldMs
  }

  for (const [name, text, state, problem] of inTurns(given, files)) {
    test(`a file with ${name} is planned in short turns`, async () => {
      const heldMs = await leastOf(turnMsMax, async () => {
        await clearTransfers(testServer)
        const id = await sendFile(testServer, 'products', text)
        const planMs = await heldBy()
        const transfer = await transferWith(testServer, id)
        assert.equal(transfer.state, state, JSON.stringify(transfer))
        if (problem) assert.match(transfer.problem?.message ?? '', problem)
        else assert.equal(transfer.problem, null)
        return planMs
      })
      assert.ok(heldMs < turnMsMax, `the event loop was held for ${heldMs} ms`)
    })
  }

  test('plan and write products with long descriptions without holding the event loop for long', async () => {
    const bodies = ['&', '<ul><li>x</ul>', '<p>a<br>b'].map((part) => part.repeat(9_000))
    let time = 0
    const heldMs = await leastOf(turnMsMax, async () => {
      await clearTransfers(testServer)
      time += 1
      const rows = bodies.flatMap((body, at) =>
        [0, 1, 2].map((no) => `long-${time}-${at}-${no},Bowl,${body},,LONG-${time}-${at}-${no},1.00\n`),
      )
      const id = await sendFile(testServer, 'products', header + rows.join(''))
      const planMs = await heldBy()
      assert.equal((await transferWith(testServer, id)).created, rows.length)
      assert.equal((await confirmTransfer(testServer, id)).status, 200)
      const writeMs = await heldBy()
      const { state, written } = await transferWith(testServer, id)
      assert.deepEqual([state, written], ['done', rows.length])
      return Math.max(planMs, writeMs)
    })
    assert.ok(heldMs < turnMsMax, `the event loop was held for ${heldMs} ms`)
  })
})
