// Documents for the tests of pages and files.

import type { AdminDocument } from '../src/contract/admin/documents.ts'

type Line = AdminDocument['lines'][number]

export function documentLine(changes: Partial<Line> = {}): Line {
  return {
    code: 'BOOK',
    name: 'Książka — “œuvre” à 5 €',
    options: ['groß'],
    isShipping: false,
    quantity: 2,
    unitPrice: 1190,
    discount: 0,
    rate: 1900,
    reason: null,
    net: 2000,
    tax: 380,
    total: 2380,
    ...changes,
  }
}

export function sampleDocument(changes: Partial<AdminDocument> = {}): AdminDocument {
  const lines = [
    documentLine(),
    documentLine({ isShipping: true, name: 'Express', code: '', options: [], quantity: 1 }),
  ]
  return {
    id: 'doc_01k0000000000000000000000',
    kind: 'invoice',
    cause: 'order_paid',
    number: '2026-000123',
    mode: 'live',
    orderId: 'ord_01k0000000000000000000000',
    day: '2026-11-18',
    supplyDay: '2026-11-17',
    currency: 'EUR',
    net: 4000,
    tax: 760,
    total: 4760,
    country: 'DE',
    seller: {
      name: 'Bloom GmbH',
      address: ['Hafenstraße 12', '20457 Hamburg'],
      street: 'Hafenstraße 12',
      postalCode: '20457',
      city: 'Hamburg',
      vatId: 'DE123456789',
      registration: 'Amtsgericht Hamburg, HRB 12345',
      country: 'DE',
      email: 'hello@bloom.example',
    },
    buyer: {
      name: 'Łucja Żółć',
      company: 'Söhne & Co. <KG>',
      vatId: null,
      address: ['Söhne & Co. <KG>', 'Łucja Żółć', 'Unter den Linden 1', '10117 Berlin'],
      country: 'DE',
      street: 'Unter den Linden 1',
      postalCode: '10117',
      city: 'Berlin',
    },
    lines,
    rates: [{ rate: 1900, reason: null, net: 4000, tax: 760, total: 4760 }],
    pricesIncludeTax: true,
    order: { number: '1001', day: '2026-11-16' },
    corrects: null,
    alsoCorrects: [],
    payments: [{ method: 'card', brand: 'Visa', last4: '4242', day: '2026-11-16', amount: 4760 }],
    locale: 'de',
    ...changes,
  }
}
