// Prices are changed at random for months of a clock that is moved: by hand, by per cent, as whole products, by shop files, hidden and shown
// again. What the shop may strike through must be what a search through every hour of the prices seen finds.

import { bloom, rival } from '../harness/shops.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import type { ProductEntry } from '../src/contract/entries.ts'
import { newId } from '../src/platform/kit/ids.ts'
import type { Ground } from './place.ts'
import { givenBy } from './poison.ts'
import { whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'

const hour = 3_600_000
const windowHours = 30 * 24

export const priorPriceRun: ServerRun = {
  name: 'prior-price',
  method:
    'random changes of prices, claims and publication by operations and shop files, over months of a moved clock; judged after each by a search through every hour of the prices that were seen',
  numbers: { products: 200, steps: 40 },
  short: { products: 4, steps: 25 },
  runOn: (ground, { products = 0, steps = 0 }, tools) => runPriorPrice(ground, { products, steps }, tools),
}

export async function runPriorPrice(
  ground: Ground,
  { products, steps }: { products: number; steps: number },
  { random, tell }: RunTools,
): Promise<RunResult> {
  const ends: (() => Promise<void>)[] = []
  try {
    const testServer = await openTestServer(givenBy(ground, ends), { shops: [bloom, rival] })
    const seen = { changes: 0, reductions: 0 }
    const violations: string[] = []
    for (let at = 0; at < products; at += 1) {
      const product = await PricedProduct.create(testServer, random, at)
      for (let step = 0; step < steps; step += 1) {
        testServer.clock.now += whole(random, 1, 24 * (random() < 0.3 ? 40 : 6)) * hour
        const wrong = await product.step()
        seen.changes += 1
        if (product.isReduced) seen.reductions += 1
        if (wrong !== undefined) violations.push(wrong)
      }
      if (at % 20 === 19) tell(`${at + 1} of ${products} products`)
    }
    if (seen.reductions === 0) violations.push('no reduction was ever shown')
    return { seen, violations: violations.slice(0, 20) }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

interface SeenPrice {
  at: number
  price: number
  isClaimed: boolean
}

class PricedProduct {
  isReduced = false
  readonly #testServer: TestServer
  readonly #random: () => number
  readonly #id: string
  readonly #slug: string
  // Of each SKU, by code, while it was published.
  readonly #seen = new Map<string, SeenPrice[]>()

  private constructor(testServer: TestServer, random: () => number, id: string, slug: string) {
    this.#testServer = testServer
    this.#random = random
    this.#id = id
    this.#slug = slug
  }

  static async create(testServer: TestServer, random: () => number, at: number): Promise<PricedProduct> {
    const slug = `priced-${at}`
    const skus = ['A', 'B'].map((code) => ({ code: `${slug}-${code}`, options: { Kind: code }, ...pricesOf(random) }))
    const product = { slug, name: slug, options: [{ name: 'Kind', values: ['A', 'B'] }], skus }
    const { body } = await testServer.askAdmin('createAdminProduct', {
      body: { idempotencyKey: newId('req'), product: { ...product, published: random() < 0.7 } },
    })
    const made = new PricedProduct(testServer, random, body.data.id, slug)
    made.#note(body.data)
    return made
  }

  // Answers what is wrong.
  async step(): Promise<string | undefined> {
    const before = await this.#read()
    await this.#change(before)
    const after = await this.#read()
    this.#note(after)
    if (after.status !== 'published') return undefined
    const shown = await this.#testServer.ask('getApiKeyCatalogProduct', { path: { slug: this.#slug } })
    this.isReduced = false
    for (const { code, price, compareAtPrice, priorPrice } of shown.body.data.skus) {
      const expected = priorByEveryHour(this.#seen.get(code) ?? [])
      const allowed = expected === null || expected <= price.amount ? null : expected
      const found = priorPrice?.amount ?? null
      this.isReduced ||= found !== null
      if (found !== allowed) return `${code}: ${found} is shown, and ${allowed} was the lowest price`
      if ((compareAtPrice === null) !== (found === null)) return `${code}: a claim without its prior price`
    }
    return undefined
  }

  async #change({ version, product, skus }: Read): Promise<void> {
    const random = this.#random
    const [sku] = skus
    const isNamed = random() < 0.5
    const rows = (isNamed && sku ? [sku] : skus).map(({ id }) => ({ skuId: id, ...pricesOf(random) }))
    const choice = random()
    if (choice < 0.5) return this.#ask('updateAdminSkus', { rows })
    const productIds = [this.#id]
    if (choice < 0.6) {
      const change = { pricePercentage: whole(random, -3_000, 2_000) }
      return this.#ask('updateAdminProducts', { productIds, change })
    }
    if (choice < 0.75) {
      const change = { status: random() < 0.6 ? 'published' : 'hidden' }
      return this.#ask('updateAdminProducts', { productIds, change })
    }
    const priced: ProductEntry = { ...product, skus: product.skus.map((one) => ({ ...one, ...pricesOf(random) })) }
    if (choice < 0.9)
      return this.#ask('replaceAdminProduct', { expectedVersion: version, product: priced }, { productId: this.#id })
    await this.#testServer.apply({ ...bloom, products: [{ ...priced, categories: [] }] })
  }

  async #ask(id: AdminOperationId, body: object, path: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#testServer.askAdmin(id, { path, body: { idempotencyKey: newId('req'), ...body } })
  }

  async #read(): Promise<Read> {
    return (await this.#testServer.askAdmin('getAdminProduct', { path: { productId: this.#id } })).body.data
  }

  #note({ status, product }: Read): void {
    if (status !== 'published') return
    for (const { code, price, compareAtPrice } of product.skus) {
      const seen = this.#seen.get(code) ?? []
      this.#seen.set(code, [...seen, { at: this.#testServer.clock.now, price, isClaimed: compareAtPrice != null }])
    }
  }
}

interface Read {
  version: number
  status: string
  product: ProductEntry
  skus: readonly { id: string; code: string }[]
}

function pricesOf(random: () => number): { price: number; compareAtPrice: number | null } {
  const price = whole(random, 5, 14) * 100
  return { price, compareAtPrice: random() < 0.6 ? price + whole(random, 1, 9) * 100 : null }
}

function priorByEveryHour(seen: readonly SeenPrice[]): number | null {
  const [first, last] = [seen[0], seen.at(-1)]
  if (!first || !last?.isClaimed) return null
  const hours = Math.round((last.at - first.at) / hour)
  const at = (index: number) => seen.findLast((one) => one.at <= first.at + index * hour) ?? first
  let began = hours
  while (began > 0) {
    const [before, here] = [at(began - 1), at(began)]
    if (!before.isClaimed || before.price < here.price) break
    began -= 1
  }
  let lowest: number | null = null
  for (let index = Math.max(0, began - windowHours); index < began; index += 1)
    lowest = Math.min(lowest ?? Infinity, at(index).price)
  return lowest
}
