// Converts a Google product feed in RSS or Atom to rows with a header, like those of a text feed. `google.ts` reads both.

import { remark } from '../../../contract/remarks.ts'
import { type CsvRow, FileError, guardFormula } from '../csv.ts'
import { readXml } from '../xml.ts'
import { columnName, heldCharactersMax, heldMebibytesMax, heldRowsMax } from './format.ts'
import {
  optionDetails,
  optionsSection,
  ownNamespace,
  productTypePath,
  wholeBrand,
  wholeCode,
  wholeSlug,
} from './google.ts'

// Columns that the header always has, since a file is recognized as a feed by them.
const always = ['id', 'title', 'price', 'availability'] as const
// biome-ignore format: a list of words
const read = new Set<string>([
  ...always, 'description', 'item group id', 'sale price', 'brand', 'gtin', 'product type', 'color', 'size', 'material', 'pattern',
  'image link', 'additional image link', 'shipping weight', 'unit pricing measure', 'unit pricing base measure',
])
// More elements than an item can have. A file with so many elements and no item is refused as not being a feed.
const elementsMax = 10_000
const roots = new Set(['rss', 'feed', 'rdf'])
const namespace = /^https?:\/\/base\.google\.com\/ns\/1\.0\/?$/

const wordpressExport = 'http://wordpress.org/export/'

interface Item {
  line: number
  depth: number
  cells: Map<string, string>
  // The open `product_detail` element.
  detail: Map<string, string> | undefined
}

// The whole file is read before the first row is yielded, since the header has the columns of all items.
export async function* readFeed(texts: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const items: Item[] = []
  const prefixes = new Set(['', 'g'])
  const ownPrefixes = new Set<string>()
  const columns = new Set<string>(always)
  let depth = 0
  let item: Item | undefined
  let member: string | undefined
  let text = ''
  let characters = 0
  // Number of elements since the last item that was not empty.
  let elements = 0

  for await (const token of readXml(texts)) {
    if (token.kind === 'text') {
      if (member !== undefined) text += token.text
      continue
    }
    const [prefix, local] = partsOf(token.name)
    if (token.kind === 'start') {
      depth += 1
      elements += 1
      if (elements > elementsMax) throw new FileError(token.line, remark('too_many_elements', { max: elementsMax }))
      if (depth === 1 && !roots.has(local))
        throw new FileError(token.line, remark('not_a_feed', { element: token.name.slice(0, 40) }))
      for (const [name, value] of token.attributes) {
        if (!name.startsWith('xmlns:')) continue
        const declared = name.slice('xmlns:'.length).toLowerCase()
        if (value.startsWith(wordpressExport)) throw new FileError(token.line, remark('wordpress_export'))
        if (namespace.test(value)) prefixes.add(declared)
        if (value === ownNamespace) ownPrefixes.add(declared)
      }
      if (!item && (local === 'item' || local === 'entry')) {
        item = { line: token.line, depth, cells: new Map(), detail: undefined }
      } else if (item && depth === item.depth + 1 && prefixes.has(prefix) && columnName(local) === 'product detail') {
        item.detail = new Map()
      } else if (item && depth === item.depth + (item.detail ? 2 : 1)) {
        member = prefixes.has(prefix)
          ? (item.detail ? detailMemberOf : memberOf)(local)
          : ownPrefixes.has(prefix) && !item.detail
            ? ownMembers.get(local)
            : undefined
        text = ''
      }
      continue
    }
    if (item?.detail && depth === item.depth + 2 && member !== undefined) {
      // Rows separate name and value by a tab, and options by a line break, so both are removed from the text.
      item.detail.set(member, text.replaceAll(/[\t\r\n]+/g, ' ').trim())
      member = undefined
    } else if (item?.detail && depth === item.depth + 1) {
      const option = optionIn(item.detail)
      if (option !== undefined) {
        const before = item.cells.get(optionDetails)
        item.cells.set(optionDetails, before === undefined ? option : `${before}\n${option}`)
        characters += option.length
        columns.add(optionDetails)
      }
      item.detail = undefined
    } else if (item && depth === item.depth + 1 && member !== undefined) {
      const before = item.cells.get(member)
      const cell = cellOf(before, text.trim(), member)
      characters += cell.length - (before?.length ?? 0)
      item.cells.set(member, cell)
      columns.add(member)
      member = undefined
    } else if (item && depth === item.depth) {
      if (item.cells.size > 0) {
        items.push(item)
        elements = 0
      }
      item = undefined
    }
    depth -= 1
    if (items.length > heldRowsMax || characters > heldCharactersMax)
      throw new FileError(token.line, remark('feed_too_large', { max: heldRowsMax, mebibytes: heldMebibytesMax }))
  }

  const names = [...columns]
  yield { line: 1, cells: names.map((name) => (name === 'product type' ? productTypePath : name)) }
  for (const { line, cells } of items) yield { line, cells: names.map((name) => guardFormula(cells.get(name) ?? '')) }
}

function partsOf(name: string): [prefix: string, local: string] {
  const [first = '', second] = name.toLowerCase().split(':', 2)
  return second === undefined ? ['', first] : [first, second]
}

const ownMembers: ReadonlyMap<string, string> = new Map([
  ['slug', wholeSlug],
  ['code', wholeCode],
  ['brand', wholeBrand],
])

const detailMembers = ['section name', 'attribute name', 'attribute value']

function detailMemberOf(local: string): string | undefined {
  const name = columnName(local)
  return detailMembers.includes(name) ? name : undefined
}

// Returns undefined for details that are not options.
function optionIn(detail: ReadonlyMap<string, string>): string | undefined {
  const [section, name, value] = detailMembers.map((member) => detail.get(member))
  return section === optionsSection && name && value ? `${name}\t${value}` : undefined
}

// Atom uses other names for the description.
function memberOf(local: string): string | undefined {
  const name = columnName(local)
  if (name === 'summary' || name === 'content') return 'description'
  return read.has(name) ? name : undefined
}

// Pictures are collected into a list; of every other member the first text that is not empty is used.
function cellOf(before: string | undefined, text: string, member: string): string {
  if (before === undefined || before === '') return text
  return member === 'additional image link' && text !== '' ? `${before}, ${text}` : before
}
