// VAT identification numbers of the member states of the EU, by the formats that the Commission publishes. Pure. The register that a
// number may be in is queried elsewhere (`port.ts`).

export interface VatId {
  // ISO 3166-1 code.
  country: string
  // The number in its usual form: with the prefix of the country, without spaces.
  text: string
  // The number without the prefix.
  number: string
  prefix: string
}

// biome-ignore format: a table is read by its rows
const formats: Readonly<Record<string, string>> = {
  AT: 'U[0-9]{8}',
  BE: '[01][0-9]{9}',
  BG: '[0-9]{9,10}',
  CY: '[0-9]{8}[A-Z]',
  CZ: '[0-9]{8,10}',
  DE: '[0-9]{9}',
  DK: '[0-9]{8}',
  EE: '[0-9]{9}',
  ES: '[A-Z0-9][0-9]{7}[A-Z0-9]',
  FI: '[0-9]{8}',
  FR: '[A-HJ-NP-Z0-9]{2}[0-9]{9}',
  GR: '[0-9]{9}',
  HR: '[0-9]{11}',
  HU: '[0-9]{8}',
  IE: '[0-9]{7}[A-W][A-I]?|[0-9][A-Z+*][0-9]{5}[A-W]',
  IT: '[0-9]{11}',
  LT: '[0-9]{9}|[0-9]{12}',
  LU: '[0-9]{8}',
  LV: '[0-9]{11}',
  MT: '[0-9]{8}',
  NL: '[0-9]{9}B[0-9]{2}',
  PL: '[0-9]{10}',
  PT: '[0-9]{9}',
  RO: '[0-9]{2,10}',
  SE: '[0-9]{12}',
  SI: '[0-9]{8}',
  SK: '[0-9]{10}',
}

const patterns = new Map(Object.entries(formats).map(([country, source]) => [country, new RegExp(`^(?:${source})$`)]))

// Longer than any number, even with spaces and hyphens between its digits.
export const vatIdLengthMax = 30

// Returns undefined if the text is not a VAT number. Accepts grouped digits, and GR in place of EL.
export function vatIdFrom(typed: string): VatId | undefined {
  if (typed.length > vatIdLengthMax) return undefined
  const plain = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s.\-/‐-―]/g, '')
  const written = plain.slice(0, 2)
  const country = written === 'EL' ? 'GR' : written
  const number = plain.slice(2)
  if (!patterns.get(country)?.test(number)) return undefined
  const prefix = country === 'GR' ? 'EL' : country
  return { country, prefix, number, text: prefix + number }
}
