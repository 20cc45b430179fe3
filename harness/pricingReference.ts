// A second implementation of what a cart costs, written from docs/pricing.md alone. It works with exact fractions,
// shares no code with the server, and prefers to be obvious: it loops and divides where the server multiplies and
// compares.

export interface ShopFacts {
  currency: string
  country: string
  pricesIncludeTax: boolean
  // Null: as the law of the country has it.
  shippingTax: 'goods' | 'standard' | null
  // From the slug of a category to that of its parent.
  categories: Readonly<Record<string, string | null>>
  skus: readonly SkuFacts[]
  taxes: readonly { country: string; region: string | null; taxClass: string; rateBps: number }[]
  zones: readonly { countries: readonly string[]; options: readonly OptionFacts[] }[]
}

export interface SkuFacts {
  code: string
  price: number
  taxClass: string
  weightGrams: number | null
  isShipped: boolean
  categories: readonly string[]
}

export interface OptionFacts {
  id: string
  amount: number
  freeFrom: number | null
  weightSteps: readonly { upToGrams: number; amount: number }[]
}

export interface CodeFacts {
  type: 'percentage' | 'fixed_amount' | 'free_shipping'
  // Basis points of a percentage, minor units of a fixed amount.
  value: number
  currency: string | null
  minimumSubtotal: number | null
  startsAt: number | null
  endsAt: number | null
  usesLeft: number | null
  customerUsesLeft: number | null
  categories: readonly string[]
  skus: readonly string[]
  isDisabled: boolean
}

export interface CartFacts {
  lines: readonly { code: string; quantity: number }[]
  destination: { country: string; region: string | null } | null
  optionId: string | null
  promotion: CodeFacts | null
  now: number
}

export interface Bill {
  lines: { code: string; subtotal: number; discount: number; tax: number; total: number; taxRateBps: number | null }[]
  promotion: { state: string; reason: string | null; amount: number; allocations: { code: string; amount: number }[] }
  shipping: {
    optionId: string | null
    options: { id: string; amount: number }[]
    discount: number
    tax: number
    // Null where nothing is sent, or at several rates.
    taxRateBps: number | null
    taxes: { rateBps: number; amount: number; tax: number }[] | null
  }
  totals: {
    subtotal: number
    discount: number
    shipping: number
    tax: number
    taxIncluded: boolean
    total: number
    taxReason?: string
  }
}

export function billFor(shop: ShopFacts, cart: CartFacts): Bill {
  const home = { country: shop.country, region: null }
  const place = cart.destination ?? home
  const classes = cart.lines.map(({ code }) => shop.skus.find((sku) => sku.code === code)?.taxClass ?? '')
  const isFree = ['shipping', ...classes].every((name) => rateAt(shop, place, name) === 0)
  if (!isFree || !union.includes(shop.country) || union.includes(place.country)) return billAt(shop, cart, place)
  if (shop.pricesIncludeTax) return withoutTax(shop, cart, billAt(shop, cart, home))
  const bill = billAt(shop, cart, place)
  return { ...bill, totals: { ...bill.totals, taxReason: 'export' } }
}

// An export out of prices that contain the tax of the shop's own country: each amount without it.
function withoutTax(shop: ShopFacts, cart: CartFacts, bill: Bill): Bill {
  const net = (amount: number, rateBps: number | null) => amount - Number(taxIn(shop, BigInt(amount), rateBps ?? 0))
  const lines = bill.lines.map((line) => {
    const subtotal = net(line.subtotal, line.taxRateBps)
    const total = net(line.total, line.taxRateBps)
    return { code: line.code, subtotal, discount: subtotal - total, tax: 0, total, taxRateBps: 0 }
  })
  const netShipping = (amount: number) => {
    const parts = shippingParts(shop, { country: shop.country, region: null }, linesOf(shop, cart), BigInt(amount))
    return amount - Number(sum(parts.map((part) => taxIn(shop, part.amount, part.rateBps))))
  }
  const { optionId, options } = bill.shipping
  const shipping = optionId === null ? 0 : netShipping(bill.totals.shipping)
  const shippingDiscount = bill.shipping.discount > 0 ? shipping : 0
  const subtotal = lines.reduce((whole, line) => whole + line.subtotal, 0)
  const discount = lines.reduce((whole, line) => whole + line.discount, shippingDiscount)
  const allocations = bill.promotion.allocations.map(({ code }) => {
    return { code, amount: lines.find((line) => line.code === code)?.discount ?? 0 }
  })
  return {
    lines,
    promotion: { ...bill.promotion, amount: discount, allocations },
    shipping: {
      optionId,
      options: options.map(({ id, amount }) => ({ id, amount: netShipping(amount) })),
      discount: shippingDiscount,
      ...{ tax: 0, taxRateBps: optionId === null ? null : 0, taxes: null },
    },
    totals: {
      ...{ subtotal, discount, shipping, tax: 0, taxIncluded: false },
      ...{ total: subtotal - discount + shipping, taxReason: 'export' },
    },
  }
}

function taxIn({ pricesIncludeTax }: ShopFacts, amount: bigint, rateBps: number): bigint {
  const rate = fraction(BigInt(rateBps), 10_000n)
  const share = pricesIncludeTax ? divide(rate, plus(one, rate)) : rate
  return roundHalfUp(times(fraction(amount, 1n), share))
}

function linesOf(shop: ShopFacts, cart: CartFacts): (Line & { subtotal: bigint })[] {
  return cart.lines.map(({ code, quantity }) => {
    const sku = shop.skus.find((each) => each.code === code)
    if (!sku) throw new Error(`the shop has no ${code}`)
    const count = BigInt(quantity)
    return { sku, count, subtotal: BigInt(sku.price) * count }
  })
}

function billAt(shop: ShopFacts, cart: CartFacts, place: { country: string; region: string | null }): Bill {
  const lines = linesOf(shop, cart)
  const subtotal = sum(lines.map((line) => line.subtotal))

  const options = optionsFor(shop, cart, lines, subtotal)
  const option = options.find(({ id }) => id === cart.optionId) ?? options[0]
  const shipping = option?.amount ?? 0n

  const { promotion } = cart
  const eligible = lines.map(({ sku }) => promotion !== null && isEligible(shop, promotion, sku))
  const verdict = judge(shop, cart, { subtotal, shipping, hasEligible: eligible.includes(true) })
  const isApplied = verdict.state === 'applied'
  const parts = lines.map((line, index) => (eligible[index] ? line.subtotal : 0n))
  const discounts = spread(isApplied && promotion ? itemDiscount(promotion, sum(parts)) : 0n, parts)
  const shippingDiscount = isApplied && promotion?.type === 'free_shipping' ? shipping : 0n

  const taxAt = (amount: bigint, rateBps: number) => taxIn(shop, amount, rateBps)
  const added = (amount: bigint, tax: bigint) => (shop.pricesIncludeTax ? amount : amount + tax)
  const billed = lines.map(({ sku, subtotal: before }, index) => {
    const discount = discounts[index] ?? 0n
    const taxRateBps = rateAt(shop, place, sku.taxClass)
    const tax = taxAt(before - discount, taxRateBps)
    return { code: sku.code, subtotal: before, discount, tax, total: added(before - discount, tax), taxRateBps }
  })
  const shippingShares = option ? shippingParts(shop, place, lines, shipping - shippingDiscount) : []
  const taxes = shippingShares.map((part) => ({ ...part, tax: taxAt(part.amount, part.rateBps) }))
  const shippingTax = sum(taxes.map((part) => part.tax))
  const discount = sum(discounts) + shippingDiscount
  const tax = sum(billed.map((line) => line.tax)) + shippingTax

  return {
    lines: billed.map((line) => ({
      code: line.code,
      subtotal: Number(line.subtotal),
      discount: Number(line.discount),
      tax: Number(line.tax),
      total: Number(line.total),
      taxRateBps: line.taxRateBps,
    })),
    promotion: {
      ...verdict,
      amount: Number(discount),
      allocations: billed
        .filter((line) => line.discount > 0n)
        .map((line) => ({ code: line.code, amount: Number(line.discount) })),
    },
    shipping: {
      optionId: option?.id ?? null,
      options: options.map(({ id, amount }) => ({ id, amount: Number(amount) })),
      discount: Number(shippingDiscount),
      tax: Number(shippingTax),
      taxRateBps: taxes.length === 1 ? (taxes[0]?.rateBps ?? null) : null,
      taxes:
        taxes.length > 1
          ? taxes.map(({ rateBps, amount, tax: part }) => ({ rateBps, amount: Number(amount), tax: Number(part) }))
          : null,
    },
    totals: {
      subtotal: Number(subtotal),
      discount: Number(discount),
      shipping: Number(shipping),
      tax: Number(tax),
      taxIncluded: shop.pricesIncludeTax,
      total: Number(added(subtotal - discount + shipping, tax)),
    },
  }
}

// The European Union, and Monaco.
const union = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK'.split(' ')

// Zones that name the country come before `*`, in any order.
export function zoneOf({ zones }: ShopFacts, country: string): ShopFacts['zones'][number] | undefined {
  const named = zones.filter(({ countries }) => countries.includes(country))
  const others = zones.filter(({ countries }) => countries.includes('*'))
  return [...named, ...others][0]
}

interface Line {
  sku: SkuFacts
  count: bigint
}

function optionsFor(
  shop: ShopFacts,
  { destination }: CartFacts,
  lines: readonly Line[],
  subtotal: bigint,
): { id: string; amount: bigint }[] {
  const shipped = lines.filter(({ sku }) => sku.isShipped)
  if (destination === null || shipped.length === 0) return []
  const weight = sum(shipped.map(({ sku, count }) => BigInt(sku.weightGrams ?? 0) * count))
  const carried: { id: string; amount: bigint }[] = []
  for (const { id, amount, freeFrom, weightSteps } of zoneOf(shop, destination.country)?.options ?? []) {
    if (freeFrom !== null && BigInt(freeFrom) <= subtotal) {
      carried.push({ id, amount: 0n })
      continue
    }
    if (weightSteps.length === 0) {
      carried.push({ id, amount: BigInt(amount) })
      continue
    }
    for (const step of weightSteps) {
      if (weight > BigInt(step.upToGrams)) continue
      carried.push({ id, amount: BigInt(step.amount) })
      break
    }
  }
  return carried
}

function isEligible(shop: ShopFacts, { categories, skus }: CodeFacts, sku: SkuFacts): boolean {
  if (categories.length + skus.length === 0 || skus.includes(sku.code)) return true
  for (const slug of sku.categories) {
    let at: string | null | undefined = slug
    while (at) {
      if (categories.includes(at)) return true
      at = shop.categories[at]
    }
  }
  return false
}

function judge(
  shop: ShopFacts,
  { promotion, now }: CartFacts,
  { subtotal, shipping, hasEligible }: { subtotal: bigint; shipping: bigint; hasEligible: boolean },
): { state: string; reason: string | null } {
  if (promotion === null) return { state: 'none', reason: null }
  const { type, currency, startsAt, endsAt, usesLeft, customerUsesLeft, minimumSubtotal } = promotion
  const rejected = (reason: string) => ({ state: 'rejected', reason })
  if (promotion.isDisabled) return rejected('disabled')
  if (startsAt !== null && startsAt > now) return rejected('not_started')
  if (endsAt !== null && now >= endsAt) return rejected('expired')
  if (usesLeft !== null && usesLeft < 1) return rejected('usage_limit_reached')
  if (customerUsesLeft !== null && customerUsesLeft < 1) return rejected('customer_limit_reached')
  if (currency !== null && currency !== shop.currency) return rejected('currency_mismatch')
  const pending = (reason: string) => ({ state: 'pending', reason })
  if (!hasEligible) return pending('no_eligible_items')
  if (minimumSubtotal !== null && BigInt(minimumSubtotal) > subtotal) return pending('minimum_not_met')
  if (type === 'free_shipping' && shipping === 0n) return pending('no_shipping_to_discount')
  return { state: 'applied', reason: null }
}

function itemDiscount({ type, value }: CodeFacts, eligible: bigint): bigint {
  if (type === 'free_shipping') return 0n
  const wanted =
    type === 'fixed_amount'
      ? BigInt(value)
      : roundHalfUp(times(fraction(BigInt(value), 10_000n), fraction(eligible, 1n)))
  return wanted > eligible ? eligible : wanted
}

// By largest remainder: each part gets the whole number of its share; the remaining units go one each to the largest
// remainders, and of equal ones to the first.
export function spread(total: bigint, parts: readonly bigint[]): bigint[] {
  const whole = sum(parts)
  if (total === 0n) return parts.map(() => 0n)
  const shares = parts.map((part) => times(fraction(total, 1n), fraction(part, whole)))
  const given = shares.map(floor)
  const waiting = new Set(parts.keys())
  for (let left = total - sum(given); left > 0n; left -= 1n) {
    let best: number | undefined
    for (const index of waiting) {
      if (best === undefined || isLess(remainderOf(shares[best]), remainderOf(shares[index]))) best = index
    }
    if (best === undefined) throw new Error('no part is left for the remaining units')
    waiting.delete(best)
    given[best] = (given[best] ?? 0n) + 1n
  }
  return given
}

export function rateAt(
  { taxes }: ShopFacts,
  { country, region }: { country: string; region: string | null },
  taxClass: string,
): number {
  for (const wanted of [taxClass, 'standard']) {
    for (const place of region === null ? [null] : [region, null]) {
      const found = taxes.find((tax) => tax.country === country && tax.region === place && tax.taxClass === wanted)
      if (found) return found.rateBps
    }
  }
  return 0
}

// Where shipping is taxed as the goods unless the shop says otherwise.
const followsGoods =
  'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IM IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK'.split(' ')

// What is charged for shipping by rate, the highest first.
function shippingParts(
  shop: ShopFacts,
  place: { country: string; region: string | null },
  lines: readonly (Line & { subtotal: bigint })[],
  charged: bigint,
): { rateBps: number; amount: bigint }[] {
  const own = shop.taxes.some(
    ({ country, region, taxClass }) =>
      taxClass === 'shipping' && country === place.country && (region === null || region === place.region),
  )
  const rule = shop.shippingTax ?? (followsGoods.includes(shop.country) ? 'goods' : 'standard')
  if (own || rule === 'standard')
    return [{ rateBps: rateAt(shop, place, own ? 'shipping' : 'standard'), amount: charged }]
  const sent = lines.filter(({ sku }) => sku.isShipped)
  const rates = [...new Set(sent.map(({ sku }) => rateAt(shop, place, sku.taxClass)))].sort((a, b) => b - a)
  const isFree = sum(sent.map(({ subtotal }) => subtotal)) === 0n
  const weights = rates.map((rate) =>
    sum(
      sent
        .filter(({ sku }) => rateAt(shop, place, sku.taxClass) === rate)
        .map(({ subtotal, count }) => (isFree ? count : subtotal)),
    ),
  )
  const amounts = spread(charged, weights)
  const parts = rates.map((rateBps, index) => ({ rateBps, amount: amounts[index] ?? 0n }))
  return charged === 0n ? parts.slice(0, 1) : parts.filter(({ amount }) => amount > 0n)
}

// Fractions. None is negative here.

export interface Fraction {
  over: bigint
  under: bigint
}

const one: Fraction = { over: 1n, under: 1n }

export function fraction(over: bigint, under: bigint): Fraction {
  return { over, under }
}

function plus(a: Fraction, b: Fraction): Fraction {
  return fraction(a.over * b.under + b.over * a.under, a.under * b.under)
}

export function times(a: Fraction, b: Fraction): Fraction {
  return fraction(a.over * b.over, a.under * b.under)
}

function divide(a: Fraction, b: Fraction): Fraction {
  return fraction(a.over * b.under, a.under * b.over)
}

function floor({ over, under }: Fraction): bigint {
  return over / under
}

export function roundHalfUp(a: Fraction): bigint {
  return floor(plus(a, fraction(1n, 2n)))
}

function remainderOf(a: Fraction | undefined): Fraction {
  return a ? fraction(a.over - floor(a) * a.under, a.under) : fraction(0n, 1n)
}

function isLess(a: Fraction, b: Fraction): boolean {
  return a.over * b.under < b.over * a.under
}

function sum(amounts: readonly bigint[]): bigint {
  let whole = 0n
  for (const amount of amounts) whole += amount
  return whole
}
