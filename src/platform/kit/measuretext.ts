// Measures of SKUs as people type them and as files of Shopify and Google contain them: an amount and a unit, and the reference amount
// and unit of the unit price. Pure.

import { limits } from '../../contract/limits.ts'
import { type MeasureUnit, measureBases, measureUnits } from '../../contract/words.ts'
import {
  completeMeasure,
  isBaseOf,
  type SkuMeasure,
  type UnitPriceBase,
  unitPriceBases,
  unitSizes,
} from './unitprice.ts'

// Names by which supported units are found. US customary units are not supported.
const unitNames: ReadonlyMap<string, MeasureUnit> = new Map([
  ...measureUnits.map((unit): [string, MeasureUnit] => [unit, unit]),
  ['m²', 'm2'],
  ['cm²', 'cm2'],
  ['sqm', 'm2'],
  ['m³', 'm3'],
  ['cbm', 'm3'],
  ['ct', 'piece'],
  ['item', 'piece'],
  ['sheet', 'piece'],
  ['pc', 'piece'],
  ['pcs', 'piece'],
  ['pieces', 'piece'],
  ['stk', 'piece'],
  ['stück', 'piece'],
])

export interface MeasureTexts {
  amount: string
  unit: string
  // Empty if the text has no reference.
  baseAmount: string
  baseUnit: string
}

// `hasOtherBase`: the reference is not supported, and the usual one is used instead. Returns undefined if the amount or its unit cannot
// be parsed.
export function readMeasure(texts: MeasureTexts): { measure: SkuMeasure; hasOtherBase: boolean } | undefined {
  const content = wholeAmount(texts.amount, texts.unit)
  if (!content) return undefined
  const usual = { measure: completeMeasure(content), hasOtherBase: false }
  if (texts.baseAmount === '' && texts.baseUnit === '') return usual
  const base = wholeAmount(texts.baseAmount || '1', texts.baseUnit)
  const per = measureBases.find(
    (name) => base && sizeOf(unitPriceBases[name]) === sizeOf(base) && isSameKind(unitPriceBases[name], base),
  )
  const measure = { ...content, per: per ?? usual.measure.per }
  return per !== undefined && isBaseOf(measure) ? { measure, hasOtherBase: false } : { ...usual, hasOtherBase: true }
}

// Returns the amount in the given unit, or in the largest smaller unit in which it is an integer: 0.75 l are 75 cl.
function wholeAmount(text: string, unitText: string): UnitPriceBase | undefined {
  const unit = unitNames.get(unitText.toLowerCase())
  const [, whole = '', part = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? []
  if (unit === undefined || whole === '') return undefined
  const divisor = 10n ** BigInt(part.length)
  const scaled = BigInt(whole + part) * BigInt(unitSizes[unit].size)
  const smaller = measureUnits
    .filter((one) => unitSizes[one].kind === unitSizes[unit].kind && unitSizes[one].size < unitSizes[unit].size)
    .sort((one, other) => unitSizes[other].size - unitSizes[one].size)
  for (const one of [unit, ...smaller]) {
    const parts = divisor * BigInt(unitSizes[one].size)
    if (scaled % parts !== 0n) continue
    const amount = Number(scaled / parts)
    return amount >= 1 && amount <= limits.measureAmountMax ? { amount, unit: one } : undefined
  }
  return undefined
}

function sizeOf({ amount, unit }: UnitPriceBase): number {
  return amount * unitSizes[unit].size
}

function isSameKind(one: UnitPriceBase, other: UnitPriceBase): boolean {
  return unitSizes[one.unit].kind === unitSizes[other.unit].kind
}

type Target = 'shopify' | 'google'

// Units that a format names differently, and units that it does not have, whose amounts are divided and written in a larger unit.
const written: Readonly<Record<Target, Partial<Record<MeasureUnit, { name: string; divisor?: number }>>>> = {
  shopify: { cm2: { name: 'm2', divisor: 10_000 }, piece: { name: 'item' } },
  google: {
    mm: { name: 'cm', divisor: 10 },
    cm2: { name: 'sqm', divisor: 10_000 },
    m2: { name: 'sqm' },
    m3: { name: 'cbm' },
    piece: { name: 'ct' },
  },
}

export function measureTexts({ amount, unit, per }: SkuMeasure, target: Target): MeasureTexts {
  const content = inUnits({ amount, unit }, target)
  const base = inUnits(unitPriceBases[per], target)
  return { amount: content.amount, unit: content.unit, baseAmount: base.amount, baseUnit: base.unit }
}

function inUnits({ amount, unit }: UnitPriceBase, target: Target): { amount: string; unit: string } {
  const { name, divisor = 1 } = written[target][unit] ?? { name: unit }
  // Rounding to four decimals is exact for amounts below 10^9.
  return { amount: String(Number((amount / divisor).toFixed(4))), unit: name }
}

// Parses "250 g", "0,75 l", or with the reference of the unit price "250 g / 100 g".
export function typedMeasure(text: string): SkuMeasure | undefined {
  const [, amount = '', unit = '', baseAmount = '', baseUnit = ''] = typedExpression.exec(text.trim()) ?? []
  const read = readMeasure({ amount: amount.replace(',', '.'), unit, baseAmount, baseUnit })
  return read?.hasOtherBase === false ? read.measure : undefined
}

const typedExpression =
  /^(\d{1,9}(?:[.,]\d{1,9})?) ?(\p{L}[\p{L}\d²³]{0,9})(?: ?\/ ?(\d{0,4}) ?(\p{L}[\p{L}\d²³]{0,9}))?$/u

export function measureText(measure: SkuMeasure): string {
  const isUsual = completeMeasure({ amount: measure.amount, unit: measure.unit }).per === measure.per
  return isUsual ? amountText(measure) : `${amountText(measure)} / ${amountText(unitPriceBases[measure.per])}`
}

const signs: Partial<Record<MeasureUnit, string>> = { m2: 'm²', cm2: 'cm²', m3: 'm³', piece: 'pcs' }

function amountText({ amount, unit }: UnitPriceBase): string {
  return `${amount} ${signs[unit] ?? unit}`
}
