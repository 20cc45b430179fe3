// A shop that cannot sell is told so when its file is applied, and by doctor: what is missing, and where to name it.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { cartwright } from '../harness/commandline.ts'
import { tempFolder } from '../harness/process.ts'
import { eachEngine } from '../harness/storage.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { listUnready } from '../src/ops/provisioning/store.ts'

const options = { now: Date.parse('2026-06-01T12:00:00.000Z'), stock: false, dryRun: false }
const sku = (code: string) => ({ code, price: 450, stock: 9 })
const tea = { slug: 'assam', name: 'Assam', skus: [sku('ASSAM')] }
const course = { slug: 'course', name: 'Course', skus: [{ ...sku('COURSE'), requiresShipping: false }] }

const whole: ShopFile = {
  merchant: { slug: 'tea', name: 'Tea', currency: 'GBP', country: 'GB' },
  products: [tea, course],
  taxes: [{ country: 'GB', rate: 2000 }],
  shipping: [{ zone: 'home', countries: ['GB'], options: [{ id: 'post', label: 'Post', amount: 320 }] }],
  payments: [{ mode: 'live', method: 'cash_on_delivery' }],
  installations: [{ name: 'Web', mode: 'live', redirectHosts: ['tea.example'] }],
}

const noHost = 'installation Web has no redirectHosts, so it can open no checkout: name the hosts of your shop'
const noZone = 'there is no shipping zone, so nothing that is shipped can be sold: name one under shipping'
const noRates = 'there are no tax rates, so no tax is charged: name them under taxes, if only a rate of 0'
const noInstallation =
  'there is no installation, so there can be no API key: name one under installations, or install an app'

eachEngine('warnings about a shop that cannot sell', (given) => {
  async function told(file: ShopFile) {
    const storage = await given.open()
    const dry = await applyShop(storage, file, { ...options, dryRun: true })
    const { warnings } = await applyShop(storage, file, options)
    assert.deepEqual(dry.warnings, warnings, 'a dry run warns of the same')
    assert.deepEqual((await applyShop(storage, file, options)).warnings, warnings, 'and so does the next run')
    const unready = await storage.read((db) => listUnready(db, 50))
    return { warnings, unready: unready.map(({ slug, problem, name }) => [slug, problem, name]) }
  }

  test('are not given for a complete shop', async () => {
    assert.deepEqual(await told(whole), { warnings: [], unready: [] })
  })

  test('are given for a live installation without redirect hosts', async () => {
    const installations = [
      { name: 'Web', mode: 'live' as const },
      { name: 'Till', mode: 'live' as const, redirectHosts: ['till.example'] },
    ]
    assert.deepEqual(await told({ ...whole, installations }), {
      warnings: [noHost],
      unready: [['tea', 'no_redirect_host', 'Web']],
    })
  })

  test('are not given for a test installation without redirect hosts, because loopback hosts are allowed', async () => {
    assert.deepEqual(await told({ ...whole, installations: [{ name: 'Web', mode: 'test' }] }), {
      warnings: [],
      unready: [],
    })
  })

  test('are given for a shop without a shipping zone if something is shipped', async () => {
    const { shipping: _, ...bare } = whole
    assert.deepEqual(await told(bare), { warnings: [noZone], unready: [['tea', 'no_shipping_zone', '']] })
    assert.deepEqual(await told({ ...bare, products: [course] }), { warnings: [], unready: [] })
    const draft = { ...tea, published: false }
    assert.deepEqual(await told({ ...bare, products: [draft, course] }), { warnings: [], unready: [] })
  })

  test('are given for a shop without tax rates, where a rate of 0 counts as a rate', async () => {
    const { taxes: _, ...bare } = whole
    assert.deepEqual(await told(bare), { warnings: [noRates], unready: [['tea', 'no_tax_rates', '']] })
    assert.deepEqual(await told({ ...whole, taxes: [{ country: 'GB', rate: 0 }] }), { warnings: [], unready: [] })
  })

  test('are not given for a shop without products, but for one with products and no installation', async () => {
    const { merchant } = whole
    assert.deepEqual(await told({ merchant }), { warnings: [], unready: [] })
    const { installations: _, ...bare } = whole
    assert.deepEqual(await told(bare), { warnings: [noInstallation], unready: [['tea', 'no_installation', '']] })
  })

  test('consider zones, rates and installations that were applied earlier', async () => {
    const storage = await given.open()
    await applyShop(storage, whole, options)
    const { merchant, products = [] } = whole
    assert.deepEqual((await applyShop(storage, { merchant, products }, options)).warnings, [])
    // And one that names no products still sells them.
    const emptied = await applyShop(storage, { merchant, shipping: [] }, options)
    assert.deepEqual(emptied.warnings, [noZone])
  })

  test('are printed by apply and doctor as text and as JSON, and do not make them fail', async () => {
    const url = await given.migratedUrl()
    const settings = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: 'the-root-secret-of-the-test-of-warnings' }
    const path = join(await tempFolder(), 'tea.json')
    const { taxes: _, ...bare } = whole
    await writeFile(path, JSON.stringify(bare))
    const applied = await cartwright(['apply', path], settings)
    assert.deepEqual([applied.code, applied.err], [0, `warning: ${noRates}\n`])
    assert.deepEqual(JSON.parse((await cartwright(['apply', path, '--json'], settings)).out).warnings, [noRates])
    const doctor = await cartwright(['doctor'], settings)
    assert.deepEqual([doctor.code, doctor.out.includes(`! tea: ${noRates}\n`)], [0, true])
    assert.deepEqual(JSON.parse((await cartwright(['doctor', '--json'], settings)).out).warnings, [`tea: ${noRates}`])
  })
})
