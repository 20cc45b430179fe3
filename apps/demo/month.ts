// Plans what happened in the demo shop in the month before it was created: who bought what, and what the shop's members did about it.
// Pure: the same instant gives the same month.

import { type DemoPerson, historyEndsMs, historyMs } from './facts.ts'
import type { DemoEndpoint } from './receivers.ts'
import { type Shopper, shoppers } from './shoppers.ts'

export type PayWay = 'visa' | 'mastercard' | 'amex' | 'refusing' | 'bank_transfer' | 'cash_on_delivery'

export interface PlannedOrder {
  at: number
  shopper: Shopper
  items: readonly { code: string; quantity: number }[]
  promotionCode: string | null
  pay: PayWay
  isExpress: boolean
}

export interface PlannedParcel {
  order: number
  carrier: string
  trackingNumber: string
  // Whether the parcel has only the first line of the order.
  isPart: boolean
}

// `order` is the index of the order in the month, from the oldest.
export type Act =
  | { kind: 'order'; at: number; order: number; planned: PlannedOrder }
  | { kind: 'send'; at: number; by: DemoPerson; parcels: readonly PlannedParcel[] }
  | { kind: 'collect'; at: number; by: DemoPerson; order: number }
  // The order expires because the transfer did not arrive in time.
  | { kind: 'lapse'; at: number; order: number }
  | { kind: 'refund'; at: number; by: DemoPerson; order: number; isPart: boolean; reason: string }
  // All items of the order were returned and refunded.
  | { kind: 'return'; at: number; by: DemoPerson; order: number }
  // A unit was returned, and the shopper got another item for it.
  | { kind: 'exchange'; at: number; by: DemoPerson; order: number; code: string }
  // The order has one unit less of the first item, or one more. The shopper is asked by a link to pay for the one more.
  | { kind: 'edit'; at: number; by: DemoPerson; order: number; isMore: boolean }
  // The shopper requests a return, which is still unanswered.
  | { kind: 'ask_return'; at: number; order: number }
  | { kind: 'cancel'; at: number; by: DemoPerson; order: number; note: string }
  | { kind: 'note'; at: number; by: DemoPerson; order: number; text: string }
  | { kind: 'look'; at: number; by: DemoPerson; order: number }
  | { kind: 'dispute'; at: number; order: number }
  | { kind: 'withdraw'; at: number; order: number }
  // An order for a shopper who called by phone and pays by a link.
  | { kind: 'draft'; at: number; by: DemoPerson; planned: PlannedDraft }
  | { kind: 'time_zone'; at: number; by: DemoPerson; timeZone: string }
  | { kind: 'promotion'; at: number; by: DemoPerson; code: string; name: string; from: number; to: number }
  | { kind: 'skus'; at: number; by: DemoPerson; rows: readonly SkuChange[] }
  | { kind: 'endpoint'; at: number; by: DemoPerson; endpoint: DemoEndpoint }

export interface PlannedDraft extends Pick<PlannedOrder, 'items'> {
  shopper: Shopper
  discount: number
  note: string
  isCancelled: boolean
}

export interface SkuChange {
  code: string
  price?: number
  compareAtPrice?: number
  adjustBy?: number
  reason?: string
}

export interface Month {
  // Each part has an order, and is made in one transaction or not at all.
  parts: readonly (readonly Act[])[]
  orders: readonly PlannedOrder[]
  // Receivers fail calls about events in these spans.
  outages: Readonly<Record<DemoEndpoint, readonly Span[]>>
}

export interface Span {
  from: number
  to: number
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
// Time that the shop waits for a bank transfer.
const transferMs = 14 * day

export function planMonth(anchor: number): Month {
  const from = anchor - historyMs
  const random = createRandom(20_260_314)
  const weekend = weekendBefore(anchor - 9 * day)
  const orders = planOrders(anchor, from, weekend, random)
  const fates = fatesFor(orders, anchor)
  const acts: Act[] = [
    ...orders.map((planned, order) => ({ kind: 'order' as const, at: planned.at, order, planned })),
    ...staffActs(orders, fates, { from, anchor, weekend, random }),
  ]
  const outages = {
    labels: [],
    // This receiver failed events of one day, and has failed all since yesterday.
    books: [
      { from: from + 20 * day, to: from + 21 * day },
      { from: anchor - 30 * hour, to: Infinity },
    ],
    newsletter: [{ from: from + 17 * day, to: Infinity }],
  }
  return { parts: partsOf(acts, orders, from), orders, outages }
}

// Orders

// biome-ignore format: by weekday from Sunday
const ordersByWeekday = [3, 2, 2, 2, 2, 2, 3] as const
const hoursBought = [7, 8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 18, 18, 19, 19, 19, 20, 20, 20, 21, 21] as const

// biome-ignore format: a list of pairs
const wanted: readonly (readonly [code: string, weight: number])[] = [
  ['MUG-STO-250-OAT', 8], ['MUG-STO-350-SLA', 5], ['CUP-ESP-MIX', 4], ['BWL-BRK-CRE', 5], ['BRD-OAK-M', 4],
  ['SPN-WAL-RND', 3], ['TWL-LIN-NAT', 6], ['TWL-LIN-IND', 4], ['APR-LIN-LX-IND', 2], ['CND-SOY-FIG-220', 6],
  ['CND-SOY-CED-120', 4], ['CND-BEE-15', 4], ['HLD-BRS-150', 2], ['VAS-BUD-WHI', 3], ['BLK-MER-S-CRE', 2],
  ['CSH-COR-50-OCH', 3], ['LMP-ARC-CHA', 2], ['NTB-THR-A5-DOT', 7], ['NTB-THR-A6-LIN', 4], ['SKB-WCL-A5', 3],
  ['PEN-BRS-G2', 2], ['PCL-CED-2B', 3], ['INK-IRG-BLB', 3], ['TRY-ASH-1', 1], ['PTT-TER-18', 3],
  ['PLT-GLZ-16-LAK', 2], ['CAN-GLV-SAG', 2], ['TWN-JUT-120', 2], ['SED-WLD-10', 2], ['SET-BRK-CRE', 2],
  ['SET-LET-SAG', 2], ['CRD-LIN-MIX', 4], ['BOK-LOF-EN', 3],
]

// The last span from Friday to Sunday before the instant.
function weekendBefore(at: number): Span {
  const midnight = Math.floor(at / day) * day
  const sinceMonday = (new Date(midnight).getUTCDay() + 6) % 7
  const to = midnight - sinceMonday * day
  return { from: to - 3 * day, to }
}

function planOrders(anchor: number, from: number, weekend: Span, random: Random): PlannedOrder[] {
  const last = anchor - historyEndsMs
  const times = new Set<number>()
  for (let midnight = Math.floor(from / day) * day; midnight < anchor; midnight += day) {
    const isPromoted = midnight >= weekend.from && midnight < weekend.to
    const isRecent = anchor - midnight < 4 * day
    const count = (ordersByWeekday[new Date(midnight).getUTCDay()] ?? 2) + (isPromoted ? 3 : 0) + (isRecent ? 1 : 0)
    for (let made = 0; made < count; made += 1)
      times.add(midnight + random.of(hoursBought) * hour + random.whole(3_600) * 1_000)
  }
  const between = [...times].filter((at) => at > from + hour && at < last - 10 * minute)
  const recent: Shopper[] = []
  return [from, ...between, last]
    .sort((one, other) => one - other)
    .map((at) => {
      const shopper = random.of(shoppers.filter((one) => !recent.includes(one)))
      recent.push(shopper)
      if (recent.length > returnsAfter) recent.shift()
      return planOrder(at, shopper, at >= weekend.from && at < weekend.to, random)
    })
}

// Number of orders by other shoppers before a shopper buys again.
const returnsAfter = 14

const codes = ['WELCOME10', 'WELCOME10', 'FIVEOFF', 'SHIPFREE'] as const
export const weekendCode = 'WEEKEND15'
const ways = ['visa', 'visa', 'visa', 'mastercard', 'mastercard', 'amex'] as const

function planOrder(at: number, shopper: Shopper, isPromoted: boolean, random: Random): PlannedOrder {
  const isCoded = random.next() < (isPromoted ? 0.6 : 0.18)
  return {
    at,
    shopper,
    items: planItems(random.of([1, 1, 1, 2, 2, 3]), random),
    promotionCode: isCoded ? (isPromoted ? weekendCode : random.of(codes)) : null,
    pay: random.of(ways),
    isExpress: random.next() < 0.15,
  }
}

function planItems(lines: number, random: Random): PlannedOrder['items'] {
  const items = new Map<string, number>()
  while (items.size < lines) items.set(random.weighted(wanted), random.of([1, 1, 1, 2, 2, 4]))
  return [...items].map(([code, quantity]) => ({ code, quantity }))
}

// Outcomes of some orders

type Fate =
  | 'refunded'
  | 'part_refunded'
  | 'refund_failed'
  | 'return_asked'
  | 'exchanged'
  | 'edited'
  | 'edit_asked'
  | 'cancelled'
  | 'never_paid'
  | 'paid_by_transfer'
  | 'awaited'
  | 'cash'
  | 'disputed'
  | 'withdrawn'
  | 'part_sent'

// biome-ignore format: by how much of the month had passed
const fated: readonly (readonly [share: number, fate: Fate])[] = [
  [0.06, 'part_refunded'], [0.11, 'cancelled'], [0.16, 'refunded'], [0.2, 'paid_by_transfer'], [0.24, 'never_paid'],
  [0.29, 'part_refunded'], [0.31, 'edited'], [0.34, 'cash'], [0.4, 'refund_failed'], [0.45, 'paid_by_transfer'],
  [0.48, 'exchanged'], [0.51, 'disputed'], [0.53, 'edited'], [0.56, 'part_refunded'], [0.6, 'cancelled'], [0.66, 'refunded'],
  [0.71, 'return_asked'],
]

// biome-ignore format: from the newest
const fatedLately: readonly (readonly [fromLast: number, fate: Fate])[] = [
  [28, 'part_refunded'], [24, 'withdrawn'], [16, 'cancelled'], [15, 'edit_asked'], [13, 'part_sent'], [11, 'awaited'], [8, 'cash'], [6, 'awaited'], [3, 'awaited'],
]

interface Fates {
  of: ReadonlyMap<number, Fate>
  // Index of the first order that has not been sent.
  unsentFrom: number
}

const toSendMin = 14

// Changes the orders to match their fates. For example, an order that is half refunded needs two lines.
function fatesFor(orders: PlannedOrder[], anchor: number): Fates {
  const { length } = orders
  const of = new Map<number, Fate>([
    ...fated.map(([share, fate]) => [Math.floor(share * length), fate] as const),
    ...fatedLately.map(([fromLast, fate]) => [length - fromLast, fate] as const),
  ])
  for (const [index, fate] of of) {
    const order = orders[index]
    if (order) orders[index] = { ...order, ...membersFor(fate, order, index) }
  }
  let unsentFrom = length
  for (let toSend = 0; toSend < toSendMin && unsentFrom > 0; ) {
    unsentFrom -= 1
    const fate = of.get(unsentFrom)
    if (fate !== 'awaited' && fate !== 'cancelled' && (orders[unsentFrom]?.at ?? 0) < anchor) toSend += 1
  }
  return { of, unsentFrom }
}

const pairs = [
  [
    { code: 'MUG-STO-350-SLA', quantity: 2 },
    { code: 'TWL-LIN-IND', quantity: 1 },
  ],
  [
    { code: 'CND-SOY-FIG-220', quantity: 1 },
    { code: 'VAS-BUD-WHI', quantity: 2 },
    { code: 'CRD-LIN-MIX', quantity: 1 },
  ],
  [
    { code: 'BRD-OAK-M', quantity: 1 },
    { code: 'SPN-WAL-RND', quantity: 2 },
  ],
] as const

function membersFor(fate: Fate, order: PlannedOrder, index: number): Partial<PlannedOrder> {
  if (fate === 'part_refunded' || fate === 'part_sent') return { items: pairs[index % pairs.length] ?? order.items }
  if (fate === 'exchanged' || fate === 'edited' || fate === 'edit_asked')
    return { items: pairs[0], promotionCode: null }
  if (fate === 'refund_failed') return { items: pairs[0], pay: 'refusing' }
  if (fate === 'cash') return { pay: 'cash_on_delivery' }
  if (fate === 'never_paid' || fate === 'paid_by_transfer' || fate === 'awaited') return { pay: 'bank_transfer' }
  return {}
}

// Actions of the shop's members

interface Frame {
  from: number
  anchor: number
  weekend: Span
  random: Random
}

function staffActs(orders: readonly PlannedOrder[], fates: Fates, frame: Frame): Act[] {
  const { from, anchor, weekend, random } = frame
  const acts: Act[] = [
    { kind: 'time_zone', at: from + 20 * minute, by: 'owner', timeZone: 'Europe/Berlin' },
    { kind: 'endpoint', at: from + 3 * day + 30 * minute, by: 'owner', endpoint: 'labels' },
    { kind: 'endpoint', at: from + 3 * day + 40 * minute, by: 'owner', endpoint: 'books' },
    { kind: 'endpoint', at: from + 14 * day + 50 * minute, by: 'owner', endpoint: 'newsletter' },
    {
      kind: 'promotion',
      at: weekend.from - 2 * day + 9 * hour,
      by: 'owner',
      code: weekendCode,
      name: '15 % off this weekend',
      from: weekend.from,
      to: weekend.to,
    },
    {
      kind: 'skus',
      at: from + 8 * day + 2 * hour,
      by: 'staff',
      rows: [
        { code: 'LMP-ARC-PIN', adjustBy: -80, reason: 'Sent back to the maker: loose switches' },
        { code: 'KNF-BRD-220', adjustBy: -91, reason: 'Moved to the market stall' },
      ],
    },
    {
      kind: 'skus',
      at: from + 12 * day + 90 * minute,
      by: 'owner',
      rows: [
        { code: 'BKE-STL-OCH', price: 3_400, compareAtPrice: 3_800 },
        { code: 'BKE-STL-CHA', price: 3_400, compareAtPrice: 3_800 },
      ],
    },
    {
      kind: 'skus',
      at: from + 22 * day + 3 * hour,
      by: 'staff',
      rows: [{ code: 'NTB-THR-A5-DOT', adjustBy: 240, reason: 'Delivery of the bindery' }],
    },
    {
      kind: 'skus',
      at: anchor - 2 * day - 40 * minute,
      by: 'staff',
      rows: [{ code: 'CSH-COR-46-PLU', adjustBy: -146, reason: 'Counted: a box is missing' }],
    },
  ]
  acts.push(...draftActs(from, anchor))
  for (const [order, fate] of fates.of) acts.push(...actsFor(fate, order, orders[order]?.at ?? anchor))
  acts.push(...sendings(orders, fates, frame, random))
  const last = anchor - historyEndsMs
  return acts.filter(({ at }) => at > from && at < last)
}

// Two drafts whose links can be paid when the shop is opened, and one older draft.
function draftActs(from: number, anchor: number): Act[] {
  const [hanne, jonas, mirjam] = shoppers
  if (!hanne || !jonas || !mirjam) return []
  const [mugs = [], candles = [], boards = []] = pairs
  const drafted = (at: number, by: DemoPerson, planned: PlannedDraft): Act => ({ kind: 'draft', at, by, planned })
  return [
    drafted(from + 11 * day + 4 * hour, 'staff', {
      ...{ shopper: mirjam, items: candles, discount: 0, isCancelled: true },
      note: 'Decided for another colour and ordered in the shop.',
    }),
    drafted(anchor - 2 * day - 3 * hour, 'owner', {
      ...{ shopper: hanne, items: boards, discount: 500, isCancelled: false },
      note: 'For the opening of the café. Wants an invoice.',
    }),
    drafted(anchor - day - 2 * hour, 'staff', {
      ...{ shopper: jonas, items: mugs, discount: 0, isCancelled: false },
      note: 'Rang: the card was declined twice on the telephone.',
    }),
  ]
}

function actsFor(fate: Fate, order: number, at: number): Act[] {
  switch (fate) {
    case 'refunded':
      return [
        { kind: 'look', at: at + 5 * day, by: 'staff', order },
        { kind: 'note', at: at + 5 * day + 4 * minute, by: 'staff', order, text: 'Came back unopened, all fine.' },
        { kind: 'return', at: at + 5 * day + 6 * minute, by: 'staff', order },
      ]
    case 'part_refunded':
      return [
        { kind: 'note', at: at + 4 * day, by: 'staff', order, text: 'One piece arrived broken, photo by e-mail.' },
        { kind: 'refund', at: at + 4 * day + minute, by: 'staff', order, isPart: true, reason: 'Broken on the way' },
      ]
    case 'return_asked':
      return [{ kind: 'ask_return', at: at + 5 * day + 3 * hour, order }]
    case 'exchanged':
      return [{ kind: 'exchange', at: at + 4 * day, by: 'staff', order, code: 'MUG-STO-250-OAT' }]
    case 'edited':
      return [
        { kind: 'note', at: at + 30 * minute, by: 'staff', order, text: 'Rang: one mug is enough.' },
        { kind: 'edit', at: at + 32 * minute, by: 'staff', order, isMore: false },
      ]
    case 'edit_asked':
      return [{ kind: 'edit', at: at + 40 * minute, by: 'owner', order, isMore: true }]
    case 'refund_failed':
      return [{ kind: 'refund', at: at + 3 * day, by: 'owner', order, isPart: true, reason: 'Wrong colour' }]
    case 'cancelled':
      return [{ kind: 'cancel', at: at + 50 * minute, by: 'staff', order, note: 'Ordered twice by mistake.' }]
    case 'paid_by_transfer':
      return [{ kind: 'collect', at: at + 2 * day + 2 * hour, by: 'owner', order }]
    case 'cash':
      return [{ kind: 'collect', at: at + 6 * day, by: 'owner', order }]
    case 'never_paid':
      return [{ kind: 'lapse', at: at + transferMs + minute, order }]
    case 'withdrawn':
      return [{ kind: 'withdraw', at: at + 5 * day, order }]
    case 'disputed':
      return [
        { kind: 'dispute', at: at + 8 * day, order },
        {
          kind: 'note',
          at: at + 8 * day + hour,
          by: 'owner',
          order,
          text: 'The customer says that it never arrived. Asked the carrier for the proof of delivery.',
        },
      ]
    case 'awaited':
    case 'part_sent':
      return []
  }
}

// On working days at 9:30, sends everything that was bought before 6:00.
function sendings(orders: readonly PlannedOrder[], fates: Fates, { from, anchor }: Frame, random: Random): Act[] {
  const acts: Act[] = []
  const sent = new Set<number>()
  for (let midnight = Math.floor(from / day) * day; midnight < anchor; midnight += day) {
    const weekday = new Date(midnight).getUTCDay()
    if (weekday === 0 || weekday === 6) continue
    const parcels = orders.flatMap((planned, order) => {
      if (sent.has(order) || !isReady(planned, order, fates, midnight + 6 * hour)) return []
      sent.add(order)
      return [parcelFor(planned, order, fates.of.get(order) === 'part_sent', random)]
    })
    if (parcels.length > 0) acts.push({ kind: 'send', at: midnight + 9.5 * hour, by: 'staff', parcels })
  }
  return acts
}

function isReady(planned: PlannedOrder, order: number, fates: Fates, by: number): boolean {
  const fate = fates.of.get(order)
  if (fate === 'cancelled' || fate === 'never_paid' || fate === 'awaited') return false
  if (order >= fates.unsentFrom && fate !== 'part_sent') return false
  return planned.at + (fate === 'paid_by_transfer' ? 2 * day + 3 * hour : 0) < by
}

function parcelFor({ shopper }: PlannedOrder, order: number, isPart: boolean, random: Random): PlannedParcel {
  const isHome = shopper.address.country === 'DE'
  const carrier = isHome ? random.of(['DHL', 'DHL', 'DPD']) : random.of(['DHL', 'UPS'])
  const prefix = { DHL: '00340434', DPD: '0150', UPS: '1Z88F2' }[carrier] ?? ''
  return { order, carrier, trackingNumber: prefix + random.digits(carrier === 'UPS' ? 12 : 10), isPart }
}

// Parts

// The end of an order that waits for a transfer is in the same part as the order: the loops of the real server would find the order
// overdue.
function partsOf(acts: readonly Act[], orders: readonly PlannedOrder[], from: number): Month['parts'] {
  const placed = acts
    .map((act) => ({ act, at: endsTransfer(act, orders) ? (orders[act.order]?.at ?? act.at) : act.at }))
    .sort((one, other) => one.at - other.at)
  const parts: Act[][] = []
  for (const group of Map.groupBy(placed, ({ at }) => Math.floor((at - from) / day)).values()) {
    const acted = group.map(({ act }) => act)
    const before = parts.at(-1)
    // A part is known to be made by its orders, so acts without an order belong to the part before.
    if (before && !before.some(({ kind }) => kind === 'order')) before.push(...acted)
    else parts.push(acted)
  }
  return parts
}

type EndOfTransfer = Extract<Act, { kind: 'collect' | 'lapse' }>

function endsTransfer(act: Act, orders: readonly PlannedOrder[]): act is EndOfTransfer {
  return (act.kind === 'collect' || act.kind === 'lapse') && orders[act.order]?.pay === 'bank_transfer'
}

// Random numbers

interface Random {
  next(): number
  whole(below: number): number
  of<T>(values: readonly T[]): T
  weighted<T>(values: readonly (readonly [T, number])[]): T
  digits(count: number): string
}

// Mulberry32: a short generator with the same numbers on every platform.
function createRandom(seed: number): Random {
  let state = seed
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (below: number) => Math.floor(next() * below)
  return {
    next,
    whole,
    of: <T>(values: readonly T[]) => values[whole(values.length)] as T,
    weighted<T>(values: readonly (readonly [T, number])[]) {
      let left = next() * values.reduce((sum, [, weight]) => sum + weight, 0)
      const found = values.find(([, weight]) => {
        left -= weight
        return left < 0
      })
      return (found ?? values[0])?.[0] as T
    },
    digits: (count) => Array.from({ length: count }, () => whole(10)).join(''),
  }
}
