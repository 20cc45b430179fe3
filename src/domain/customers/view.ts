// The merchant's view of a customer. Pure.

import { type CustomerAddress, type CustomerSummary, customerAddressesMax } from '../../contract/admin/customers.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { labelLines } from '../orders/adminview.ts'
import type { OrderCustomer } from '../orders/customer.ts'
import type { CustomerRow } from './recordstore.ts'

export function customerSummary({ listedAt: _, ...row }: CustomerRow): CustomerSummary {
  return {
    ...row,
    firstOrderAt: toInstant(row.firstOrderAt),
    lastOrderAt: toInstant(row.lastOrderAt),
    eraseAskedAt: row.eraseAskedAt === null ? null : toInstant(row.eraseAskedAt),
  }
}

// Addresses of the newest order first. Addresses with the same text are listed once.
export function uniqueOrderAddresses(orders: readonly (OrderCustomer & { placedAt: number })[]): CustomerAddress[] {
  const seen = new Map<string, CustomerAddress>()
  for (const { address, placedAt } of orders) {
    if (!address) continue
    const label = labelLines(address)
    const name = label.join('\n').normalize('NFKC').toLowerCase()
    if (!seen.has(name)) seen.set(name, { address, label, lastOrderAt: toInstant(placedAt) })
  }
  return [...seen.values()].slice(0, customerAddressesMax)
}
