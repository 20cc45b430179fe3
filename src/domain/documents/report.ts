// The tax report: the sums of the documents of some days, by country and rate.

import type { AdminTaxReport, AdminTaxRow } from '../../contract/admin/documents.ts'
import { type BrokenRule, issue } from '../../contract/issues.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { type Day, dayAt, daysBetween, isDay, startOfPeriod } from '../reports/days.ts'
import { findSellerOfSales } from '../reports/store.ts'
import { countDocumentsOfDays, sumTaxes, type TaxRow } from './store.ts'

const daysMax = 1_000

export interface TaxDays {
  from: Day
  to: Day
  currency: string
  timeZone: string
}

export async function findTaxDays(
  db: Reader,
  merchantId: string,
  asked: { from?: Day; to?: Day },
  now: Date,
): Promise<TaxDays> {
  const seller = await findSellerOfSales(db, merchantId)
  if (!seller) throw new Error(`merchant ${merchantId} does not exist`)
  const { to = dayAt(now.getTime(), seller.timeZone) } = asked
  if (!isDay(to)) throw refusedDay('to', issue('not_a_day'))
  const { from = startOfPeriod(to, 'month') } = asked
  if (!isDay(from)) throw refusedDay('from', issue('not_a_day'))
  const days = daysBetween(from, to)
  if (days < 1) throw refusedDay('from', issue('after_last_day'))
  if (days > daysMax) throw refusedDay('from', issue('too_many_days', { max: daysMax - 1 }))
  return { from, to, ...seller }
}

// A DATEV posting has only day and month; its year is that of the batch.
export function refuseOtherYear({ from, to }: Pick<TaxDays, 'from' | 'to'>): void {
  const year = to.slice(0, 4)
  if (from.slice(0, 4) === year) return
  throw refusedDay('from', issue('too_many_days', { max: daysBetween(`${year}-01-01`, to) - 1 }))
}

function refusedDay(member: 'from' | 'to', rule: BrokenRule) {
  return refuse('invalid_request', { issues: [{ path: `/query/${member}`, ...rule }] })
}

export async function findTaxReport(
  db: Reader,
  seller: MerchantMode,
  asked: { from?: Day; to?: Day },
  now: Date,
): Promise<AdminTaxReport> {
  const { from, to, currency, timeZone } = await findTaxDays(db, seller.merchantId, asked, now)
  const rows = taxRows(await sumTaxes(db, seller, { currency, from, to }))
  const sum = (of: (row: AdminTaxRow) => number) => rows.reduce((whole, row) => whole + of(row), 0)
  return {
    from,
    to,
    timeZone,
    currency,
    documents: await countDocumentsOfDays(db, seller, { from, to }),
    rows,
    sum: { net: sum(({ net }) => net), tax: sum(({ tax }) => tax), total: sum(({ total }) => total) },
  }
}

function taxRows(sums: readonly TaxRow[]): AdminTaxRow[] {
  const rows = new Map<string, AdminTaxRow>()
  for (const { country, rateBps: rate, reason, kind, documents, net, tax, total } of sums) {
    const key = `${country} ${rate} ${reason}`
    const row = rows.get(key) ?? {
      ...{ country, rate, reason: reason === '' ? null : reason },
      ...{ invoices: 0, creditNotes: 0, net: 0, tax: 0, total: 0 },
    }
    const sign = kind === 'invoice' ? 1 : -1
    rows.set(key, {
      ...row,
      invoices: row.invoices + (kind === 'invoice' ? documents : 0),
      creditNotes: row.creditNotes + (kind === 'invoice' ? 0 : documents),
      net: row.net + sign * net,
      tax: row.tax + sign * tax,
      total: row.total + sign * total,
    })
  }
  return [...rows.values()]
}
