// Reads a shop file in YAML or JSON, and checks it against its schema and for contradictions. All problems are reported together, each
// with its path.

import { isUtf8 } from 'node:buffer'
import { type Document, isPair, isSeq, parseDocument, stringify, visit } from 'yaml'
import type { PaymentMethodEntry } from '../../contract/entries.ts'
import { type BrokenRule, issue, issueAt } from '../../contract/issues.ts'
import { compileSchema } from '../../contract/validator.ts'
import { categoryProblems, parentProblems, productProblems } from '../../domain/catalog/problems.ts'
import { makerProblems } from '../../domain/makers/maker.ts'
import { normalizeRedirectHost } from '../../domain/merchants/redirects.ts'
import { addressProblems, merchantProblems, shippingProblems, taxProblems } from '../../domain/merchants/settings.ts'
import { lacksInstructions } from '../../domain/payments/methods.ts'
import { promotionProblems } from '../../domain/promotions/entry.ts'
import { normalizePromotionCode } from '../../domain/promotions/store.ts'
import { findTargetProblem } from '../../domain/webhooks/guard.ts'
import { subscriptionsProblem } from '../../domain/webhooks/subscription.ts'
import { normalizeUrl } from '../../domain/webhooks/url.ts'
import { isExactDecimal } from '../../platform/kit/decimal.ts'
import {
  controlCharacterProblems,
  type EntryProblem,
  isBlank,
  problemsBelow,
  repeatedValueProblems,
} from '../../platform/kit/problems.ts'
import { entryProblem } from './apps.ts'
import { ShopFile } from './shopfile.ts'

// Limited because parsing YAML needs much memory: 3.8 GB for 28 MB.
export const fileBytesMax = 8 * 1024 * 1024
const aliasesMax = 1_000
const problemsMax = 50

type ReadShop = { file: ShopFile } | { problems: EntryProblem[] }

export function readShopBytes(bytes: Buffer, now: number): ReadShop {
  if (bytes.length > fileBytesMax) return aboutTheFile(tooLarge)
  return isUtf8(bytes) ? readShopFile(bytes.toString('utf8'), now) : aboutTheFile(issue('file_not_utf8'))
}

// Writes a shop file without YAML aliases and folded lines, as a person would.
export function writeShopFile(file: ShopFile): string {
  return stringify(file, { lineWidth: 0, aliasDuplicateObjects: false })
}

const tooLarge = issue('file_too_large', { mebibytes: fileBytesMax / 1_048_576 })

function aboutTheFile(rule: BrokenRule): { problems: EntryProblem[] } {
  return { problems: [{ path: '', ...rule }] }
}

export function readShopFile(text: string, now: number): ReadShop {
  if (Buffer.byteLength(text) > fileBytesMax) return aboutTheFile(tooLarge)
  const document = parseDocument(text, { uniqueKeys: true, stringKeys: true })
  if (document.errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) return aboutTheFile(issue('file_too_deep'))
  if (document.errors.length > 0) {
    return {
      problems: document.errors
        .slice(0, problemsMax)
        .map(({ message }) => issueAt('', 'file_unreadable', { reason: firstLine(message) })),
    }
  }
  const rounded = roundedNumbers(document)
  if (rounded.length > 0) return { problems: rounded }
  const plain = plainValue(document)
  if ('problems' in plain) return plain
  const { value } = plain
  const issues = validate(value)
  if (issues.length > 0) return { problems: [...issues] }
  const file = value as ShopFile
  const problems = [...contradictions(file, now)].slice(0, problemsMax)
  return problems.length > 0 ? { problems } : { file }
}

// Finds numbers that lost digits when they were parsed, by comparing each number with its text. Octal and hexadecimal numbers have no
// fraction, and the schema checks their limits.
function roundedNumbers(document: Document.Parsed): EntryProblem[] {
  const problems: EntryProblem[] = []
  visit(document, {
    Scalar(key, { value, source }, ancestors) {
      if (typeof value !== 'number' || source === undefined || !/^[-+.\d][-+.\de]*$/i.test(source)) return undefined
      if (isExactDecimal(source, value)) return undefined
      problems.push(issueAt(placeOf([...ancestors, key]), 'number_too_precise'))
      return problems.length < problemsMax ? undefined : visit.BREAK
    },
  })
  return problems
}

// Returns the JSON Pointer to a node with these ancestors.
function placeOf(steps: readonly unknown[]): string {
  return steps
    .map((step, index) => {
      const below = steps[index + 1]
      if (isPair(step)) return `/${String(step.key)}`
      return isSeq(step) ? `/${typeof below === 'number' ? below : step.items.indexOf(below)}` : ''
    })
    .join('')
}

// Resolves YAML aliases: an alias may be undefined, and a few lines of aliases may expand to a gigabyte.
function plainValue(document: Document.Parsed): { value: unknown } | { problems: EntryProblem[] } {
  try {
    return { value: document.toJS({ maxAliasCount: aliasesMax }) }
  } catch (error) {
    if (error instanceof ReferenceError)
      return aboutTheFile(issue('file_unreadable', { reason: firstLine(error.message) }))
    throw error
  }
}

const validate = compileSchema(ShopFile)

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

// Yields problems that a schema cannot detect.
function* contradictions(file: ShopFile, now: number): Generator<EntryProblem> {
  yield* controlCharacterProblems(file, '')
  yield* problemsBelow('/merchant', merchantProblems(file.merchant))
  yield* addressProblems(file.merchant.mail?.replyTo, '/merchant/mail/replyTo')
  const categories = file.categories ?? []
  yield* repeatedValueProblems(
    categories.map((category) => category.slug),
    (index) => `/categories/${index}/slug`,
  )
  for (const [index, category] of categories.entries())
    yield* problemsBelow(`/categories/${index}`, categoryProblems(category))
  yield* parentProblems(categories)
  yield* makersProblems(file)
  const products = file.products ?? []
  yield* repeatedValueProblems(
    products.map((product) => product.slug),
    (index) => `/products/${index}/slug`,
  )
  const places = products.flatMap((product, index) =>
    product.skus.map((sku, at) => ({ code: sku.code, path: `/products/${index}/skus/${at}/code` })),
  )
  yield* repeatedValueProblems(
    places.map(({ code }) => code),
    (index) => places[index]?.path ?? '',
  )
  const known = new Set(categories.map((category) => category.slug))
  for (const [index, product] of products.entries()) {
    yield* problemsBelow(`/products/${index}`, productProblems(product, now))
    for (const [at, slug] of (product.categories ?? []).entries()) {
      if (!known.has(slug)) yield issueAt(`/products/${index}/categories/${at}`, 'category_not_in_file')
    }
  }
  yield* problemsBelow('/taxes', taxProblems(file.taxes ?? []))
  yield* problemsBelow('/shipping', shippingProblems(file.shipping ?? []))
  yield* installationsProblems(file)
  yield* promotionsProblems(file)
  yield* paymentsProblems(file)
  yield* webhooksProblems(file)
  yield* appsProblems(file)
}

function* makersProblems({ makers = [], products = [] }: ShopFile): Generator<EntryProblem> {
  yield* repeatedValueProblems(
    makers.map(({ slug }) => slug),
    (index) => `/makers/${index}/slug`,
  )
  for (const [index, maker] of makers.entries()) yield* problemsBelow(`/makers/${index}`, makerProblems(maker))
  const known = new Set(makers.map(({ slug }) => slug))
  for (const [index, { maker }] of products.entries())
    if (maker != null && !known.has(maker)) yield issueAt(`/products/${index}/maker`, 'maker_not_in_file')
}

function* promotionsProblems(file: ShopFile): Generator<EntryProblem> {
  const promotions = file.promotions ?? []
  yield* repeatedValueProblems(
    promotions.map((promotion) => normalizePromotionCode(promotion.code)),
    (index) => `/promotions/${index}/code`,
  )
  // The file of a shop with an imported catalog has no products. Its promotions are checked against the shop when the file is applied.
  const categories = file.categories && new Set(file.categories.map(({ slug }) => slug))
  const codes = file.products && new Set(file.products.flatMap(({ skus }) => skus.map(({ code }) => code)))
  for (const [index, promotion] of promotions.entries()) {
    yield* problemsBelow(`/promotions/${index}`, promotionProblems(promotion))
    for (const [at, slug] of (promotion.categories ?? []).entries()) {
      if (categories && !categories.has(slug))
        yield issueAt(`/promotions/${index}/categories/${at}`, 'category_not_in_file')
    }
    for (const [at, code] of (promotion.skus ?? []).entries()) {
      if (codes && !codes.has(code)) yield issueAt(`/promotions/${index}/skus/${at}`, 'sku_not_in_file')
    }
  }
}

function* installationsProblems({ installations = [] }: ShopFile): Generator<EntryProblem> {
  yield* repeatedValueProblems(
    installations.map((installation) => installation.name),
    (index) => `/installations/${index}/name`,
  )
  for (const [index, { name, redirectHosts = [] }] of installations.entries()) {
    if (isBlank(name)) yield issueAt(`/installations/${index}/name`, 'blank')
    const normal = redirectHosts.map(normalizeRedirectHost)
    for (const [at, host] of normal.entries())
      if (host === undefined) yield issueAt(`/installations/${index}/redirectHosts/${at}`, 'not_one_host')
    // Invalid hosts have no normalized form and are compared as written.
    yield* repeatedValueProblems(
      normal.map((host, at) => host ?? (redirectHosts[at] as string)),
      (at) => `/installations/${index}/redirectHosts/${at}`,
    )
  }
}

function* paymentsProblems({ payments = [] }: ShopFile): Generator<EntryProblem> {
  yield* repeatedValueProblems(
    payments.map(({ mode, method }) => `${mode} ${method}`),
    (index) => `/payments/${index}`,
  )
  for (const [index, entry] of payments.entries()) {
    yield* problemsBelow(`/payments/${index}`, paymentMethodProblems(entry))
  }
}

// Rules for methods that a shop file or the operator sets.
export function* paymentMethodProblems(entry: PaymentMethodEntry): Generator<EntryProblem> {
  const { mode, method, enabled = true, instructions } = entry
  if (isBlank(instructions ?? undefined)) yield issueAt('/instructions', 'blank')
  if (lacksInstructions({ mode, method, isOffered: enabled, instructions: instructions ?? null }))
    yield issueAt('/instructions', 'instructions_needed')
}

// Private addresses are checked when the file is applied, because a setting of the server decides whether they may be called.
function* webhooksProblems(file: ShopFile): Generator<EntryProblem> {
  for (const [index, { webhooks = [] }] of (file.installations ?? []).entries()) {
    const place = `/installations/${index}/webhooks`
    yield* repeatedValueProblems(
      webhooks.map(({ url }) => normalizeUrl(url)),
      (at) => `${place}/${at}/url`,
    )
    for (const [at, { url, events = [] }] of webhooks.entries()) {
      const problem = findTargetProblem(url, { allowPrivate: true })
      if (problem !== undefined) yield { path: `${place}/${at}/url`, ...problem }
      for (const [position, event] of events.entries()) {
        const unknown = subscriptionsProblem([event])
        if (unknown !== undefined) yield { path: `${place}/${at}/events/${position}`, ...unknown }
      }
    }
  }
}

function* appsProblems({ apps = [] }: ShopFile): Generator<EntryProblem> {
  yield* repeatedValueProblems(
    apps.map((app) => app.name),
    (index) => `/apps/${index}/name`,
  )
  for (const [index, app] of apps.entries()) {
    const problem = entryProblem(app)
    if (problem) yield { ...problem, path: `/apps/${index}${problem.path}` }
  }
}
