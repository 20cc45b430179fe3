import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProductEntry } from '../../contract/entries.ts'
import {
  draftToEntry,
  emptyDraft,
  emptyRow,
  hashDraftParts,
  listDraftDifferences,
  mergeDrafts,
  type ProductDraft,
  parseOptionValues,
  readProductDraft,
  toDraft,
  valuesText,
  withVariants,
} from './product.ts'

const none = { name: '', values: [] }
const size = { name: 'Size', values: ['S', 'M'] }
const draft: ProductDraft = { ...emptyDraft, name: 'Tee', rows: [{ ...emptyRow, code: 'TEE', price: '20.00' }] }
const codes = ({ rows }: ProductDraft) => rows.map(({ code, isSold }) => (isSold ? code : `(${code})`))

function variants(
  of: ProductDraft,
  options: ProductDraft['options'],
  was: ProductDraft['options'] = of.options,
): ProductDraft {
  const made = withVariants({ ...of, options }, was)
  assert.ok(made)
  return made
}

describe('options and variants', () => {
  test('values are separated by commas or by lines, and both are read back unchanged', () => {
    assert.deepEqual(parseOptionValues('S, M ,,L, S'), ['S', 'M', 'L'])
    assert.deepEqual(parseOptionValues('1,5 l\r\n2 l\n'), ['1,5 l', '2 l'])
    for (const values of [['1,5 l'], ['1,5 l', '2 l'], ['S', 'M'], []])
      assert.deepEqual(parseOptionValues(valuesText(values)), values)
  })

  test('each combination of options gets a row, with the price of the first row', () => {
    const made = variants(draft, [size, { name: 'Colour', values: ['Red', 'Blue'] }, none])
    assert.deepEqual(codes(made), ['TEE-S-RED', 'TEE-S-BLUE', 'TEE-M-RED', 'TEE-M-BLUE'])
    assert.ok(made.rows.every(({ price }) => price === '20.00'))
  })

  test('a renamed value keeps its variants, a new value adds variants, and removed variants stay removed', () => {
    const known = { ...variants(draft, [size, none, none]) }
    const rows = known.rows.map((row) => ({ ...row, isKnown: true }))
    const renamed = variants({ ...known, rows }, [{ name: 'Size', values: ['Small', 'M'] }, none, none])
    assert.deepEqual(
      renamed.rows.map(({ code, values }) => `${code} ${values[0]}`),
      ['TEE-S Small', 'TEE-M M'],
    )
    const [first] = rows
    assert.ok(first)
    const more = variants({ ...known, rows: [first] }, [{ name: 'Size', values: ['S', 'M', 'L'] }, none, none])
    assert.deepEqual(codes(more), ['TEE-S', '(TEE-S-M)', 'TEE-S-L'])
    const second = variants({ ...known, rows }, [size, { name: 'Fit', values: ['Slim', 'Wide'] }, none])
    assert.deepEqual(
      second.rows.filter(({ isKnown }) => isKnown).map(({ values }) => values.join(' ')),
      ['S Slim ', 'M Slim '],
    )
    assert.deepEqual(codes(variants({ ...known, rows }, [none, none, none])), ['TEE-S'])
  })

  test('more than 250 variants are refused, and no two variants have the same code', () => {
    const many = { name: 'N', values: Array.from({ length: 16 }, (_, at) => String(at)) }
    assert.equal(withVariants({ ...draft, options: [many, { ...many, name: 'K' }, none] }, draft.options), undefined)
    const alike = variants(draft, [{ name: 'X', values: ['a-b', 'ab'] }, none, none])
    assert.equal(new Set(codes(alike)).size, 2)
  })
})

const entry = {
  slug: 'tee',
  name: 'Tee',
  metadata: { a: 'b' },
  publishedAt: '2026-01-01T00:00:00.000Z',
  options: [size],
  skus: [
    { code: 'S1', name: 'S', options: { Size: 'S' }, price: 2_000, backorder: true, image: '/media/x' },
    { code: 'M1', name: 'Medium cut', options: { Size: 'M' }, price: 2_000, taxClass: 'reduced' },
  ],
}

describe('converting a product to a form and back', () => {
  test('keeps members that the form does not show, and drops a variant name that only repeats its options', () => {
    const shown = toDraft({ product: entry, status: 'published' }, 'EUR')
    assert.deepEqual(shown.shared, {
      backorder: '',
      shipping: 'yes',
      taxClass: '',
      maxPerOrder: '',
      mixed: ['taxClass'],
    })
    const read = draftToEntry(shown, entry, 'EUR')
    assert.ok('entry' in read)
    assert.deepEqual([read.entry.metadata, read.entry.publishedAt], [entry.metadata, entry.publishedAt])
    const [small, medium] = read.entry.skus
    assert.deepEqual([small?.name, small?.backorder, small?.image], [undefined, true, '/media/x'])
    assert.deepEqual([medium?.name, medium?.backorder, medium?.taxClass], ['Medium cut', undefined, 'reduced'])
  })

  test('resets an emptied limit or tax class, and leaves one unchanged that differs between variants', () => {
    const [first, second] = entry.skus
    assert.ok(first && second)
    const saved = (skus: ProductEntry['skus'], typed: Record<string, string>) => {
      const { shared } = toDraft({ product: { ...entry, skus }, status: 'published' }, 'EUR')
      const form = new URLSearchParams({ taxClass: shared.taxClass, maxPerOrder: shared.maxPerOrder, ...typed })
      for (const name of shared.mixed) form.append('mixed', name)
      const read = draftToEntry(
        {
          ...draft,
          rows: toDraft({ product: { ...entry, skus }, status: 'published' }, 'EUR').rows,
          shared: readProductDraft(form).draft.shared,
        },
        { ...entry, skus },
        'EUR',
      )
      assert.ok('entry' in read)
      return read.entry.skus.map(({ maxPerOrder, taxClass }) => [maxPerOrder, taxClass])
    }
    const limited = [
      { ...first, maxPerOrder: 5, taxClass: 'reduced' },
      { ...second, maxPerOrder: 5, taxClass: 'reduced' },
    ]
    assert.deepEqual(saved(limited, {}), [
      [5, 'reduced'],
      [5, 'reduced'],
    ])
    assert.deepEqual(saved(limited, { maxPerOrder: '', taxClass: '' }), [
      [undefined, undefined],
      [undefined, undefined],
    ])
    const different = [
      { ...first, maxPerOrder: 5, taxClass: 'reduced' },
      { ...second, maxPerOrder: 7, taxClass: 'books' },
    ]
    assert.deepEqual(saved(different, {}), [
      [5, 'reduced'],
      [7, 'books'],
    ])
    assert.deepEqual(saved(different, { maxPerOrder: '9' }), [
      [9, 'reduced'],
      [9, 'books'],
    ])
  })

  test('reports invalid values with their row', () => {
    const rows = [
      { ...emptyRow, price: 'x' },
      { ...emptyRow, code: 'A', price: '', weight: 'heavy' },
    ]
    assert.deepEqual(draftToEntry({ ...draft, name: '', rows }, undefined, 'EUR'), {
      problems: {
        '/name': 'needed',
        '/slug': 'needed',
        '/skus/0/code': 'needed',
        '/skus/0/price': 'notMoney',
        '/skus/1/price': 'needed',
        '/skus/1/weightGrams': 'notNumber',
      },
    })
  })

  test('sorts pictures by their positions, without the removed pictures', () => {
    const form = new URLSearchParams({
      'image.0.url': '/media/a',
      'image.0.position': '2',
      'image.1.url': '/media/b',
      'image.1.position': '1',
      'image.2.url': '/media/c',
      'image.2.remove': 'yes',
    })
    assert.deepEqual(
      readProductDraft(form).draft.images.map(({ url }) => url),
      ['/media/b', '/media/a'],
    )
  })
})

test('one price for all is used for each variant without a price', () => {
  const form = new URLSearchParams({ allPrice: '29.90', 'sku.0.price': '', 'sku.1.price': '35', 'sku.2.code': 'C' })
  assert.deepEqual(
    readProductDraft(form).draft.rows.map(({ price }) => price),
    ['29.90', '35', '29.90'],
  )
})

describe('merging two versions of a product', () => {
  const base = toDraft({ product: entry, status: 'published' }, 'EUR')
  const priced = (of: ProductDraft, code: string, price: string): ProductDraft => ({
    ...of,
    rows: of.rows.map((row) => (row.code === code ? { ...row, price } : row)),
  })

  test('asks about members that the other version has changed, and preselects its value if only that version has changed it', () => {
    const mine = { ...base, name: 'My tee', tags: 'mine' }
    const theirs = priced({ ...base, name: 'Their tee' }, 'S1', '25.00')
    const found = listDraftDifferences(mine, theirs, hashDraftParts(base))
    assert.deepEqual(
      found.map(({ member, preset }) => [member, preset]),
      [
        ['name', 'mine'],
        ['sku:S1', 'theirs'],
      ],
    )
    const both = mergeDrafts(mine, theirs, new Set(['sku:S1']))
    assert.deepEqual([both.name, both.tags, both.rows[0]?.price], ['My tee', 'mine', '25.00'])
  })

  test('treats changed options and their variants as one part', () => {
    const theirs = { ...base, options: [{ name: 'Size', values: ['S'] }, none, none], rows: base.rows.slice(0, 1) }
    assert.deepEqual(
      listDraftDifferences(base, theirs, hashDraftParts(base)).map(({ member, preset }) => [member, preset]),
      [['variants', 'theirs']],
    )
    assert.equal(mergeDrafts(base, theirs, new Set(['variants'])).rows.length, 1)
    assert.deepEqual(listDraftDifferences(base, theirs, 'not json').length, 1)
  })
})
