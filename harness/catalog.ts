// A catalog of any size as a Shopify product CSV, the same at every call, for the tests and the benchmark of imports.

export function csvLine(cells: readonly string[], delimiter = ',', lineEnd = '\n'): string {
  return cells.map((cell) => csvCell(cell, delimiter)).join(delimiter) + lineEnd
}

function csvCell(cell: string, delimiter: string): string {
  const needsQuotes = cell.includes(delimiter) || /["\r\n]/.test(cell)
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell
}

const header = [
  'Handle',
  'Title',
  'Body (HTML)',
  'Vendor',
  'Product Category',
  'Type',
  'Tags',
  'Published',
  'Option1 Name',
  'Option1 Value',
  'Option2 Name',
  'Option2 Value',
  'Variant SKU',
  'Variant Grams',
  'Variant Inventory Tracker',
  'Variant Inventory Qty',
  'Variant Inventory Policy',
  'Variant Fulfillment Service',
  'Variant Price',
  'Variant Compare At Price',
  'Variant Requires Shipping',
  'Variant Taxable',
  'Variant Barcode',
  'Image Src',
  'Image Position',
  'Image Alt Text',
  'Gift Card',
  'SEO Title',
  'Variant Image',
  'Variant Weight Unit',
  'Cost per item',
  'Status',
] as const

type Cell = Partial<Record<(typeof header)[number], string>>

const materials = ['Linen', 'Oak', 'Stoneware', 'Wool', 'Copper', 'Glass', 'Leather', 'Cotton', 'Steel', 'Cork']
const things = [
  'Apron',
  'Board',
  'Mug',
  'Scarf',
  'Kettle',
  'Carafe',
  'Pouch',
  'Towel',
  'Knife',
  'Coaster',
  'Bowl',
  'Lamp',
]
const types = ['Kitchen', 'Table', 'Home', 'Garden', 'Wardrobe', 'Bath', 'Travel', 'Studio']
const sizes = ['Small', 'Medium', 'Large', 'Extra Large']

export interface CatalogChoice {
  // The number of the first product.
  first?: number
  // Added to every price, in minor units.
  priceMore?: number
  // At the end of every title.
  titleEnd?: string
}

// One piece for the header, then one for each product of 1 to 4 variants, some with an additional image.
export function* shopifyCsv(products: number, choice: CatalogChoice = {}): Iterable<string> {
  const { first = 1 } = choice
  yield csvLine(header)
  for (let number = first; number < first + products; number++) yield productLines(number, choice)
}

// The same as chunks of bytes, as a file would be read.
export async function* shopifyChunks(products: number, choice: CatalogChoice = {}): AsyncGenerator<Buffer> {
  const chunkBytes = 64 * 1024
  let pieces: string[] = []
  let length = 0
  for (const piece of shopifyCsv(products, choice)) {
    pieces.push(piece)
    length += piece.length
    if (length < chunkBytes) continue
    yield Buffer.from(pieces.join(''))
    pieces = []
    length = 0
  }
  yield Buffer.from(pieces.join(''))
}

// Every fiftieth is not published.
export function isDraft(number: number): boolean {
  return number % 50 === 0
}

export function variantCount(number: number): number {
  return 1 + (number % 4)
}

function productLines(number: number, { priceMore = 0, titleEnd = '' }: CatalogChoice): string {
  const material = pick(materials, number)
  const thing = pick(things, number * 7)
  const handle = `${material}-${thing}-${number}`.toLowerCase()
  const title = `${material} ${thing} No. ${number}${titleEnd}`
  const image = `https://cdn.example.com/catalog/${handle}.jpg`
  const count = variantCount(number)
  const lines: string[] = []
  for (let place = 0; place < count; place++) {
    const price = 500 + ((number * 37 + place * 250) % 20_000) + priceMore
    const variant: Cell = {
      Handle: handle,
      'Option1 Value': count === 1 ? 'Default Title' : pick(sizes, place),
      'Variant SKU': `${number}-${place + 1}`,
      'Variant Grams': String(50 + ((number * 13) % 3_000)),
      'Variant Inventory Tracker': 'shopify',
      'Variant Inventory Qty': String((number * 11 + place) % 200),
      'Variant Inventory Policy': number % 17 === 0 ? 'continue' : 'deny',
      'Variant Fulfillment Service': 'manual',
      'Variant Price': decimal(price),
      'Variant Compare At Price': number % 5 === 0 ? decimal(price + 300) : '',
      'Variant Requires Shipping': 'TRUE',
      'Variant Taxable': 'TRUE',
      'Variant Barcode': String(4_000_000_000_000 + number * 10 + place),
      'Variant Weight Unit': 'g',
      'Cost per item': decimal(Math.floor(price / 3)),
    }
    lines.push(
      lineOf(place > 0 ? variant : { ...variant, ...productCells({ number, material, thing, title, image, count }) }),
    )
  }
  if (number % 3 === 0) {
    lines.push(
      lineOf({
        Handle: handle,
        'Image Src': `${image}?side=back`,
        'Image Position': '2',
        'Image Alt Text': `${title}, back`,
      }),
    )
  }
  return lines.join('')
}

function productCells(product: {
  number: number
  material: string
  thing: string
  title: string
  image: string
  count: number
}): Cell {
  const { number, material, thing, title, image, count } = product
  const substance = material.toLowerCase()
  return {
    Title: title,
    'Body (HTML)':
      `<p>A ${thing.toLowerCase()} of ${substance}, made to be used &mdash; every day, for years.</p>\n` +
      `<ul>\n<li>${100 - (number % 30)}&nbsp;% ${substance}</li>\n<li>Batch ${Math.floor(number / 100)}</li>\n` +
      `<li>Wipe clean, "no soap"</li>\n</ul>\n<p>Ships within ${1 + (number % 5)} days &amp; comes back free of charge.</p>`,
    Vendor: `Workshop ${number % 40}`,
    Type: pick(types, number * 3),
    Tags: `${substance}, ${thing.toLowerCase()}, batch-${Math.floor(number / 1_000)}`,
    Published: 'TRUE',
    'Option1 Name': count === 1 ? 'Title' : 'Size',
    'Image Src': image,
    'Image Position': '1',
    'Image Alt Text': title,
    'Gift Card': 'FALSE',
    'SEO Title': `${title} | Workshop ${number % 40}`,
    Status: isDraft(number) ? 'draft' : 'active',
  }
}

function lineOf(cells: Cell): string {
  return csvLine(header.map((name) => cells[name] ?? ''))
}

function decimal(minor: number): string {
  return `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
}

function pick(words: readonly string[], number: number): string {
  return words[number % words.length] ?? ''
}
