import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Purchase, PurchaseLine } from '../../port.ts'
import { buildMollieOrder, mollieVatAmount } from './order.ts'

const shopper = { email: 'jo@example.com', name: 'Jo Berg', phone: '' }
const delivery = {
  name: 'Ana Maria Ruiz',
  line1: 'Calle 1',
  line2: '2º',
  city: 'Madrid',
  postalCode: '28001',
  country: 'ES',
}
const line: PurchaseLine = {
  kind: 'physical',
  name: 'Mug (Blue)',
  code: 'MUG-B',
  quantity: 3,
  unitPrice: 1999,
  discount: 200,
  total: 5797,
  taxRateBps: 1900,
}
const shipping: PurchaseLine = {
  ...{ kind: 'shipping', name: 'Standard', code: null, quantity: 1 },
  ...{ unitPrice: 490, discount: 0, total: 490, taxRateBps: 1900 },
}
const eur = (value: string) => ({ currency: 'EUR', value })

function orderOf(changes: Partial<Purchase>, amount = 6287) {
  return buildMollieOrder({ shopper, delivery, lines: [line, shipping], ...changes }, { amount, currency: 'EUR' })
}

test('lines and their included tax add up as Mollie calculates, and lines that do not add up to the amount are not sent', () => {
  assert.deepEqual(orderOf({}).lines, [
    {
      type: 'physical',
      description: 'Mug (Blue)',
      quantity: 3,
      unitPrice: eur('19.99'),
      discountAmount: eur('2.00'),
      totalAmount: eur('57.97'),
      vatRate: '19.00',
      vatAmount: eur('9.26'),
      sku: 'MUG-B',
    },
    {
      type: 'shipping_fee',
      description: 'Standard',
      quantity: 1,
      unitPrice: eur('4.90'),
      totalAmount: eur('4.90'),
      vatRate: '19.00',
      vatAmount: eur('0.78'),
    },
  ])
  assert.equal(orderOf({}, 6288).lines, undefined, 'what does not add up is not sent')
})

test('a long name is not cut within a character', () => {
  const [sent] = orderOf({ lines: [{ ...line, name: '🌹'.repeat(200) }] }, line.total).lines ?? []
  assert.equal(sent?.description, '🌹'.repeat(127))
})

test('prices without tax are converted to include it, per unit if that is exact, and otherwise for the whole line', () => {
  const taxed = { ...line, discount: 0, unitPrice: 1000, total: 3570 }
  assert.deepEqual(orderOf({ lines: [taxed] }, 3570).lines?.[0]?.unitPrice, eur('11.90'))
  const odd = { ...line, discount: 100, unitPrice: 1000, total: 3451 }
  const [whole] = orderOf({ lines: [odd] }, 3451).lines ?? []
  assert.deepEqual([whole?.description, whole?.quantity, whole?.unitPrice], ['3 × Mug (Blue)', 1, eur('34.51')])
})

test('the lines of any order add up, and their tax is what Mollie calculates', () => {
  const anyLine = fc.record({
    quantity: fc.integer({ min: 1, max: 40 }),
    unitPrice: fc.nat({ max: 99_999 }),
    off: fc.nat({ max: 100 }),
    rate: fc.constantFrom(0, 250, 700, 1900, 2100, 2550),
    isTaxIncluded: fc.boolean(),
  })
  const minor = ({ value }: { value: string }) => Number(value.replace('.', ''))
  fc.assert(
    fc.property(fc.array(anyLine, { minLength: 1, maxLength: 8 }), (drawn) => {
      const lines = drawn.map(({ quantity, unitPrice, off, rate, isTaxIncluded }): PurchaseLine => {
        const discount = Math.floor((unitPrice * quantity * off) / 100)
        const net = unitPrice * quantity - discount
        const total = isTaxIncluded ? net : net + Math.round((net * rate) / 10_000)
        return { ...line, quantity, unitPrice, discount, total, taxRateBps: rate }
      })
      const amount = lines.reduce((sum, { total }) => sum + total, 0)
      const sent = orderOf({ lines }, amount).lines ?? []
      assert.equal(sent.length, lines.length)
      for (const { unitPrice, quantity, discountAmount, totalAmount, vatRate, vatAmount } of sent) {
        const total = minor(totalAmount)
        assert.equal(minor(unitPrice) * quantity - (discountAmount ? minor(discountAmount) : 0), total)
        const rate = Number(vatRate)
        assert.ok(Math.abs(minor(vatAmount ?? eur('0.00')) - (total * rate) / (100 + rate)) <= 0.5 + 1e-9)
      }
    }),
  )
  assert.deepEqual([mollieVatAmount(10_000, 2500), mollieVatAmount(1, 1900), mollieVatAmount(0, 1900)], [2000, 0, 0])
})

test('an address contains only what Mollie accepts', () => {
  assert.deepEqual(orderOf({}).billingAddress, {
    givenName: 'Ana Maria',
    familyName: 'Ruiz',
    streetAndNumber: 'Calle 1',
    streetAdditional: '2º',
    city: 'Madrid',
    postalCode: '28001',
    country: 'ES',
    email: 'jo@example.com',
  })
  const { email: _, ...place } = orderOf({}).billingAddress ?? {}
  assert.deepEqual(orderOf({}).shippingAddress, place)
  const digital = { delivery: null, shopper: { email: 'jo@münchen.example', name: 'Cher', phone: '+49 (30) 123-4567' } }
  assert.deepEqual(orderOf(digital), {
    lines: orderOf({}).lines,
    billingAddress: {
      givenName: 'Cher',
      familyName: 'Cher',
      email: 'jo@xn--mnchen-3ya.example',
      phone: '+49301234567',
    },
  })
  const odd = { delivery: null, shopper: { email: 'nobody', name: '42', phone: '030 1234567' } }
  assert.equal(orderOf(odd).billingAddress, undefined)
})
