// The demo shop is the first thing a visitor sees: it must be a valid shop file, agree with itself, and bring its pictures.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { parse } from 'yaml'
import { readShopFile } from '../../src/ops/provisioning/read.ts'
import { ShopFile } from '../../src/ops/provisioning/shopfile.ts'
import { printedShop } from './print.ts'

const pictureBytesMax = 8 * 1024
const publishedBefore = '2026-06-01T00:00:00Z'

const text = readFileSync(new URL('shop.yaml', import.meta.url), 'utf8')
const file: unknown = parse(text)
const shop = Value.Check(ShopFile, file) ? file : undefined
const categories = shop?.categories ?? []
const products = shop?.products ?? []
const skus = products.flatMap((product) => product.skus)
const taxes = shop?.taxes ?? []
const zones = shop?.shipping ?? []
const promotions = shop?.promotions ?? []

test('the file is a valid shop file', () => {
  assert.deepEqual(Value.Errors(ShopFile, file), [])
  assert.equal(shop?.merchant.slug, 'alder-finch')
  assert.ok('file' in readShopFile(text, Date.parse(publishedBefore)))
})

test('shop.json, which is read at a start, equals the file', () => {
  assert.equal(readFileSync(new URL('shop.json', import.meta.url), 'utf8'), printedShop(text))
})

test('the shop has about forty products, each with a summary, paragraphs and tags', () => {
  assert.ok(products.length >= 38 && products.length <= 44, `${products.length} products`)
  assertDistinct(products.map((product) => product.slug))
  for (const product of products) {
    assert.ok(product.skus.length <= 9, product.slug)
    assert.ok(product.summary && !product.summary.includes('\n'), `${product.slug} has a summary of one line`)
    assert.ok((product.description ?? '').split('\n\n').length >= 2, `${product.slug} has paragraphs`)
    assert.doesNotMatch(product.description ?? '', /[^\n]\n[^\n]/, `${product.slug} breaks no line within a paragraph`)
    assert.ok(product.tags?.length, `${product.slug} has tags`)
  }
})

test('the categories form a tree of two levels, and each has a description and products', () => {
  assertDistinct(categories.map((category) => category.slug))
  const roots = categories.filter((category) => !category.parent).map((category) => category.slug)
  for (const category of categories) {
    assert.ok(category.description, `${category.slug} has a description`)
    if (category.parent) assert.ok(roots.includes(category.parent), `${category.slug} hangs under a root`)
    assert.ok(
      products.some((product) => product.published !== false && product.categories?.includes(category.slug)),
      `${category.slug} has a product`,
    )
  }
  assertDistinct(categories.map((category) => `${category.parent} ${category.position}`))
})

test('every product names categories that exist: a root first, and at least one of its children', () => {
  const parents = new Map(categories.map((category) => [category.slug, category.parent]))
  for (const product of products) {
    assert.ok(product.categories?.length, product.slug)
    for (const slug of product.categories) assert.ok(parents.has(slug), `${product.slug} names ${slug}`)
    const [root, leaf] = product.categories
    assert.ok(
      leaf && product.categories.some((slug) => parents.get(slug) === root),
      `${product.slug} sits under ${root}`,
    )
  }
})

test('every SKU chooses one declared value of each option, and no two choose the same', () => {
  assertDistinct(skus.map((sku) => sku.code))
  for (const product of products) {
    const declared = product.options ?? []
    const choices = product.skus.map((sku) => {
      const chosen = sku.options ?? {}
      assert.deepEqual(Object.keys(chosen).sort(), declared.map((option) => option.name).sort(), sku.code)
      return declared.map((option) => {
        const value = chosen[option.name] ?? ''
        assert.ok(option.values.includes(value), `${sku.code} chooses ${option.name} ${value}`)
        return value
      })
    })
    assertDistinct(choices.map((choice) => choice.join(' / ')))
    for (const [at, option] of declared.entries())
      for (const value of option.values)
        assert.ok(
          choices.some((choice) => choice[at] === value),
          `${product.slug} sells ${value}`,
        )
  }
})

test('every price is plausible', () => {
  for (const sku of skus) {
    assert.ok(sku.price >= 290 && sku.price <= 18_900, `${sku.code} costs ${sku.price}`)
    if (sku.compareAtPrice) assert.ok(sku.compareAtPrice > sku.price, `${sku.code} was dearer`)
    if (sku.requiresShipping !== false) assert.ok(sku.weightGrams, `${sku.code} has a weight`)
  }
})

test('most SKUs have plenty of stock; low stock, no stock, backorders, digital items, reduced tax and one unpublished product occur', () => {
  const stocked = (low: number, high: number) => skus.filter((sku) => inRange(sku.stock ?? 0, low, high))
  assert.ok(stocked(80, Infinity).length > skus.length * 0.9)
  assert.ok(stocked(1, 12).length >= 2)
  assert.ok(stocked(0, 0).some((sku) => !sku.backorder))
  assert.ok(stocked(0, 0).some((sku) => sku.backorder))
  assert.ok(skus.some((sku) => sku.requiresShipping === false))
  assert.ok(skus.some((sku) => sku.taxClass === 'reduced'))
  assert.equal(products.filter((product) => product.published === false).length, 1)
})

test('products were published at different times, all in the past', () => {
  const dates = products.filter((product) => product.published !== false).map((product) => product.publishedAt ?? '')
  assertDistinct(dates)
  for (const date of dates) assert.ok(date > '2024-01-01' && date < publishedBefore, date)
})

test('every country of a zone has a rate for every tax class in use', () => {
  const classes = new Set(skus.map((sku) => sku.taxClass ?? 'standard'))
  const rates = taxes.map((tax) => `${tax.country} ${tax.class}`)
  assertDistinct(rates)
  const named = zones.flatMap((zone) => zone.countries).filter((country) => country !== '*')
  assertDistinct(named)
  for (const country of named)
    for (const name of classes) assert.ok(rates.includes(`${country} ${name}`), `${country} ${name}`)
  assert.ok(zones.some((zone) => zone.countries.includes('*')))
})

test('there is a promotion code for each type of promotion and for each outcome', () => {
  const codes = (fits: (promotion: (typeof promotions)[number]) => boolean) =>
    promotions.filter(fits).map((promotion) => promotion.code)
  const [first] = promotions
  assert.deepEqual(first, { code: 'WELCOME10', name: first?.name, type: 'percentage', percentage: 1000 })
  for (const [code, type] of [
    ['WELCOME10', 'percentage'],
    ['FIVEOFF', 'fixed_amount'],
    ['SHIPFREE', 'free_shipping'],
  ] as const)
    assert.ok(codes((promotion) => promotion.type === type).includes(code))
  const dearest = Math.max(...skus.map((sku) => sku.price))
  assert.deepEqual(
    codes(({ minimumSubtotal }) => (minimumSubtotal ?? 0) > dearest),
    ['BIG20'],
  )
  assert.deepEqual(
    codes(({ categories }) => categories !== undefined),
    ['KITCHEN15'],
  )
  assert.deepEqual(
    codes((promotion) => promotion.skus !== undefined),
    ['MUGS3'],
  )
  assert.deepEqual(
    codes(({ customerLimit }) => customerLimit === 1),
    ['ONCE'],
  )
  assert.deepEqual(
    codes(({ endsAt }) => endsAt != null && endsAt < publishedBefore),
    ['SUMMER24'],
  )
  assert.deepEqual(
    codes(({ startsAt }) => startsAt != null && startsAt > '2099'),
    ['FUTURE99'],
  )
  assert.deepEqual(
    codes(({ disabled }) => disabled === true),
    ['STOPPED'],
  )
  assert.deepEqual(
    codes(({ usageLimit }) => usageLimit === 0),
    ['SOLDOUT'],
  )
  assert.deepEqual(
    codes(({ currency }) => currency != null && currency !== shop?.merchant.currency),
    ['TENBUCKS'],
  )
})

test('the named pictures are exactly those that exist', () => {
  const images = products.flatMap((product) => product.images ?? [])
  for (const image of images) assert.ok(image.alt && image.width && image.height, `${image.url} is described`)
  const named = [...images.map((image) => image.url), ...categories.flatMap((category) => category.image ?? [])]
  const there = readdirSync(new URL('media/', import.meta.url)).map((name) => `/media/demo/${name}`)
  assert.deepEqual([...new Set(named)].sort(), there.sort())
})

test('every picture is small, well formed and loads nothing from elsewhere', () => {
  for (const name of readdirSync(new URL('media/', import.meta.url))) {
    const svg = readFileSync(new URL(`media/${name}`, import.meta.url), 'utf8')
    assert.ok(Buffer.byteLength(svg) <= pictureBytesMax, `${name} is ${Buffer.byteLength(svg)} bytes`)
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+" viewBox="/, name)
    assertNested(svg, name)
    assert.doesNotMatch(svg.replace('xmlns="http://www.w3.org/2000/svg"', ''), /https?:|data:|\/\//, name)
    assert.doesNotMatch(svg, /<(script|style|foreignObject|image|text|!|\?)|\son\w+=|NaN|undefined/, name)
    const ids = [...svg.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1])
    assertDistinct(ids)
    for (const match of svg.matchAll(/url\(#([^)]+)\)|href="#([^"]+)"/g))
      assert.ok(ids.includes(match[1] ?? match[2]), `${name} refers to ${match[0]}`)
    for (const match of svg.matchAll(/href="([^"]*)"/g)) assert.match(match[1] ?? '', /^#/, name)
  }
})

// Enough of XML for our own drawings: tags nest and close, attributes are quoted, and nothing but white space lies between.
function assertNested(svg: string, name: string) {
  const open: string[] = []
  const rest = svg.replace(/<(\/?)([a-zA-Z]+)((?:\s[a-zA-Z0-9-]+="[^"<&]*")*)(\/?)>/g, (_, closing, tag, __, empty) => {
    if (closing) assert.equal(open.pop(), tag, `${name} closes what it opened`)
    else if (!empty) open.push(tag)
    return ''
  })
  assert.deepEqual(open, [], `${name} closes everything`)
  assert.equal(rest.trim(), '', `${name} has only elements`)
}

function assertDistinct(values: readonly unknown[]) {
  assert.deepEqual(
    values.filter((value, at) => values.indexOf(value) !== at),
    [],
  )
}

function inRange(value: number, low: number, high: number) {
  return value >= low && value <= high
}
