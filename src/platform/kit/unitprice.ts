// The unit price of goods (Directive 98/6/EC, Art. 2(b)): the price per reference amount, such as a kilogram or a litre, computed from
// the price of a SKU and its measure. Pure.

import type { MeasureBase, MeasureUnit } from '../../contract/words.ts'

export interface SkuMeasure {
  amount: number
  unit: MeasureUnit
  // The reference amount of the unit price.
  per: MeasureBase
}

export interface UnitSize {
  kind: 'mass' | 'volume' | 'length' | 'area' | 'count'
  // Size in the smallest unit of the same kind: mg, ml, mm, cm2 or piece.
  size: number
}

// biome-ignore format: a table is read by its rows
export const unitSizes: Readonly<Record<MeasureUnit, UnitSize>> = {
  mg: { kind: 'mass', size: 1 }, g: { kind: 'mass', size: 1_000 }, kg: { kind: 'mass', size: 1_000_000 },
  ml: { kind: 'volume', size: 1 }, cl: { kind: 'volume', size: 10 }, l: { kind: 'volume', size: 1_000 }, m3: { kind: 'volume', size: 1_000_000 },
  mm: { kind: 'length', size: 1 }, cm: { kind: 'length', size: 10 }, m: { kind: 'length', size: 1_000 },
  cm2: { kind: 'area', size: 1 }, m2: { kind: 'area', size: 10_000 },
  piece: { kind: 'count', size: 1 },
}

export interface UnitPriceBase {
  amount: number
  unit: MeasureUnit
}

export const unitPriceBases: Readonly<Record<MeasureBase, UnitPriceBase>> = {
  kg: { amount: 1, unit: 'kg' },
  '100g': { amount: 100, unit: 'g' },
  l: { amount: 1, unit: 'l' },
  '100ml': { amount: 100, unit: 'ml' },
  m3: { amount: 1, unit: 'm3' },
  m: { amount: 1, unit: 'm' },
  m2: { amount: 1, unit: 'm2' },
  piece: { amount: 1, unit: 'piece' },
}

const usualBases: Readonly<Record<UnitSize['kind'], MeasureBase>> = {
  mass: 'kg',
  volume: 'l',
  length: 'm',
  area: 'm2',
  count: 'piece',
}

interface GivenMeasure extends Pick<SkuMeasure, 'amount' | 'unit'> {
  per?: MeasureBase
}

// Adds the usual reference amount if none is given.
export function completeMeasure({ amount, unit, per = usualBases[unitSizes[unit].kind] }: GivenMeasure): SkuMeasure {
  return { amount, unit, per }
}

export function isBaseOf(given: GivenMeasure): boolean {
  const { unit, per } = completeMeasure(given)
  return unitSizes[unit].kind === unitSizes[unitPriceBases[per].unit].kind
}

// Returns the unit price in minor units, with halves rounded up. Returns undefined if it exceeds the largest safe integer, as for a
// milligram of something expensive per kilogram.
export function unitPriceFor({ amount, unit, per }: SkuMeasure, price: number): number | undefined {
  const base = unitPriceBases[per]
  const part = BigInt(price) * BigInt(base.amount) * BigInt(unitSizes[base.unit].size)
  const whole = BigInt(amount) * BigInt(unitSizes[unit].size)
  const rounded = (2n * part + whole) / (2n * whole)
  return rounded > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(rounded)
}

// Returns the measure with the unit price, or null if there is no measure or the price cannot be computed.
export function pricedMeasure(
  measure: SkuMeasure | null | undefined,
  price: number,
): (SkuMeasure & { price: number }) | null {
  if (!measure) return null
  const { amount, unit, per } = measure
  const unitPrice = unitPriceFor(measure, price)
  return unitPrice === undefined ? null : { amount, unit, per, price: unitPrice }
}

// Parses a measure from the database.
export function parseStoredMeasure(text: string | null): SkuMeasure | null {
  return text === null ? null : (JSON.parse(text) as SkuMeasure)
}
