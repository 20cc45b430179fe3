// A product export as Shopify writes it today (https://help.shopify.com/en/manual/products/import-export/using-csv, 2026), of as many products
// as asked for: columns of a real one, rows of variants and of further pictures, HTML of its editor, and what old shops gather.

export interface ExportedProduct {
  handle: string
  title: string
  vendor: string
  isPublished: boolean
  tags: readonly string[]
  // A word of the description that stands between its markup.
  mark: string
  // Paths of pictures, in order.
  pictures: readonly string[]
  variants: readonly ExportedVariant[]
}

export interface ExportedVariant {
  sku: string
  options: readonly string[]
  priceMinor: number
  compareAtMinor: number | null
  // null: not counted.
  stock: number | null
  grams: number
  // A GTIN, or empty.
  barcode: string
  // The path of its own picture, or null.
  picture: string | null
}

interface Dice {
  below(count: number): number
  pick<Value>(values: readonly Value[]): Value
}

export interface ShopifyExport {
  text: string
  products: readonly ExportedProduct[]
  // How wide each picture is, by its path. No two are alike.
  widths: ReadonlyMap<string, number>
}

export const shopifyCdn = 'https://cdn.shopify.com'

const columns = [
  ...['Handle', 'Title', 'Body (HTML)', 'Vendor', 'Product Category', 'Type', 'Tags', 'Published'],
  ...['Option1 Name', 'Option1 Value', 'Option1 Linked To', 'Option2 Name', 'Option2 Value', 'Option2 Linked To'],
  ...['Option3 Name', 'Option3 Value', 'Option3 Linked To', 'Variant SKU', 'Variant Grams'],
  ...['Variant Inventory Tracker', 'Variant Inventory Qty', 'Variant Inventory Policy', 'Variant Fulfillment Service'],
  ...['Variant Price', 'Variant Compare At Price', 'Variant Requires Shipping', 'Variant Taxable'],
  ...['Unit Price Total Measure', 'Unit Price Total Measure Unit', 'Unit Price Base Measure'],
  ...['Unit Price Base Measure Unit', 'Variant Barcode', 'Image Src', 'Image Position', 'Image Alt Text', 'Gift Card'],
  ...['SEO Title', 'SEO Description', 'Color (product.metafields.shopify.color-pattern)', 'Variant Image'],
  ...['Variant Weight Unit', 'Variant Tax Code', 'Cost per item', 'Status'],
] as const

type Row = Partial<Record<(typeof columns)[number], string>>

const things = ['Apron', 'Bowl', 'Candle', 'Jumper', 'Lamp', 'Mug', 'Notebook', 'Rug', 'Scarf', 'Tote', 'Vase', 'Wrap']
const makes = ['Washed', 'Hand-thrown', 'Organic', 'Big', 'Thé & Cie', 'Größe', '抹茶', 'Crème', 'Everyday', '“Sunday”']
const vendors = ['Hollow & Oak', 'Maison Lümen', 'Nordlys', "O'Hara"]
const colours = ['Sand', 'Ink', 'Moss', 'Rust', 'Off-white', 'Bleu nuit']
const sizes = ['XS', 'S', 'M', 'L', 'XL', '38/40']
const types = [
  { type: 'Aprons', category: 'Home & Garden > Kitchen & Dining > Aprons' },
  { type: 'Tableware', category: 'Home & Garden > Kitchen & Dining > Tableware' },
  { type: '', category: '' },
]

export function shopifyExport(count: number, drawn: () => number): ShopifyExport {
  const random = diceOf(drawn)
  const rows: Row[] = []
  const products: ExportedProduct[] = []
  const widths = new Map<string, number>()
  for (let index = 0; index < count; index += 1) {
    const { product, rows: own } = productOf(index, random, (path) => widths.set(path, 100 + widths.size))
    products.push(product)
    rows.push(...own)
  }
  const lines = [columns.join(','), ...rows.map((row) => columns.map((name) => cell(row[name] ?? '')).join(','))]
  return { text: `${lines.join('\n')}\n`, products, widths }
}

function productOf(index: number, random: Dice, addPicture: (path: string) => void) {
  const title = `${random.pick(makes)} ${random.pick(things)} ${index + 1}`
  const handle = handleOf(title, index)
  const mark = `mark${index}x`
  const { type, category } = random.pick(types)
  const tags = [
    ...new Set(Array.from({ length: random.below(4) }, () => random.pick(['gift', 'Winter 24', 'sale', 'eco']))),
  ]
  const isPublished = random.below(10) > 0
  const status = isPublished ? 'active' : random.pick(['draft', 'archived'])
  const pictures = Array.from({ length: random.below(7) }, (_, at) => {
    const path = `/s/files/1/0512/8377/files/${handle.replaceAll('%', '')}-${at + 1}.${random.pick(['jpg', 'png', 'webp'])}?v=17${index}`
    addPicture(path)
    return path
  })
  const names = optionNames(random)
  const variants = variantsOf({ index, names, pictures, random })
  const vendor = random.pick(vendors)
  const first: Row = {
    ...{ Title: title, 'Body (HTML)': bodyOf(mark, random), Vendor: vendor, 'Product Category': category },
    ...{ Type: type, Tags: tags.join(', '), Published: isPublished ? 'true' : 'false', 'Gift Card': 'false' },
    ...{ 'SEO Title': `${title} | Shop`, Status: status },
    ...Object.fromEntries((names.length > 0 ? names : ['Title']).map((name, at) => [`Option${at + 1} Name`, name])),
  }
  const rows: Row[] = Array.from({ length: Math.max(variants.length, pictures.length) }, (_, at) => ({
    Handle: handle,
    ...(at === 0 && first),
    ...rowOfVariant(variants[at], names),
    ...rowOfPicture(pictures[at], at, title),
  }))
  return { product: { handle, title, vendor, isPublished, tags, mark, pictures, variants }, rows }
}

// Shopify keeps letters of any script in a handle; older shops have capitals and underscores.
function handleOf(title: string, index: number): string {
  const plain = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return index % 9 === 0 ? plain.replaceAll('-', '_').toUpperCase() : plain.replaceAll(/^-|-$/g, '')
}

function optionNames(random: Dice): string[] {
  return random.pick([[], ['Color'], ['Color', 'Size'], ['Size', 'Color', 'Finish']])
}

interface VariantsOf {
  index: number
  names: readonly string[]
  pictures: readonly string[]
  random: Dice
}

function variantsOf({ index, names, pictures, random }: VariantsOf): ExportedVariant[] {
  const values = names.map((name) =>
    (name === 'Size' ? sizes : colours).slice(0, 1 + random.below(name === 'Finish' ? 2 : 4)),
  )
  const combinations = values.reduce<string[][]>(
    (all, own) => all.flatMap((one) => own.map((value) => [...one, value])),
    [[]],
  )
  return combinations.map((options, at) => {
    const priceMinor = 500 + random.below(20_000)
    const isReduced = random.below(5) === 0
    return {
      sku: random.pick(['', `SH-${index}-${at}`, `SH-${index}-${at}`, `00${index}${String(at).padStart(3, '0')}`]),
      options,
      priceMinor,
      compareAtMinor: isReduced ? priceMinor + 1_000 : null,
      stock: random.below(6) === 0 ? null : random.below(200),
      grams: random.below(4_000),
      barcode: random.below(2) === 0 ? '' : gtin(index * 100 + at),
      picture: pictures.length > 0 && random.below(3) === 0 ? random.pick(pictures) : null,
    }
  })
}

function rowOfVariant(variant: ExportedVariant | undefined, names: readonly string[]): Row {
  if (!variant) return {}
  const { sku, options, priceMinor, compareAtMinor, stock, grams, barcode, picture } = variant
  const shown = names.length > 0 ? options : ['Default Title']
  return {
    ...Object.fromEntries(shown.map((value, at) => [`Option${at + 1} Value`, value])),
    // An apostrophe keeps spreadsheets from dropping zeros at the beginning.
    ...{
      'Variant SKU': sku.startsWith('0') ? `'${sku}` : sku,
      'Variant Grams': `${grams}.0`,
      'Variant Barcode': barcode && `'${barcode}`,
    },
    'Variant Inventory Tracker': stock === null ? '' : 'shopify',
    ...(stock !== null && { 'Variant Inventory Qty': String(stock) }),
    ...{ 'Variant Inventory Policy': 'deny', 'Variant Fulfillment Service': 'manual' },
    ...{ 'Variant Price': amount(priceMinor), 'Variant Requires Shipping': 'true', 'Variant Taxable': 'true' },
    ...(compareAtMinor !== null && { 'Variant Compare At Price': amount(compareAtMinor) }),
    ...{ 'Variant Weight Unit': 'g', 'Cost per item': amount(Math.floor(priceMinor / 3)) },
    ...(picture !== null && { 'Variant Image': shopifyCdn + picture }),
  }
}

function rowOfPicture(path: string | undefined, at: number, title: string): Row {
  if (path === undefined) return {}
  return { 'Image Src': shopifyCdn + path, 'Image Position': String(at + 1), 'Image Alt Text': at === 0 ? title : '' }
}

function bodyOf(mark: string, random: Dice): string {
  return random.pick([
    `<meta charset="utf-8"><p data-mce-fragment="1"><span>Made of <strong>${mark}</strong>,&nbsp;washed twice.</span></p>\n<ul>\n<li>40 &times; 25&nbsp;cm</li>\n<li>Care: <em>30&deg;</em></li>\n</ul>`,
    `<div style="text-align: left;"><h2>Details</h2><p>"${mark}", they said.<br>Then it was packed, in paper.</p><table><tbody><tr><td>Weight</td><td>1,2 kg</td></tr></tbody></table></div>`,
    `<p>${mark}</p>\n<p><img src="https://cdn.shopify.com/s/files/1/inline.png" alt=""></p><script>track("${mark}")</script>`,
    `${mark}, plain and short.`,
  ])
}

function amount(minor: number): string {
  return (minor / 100).toFixed(2)
}

function gtin(number: number): string {
  const digits = `400${String(number).padStart(9, '0')}`
  const sum = [...digits].reduce((all, digit, at) => all + Number(digit) * (at % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function diceOf(drawn: () => number): Dice {
  const below = (count: number) => Math.floor(drawn() * count)
  // The casts say that no list here is empty.
  return { below, pick: <Value>(values: readonly Value[]) => values[below(values.length)] as Value }
}
