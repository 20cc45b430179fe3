// A checkout service without a database: sessions in memory, simple prices, and cards whose number decides the outcome.
// For tests of the pages, which must not depend on what is behind them.

import { checkAddress } from '../src/addresses/check.ts'
import { longerUntil } from '../src/checkout/lifecycle.ts'
import type {
  CheckoutMethod,
  CheckoutPort,
  CheckoutProblem,
  CheckoutResult,
  CheckoutView,
  OrderStatusView,
} from '../src/checkout/port.ts'
import type { Address } from '../src/contract/open/carts.ts'
import type { CheckoutSession } from '../src/contract/open/checkout.ts'
import type { PromotionReason } from '../src/contract/words.ts'
import { isId } from '../src/kit/ids.ts'
import { cardMethod as card, cardProblems } from '../src/providers/sandbox/card.ts'

export const cards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  challenge: '4000000000003220',
  slow: '4000000000000077',
} as const

export interface FakeSession {
  session: Mutable<CheckoutSession>
  secret: string
  customer: CheckoutView['customer']
  address: Address | null
  needsShipping: boolean
  countries: CheckoutView['countries']
  formerTotal: number | null
  challenge: CheckoutView['challenge']
  orderNumber: string | null
  attempts: Map<string, CheckoutResult | null>
  // How often the bank is asked before it knows the outcome.
  looksLeft: number
  stock: Map<string, number>
  methods: readonly CheckoutMethod[]
}

type Mutable<Thing> = { -readonly [Name in keyof Thing]: Thing[Name] }

export interface FakeCheckout extends CheckoutPort {
  sessions: Map<string, FakeSession>
  charges: { secret: string; amount: number; attempt: string }[]
  open(change?: (fake: FakeSession) => void): FakeSession
}

const merchant = {
  slug: 'alder-finch',
  name: 'Alder & Finch',
  country: 'DE',
  supportEmail: 'hello@alder-finch.example.com',
  links: {
    terms: 'https://example.com/terms',
    privacy: 'https://example.com/privacy',
    refunds: 'https://example.com/returns',
    imprint: 'https://example.com/imprint',
  },
}

export const cardMethod: CheckoutMethod = {
  provider: 'test',
  method: card.id,
  labelKey: card.labelKey,
  noteKey: 'test.note',
  say: () => undefined,
  instructions: null,
  termDays: null,
  shape: 'fields',
  fields: card.fields,
}

export const transferMethod: CheckoutMethod = {
  provider: 'manual',
  method: 'bank_transfer',
  labelKey: 'method.bank_transfer',
  noteKey: 'method.bank_transfer.note',
  say: () => undefined,
  instructions: null,
  termDays: null,
  shape: 'later',
  fields: [],
}

const codes: Readonly<Record<string, PromotionReason | 'good'>> = {
  WELCOME10: 'good',
  OLD: 'expired',
  BIG: 'minimum_not_met',
}

type Item = Mutable<CheckoutSession['items'][number]>

function item(
  skuId: string,
  name: string,
  options: Item['options'],
  file: string,
  price: number,
  quantity: number,
): Item {
  return {
    skuId,
    code: skuId.toUpperCase(),
    productSlug: skuId,
    name,
    options,
    imageUrl: `/media/demo/${file}.svg`,
    quantity,
    unitPrice: price,
    subtotal: 0,
    discount: 0,
    tax: 0,
    total: 0,
    availability: 'in_stock',
    availableQuantity: 40,
    maxQuantity: 10,
  }
}

export function createFakeCheckout({ clock, shop }: { clock: () => Date; shop: () => string }): FakeCheckout {
  const sessions = new Map<string, FakeSession>()
  const charges: FakeCheckout['charges'] = []
  let made = 0

  function open(change: (fake: FakeSession) => void = () => {}): FakeSession {
    made += 1
    const secret = `secret${made}`.padEnd(43, 'x')
    const now = clock().toISOString()
    const session: FakeSession['session'] = {
      id: `cks_${made}`,
      version: 1,
      status: 'open',
      paymentStatus: 'unpaid',
      url: null,
      cartId: 'cart_1',
      orderId: null,
      mode: 'test',
      currency: 'EUR',
      locale: 'auto',
      items: [
        item(
          'sku_mug',
          'Speckled stoneware mug',
          [
            { name: 'Size', value: '350 ml' },
            { name: 'Colour', value: 'Oat' },
          ],
          'stoneware-mug',
          2800,
          2,
        ),
        item('sku_towel', 'Linen tea towel', [{ name: 'Colour', value: 'Flax' }], 'linen-tea-towel', 1490, 1),
      ],
      totals: { subtotal: 0, discount: 0, shipping: 0, tax: 0, taxIncluded: true, total: 0 },
      promotion: { state: 'none', code: null, amount: 0 },
      shipping: { optionId: null, options: [] },
      customer: { emailMasked: null },
      address: null,
      hold: { status: 'held', expiresAt: now },
      messages: [],
      successUrl: `${shop()}/thanks?session={sessionId}`,
      cancelUrl: `${shop()}/basket`,
      clientReferenceId: null,
      metadata: {},
      cancellation: null,
      lastPaymentError: null,
      createdAt: now,
      updatedAt: now,
      expiresAt: new Date(clock().getTime() + 30 * 60_000).toISOString(),
      completedAt: null,
      cancelledAt: null,
    }
    const fake: FakeSession = {
      session,
      secret,
      customer: { email: '', name: '', phone: '' },
      address: null,
      needsShipping: true,
      countries: null,
      formerTotal: null,
      challenge: null,
      orderNumber: null,
      attempts: new Map(),
      looksLeft: 0,
      stock: new Map(),
      methods: [cardMethod, transferMethod],
    }
    change(fake)
    price(fake)
    sessions.set(secret, fake)
    return fake
  }

  function view(fake: FakeSession): CheckoutView {
    const {
      session,
      secret,
      customer,
      address,
      needsShipping,
      countries,
      methods,
      challenge,
      formerTotal,
      orderNumber,
    } = fake
    const order =
      orderNumber === null ? null : { number: orderNumber, statusPath: `/o/order${secret}`, isCancelled: false }
    // A copy, as from the store: a later change must not alter an earlier answer.
    const copy = structuredClone({
      session,
      secret,
      merchant,
      customer,
      address,
      needsShipping,
      countries,
      isClosed: false,
      challenge,
      elsewhere: null,
      awaited: null,
      order,
      formerTotal,
    })
    // Texts are functions, which cannot be cloned; methods never change.
    return { ...copy, methods: methods }
  }

  function find(secret: string): FakeSession | undefined {
    const fake = sessions.get(secret)
    if (!fake) return undefined
    const { session } = fake
    if (session.status === 'open' && Date.parse(session.expiresAt) <= clock().getTime()) session.status = 'expired'
    return fake
  }

  function change(
    secret: string,
    version: number,
    work: (fake: FakeSession) => CheckoutProblem | null,
  ): CheckoutResult | undefined {
    const fake = find(secret)
    if (!fake) return undefined
    if (fake.session.status !== 'open') return { view: view(fake), problem: { code: 'not_open' } }
    if (fake.session.version !== version) return { view: view(fake), problem: { code: 'stale' } }
    const problem = work(fake)
    if (problem === null) {
      price(fake)
      fake.session.version += 1
    }
    return { view: view(fake), problem }
  }

  function complete(fake: FakeSession, attempt: string, paymentStatus: 'paid' | 'pending'): void {
    fake.session.status = 'completed'
    fake.session.paymentStatus = paymentStatus
    fake.orderNumber = 'AF-1042'
    fake.challenge = null
    if (paymentStatus === 'paid') charges.push({ secret: fake.secret, amount: fake.session.totals.total, attempt })
  }

  function decline(fake: FakeSession, code: 'insufficient_funds' | 'authentication_failed'): void {
    fake.session.status = 'open'
    fake.session.version += 1
    fake.challenge = null
    fake.session.lastPaymentError = { code, message: code, at: clock().toISOString() }
  }

  return {
    sessions,
    charges,
    open,

    async look(secret) {
      const fake = find(secret)
      if (!fake) return undefined
      if (fake.session.status === 'processing' && !fake.challenge) {
        fake.looksLeft -= 1
        if (fake.looksLeft < 0) complete(fake, 'slow', 'paid')
      }
      return view(fake)
    },

    async changeQuantity(secret, version, skuId, quantity) {
      return change(secret, version, (fake) => {
        const items = fake.session.items as Item[]
        const line = items.find((one) => one.skuId === skuId)
        if (!line) return { code: 'item_unavailable', skuId }
        const available = fake.stock.get(skuId) ?? 40
        if (quantity > available) return { code: 'insufficient_stock', skuId, available }
        if (quantity > line.maxQuantity) return { code: 'quantity_limit', skuId, limit: line.maxQuantity }
        line.quantity = quantity
        fake.session.items = items.filter((one) => one.quantity > 0)
        return null
      })
    },

    async applyCode(secret, version, code) {
      return change(secret, version, ({ session }) => {
        if (code === null) session.promotion = { state: 'none', code: null, amount: 0 }
        else {
          const found = codes[code.toUpperCase()] ?? 'not_found'
          if (found !== 'good') return { code: 'promotion_rejected', reason: found }
          session.promotion = { state: 'applied', code: code.toUpperCase(), amount: 0 }
        }
        return null
      })
    },

    async setDetails(secret, version, { contact, address, shippingOptionId }) {
      return change(secret, version, (fake) => {
        if (address) {
          const checked = checkAddress(address)
          if ('issues' in checked) return { code: 'invalid', issues: checked.issues }
          if (checked.address.country === 'KP') return { code: 'address_undeliverable' }
          fake.address = checked.address
          const expiresAt = fake.session.expiresAt
          fake.session.address = { token: 'adr_1', summary: `${address.city}, ${address.country}`, expiresAt }
          const options = [
            { id: 'standard', label: 'Standard, 2 to 3 working days', amount: 490 },
            { id: 'express', label: 'Express, next working day', amount: 990 },
          ]
          fake.session.shipping = { optionId: shippingOptionId ?? 'standard', options }
        }
        fake.customer = contact
        fake.session.customer = { emailMasked: 'a***@example.com' }
        return null
      })
    },

    async pay(secret, { version, expectedTotal, provider, details, attempt }) {
      const fake = find(secret)
      if (!fake) return undefined
      if (!isId('pay', attempt)) return { view: view(fake), problem: { code: 'stale' } }
      if (fake.attempts.has(attempt)) return { view: view(fake), problem: null }
      const { session } = fake
      if (session.status === 'processing') return { view: view(fake), problem: { code: 'payment_in_progress' } }
      if (session.status !== 'open') return { view: view(fake), problem: { code: 'not_open' } }
      if (session.totals.total !== expectedTotal) {
        return {
          view: view(fake),
          problem: { code: 'total_changed', from: expectedTotal, to: session.totals.total },
        }
      }
      if (session.version !== version) return { view: view(fake), problem: { code: 'stale' } }
      for (const line of session.items) {
        const available = fake.stock.get(line.skuId) ?? 40
        if (line.quantity > available) {
          return { view: view(fake), problem: { code: 'insufficient_stock', skuId: line.skuId, available } }
        }
      }
      const wrong = provider === 'test' && session.totals.total > 0 ? cardProblems(details, clock().getTime()) : []
      const issues = wrong.map(({ path, messageKey }) => ({ path, message: messageKey }))
      if (issues.length > 0) return { view: view(fake), problem: { code: 'invalid', issues } }
      fake.attempts.set(attempt, null)
      session.lastPaymentError = null
      if (session.totals.total === 0) complete(fake, attempt, 'paid')
      else if (provider === 'manual') complete(fake, attempt, 'pending')
      else if (details.number === cards.declined) decline(fake, 'insufficient_funds')
      else if (details.number === cards.good) complete(fake, attempt, 'paid')
      else {
        session.status = 'processing'
        session.paymentStatus = 'processing'
        if (details.number === cards.challenge) fake.challenge = { paymentId: attempt, amount: session.totals.total }
        fake.looksLeft = 1
      }
      return { view: view(fake), problem: null }
    },

    async answerChallenge(secret, paymentId, answer) {
      const fake = find(secret)
      if (!fake) return undefined
      if (fake.challenge?.paymentId !== paymentId) return { view: view(fake), problem: null }
      if (answer === 'accept') complete(fake, paymentId, 'paid')
      else decline(fake, 'authentication_failed')
      return { view: view(fake), problem: null }
    },

    goBack: async () => undefined,
    comeBack: async () => undefined,

    async cancel(secret) {
      const fake = find(secret)
      if (!fake) return undefined
      if (fake.session.status !== 'open') return { view: view(fake), problem: { code: 'not_open' } }
      fake.session.status = 'cancelled'
      return { view: view(fake), problem: null }
    },

    async keepOpen(secret) {
      const fake = find(secret)
      if (!fake) return undefined
      const { session } = fake
      if (session.status !== 'open') return { view: view(fake), problem: { code: 'not_open' } }
      session.expiresAt = new Date(longerUntil(session, clock().getTime())).toISOString()
      return { view: view(fake), problem: null }
    },

    async startAgain(secret) {
      const fake = find(secret)
      if (!fake) return undefined
      const again = open((it) => {
        it.session.items = structuredClone(fake.session.items)
      })
      return { secret: again.secret }
    },
  }
}

function price({ session }: FakeSession): void {
  const rate = (amount: number) => Math.round((amount * 19) / 119)
  for (const line of session.items as Item[]) {
    line.subtotal = line.unitPrice * line.quantity
    line.total = line.subtotal
    line.tax = rate(line.subtotal)
  }
  const subtotal = session.items.reduce((sum, line) => sum + line.subtotal, 0)
  const discount = session.promotion.state === 'applied' ? Math.round(subtotal / 10) : 0
  const { options, optionId } = session.shipping
  const shipping = options.find(({ id }) => id === optionId)?.amount ?? 0
  const total = subtotal - discount + shipping
  session.promotion = { ...session.promotion, amount: discount }
  session.totals = { subtotal, discount, shipping, tax: rate(total), taxIncluded: true, total }
}

export const fakeOrder: OrderStatusView = {
  merchant,
  number: 'AF-1042',
  mode: 'live',
  status: 'processing',
  paymentStatus: 'partially_refunded',
  fulfillmentStatus: 'partially_fulfilled',
  currency: 'EUR',
  locale: 'auto',
  items: [
    {
      name: 'Speckled stoneware mug',
      options: [{ name: 'Size', value: '350 ml' }],
      imageUrl: '/media/demo/stoneware-mug.svg',
      quantity: 2,
      fulfilled: 1,
      total: 5600,
    },
    {
      name: 'Linen tea towel',
      options: [],
      imageUrl: null,
      quantity: 1,
      fulfilled: 0,
      total: 1490,
    },
  ],
  totals: {
    subtotal: 7090,
    discount: 0,
    shipping: 490,
    tax: 1210,
    taxIncluded: true,
    total: 7580,
    refunded: 1490,
    refundPending: 0,
  },
  shippingLabel: 'Standard, 2 to 3 working days',
  addressSummary: 'Leipzig, DE',
  awaited: null,
  isOverdue: false,
  fulfillments: [{ carrier: 'DHL', trackingNumber: '00340434161094021501', at: '2026-03-03T10:00:00.000Z' }],
  timeline: [
    { at: '2026-03-01T10:00:00.000Z', type: 'placed' },
    { at: '2026-03-01T10:00:05.000Z', type: 'paid' },
    { at: '2026-03-03T10:00:00.000Z', type: 'partially_fulfilled' },
    { at: '2026-03-04T10:00:00.000Z', type: 'partially_refunded' },
  ],
  placedAt: '2026-03-01T10:00:00.000Z',
}
