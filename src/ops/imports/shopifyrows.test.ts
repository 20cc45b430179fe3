import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { soldOutRules, textLanguages, withdrawalExemptions } from '../../contract/words.ts'
import type { CategoryRow } from '../../domain/catalog/answer.ts'
import { productRecord } from '../../domain/catalog/normal.ts'
import { htmlToPlainText, plainTextToHtml } from '../../domain/catalog/plaintext.ts'
import type { ProductRow, SkuRow } from '../../domain/catalog/product.ts'
import { sanitizeHtml } from '../../domain/catalog/safehtml.ts'
import { readCsv } from './csv.ts'
import { readShopifyProducts } from './shopify.ts'
import { categoryMap, shopifyHeader, shopifyLines } from './shopifyrows.ts'

const now = Date.parse('2026-11-01T00:00:00Z')

// Text as a person types it into one line: no control characters, and no leading, trailing or repeated blanks.
const word = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z0-9]{1,8}$/),
    fc.constantFrom(
      '"',
      ',',
      ';',
      '=1+1',
      '-',
      '+',
      '@x',
      "'",
      "'007",
      'é',
      'ß',
      '抹茶',
      '🍵',
      'شاي',
      '<b>',
      '&amp;',
      '½',
      '0',
      '1.5',
      '>',
    ),
  )
  .filter((text) => text !== '__proto__')
const line = (wordsMax: number) => fc.array(word, { minLength: 1, maxLength: wordsMax }).map((words) => words.join(' '))
const slug = fc.stringMatching(/^[a-z0-9]{1,6}(-[a-z0-9]{1,4})?$/)
const url = fc.stringMatching(/^https:\/\/x\.example\/[a-z0-9]{1,6}\.jpg$/)
const description = fc
  .array(fc.array(line(5), { minLength: 1, maxLength: 3 }), { maxLength: 3 })
  .map((paragraphs) => paragraphs.map((lines) => lines.join('\n')).join('\n\n'))

// A product has either plain text only, or HTML with the text made from it.
const described = fc.oneof(
  description.map((text) => ({ description: text, descriptionHtml: null })),
  fc
    .array(fc.tuple(fc.constantFrom('h3', 'ul><li', 'p><strong', 'blockquote', 'pre', 'td', 'p'), line(3)), {
      maxLength: 5,
    })
    .map((parts) => sanitizeHtml(parts.map(([tag, text]) => `<${tag}>${plainTextToHtml(text)}`).join('')))
    .map((html) => ({ description: htmlToPlainText(html), descriptionHtml: html }))
    // HTML that only contains its plain text is read back as plain text.
    .map(({ description, descriptionHtml }) => ({
      description,
      descriptionHtml: descriptionHtml === sanitizeHtml(plainTextToHtml(description)) ? null : descriptionHtml,
    })),
)

const level = (onHand: number) => ({ live: { onHand, held: 0 }, test: { onHand, held: 0 } })

const sku = fc.record({
  code: line(2),
  price: fc.integer({ min: 0, max: 100_000_000 }),
  above: fc.option(fc.integer({ min: 1, max: 10_000 })),
  whenSoldOut: fc.constantFrom(...soldOutRules),
  delivery: fc.constantFrom('shipped' as const, 'digital' as const),
  weightGrams: fc.option(fc.integer({ min: 0, max: 100_000 })),
  measure: fc.option(
    fc.constantFrom(
      ...([
        { amount: 250, unit: 'g', per: '100g' },
        { amount: 75, unit: 'cl', per: 'l' },
        { amount: 53_301, unit: 'cm2', per: 'm2' },
        { amount: 12, unit: 'piece', per: 'piece' },
        { amount: 2, unit: 'm3', per: 'm3' },
      ] as const),
    ),
  ),
  image: fc.option(url),
  barcode: fc.option(fc.stringMatching(/^'{0,2}\d{8,14}$/)),
  onHand: fc.integer({ min: 0, max: 1_000 }),
})

const draft = fc.record({
  slug,
  name: line(6),
  described,
  tags: fc.uniqueArray(
    line(2)
      .map((text) => text.replaceAll(',', ''))
      .filter((text) => text.trim() === text && text !== '' && !/ {2}/.test(text)),
    {
      selector: (text) => text.toLowerCase(),
      maxLength: 4,
    },
  ),
  brand: fc.option(line(2)),
  withdrawalExempt: fc.option(fc.constantFrom(...withdrawalExemptions)),
  digital: fc.boolean(),
  guarantee: fc.option(
    fc.record({ years: fc.integer({ min: 3, max: 99 }), url: fc.option(url) }, { noNullPrototype: true }),
  ),
  maker: fc.option(slug),
  seoTitle: fc.option(
    line(4)
      .map((text) => text.trim())
      .filter((text) => text !== ''),
  ),
  seoDescription: fc.option(
    line(6)
      .map((text) => text.trim())
      .filter((text) => text !== ''),
  ),
  warnings: fc.array(
    fc.record(
      {
        language: fc.constantFrom(null, ...textLanguages),
        text: line(4)
          .map((text) => text.trim())
          .filter((text) => text !== ''),
      },
      { noNullPrototype: true },
    ),
    { maxLength: 3 },
  ),
  category: fc.option(fc.constantFrom('shoes', 'boots', 'tea')),
  images: fc.uniqueArray(fc.record({ url, alt: fc.oneof(fc.constant(''), line(3)) }), {
    selector: (image) => image.url,
    maxLength: 4,
  }),
  optionNames: fc.uniqueArray(fc.oneof(line(2), fc.constant('Title')), { maxLength: 3 }),
  hasDefaultTitle: fc.boolean(),
  skus: fc.array(sku, { minLength: 1, maxLength: 5 }),
  isPublished: fc.boolean(),
})

const categories: CategoryRow[] = [
  ['c1', 'shoes', 'Shoes', null],
  ['c2', 'shoes-boots', 'Boots', 'c1'],
  ['c3', 'tea', 'Tea', null],
].map(([id, slug, name, parentId], position) => ({
  ...{ id: id as string, slug: slug as string, name: name as string, parentId: parentId as string | null, position },
  ...{ description: '', image: null, productCount: 0, updatedAt: now, version: 1 },
}))
const categorySlugs: Readonly<Record<string, string>> = { shoes: 'shoes', boots: 'shoes-boots', tea: 'tea' }

// Shopify marks a product without options by "Default Title", which may also be the value of an option.
function firstValue({ hasDefaultTitle }: { hasDefaultTitle: boolean }, index: number): string {
  return hasDefaultTitle && index === 0 ? 'Default Title' : `value ${index}`
}

function productOf(
  given: typeof draft extends fc.Arbitrary<infer Draft> ? Draft : never,
  position: number,
): ProductRow {
  const { optionNames, hasDefaultTitle: _, isPublished, category, images, described, ...rest } = given
  const single = optionNames.length === 0
  const skus = given.skus.slice(0, single ? 1 : undefined).map(
    ({ above, onHand, code, ...sku }, index): SkuRow => ({
      ...sku,
      id: `sku_${position}_${index}`,
      priorPrice: null,
      code: `${code} ${position}.${index}`,
      name: '',
      options: optionNames.map((name, slot) => ({
        name,
        value: slot === 0 ? firstValue(given, index) : `same ${slot}`,
      })),
      compareAtPrice: above === null ? null : sku.price + above,
      maxPerOrder: 100,
      taxClass: 'standard',
      stock: level(sku.whenSoldOut === 'not_counted' ? 0 : onHand),
    }),
  )
  return {
    ...rest,
    ...described,
    id: `prd_${position}`,
    slug: `${given.slug}-${position}`,
    summary: '',
    categories: category === null ? [] : [categorySlugs[category] ?? ''],
    images: images.map((image) => ({ ...image, width: null, height: null })),
    options: optionNames.map((name) => ({
      name,
      values: [...new Set(skus.map((one) => one.options.find((option) => option.name === name)?.value ?? ''))],
    })),
    metadata: {},
    publishedAt: isPublished ? now : null,
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
    version: 1,
    skus,
  }
}

// The members of a product that the format can express.
function shown({
  slug,
  name,
  brand,
  maker,
  warnings,
  withdrawalExempt,
  digital,
  guarantee,
  seoTitle,
  seoDescription,
  description,
  descriptionHtml,
  categories,
  tags,
  images,
  options,
  publishedAt,
  skus,
}: Omit<ProductRow, 'id' | 'createdAt' | 'updatedAt' | 'archivedAt' | 'version' | 'skus'> & {
  skus: readonly Omit<SkuRow, 'id' | 'stock' | 'priorPrice'>[]
}) {
  return {
    ...{
      slug,
      name,
      brand,
      maker,
      warnings,
      withdrawalExempt,
      digital,
      guarantee,
      seoTitle,
      seoDescription,
      description,
      descriptionHtml,
      categories,
      tags,
      images,
      options,
      isPublished: publishedAt !== null,
    },
    skus: skus.map(({ name: _, maxPerOrder: __, taxClass: ___, ...rest }) => {
      const { id: ____, stock: _____, priorPrice: ______, ...members } = rest as Partial<SkuRow>
      return members
    }),
  }
}

test('any products are the same after they were written to a file and read back, as far as the format can express them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(draft, { minLength: 1, maxLength: 5 }), async (drafts) => {
      const products = drafts.map(productOf)
      const context = { currency: 'EUR', origin: 'https://shop.example', categories: categoryMap(categories) }
      const text = shopifyHeader + products.map((product) => shopifyLines(product, context)).join('')
      const outcomes = await Array.fromAsync(readShopifyProducts(readCsv(chunks(text)), context))
      assert.deepEqual(
        outcomes.filter((outcome) => outcome.kind === 'refused'),
        [],
      )
      const read = outcomes.flatMap((outcome) => (outcome.kind === 'product' ? [outcome.entry] : []))
      assert.deepEqual(
        read.map((entry) => shown(productRecord(entry, null, now))),
        products.map(shown),
      )
      assert.deepEqual(
        read.map((entry) => entry.skus.map(({ stock = 0 }) => stock)),
        products.map((product) => product.skus.map(({ stock }) => stock.live.onHand)),
      )
    }),
    { numRuns: 300 },
  )
})

async function* chunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
