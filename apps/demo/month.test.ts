import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyEndsMs, historyMs } from './facts.ts'
import { type Act, type PlannedOrder, planMonth } from './month.ts'

const hour = 3_600_000
// Every weekday, at every hour of the day.
const anchors = Array.from({ length: 56 }, (_, index) => Date.parse('2026-06-01T00:07:03Z') + index * 25 * hour)

test('the same instant gives the same month', () => {
  assert.deepEqual(planMonth(anchors[3] ?? 0), planMonth(anchors[3] ?? 0))
})

test('a month has sixty to ninety orders, on whatever day it ends', () => {
  for (const anchor of anchors) {
    const { orders } = planMonth(anchor)
    assert.ok(orders.length >= 60 && orders.length <= 90, `${orders.length} orders before ${new Date(anchor)}`)
    const times = orders.map(({ at }) => at)
    assert.deepEqual(times, [...new Set(times)].sort())
    assert.deepEqual([times[0], times.at(-1)], [anchor - historyMs, anchor - historyEndsMs])
  }
})

test('actions are in order of time, except the ends of bank transfers; they refer to earlier orders; each part places an order', () => {
  for (const anchor of anchors) {
    const { parts, orders } = planMonth(anchor)
    let last = 0
    let placed = 0
    for (const part of parts) {
      assert.ok(part.some(({ kind }) => kind === 'order'))
      for (const act of part) {
        if (act.kind === 'order') assert.equal(act.order, placed++)
        else for (const order of ordersOf(act)) assert.ok(order < placed, `${act.kind} of order ${order}`)
        assert.ok(act.at <= anchor)
        if (isEndOfTransfer(act, orders)) continue
        assert.ok(act.at >= last, `${act.kind} at ${new Date(act.at)}`)
        last = act.at
      }
    }
  }
})

test('at the end of each part no order awaits a transfer that is overdue today', () => {
  for (const anchor of anchors) {
    const { parts, orders } = planMonth(anchor)
    for (const part of parts) {
      const ended = new Set(part.flatMap((act) => (isEndOfTransfer(act, orders) ? act.order : [])))
      const waiting = part.flatMap((act) =>
        act.kind === 'order' && act.planned.pay === 'bank_transfer' && !ended.has(act.order) ? [act.at] : [],
      )
      for (const at of waiting) assert.ok(anchor - at < 14 * 24 * hour, new Date(at).toISOString())
    }
  }
})

test('at the end some orders are unsent, and no order was sent twice', () => {
  for (const anchor of anchors) {
    const { parts, orders } = planMonth(anchor)
    const acts = parts.flat()
    const sent = acts.flatMap((act) => (act.kind === 'send' ? act.parcels : []))
    assert.equal(new Set(sent.map(({ order }) => order)).size, sent.length)
    const closed = new Set([
      ...sent.filter(({ isPart }) => !isPart).map(({ order }) => order),
      ...acts.flatMap((act) => (act.kind === 'cancel' ? [act.order] : [])),
      ...orders.flatMap(({ pay }, order) => (pay === 'bank_transfer' ? [order] : [])),
    ])
    const toSend = orders.length - closed.size
    assert.ok(toSend >= 12 && toSend <= 24, `${toSend} to send at ${new Date(anchor)}`)
  }
})

function isEndOfTransfer(
  act: Act,
  orders: readonly PlannedOrder[],
): act is Extract<Act, { kind: 'collect' | 'lapse' }> {
  return (act.kind === 'collect' || act.kind === 'lapse') && orders[act.order]?.pay === 'bank_transfer'
}

function ordersOf(act: Act): number[] {
  if (act.kind === 'send') return act.parcels.map(({ order }) => order)
  return 'order' in act ? [act.order] : []
}
