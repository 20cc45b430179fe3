// Token buckets by id, with bounded memory. Callers pass the present time.
import { isIPv4, isIPv6 } from 'node:net'

export interface ThrottleOptions {
  readonly perSecond: number
  readonly burst: number
  readonly entriesMax?: number
}

export interface Throttle {
  // Returns 0 if the call is admitted, otherwise the milliseconds until it would be. A refused call takes no token.
  take(id: string, nowMs: number, cost?: number): number
  // Like take(), but takes no token. To count only failures, call peek() first, and take() after a failure.
  peek(id: string, nowMs: number, cost?: number): number
  readonly size: number
}

const entriesMaxDefault = 50_000

// Number of entries to examine when a new entry needs room.
const glance = 8

// A bucket is stored as one number: the instant at which it is full again. Each token taken moves this instant forward by the time of one
// token, and the bucket is empty when the instant is a whole burst ahead (the generic cell rate algorithm, ITU-T I.371).
// A full bucket equals no bucket, so nothing is lost if it is dropped. When the table is full, an iterator that cycles through it
// examines the next few entries and drops the full ones, or the fullest if none is full. A client that changes its address to have its
// empty bucket dropped therefore displaces its own newer buckets: an empty bucket is only dropped if all examined buckets are as empty,
// and emptying each of them has cost a burst.
export function createThrottle({ perSecond, burst, entriesMax = entriesMaxDefault }: ThrottleOptions): Throttle {
  if (!(perSecond > 0 && burst >= 1 && entriesMax >= 1))
    throw new RangeError('createThrottle: perSecond must be above 0, and burst and entriesMax at least 1')
  const tokenMs = 1000 / perSecond
  const burstMs = burst * tokenMs
  const fullAt = new Map<string, number>()
  let hand = fullAt.entries()

  // Limited to one burst ahead: otherwise a bucket would stay empty for as long as the clock was set back. A bucket that is more than two
  // bursts ahead was emptied before the clock was set back, and counts as full; a small correction of the clock does not refill buckets.
  function fullFrom(id: string, nowMs: number): number {
    const at = fullAt.get(id)
    if (at === undefined || at <= nowMs || at > nowMs + 2 * burstMs) return nowMs
    const latest = nowMs + burstMs
    if (at <= latest) return at
    fullAt.set(id, latest)
    return latest
  }

  // A cost above the burst could never be paid, so it empties the bucket instead.
  function priceOf(cost: number): number {
    return Math.min(cost * tokenMs, burstMs)
  }

  function waitFor(next: number, nowMs: number): number {
    const over = next - nowMs - burstMs
    return over < 1e-6 ? 0 : Math.max(1, Math.ceil(over - 1e-6)) // tolerates rounding errors
  }

  function turnHand(): [string, number] | undefined {
    const turn = hand.next()
    if (!turn.done) return turn.value
    hand = fullAt.entries()
    return hand.next().value
  }

  function makeRoom(nowMs: number): void {
    let fullest: [string, number] | undefined
    let dropped = false
    for (let i = 0; i < glance; i++) {
      const entry = turnHand()
      if (!entry) break
      if (entry[1] <= nowMs) dropped = fullAt.delete(entry[0]) || dropped
      else if (!fullest || entry[1] < fullest[1]) fullest = entry
    }
    if (!dropped && fullest) fullAt.delete(fullest[0])
  }

  return {
    take(id, nowMs, cost = 1) {
      const next = fullFrom(id, nowMs) + priceOf(cost)
      const wait = waitFor(next, nowMs)
      if (wait > 0) return wait
      if (fullAt.size >= entriesMax && !fullAt.has(id)) makeRoom(nowMs)
      fullAt.set(id, next)
      return 0
    },
    peek(id, nowMs, cost = 1) {
      return waitFor(fullFrom(id, nowMs) + priceOf(cost), nowMs)
    },
    get size() {
      return fullAt.size
    },
  }
}

// Returns the bucket of a client address. IPv6 addresses share a bucket per /64, the smallest network that a subscriber gets. An IPv4
// address written as IPv6 counts as IPv4. All invalid addresses share one bucket.
export function addressBucket(ip: string): string {
  if (isIPv4(ip)) return ip
  // Node reports IPv4 clients in this form if a socket listens to both IPv4 and IPv6.
  if (ip.startsWith('::ffff:') && isIPv4(ip.slice(7))) return ip.slice(7)
  const address = ip.split('%', 1)[0] ?? '' // without the zone
  if (!isIPv6(address)) return 'unknown'
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, high = 0, low = 0] = groupsOf(address)
  if ((a | b | c | d | e) === 0 && f === 0xffff) return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}::/64`
}

// Returns the bucket of a client's network: for IPv6 the /48, the largest network that a site usually gets (RFC 6177); for IPv4 the
// address.
export function networkBucket(ip: string): string {
  const bucket = addressBucket(ip)
  return bucket.endsWith('::/64') ? `${bucket.split(':').slice(0, 3).join(':')}::/48` : bucket
}

// Returns the eight groups of a valid IPv6 address.
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const front = partsOf(head)
  if (tail === undefined) return front
  const back = partsOf(tail)
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function partsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}
