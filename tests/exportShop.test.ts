// `export shop`: the file that `apply` would take.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { cartwright } from '../harness/commandline.ts'
import { eachEngine } from '../harness/storage.ts'
import { testSecret, testSecretText } from '../harness/testServer.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { readShopFile } from '../src/ops/provisioning/read.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'

const now = Date.parse('2026-06-01T12:00:00.000Z')

eachEngine('export shop', (given) => {
  async function emptyShop() {
    const url = await given.migratedUrl()
    const storage = await given.open({ url })
    const settings = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: testSecretText }
    const webhooks = { rootSecret: testSecret, allowPrivate: true }
    return {
      apply: (file: ShopFile, dryRun = false) => applyShop(storage, file, { now, stock: true, dryRun, webhooks }),
      export: async (...args: string[]) => cartwright(['export', ...args], settings),
    }
  }

  test('applying an export to its own shop changes nothing, and applying it elsewhere creates the same shop', async () => {
    const known = readShopFile(await readFile('apps/demo/shop.yaml', 'utf8'), now)
    assert.ok('file' in known)
    const demo = known.file
    const file: ShopFile = {
      ...demo,
      apps: [],
      merchant: { ...demo.merchant, timeZone: 'Asia/Tokyo', mail: { language: 'de', off: ['shipped'] } },
      payments: [
        { mode: 'live', method: 'bank_transfer', enabled: true, instructions: 'IBAN DE02', termDays: null },
        { mode: 'test', method: 'cash_on_delivery', enabled: false },
      ],
      installations: [
        {
          name: 'Web',
          mode: 'live',
          redirectHosts: ['shop.example.com'],
          webhooks: [{ url: 'https://a.example/hook', events: ['order.*'], paused: true }],
        },
        { name: 'Try', mode: 'test' },
      ],
      agents: [
        { mode: 'live', level: 'browse', reviewFrom: 50_000 },
        { mode: 'test', level: 'buy', who: 'anyone', orderWebhooks: false },
      ],
    }
    const first = await emptyShop()
    await first.apply(file)
    const { code, out } = await first.export('shop')
    assert.equal(code, 0)
    const read = readShopFile(out, now)
    assert.ok('file' in read, JSON.stringify(read))
    assert.equal(read.file.merchant.timeZone, 'Asia/Tokyo')
    assert.equal(read.file.products?.length, demo.products?.length)
    assert.deepEqual(read.file.agents, [
      { mode: 'test', level: 'buy', who: 'anyone', orderWebhooks: false },
      { mode: 'live', level: 'browse', who: 'approved', reviewFrom: 50_000, orderWebhooks: true },
    ])
    assert.deepEqual(read.file.installations?.map(({ name }) => name).toSorted(), ['Try', 'Web'])
    const openLive = { ...read.file, agents: [{ mode: 'live', level: 'buy', who: 'anyone' } as const] }
    await assert.rejects(first.apply(openLive), /\/agents\/0\/who/)
    const again = await first.apply(read.file, true)
    assert.deepEqual([again.changes, again.refused, again.refusedPromotions], [[], [], []])
    const second = await emptyShop()
    const made = await second.apply(read.file)
    assert.deepEqual([made.refused, made.refusedPromotions], [[], []])
    assert.equal((await second.export('shop')).out, out)
    const small = readShopFile((await first.export('--format', 'shop', '--without-products')).out, now)
    assert.ok('file' in small && small.file.products === undefined)
  })

  test('an unknown format exits with code 2', async () => {
    const { export: run } = await emptyShop()
    assert.equal((await run('pdf')).code, 2)
    assert.equal((await run()).code, 2)
  })
})
