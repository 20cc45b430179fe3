import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  aheadShareMax,
  type Candidate,
  candidatesMax,
  type EndpointFacts,
  type EndpointRoom,
  planClaims,
  roomFor,
} from './plan.ts'
import { inFlightMax } from './schedule.ts'

const idle: EndpointFacts = { consecutiveFailures: 0, sending: 0, ofOthers: 0, ahead: 0 }

const rooms: [name: string, facts: Partial<EndpointFacts>, room: EndpointRoom][] = [
  ['an idle endpoint', {}, { calls: 8, ahead: 0 }],
  ['one with calls under way', { sending: 3 }, { calls: 5, ahead: 0 }],
  ['a quick one with all calls under way', { sending: 8, ahead: 56 }, { calls: 0, ahead: 56 }],
  ['a quick one with some claimed in advance already', { sending: 20, ahead: 56 }, { calls: -12, ahead: 44 }],
  ['one with more claimed in advance than it gets now', { sending: 40, ahead: 10 }, { calls: -32, ahead: 0 }],
  ['a quick one to which another node has calls', { sending: 2, ofOthers: 1, ahead: 56 }, { calls: 6, ahead: 0 }],
  ['one that failed once', { consecutiveFailures: 1, ahead: 56 }, { calls: 7, ahead: 0 }],
  [
    'one that fails, with more under way than it gets now',
    { consecutiveFailures: 6, sending: 5 },
    { calls: -3, ahead: 0 },
  ],
  ['one that has failed many times', { consecutiveFailures: 100 }, { calls: 1, ahead: 0 }],
]
for (const [name, facts, room] of rooms)
  test(`the room for claims is calculated: ${name}`, () => assert.deepEqual(roomFor({ ...idle, ...facts }), room))

function due(room: Partial<EndpointRoom>, free: number, blocked = 0) {
  const candidate = (id: string, blockedUntil: number | null): Candidate => ({ id, blockedUntil })
  return {
    room: { calls: 0, ahead: 0, ...room },
    candidates: [
      ...Array.from({ length: blocked }, (_, at) => candidate(`b${at}`, 1)),
      ...Array.from({ length: free }, (_, at) => candidate(`f${at}`, null)),
    ],
  }
}

const plans: [
  name: string,
  asked: ReturnType<typeof due>[],
  calls: number,
  ahead: number,
  taken: number[],
  isMore: boolean,
][] = [
  ['nothing without endpoints', [], 10, 0, [], false],
  ['all that is due', [due({ calls: 8 }, 3)], 10, 0, [3], false],
  ['no more than the endpoint may get; its next call ends soon', [due({ calls: 2 }, 5)], 10, 0, [2], false],
  ['no more than the process can call', [due({ calls: 8 }, 8)], 5, 0, [5], true],
  ['equal shares', [due({ calls: 8 }, 8), due({ calls: 8 }, 8)], 8, 0, [4, 4], true],
  [
    'what one endpoint does not need goes to the next',
    [due({ calls: 8 }, 1), due({ calls: 8 }, 8)],
    8,
    0,
    [1, 7],
    true,
  ],
  ['nothing while the process has no room for calls', [due({ calls: 8 }, 8), due({ calls: 8 }, 8)], 0, 0, [0, 0], true],
  ['an endpoint with too many calls under way', [due({ calls: -3 }, 8), due({ calls: 8 }, 8)], 16, 0, [0, 8], false],
  ['in advance, beyond the calls that can be made now', [due({ calls: 8, ahead: 56 }, 80)], 256, 256, [64], false],
  ['only in advance if all calls are under way', [due({ calls: -4, ahead: 20 }, 80)], 256, 256, [20], false],
  [
    'in advance up to what the process may hold',
    [due({ calls: 8, ahead: 56 }, 80), due({ calls: 8, ahead: 56 }, 80)],
    256,
    40,
    [28, 28],
    false,
  ],
  [
    'nothing in advance if two endpoints share the calls',
    [due({ calls: 8, ahead: 56 }, 80), due({ calls: 8, ahead: 56 }, 80)],
    8,
    256,
    [4, 4],
    true,
  ],
  ['free deliveries behind blocked ones', [due({ calls: 8 }, 2, 5)], 10, 0, [2], false],
  ['none now, but more may follow, if all candidates are blocked', [due({ calls: 1 }, 0, 17)], 10, 0, [0], true],
]
for (const [name, asked, calls, ahead, taken, isMore] of plans)
  test(`claims are planned: ${name}`, () => {
    const plan = planClaims(asked, { calls, ahead })
    assert.deepEqual([plan.endpoints.map((endpoint) => endpoint.taken.length), plan.isMore], [taken, isMore])
    for (const [index, { candidates }] of asked.entries()) {
      const endpoint = plan.endpoints[index]
      const free = candidates.filter(({ blockedUntil }) => blockedUntil === null)
      assert.deepEqual(endpoint?.taken, free.slice(0, taken[index]), 'the oldest first')
      assert.deepEqual(endpoint?.parked, candidates.slice(0, candidates.length - free.length))
    }
  })

test('what may be claimed in advance is shared among the endpoints, down to a minimum share', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 32].map((endpoints) => aheadShareMax(256, endpoints)),
    [256, 128, 86, 64, 64],
  )
  assert.equal(aheadShareMax(40, 2), 40)
})

test('no plan exceeds a limit, and a plan that leaves a delivery although it could be sent says that there is more', () => {
  const endpoint = fc
    .record({
      calls: fc.integer({ min: -8, max: inFlightMax }),
      ahead: fc.nat(56),
      free: fc.nat(90),
      blocked: fc.nat(20),
    })
    .map(({ calls, ahead, free, blocked }) => {
      const { room, candidates } = due({ calls, ahead }, free, blocked)
      return { room, candidates: candidates.slice(0, candidatesMax(room)) }
    })
  fc.assert(
    fc.property(fc.array(endpoint, { maxLength: 32 }), fc.nat(256), fc.nat(256), (asked, calls, ahead) => {
      const { endpoints, isMore } = planClaims(asked, { calls, ahead })
      const called = endpoints.map(({ taken }, index) =>
        Math.min(taken.length, Math.max(0, asked[index]?.room.calls ?? 0)),
      )
      const all = endpoints.reduce((sum, { taken }) => sum + taken.length, 0)
      assert.ok(all <= calls + ahead)
      for (const [index, { room }] of asked.entries())
        assert.ok((endpoints[index]?.taken.length ?? 0) <= Math.max(0, room.calls) + room.ahead)
      const callable = asked.some(({ room, candidates }, index) => {
        const free = candidates.filter(({ blockedUntil }) => blockedUntil === null).length
        return (called[index] ?? 0) < Math.min(room.calls, free)
      })
      if (callable) assert.ok(isMore, 'it says that there is more')
    }),
  )
})
