import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressBucket, createThrottle } from './throttle.ts'

test('a burst is admitted, then one request at a time, and the reported wait is exact', () => {
  const throttle = createThrottle({ perSecond: 10, burst: 3 })
  assert.deepEqual(
    [0, 0, 0, 0].map(() => throttle.take('a', 1000)),
    [0, 0, 0, 100],
  )
  assert.equal(throttle.take('a', 1099), 1)
  assert.equal(throttle.take('a', 1100), 0)
  assert.equal(throttle.take('a', 1100), 100)
  assert.equal(throttle.take('b', 1100), 0)
  assert.deepEqual(
    [0, 0, 0, 0].map(() => throttle.take('a', 9000)),
    [0, 0, 0, 100],
  )
})

test('refused requests and peeking use up no tokens', () => {
  const throttle = createThrottle({ perSecond: 1, burst: 1 })
  assert.equal(throttle.peek('a', 0), 0)
  assert.equal(throttle.peek('a', 0), 0)
  assert.equal(throttle.size, 0)
  assert.equal(throttle.take('a', 0), 0)
  for (let i = 0; i < 100; i++) assert.equal(throttle.take('a', 0), 1000)
  assert.equal(throttle.peek('a', 999), 1)
  assert.equal(throttle.peek('a', 1000), 0)
  assert.equal(throttle.take('a', 1000), 0)
})

test('a cost uses up that many tokens, and a cost above the burst empties the bucket', () => {
  const throttle = createThrottle({ perSecond: 10, burst: 5 })
  assert.equal(throttle.take('a', 0, 4), 0)
  assert.equal(throttle.take('a', 0, 4), 300)
  assert.equal(throttle.take('a', 0, 1), 0)
  assert.equal(throttle.take('b', 0, 1000), 0)
  assert.equal(throttle.take('b', 0), 100)
})

test('setting the clock back locks no client out', () => {
  const throttle = createThrottle({ perSecond: 10, burst: 2 })
  throttle.take('a', 1_000_000, 2)
  assert.equal(throttle.take('a', 0), 0)
  assert.equal(throttle.take('a', 0), 0)
  assert.equal(throttle.take('a', 0), 100)
  // A small correction of the clock does not refill the bucket.
  assert.equal(throttle.take('b', 1_000_000, 2), 0)
  assert.equal(throttle.take('b', 999_900), 100)
})

test('the throttle admits exactly what a token bucket admits, and reports the exact wait', () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.integer({ min: 1, max: 3 })), { maxLength: 60 })
  fc.assert(
    fc.property(fc.constantFrom(1, 3, 7, 100), fc.integer({ min: 3, max: 20 }), steps, (perSecond, burst, moves) => {
      const throttle = createThrottle({ perSecond, burst })
      // In thousandths of a token, so the reference is exact.
      let tokens = burst * 1000
      let now = 0
      for (const [pause, cost] of moves) {
        now += pause
        tokens = Math.min(burst * 1000, tokens + pause * perSecond)
        const wait = throttle.take('a', now, cost)
        assert.equal(wait === 0, tokens >= cost * 1000)
        if (wait === 0) tokens -= cost * 1000
        else assert.equal(wait, Math.ceil((cost * 1000 - tokens) / perSecond))
      }
    }),
  )
})

test('the number of buckets is limited', () => {
  const throttle = createThrottle({ perSecond: 1, burst: 10, entriesMax: 100 })
  for (let i = 0; i < 100_000; i++) {
    assert.equal(throttle.take(`address ${i}`, i), 0)
    assert.ok(throttle.size <= 100)
  }
})

test('using many other addresses does not refill an empty bucket', () => {
  const throttle = createThrottle({ perSecond: 1, burst: 10, entriesMax: 1000 })
  for (const attacker of ['one', 'two', 'three']) throttle.take(attacker, 0, 10)
  for (let i = 0; i < 100_000; i++) throttle.take(`address ${i}`, 0)
  for (const attacker of ['one', 'two', 'three']) assert.ok(throttle.take(attacker, 0) > 0, attacker)
})

test('a throttle without limits is an error', () => {
  assert.throws(() => createThrottle({ perSecond: 0, burst: 1 }), RangeError)
  assert.throws(() => createThrottle({ perSecond: 1, burst: 0 }), RangeError)
  assert.throws(() => createThrottle({ perSecond: 1, burst: 1, entriesMax: 0 }), RangeError)
})

test('clients are counted by IPv4 address, or by the /64 network of an IPv6 address', () => {
  const cases: Record<string, string> = {
    '192.0.2.1': '192.0.2.1',
    '::ffff:192.0.2.1': '192.0.2.1',
    '::FFFF:c000:201': '192.0.2.1',
    '0:0:0:0:0:ffff:192.0.2.1': '192.0.2.1',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:DB8:1:2::': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '2001:0db8:0000:0000:ffff::': '2001:db8:0:0::/64',
    '::1': '0:0:0:0::/64',
    '::': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '64:ff9b::192.0.2.1': '64:ff9b:0:0::/64',
    '': 'unknown',
    localhost: 'unknown',
    '192.0.2.1:80': 'unknown',
    '1.2.3': 'unknown',
    '2001:db8::1::2': 'unknown',
  }
  for (const [ip, bucket] of Object.entries(cases)) assert.equal(addressBucket(ip), bucket, ip)
})
