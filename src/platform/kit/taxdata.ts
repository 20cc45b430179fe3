// Rates of value added tax, proposed to a person who confirms them. They are valid on one day. A shop uses its own table, which this data
// never changes. Pure.

export const taxDataDay = '2026-07-01'
export const taxDataSource =
  'European Commission, Taxes in Europe Database (TEDB); for Great Britain, Switzerland and Norway their tax authorities'

export interface ProposedRate {
  country: string
  class: string
  // Rate in basis points.
  rate: number
}

// Rates in per cent: the standard rate, then the reduced rates from high to low. Rates of single regions are left out. The latest
// changes: EE 13 and 9 since 2025-01-01 and 24 since 2025-07-01; RO 21 and 11 since 2025-08-01 (Law 141/2025); FI 13.5 since 2026-01-01;
// LT 12 and 5 since 2026-01-01 (Law XV-287); AT 4.9 for some foods since 2026-07-01.
// biome-ignore format: a table is read by its rows
const rates: Readonly<Record<string, readonly number[]>> = {
  AT: [20, 13, 10, 4.9],   BE: [21, 12, 6],        BG: [20, 9],             CY: [19, 9, 5, 3],   CZ: [21, 12],
  DE: [19, 7],             DK: [25],               EE: [24, 13, 9],         ES: [21, 10, 4],     FI: [25.5, 13.5, 10],
  FR: [20, 10, 5.5, 2.1],  GR: [24, 13, 6],        HR: [25, 13, 5],         HU: [27, 18, 5],     IE: [23, 13.5, 9, 4.8],
  IT: [22, 10, 5, 4],      LT: [21, 12, 5],        LU: [17, 14, 8, 3],      LV: [21, 12, 5],     MT: [18, 12, 7, 5],
  NL: [21, 9],             PL: [23, 8, 5],         PT: [23, 13, 6],         RO: [21, 11],        SE: [25, 12, 6],
  SI: [22, 9.5, 5],        SK: [23, 19, 5],
  CH: [8.1, 3.8, 2.6],     GB: [20, 5, 0],         NO: [25, 15, 12],
}

const classes = ['standard', 'reduced', 'reduced-2', 'reduced-3'] as const
export const proposedTaxClasses: readonly string[] = classes

export function proposedRates(country: string): ProposedRate[] {
  return (rates[country] ?? []).map((percent, at) => ({
    country,
    class: classes[at] ?? 'standard',
    rate: Math.round(percent * 100),
  }))
}
