// An address as lines of a label, in the order of its country. Pure.

import type { Address } from '../../contract/open/carts.ts'
import { formatFor } from './formats.ts'
import { findLocalRegionName, regionsFor } from './regions.ts'

// A layout has a line for each |. %N name, %O company, %A street lines, %C city, %Z postal code, %R the name of the region, and %S its
// code, for countries whose post writes the code. A missing part is left out together with the text before it.
const person = '%N|%O|%A|'
const codeThenCity = '%Z %C'

// Lines of the city in countries that use neither the line "postal code, city" nor a line below it for the region, by the addressing
// guides of the Universal Postal Union.
const places: Readonly<Record<string, string>> = {
  AE: '%C|%R',
  AU: '%C %S %Z',
  BR: '%C-%S|%Z',
  CA: '%C %S %Z',
  CN: '%C|%R, %Z',
  CO: '%C, %R, %Z',
  EG: '%C|%R|%Z',
  GB: '%C|%R|%Z',
  GG: '%C|%Z',
  GI: '%C|%Z',
  HK: '%C|%R',
  ID: '%C|%R %Z',
  IE: '%C|%R|%Z',
  IL: '%C %Z',
  IM: '%C|%Z',
  IN: '%C %Z|%R',
  IT: '%Z %C %S',
  JE: '%C|%Z',
  JP: '%C, %R|%Z',
  KE: '%C|%Z',
  KR: '%C|%R|%Z',
  LV: '%R|%C, %Z',
  MT: '%C %Z',
  MX: '%Z %C, %R',
  NG: '%C %Z|%R',
  NZ: '%C %Z',
  PH: '%C|%Z %R',
  PR: '%C PR %Z',
  RO: '%Z %R %C',
  SA: '%C %Z',
  SG: '%C %Z',
  TH: '%C|%R %Z',
  TR: '%Z %C/%R',
  TW: '%C, %R %Z',
  UA: '%C|%R|%Z',
  US: '%C %S %Z',
  VN: '%C|%R %Z',
  ZA: '%C|%Z',
}

// Layouts of whole addresses: `wholes` for every script, `localWholes` for addresses in the country's own script.
const wholes: Readonly<Record<string, string>> = { HU: '%N|%O|%C|%A|%Z' }
const localWholes: Readonly<Record<string, string>> = {
  CN: '%Z|%R%C|%A|%O|%N',
  JP: '〒%Z|%R%C|%A|%O|%N',
  KR: '%R %C|%A|%O|%N|%Z',
  TW: '%Z|%R%C|%A|%O|%N',
}

export function addressLayoutFor(country: string, isLocalScript: boolean): string {
  const whole = (isLocalScript ? localWholes[country] : undefined) ?? wholes[country]
  return whole ?? `${person}${places[country] ?? usualPlace(country)}`
}

// Derives the line of the city from the order of the form's fields.
function usualPlace(country: string): string {
  const { fields, region } = formatFor(country)
  const names = fields.map(({ name }) => name)
  const code = names.indexOf('postalCode')
  const place = code === -1 ? '%C' : code < names.indexOf('city') ? codeThenCity : '%C %Z'
  return region.need === 'none' ? place : `${place}|%R`
}

// Returns the lines of the label. `country`, if passed, is written unchanged on the last line.
export function addressLines(address: Address, country = ''): string[] {
  const { name, company, line1, line2, city, region = '', postalCode } = address
  const isLocal = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(city + line1)
  const regionName = regionNameOf(address, isLocal)
  const values: Readonly<Record<string, readonly (string | undefined)[]>> = {
    N: [name],
    O: [company],
    A: [line1, line2],
    C: [city],
    Z: [postalCode],
    S: [region],
    // A city that is its own region is written once.
    R: [regionName === city ? '' : regionName],
  }
  const lines = addressLayoutFor(address.country, isLocal)
    .split('|')
    .flatMap((line) => (line === '%A' ? (values.A ?? []) : lineOf(line, values)))
  return [...lines, country].filter((line): line is string => Boolean(line))
}

function lineOf(layout: string, values: Readonly<Record<string, readonly (string | undefined)[]>>): string {
  let line = ''
  for (const { 1: before = '', 2: letter = '', index } of layout.matchAll(/([^%]*)%(.)/g)) {
    const value = values[letter]?.[0]
    if (value) line += (line !== '' || index === 0 ? before : '') + value
  }
  return line
}

function regionNameOf({ country, region = '' }: Address, isLocal: boolean): string {
  const local = isLocal ? findLocalRegionName(country, region) : undefined
  if (local !== undefined) return local
  return regionsFor(country)?.find(({ code }) => code === region)?.name ?? region
}
