import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyEndsMs, historyMs } from '../provisioning/demo.ts'
import { type Act, planMonth } from './month.ts'

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

test('acts are in order, name orders that were placed before, and each part has an order', () => {
  for (const anchor of anchors) {
    const { parts } = planMonth(anchor)
    let last = 0
    let placed = 0
    for (const { acts, endsAt } of parts) {
      assert.ok(acts.some(({ kind }) => kind === 'order'))
      for (const act of acts) {
        assert.ok(act.at >= last, `${act.kind} at ${new Date(act.at)}`)
        last = act.at
        if (act.kind === 'order') assert.equal(act.order, placed++)
        else for (const order of ordersOf(act)) assert.ok(order < placed, `${act.kind} of order ${order}`)
      }
      assert.ok(endsAt >= last && endsAt <= anchor)
    }
  }
})

test('at the end something is to be sent, and each order was sent once at most', () => {
  for (const anchor of anchors) {
    const { parts, orders } = planMonth(anchor)
    const acts = parts.flatMap((part) => part.acts)
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

function ordersOf(act: Act): number[] {
  if (act.kind === 'send') return act.parcels.map(({ order }) => order)
  return 'order' in act ? [act.order] : []
}
