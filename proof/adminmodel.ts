// Random histories of changes to products by the admin surface, by hand and by files, against a model that is simple enough to be
// trusted. After each step every product must be what the model says, to the merchant and in the catalog.

import fc from 'fast-check'
import { clearTransfers, confirmTransfer, runTransfers, sendFile, transferWith } from '../harness/admin/transfers.ts'
import type { Answer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { type ProofTestServer, withAdminTestServer } from './adminserver.ts'
import type { Ground } from './place.ts'
import { whole } from './random.ts'
import type { RunResult, RunTools } from './runs.ts'

type Step =
  | { kind: 'create'; price: number; stock: number }
  | { kind: 'rename'; product: number; name: string; isStale: boolean }
  | { kind: 'price'; product: number; price: number }
  | { kind: 'adjust'; product: number; by: number }
  | { kind: 'count'; product: number; onHand: number; isStale: boolean }
  | { kind: 'status'; product: number; status: 'published' | 'hidden' | 'archived' }
  | { kind: 'file'; product: number; name: string; price: number; isOvertaken: boolean }
  | { kind: 'stockFile'; product: number; onHand: number; isStale: boolean }

const which = fc.nat(1)
const price = fc.integer({ min: 1, max: 99 }).map((euros) => euros * 100)
const name = fc.constantFrom('Cup', 'Bowl', '=1+1', 'Žluťoučký "kůň"', "'quoted")
const stepOf: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), price, stock: fc.nat(9) }),
  fc.record({ kind: fc.constant('rename' as const), product: which, name, isStale: fc.boolean() }),
  fc.record({ kind: fc.constant('price' as const), product: which, price }),
  fc.record({ kind: fc.constant('adjust' as const), product: which, by: fc.integer({ min: -9, max: 9 }) }),
  fc.record({ kind: fc.constant('count' as const), product: which, onHand: fc.nat(9), isStale: fc.boolean() }),
  fc.record({
    kind: fc.constant('status' as const),
    product: which,
    status: fc.constantFrom('published' as const, 'hidden' as const, 'archived' as const),
  }),
  fc.record({ kind: fc.constant('file' as const), product: which, name, price, isOvertaken: fc.boolean() }),
  fc.record({ kind: fc.constant('stockFile' as const), product: which, onHand: fc.nat(9), isStale: fc.boolean() }),
)

interface ModelProduct {
  id: string
  skuId: string
  slug: string
  code: string
  name: string
  price: number
  onHand: number
  status: 'published' | 'hidden' | 'archived'
  version: number
}

export async function runAdminModel(
  ground: Ground,
  { histories, steps }: { histories: number; steps: number },
  tools: RunTools,
): Promise<RunResult> {
  return withAdminTestServer(ground, async (testServer) => {
    const seen = { adminHistories: 0, adminSteps: 0 }
    const violations: string[] = []
    const someSteps = fc.array(stepOf, { minLength: Math.ceil(steps / 2), maxLength: steps })
    const property = fc.asyncProperty(someSteps, async (history) => {
      const model = new AdminModel(testServer)
      await clearTransfers(testServer)
      // Most steps are about a product.
      await model.take({ kind: 'create', price: 100, stock: 5 })
      for (const step of history) {
        await model.take(step)
        seen.adminSteps += 1
      }
      seen.adminHistories += 1
      tools.tell(`admin: ${seen.adminHistories} of ${histories} histories`)
    })
    const outcome = await fc.check(property, { numRuns: histories, seed: whole(tools.random, 0, 2 ** 31 - 1) })
    if (outcome.failed) {
      const why = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : String(outcome.errorInstance)
      violations.push(`admin: ${why} after ${JSON.stringify(outcome.counterexample)}`)
    }
    for (const { name: rule, subjects } of await testServer.storage.read(findViolations))
      violations.push(`${rule}: ${subjects.join(', ')}`)
    return { seen, violations }
  })
}

let counter = 0

class AdminModel {
  readonly testServer: ProofTestServer
  readonly products: ModelProduct[] = []

  constructor(testServer: ProofTestServer) {
    this.testServer = testServer
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'create') await this.#create(step)
    else {
      const product = this.products[step.product]
      if (!product) return
      await this.#change(product, step)
    }
    for (const product of this.products) await this.#compare(product, step)
  }

  async #create({ price: amount, stock }: Extract<Step, { kind: 'create' }>): Promise<void> {
    counter += 1
    const [slug, code] = [`model-${counter}`, `MODEL-${counter}`]
    const product = { slug, name: 'Thing', skus: [{ code, price: amount, stock }] }
    const { body } = await this.#ask('createAdminProduct', {}, { product }, null)
    const { id, skus } = body.data as { id: string; skus: { id: string }[] }
    this.products.unshift({
      id,
      skuId: skus[0]?.id ?? '',
      slug,
      code,
      name: 'Thing',
      price: amount,
      onHand: stock,
      status: 'published',
      version: 1,
    })
  }

  async #change(product: ModelProduct, step: Exclude<Step, { kind: 'create' }>): Promise<void> {
    const { id, skuId, version } = product
    switch (step.kind) {
      case 'rename': {
        const entry = (await this.#read(product)).product
        const body = { expectedVersion: version + (step.isStale ? 1 : 0), product: { ...entry, name: step.name } }
        const expected = step.isStale ? 'version_conflict' : product.status === 'archived' ? 'product_archived' : null
        await this.#ask('replaceAdminProduct', { productId: id }, body, expected)
        if (expected === null) this.#write(product, { name: step.name })
        return
      }
      case 'price':
        await this.#bulk({ skuId, price: step.price }, null)
        return this.#write(product, { price: step.price })
      case 'adjust': {
        const onHand = product.onHand + step.by
        await this.#bulk({ skuId, adjustBy: step.by }, onHand < 0 ? 'stock_not_possible' : null)
        if (onHand >= 0) product.onHand = onHand
        return
      }
      case 'count': {
        const expectedOnHand = product.onHand + (step.isStale ? 1 : 0)
        await this.#bulk({ skuId, onHand: step.onHand, expectedOnHand }, step.isStale ? 'stock_changed' : null)
        if (!step.isStale) product.onHand = step.onHand
        return
      }
      case 'status':
        await this.#ask('updateAdminProducts', {}, { productIds: [id], change: { status: step.status } }, null)
        return this.#write(product, { status: step.status })
      case 'file':
        return this.#file(product, step)
      case 'stockFile':
        return this.#stockFile(product, step)
    }
  }

  // A file says nothing about the status here: it has no column for it, so a product is neither hidden nor shown by it.
  async #file(product: ModelProduct, step: Extract<Step, { kind: 'file' }>): Promise<void> {
    const guarded = /^'*[=+@-]/.test(step.name) ? `'${step.name}` : step.name
    const cells = [product.slug, guarded, product.code, (step.price / 100).toFixed(2)]
    const line = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')
    const id = await sendFile(this.testServer, 'products', `Handle,Title,Variant SKU,Variant Price\n${line}\n`)
    await runTransfers(this.testServer)
    const differs = step.name !== product.name || step.price !== product.price
    const plan = await transferWith(this.testServer, id)
    check([plan.state, plan.changed, plan.refused], ['ready', differs ? 1 : 0, 0], 'the plan of a file')
    if (step.isOvertaken) await this.#change(product, { kind: 'price', product: 0, price: product.price + 100 })
    await confirmTransfer(this.testServer, id)
    await runTransfers(this.testServer)
    const done = await transferWith(this.testServer, id)
    const isWritten = differs && !step.isOvertaken
    check([done.state, done.written], ['done', isWritten ? 1 : 0], 'a file that was written')
    if (isWritten) this.#write(product, { name: step.name, price: step.price })
  }

  async #stockFile(product: ModelProduct, { onHand, isStale }: Extract<Step, { kind: 'stockFile' }>): Promise<void> {
    const current = product.onHand + (isStale ? 1 : 0)
    const text = `SKU,On hand (current),On hand (new)\n${product.code},${current},${onHand}\n`
    const id = await sendFile(this.testServer, 'stock', text)
    await runTransfers(this.testServer)
    await confirmTransfer(this.testServer, id)
    await runTransfers(this.testServer)
    const isSame = onHand === product.onHand
    const { written, refused } = await transferWith(this.testServer, id)
    check([written, refused], isSame ? [0, 0] : isStale ? [0, 1] : [1, 0], 'a stock file')
    if (!isStale) product.onHand = onHand
  }

  #write(product: ModelProduct, change: Partial<ModelProduct>): void {
    const before = JSON.stringify(product)
    Object.assign(product, change)
    if (JSON.stringify(product) !== before) product.version += 1
  }

  async #bulk(row: object, refusal: string | null): Promise<void> {
    const { body } = await this.#ask('updateAdminSkus', {}, { rows: [row] }, null)
    const [outcome] = body.data as { code: string | null }[]
    check(outcome?.code, refusal, `the outcome of ${JSON.stringify(row)}`)
  }

  async #ask(
    id: AdminOperationId,
    path: Record<string, string>,
    body: object,
    refusal: string | null,
  ): Promise<Answer> {
    const answer = await this.testServer.askAdmin(id, { path, body: { ...body, idempotencyKey: newId('req') } })
    check(answer.body.error?.code ?? null, refusal, `the answer of ${id}`)
    return answer
  }

  async #read({ id }: ModelProduct) {
    return (await this.testServer.askAdmin('getAdminProduct', { path: { productId: id } })).body.data
  }

  async #compare(product: ModelProduct, step: Step): Promise<void> {
    const found = await this.#read(product)
    const [entry, sku] = [found.product, found.product.skus[0]]
    const shown = await this.testServer.ask('getApiKeyCatalogProduct', { path: { slug: product.slug } })
    const isShown = product.status === 'published'
    check(
      [entry.name, sku.price, found.skus[0].onHand, found.status, found.version, shown.status],
      [product.name, product.price, product.onHand, product.status, product.version, isShown ? 200 : 404],
      `${product.slug} after ${JSON.stringify(step)}`,
    )
    if (!isShown) return
    const { name: title, skus } = shown.body.data
    check([title, skus[0].price.amount, skus.length], [product.name, product.price, 1], `the catalog's ${product.slug}`)
  }
}

function check(found: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(found ?? null), JSON.stringify(expected ?? null)]
  if (one !== other) throw new Error(`${what}: ${one}, and the model says ${other}`)
}
