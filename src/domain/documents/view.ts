// The public view of a document. Pure.

import type { AdminDocument, AdminDocumentSummary } from '../../contract/admin/documents.ts'
import { labelLines } from '../orders/adminview.ts'
import type { Buyer } from './content.ts'
import type { DocumentHead, DocumentRow } from './store.ts'

export function documentSummary(row: DocumentHead): AdminDocumentSummary {
  const { id, kind, cause, number, mode, orderId, day, supplyDay, currency, net, tax, total, country } = row
  return { id, kind, cause, number, mode, orderId, day, supplyDay, currency, net, tax, total, country }
}

export function documentView(row: DocumentRow, buyer: Buyer | null): AdminDocument {
  const { seller, lines, rates, priceTax, order, corrects, alsoCorrects = [], payments, locale } = row.content
  return {
    ...documentSummary(row),
    seller,
    buyer: buyer && buyerView(buyer),
    lines: lines.map(
      ({ code, skuId, name, options, quantity, unitPrice, discount, rateBps, reason, net, tax, total }) => ({
        code,
        name,
        options: [...options],
        isShipping: skuId === '',
        quantity,
        unitPrice,
        discount,
        rate: rateBps,
        reason,
        net,
        tax,
        total,
      }),
    ),
    rates: rates.map(({ rateBps, ...sum }) => ({ rate: rateBps, ...sum })),
    pricesIncludeTax: priceTax === 'included',
    order,
    corrects,
    alsoCorrects: [...alsoCorrects],
    payments: payments.map(({ method, card, day, amount }) => ({
      method,
      brand: card?.brand ?? null,
      last4: card?.last4 ?? null,
      day,
      amount,
    })),
    locale,
  }
}

function buyerView({ name, company, vatId, address }: Buyer): AdminDocument['buyer'] {
  return {
    name,
    company,
    vatId,
    address: address ? labelLines({ ...address, name, ...(company !== null && { company }) }) : [name],
    country: address?.country ?? null,
    street: address ? [address.line1, address.line2].filter(Boolean).join(', ') : null,
    postalCode: address?.postalCode ?? null,
    city: address?.city ?? null,
  }
}
