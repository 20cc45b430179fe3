// Suggests the meaning of a column by its name, for a file of an unknown system, in the languages of the dashboard and of WooCommerce. A
// person confirms the suggestion. Pure.

import { type AdminFileColumn, fileColumnsMax } from '../../../contract/admin/transfers.ts'
import type { ColumnMeaning } from '../../../contract/words.ts'
import type { CsvRow } from '../csv.ts'
import { type AssignedColumn, countMaxOf } from './assigned.ts'
import { columnName } from './format.ts'
import { wooColumns, wooWords } from './woowords.ts'

const samplesMax = 3
const sampleLengthMax = 100
const nameLengthMax = 200

// biome-ignore format: a table reads best by its rows
const own: Partial<Record<ColumnMeaning, string>> = {
  title: 'title|name|product name|product|item name|bezeichnung|artikelbezeichnung|artikelname|produktname|produkt|titel|designation|libellé',
  price: 'price|unit price|retail price|price gross|gross price|preis|vk|vk preis|vk brutto|verkaufspreis|bruttopreis|preis brutto|prix|precio|prijs',
  sku: 'sku|item number|item no|item no.|article number|product code|part number|artikelnummer|artikel-nr.|artikel-nr|artikelnr.|artikelnr|art.-nr.|art-nr|artnr|référence',
  product: 'parent|parent sku|group|item group|product id|handle|hauptartikel|vaterartikel|elternartikel|gruppe',
  option: 'size|colour|color|material|größe|groesse|farbe|variante|variant|taille|couleur',
  compareAtPrice: 'compare at price|list price|msrp|rrp|uvp|listenpreis|statt preis|alter preis',
  quantity: 'quantity|qty|stock|in stock|inventory|on hand|menge|bestand|lagerbestand|lager|anzahl|stück|quantité|cantidad',
  description: 'description|long description|beschreibung|langtext|artikelbeschreibung|text',
  brand: 'brand|vendor|manufacturer|marke|hersteller|lieferant|marque|fabricant',
  category: 'category|categories|product type|type|kategorie|kategorien|warengruppe|artikelgruppe|rubrik|catégorie',
  tags: 'tags|keywords|schlagworte|schlagwörter|stichworte|stichwörter',
  barcode: 'barcode|ean|ean13|ean code|gtin|upc|isbn|strichcode',
  weightGrams: 'weight (g)|weight g|weight in g|grams|gewicht (g)|gewicht g|gewicht in g',
  weightKilograms: 'weight (kg)|weight kg|weight in kg|gewicht (kg)|gewicht kg|gewicht in kg',
  picture: 'image|image url|picture|picture url|photo|bild|bild url|bild-url|bildurl|foto|images|bilder',
}

const meaningOfWoo: ReadonlyMap<string, ColumnMeaning> = new Map([
  ['sku', 'sku'],
  ['gtin, upc, ean, or isbn', 'barcode'],
  ['name', 'title'],
  ['description', 'description'],
  ['stock', 'quantity'],
  ['regular price', 'price'],
  ['categories', 'category'],
  ['tags', 'tags'],
  ['images', 'picture'],
  ['parent', 'product'],
  ['brands', 'brand'],
])

const meaningByName: ReadonlyMap<string, ColumnMeaning> = new Map([
  ...Object.values(wooWords).flatMap((row) =>
    row.flatMap((words, index) => {
      const meaning = meaningOfWoo.get(wooColumns[index] ?? '')
      return meaning === undefined ? [] : words.split('|').map((word) => [word, meaning] as const)
    }),
  ),
  ...Object.entries(own).flatMap(([meaning, words]) =>
    words.split('|').map((word) => [word, meaning as ColumnMeaning] as const),
  ),
])

// Leaves out columns without a name, and columns whose name occurred before.
export function fileColumnsOf(header: readonly string[], rows: readonly CsvRow[]): AdminFileColumn[] {
  const met = new Set<string>()
  const counts = new Map<ColumnMeaning, number>()
  const columns: AdminFileColumn[] = []
  for (const [place, text] of header.entries()) {
    const name = text.trim().slice(0, nameLengthMax).toWellFormed()
    if (columnName(name) === '' || met.has(columnName(name)) || columns.length === fileColumnsMax) continue
    met.add(columnName(name))
    const guessed = meaningByName.get(columnName(name).replace(/\s*[[(](?:€|eur|\$|usd|£|gbp|brutto|gross)[\])]$/, ''))
    const count = guessed === undefined ? 0 : (counts.get(guessed) ?? 0)
    const as = guessed !== undefined && count < countMaxOf(guessed) ? guessed : null
    if (as !== null) counts.set(as, count + 1)
    columns.push({ name, samples: samplesOf(rows, place), as })
  }
  return columns
}

export function withAssigned(
  columns: readonly AdminFileColumn[],
  assigned: readonly AssignedColumn[],
): AdminFileColumn[] {
  const meanings = new Map(assigned.map(({ column, as }) => [columnName(column), as]))
  return columns.map((column) => ({ ...column, as: meanings.get(columnName(column.name)) ?? null }))
}

function samplesOf(rows: readonly CsvRow[], place: number): string[] {
  const texts = rows.map(({ cells }) => (cells[place] ?? '').replace(/[\s\p{C}]+/gu, ' ').trim())
  return [...new Set(texts.filter((text) => text !== ''))]
    .slice(0, samplesMax)
    .map((text) => text.slice(0, sampleLengthMax).toWellFormed())
}
