import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { promotionReasons } from '../../contract/words.ts'
import {
  isEligible,
  itemDiscountFor,
  judgePromotion,
  type PromotionFacts,
  type PromotionOccasion,
} from './promotion.ts'

const now = Date.parse('2026-03-01T12:00:00.000Z')

const good: PromotionFacts = {
  id: 'prm_1',
  code: 'WELCOME10',
  name: 'Welcome',
  type: 'percentage',
  value: 1000,
  currency: null,
  minimumSubtotal: null,
  startsAt: null,
  endsAt: null,
  usageLimit: null,
  used: 0,
  customerLimit: null,
  categories: [],
  skuCodes: [],
  disabledAt: null,
}
const cart: PromotionOccasion = { currency: 'EUR', now, subtotal: 7000, eligibleLineCount: 1, shippingAmount: 490 }

type Case = [
  state: 'applied' | 'pending' | 'rejected',
  reason: (typeof promotionReasons)[number] | null,
  promotion: Partial<PromotionFacts>,
  occasion?: Partial<PromotionOccasion>,
]

// biome-ignore format: a table is read by its rows
const cases: Case[] = [
  ['applied',  null,                      {}],
  ['rejected', 'disabled',                { disabledAt: now - 1 }],
  ['rejected', 'disabled',                { disabledAt: 0 }],
  ['rejected', 'not_started',             { startsAt: now + 1 }],
  ['applied',  null,                      { startsAt: now }],
  ['rejected', 'expired',                 { endsAt: now }],
  ['applied',  null,                      { endsAt: now + 1 }],
  ['rejected', 'usage_limit_reached',     { usageLimit: 3, used: 3 }],
  ['rejected', 'usage_limit_reached',     { usageLimit: 0, used: 0 }],
  ['applied',  null,                      { usageLimit: 3, used: 2 }],
  ['rejected', 'customer_limit_reached',  { customerLimit: 1 }, { customerUses: 1 }],
  ['applied',  null,                      { customerLimit: 2 }, { customerUses: 1 }],
  ['applied',  null,                      { customerLimit: 1 }],
  ['applied',  null,                      {}, { customerUses: 9 }],
  ['rejected', 'currency_mismatch',       { type: 'fixed_amount', value: 500, currency: 'USD' }],
  ['rejected', 'currency_mismatch',       { type: 'fixed_amount', value: 500, currency: null }],
  ['applied',  null,                      { type: 'fixed_amount', value: 500, currency: 'EUR' }],
  ['rejected', 'currency_mismatch',       { currency: 'USD' }],
  ['applied',  null,                      { currency: 'EUR' }],
  ['pending',  'no_eligible_items',       {}, { eligibleLineCount: 0 }],
  ['pending',  'minimum_not_met',         { minimumSubtotal: 7001 }],
  ['applied',  null,                      { minimumSubtotal: 7000 }],
  ['pending',  'no_shipping_to_discount', { type: 'free_shipping', value: 0 }, { shippingAmount: 0 }],
  ['applied',  null,                      { type: 'free_shipping', value: 0 }],
  ['applied',  null,                      {}, { shippingAmount: 0 }],
]

test('every reason against a promotion, except not_found, applies exactly from its limit on', () => {
  for (const [state, reason, promotion, occasion] of cases) {
    const verdict = judgePromotion({ ...good, ...promotion }, { ...cart, ...occasion })
    assert.deepEqual(verdict, { state, reason }, JSON.stringify([promotion, occasion]))
  }
  const seen = new Set(cases.map(([, reason]) => reason))
  assert.deepEqual(
    promotionReasons.filter((reason) => !seen.has(reason)),
    ['not_found'],
    'not_found is said by whoever looks the code up',
  )
})

test('the first of several reasons is reported', () => {
  const order = [
    'disabled',
    'not_started',
    'expired',
    'usage_limit_reached',
    'customer_limit_reached',
    'currency_mismatch',
    'no_eligible_items',
    'minimum_not_met',
    'no_shipping_to_discount',
  ]
  // At first every reason applies; then one after the other is removed.
  const repairs: Partial<PromotionFacts & PromotionOccasion>[] = [
    { disabledAt: null },
    { startsAt: null },
    { endsAt: null },
    { usageLimit: null },
    { customerLimit: null },
    { currency: 'EUR' },
    { eligibleLineCount: 1 },
    { minimumSubtotal: null },
    { shippingAmount: 490 },
  ]
  let bad: PromotionFacts = {
    ...good,
    type: 'free_shipping',
    disabledAt: 1,
    startsAt: now + 1,
    endsAt: now,
    usageLimit: 1,
    used: 1,
    customerLimit: 1,
    currency: 'USD',
    minimumSubtotal: 9000,
  }
  let poor: PromotionOccasion = { ...cart, currency: 'EUR', eligibleLineCount: 0, shippingAmount: 0, customerUses: 1 }
  const told: (string | null)[] = []
  for (const repair of repairs) {
    told.push(judgePromotion(bad, poor).reason)
    const { eligibleLineCount, shippingAmount, ...promotion } = repair
    bad = { ...bad, ...promotion }
    poor = {
      ...poor,
      ...(eligibleLineCount !== undefined && { eligibleLineCount }),
      ...(shippingAmount !== undefined && { shippingAmount }),
    }
  }
  assert.deepEqual(told, order)
  assert.deepEqual(judgePromotion(bad, poor), { state: 'applied', reason: null })
})

test('a line is eligible by one of its categories or by its SKU code, and always if the promotion has neither', () => {
  const line = { code: 'ROSE-12', categories: ['roses', 'bouquets'] }
  const about = (categories: string[], skuCodes: string[]) => isEligible({ categories, skuCodes }, line)
  assert.equal(about([], []), true)
  assert.equal(about(['bouquets'], []), true)
  assert.equal(about(['plants'], []), false)
  assert.equal(about([], ['ROSE-12']), true)
  assert.equal(about([], ['ROSE-24']), false)
  assert.equal(about(['plants'], ['ROSE-12']), true)
  assert.equal(about(['roses'], ['ROSE-24']), true)
  assert.equal(about(['plants'], ['ROSE-24']), false)
  assert.equal(isEligible({ categories: ['roses'], skuCodes: [] }, { code: 'X', categories: [] }), false)
})

test('the discount on items is rounded and limited', () => {
  const off = (type: PromotionFacts['type'], value: number, eligible: number) =>
    itemDiscountFor({ type, value }, eligible)
  assert.equal(off('percentage', 1000, 7000), 700)
  assert.equal(off('percentage', 1500, 4745), 712) // 711.75
  assert.equal(off('percentage', 500, 10), 1) // 0.5: the half goes up
  assert.equal(off('percentage', 499, 10), 0) // 0.499
  assert.equal(off('percentage', 0, 7000), 0)
  assert.equal(off('percentage', 10_000, 7001), 7001)
  assert.equal(off('percentage', 20_000, 7001), 7001)
  assert.equal(off('percentage', 9_999, Number.MAX_SAFE_INTEGER), 9_006_298_534_815_517) // 9006298534815516.9
  assert.equal(off('fixed_amount', 500, 7000), 500)
  assert.equal(off('fixed_amount', 7000, 7000), 7000)
  assert.equal(off('fixed_amount', 7001, 7000), 7000)
  assert.equal(off('fixed_amount', 500, 0), 0)
  assert.equal(off('free_shipping', 0, 7000), 0)
})

test('a percentage is at most half a unit from the exact amount', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), fc.nat({ max: 10_000 }), (eligible, value) => {
      const amount = itemDiscountFor({ type: 'percentage', value }, eligible)
      const off = 2n * (BigInt(amount) * 10_000n - BigInt(eligible) * BigInt(value))
      assert.ok(-10_000n < off && off <= 10_000n)
      assert.ok(amount >= 0 && amount <= eligible)
    }),
    { numRuns: 2000 },
  )
})
