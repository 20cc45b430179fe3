// Events to many receivers, a few of which fail: one never answers, one returns errors, one asks for a delay, one sends
// an endless answer. Rounds with the failing ones alternate with rounds without them; the working ones must not be
// affected. What is measured is the time from the commit of an event to its arrival.

import { median, quantile } from './quantile.ts'
import { type FaultyKind, playRounds, type Round } from './rounds.ts'
import type { Run } from './runs.ts'

const wellReceivers = 97
// With failing receivers the working ones may wait this much longer, which is about the noise of the machine.
const slowdownMax = 1.5
// Memory in use after a collection must not grow. The process itself does for a while, in steps, because V8 enlarges
// the young generation under load: from 154 to 245 MiB over sixteen rounds in which the memory in use stayed at 30 MiB.
const liveGrowthMax = 1.25
const rssMiBMax = 400
const callsMax = 256
const perEndpointMax = 8
// The breaker opens after ten failures, and seven requests may still have been in progress.
const untilBreakerMax = 17
const restSeconds = 30

export const receiversRun: Run = {
  name: 'receivers',
  method:
    'rounds with and without four faulty receivers beside 97 working ones; measured from commit to arrival at the working ones',
  numbers: { rounds: 5, seconds: 25, rate: 3 },
  short: { rounds: 1, seconds: 4 },
  async run(place, { rounds: count = 0, seconds = 0, rate = 0 }) {
    const onProgress = (text: string) => void process.stdout.write(`\r  ${text}   `)
    const rounds = await playRounds({
      ...place,
      well: wellReceivers,
      rounds: count,
      seconds,
      perSecond: rate,
      onProgress,
    })
    process.stdout.write('\n')
    const alone = rounds.filter(({ isWithFaulty }) => !isWithFaulty)
    const beside = rounds.filter(({ isWithFaulty }) => isWithFaulty)
    const slowdown = median(beside.map(({ p99Ms }) => p99Ms)) / median(alone.map(({ p99Ms }) => p99Ms))
    const firstAndLast = [rounds[0], rounds.at(-1)].map((round) => round?.load)
    const rssMiB = firstAndLast.map((load) => Math.round((load?.rssBytes ?? 0) / 2 ** 20))
    const liveMiB = firstAndLast.map((load) => Math.round((load?.liveBytes ?? 0) / 2 ** 20))
    const sum = (of: (round: Round) => number | undefined) =>
      rounds.reduce((total, round) => total + (of(round) ?? 0), 0)
    const most = (of: (round: Round) => number | undefined) => Math.max(0, ...rounds.map((round) => of(round) ?? 0))
    const mostCalls = (kind: FaultyKind) => most(({ faulty }) => faulty?.calls[kind])
    const probes = Math.ceil(seconds / restSeconds)
    const broken = {
      missing: sum(({ missing }) => missing),
      duplicates: sum(({ duplicates }) => duplicates),
      'faulty attempts too early': sum(({ faulty }) => faulty?.early),
      'faulty endpoints given up': sum(({ faulty }) => faulty?.givenUp),
      'faulty deliveries ended wrongly': sum(({ faulty }) => faulty && endedWrongly(faulty.statuses)),
      'endless answers not cut off': sum(({ faulty }) => faulty && faulty.calls.endless - faulty.endlessCut),
    }
    const violations = Object.entries(broken).flatMap(([what, number]) => (number > 0 ? [`${number} ${what}`] : []))
    const bounds: readonly [boolean, string][] = [
      [slowdown <= slowdownMax, `the working ones are ${slowdown.toFixed(2)} times slower beside the faulty ones`],
      [(liveMiB[1] ?? 0) <= (liveMiB[0] ?? 0) * liveGrowthMax, 'what is in use grows'],
      [Math.max(...rssMiB) <= rssMiBMax, 'the process takes too much memory'],
      [most(({ load }) => load.inFlightMax) <= callsMax, 'too many calls at once'],
      [most(({ faulty }) => faulty?.hangingMax) <= perEndpointMax, 'too many calls at once to the one that hangs'],
      [mostCalls('failing') <= untilBreakerMax + probes, 'too many calls to the failing receiver'],
      [mostCalls('patient') <= perEndpointMax * (1 + probes), 'too many calls to the one that asks for patience'],
      // If there were a queue even without the failing ones, the comparison would show nothing.
      [
        median(alone.map(({ p50Ms }) => p50Ms)) < 1_000 / rate,
        'the load is too high for this machine: events overtake',
      ],
      [median(alone.map(({ growth }) => growth)) < 2, 'the load is too high for this machine: it piles up'],
    ]
    return {
      seen: {
        'p50 ms, without faulty receivers': range(alone.map(({ p50Ms }) => p50Ms)),
        'p50 ms, with faulty receivers': range(beside.map(({ p50Ms }) => p50Ms)),
        'p99 ms, without faulty receivers': range(alone.map(({ p99Ms }) => p99Ms)),
        'p99 ms, with faulty receivers': range(beside.map(({ p99Ms }) => p99Ms)),
        'ratio of p99': slowdown.toFixed(2),
        'calls to working receivers': rounds.length * seconds * rate * wellReceivers,
        'share of a core': range(rounds.map(({ load }) => load.cpuShare)),
        'calls at once': most(({ load }) => load.inFlightMax),
        'rss MiB, first and last': rssMiB.join(' '),
        'in use MiB, first and last': liveMiB.join(' '),
        'faulty, calls in a round': JSON.stringify(beside.at(-1)?.faulty?.calls),
        'faulty, at the end': JSON.stringify(beside.at(-1)?.faulty?.statuses),
        'hanging at once': most(({ faulty }) => faulty?.hangingMax),
        ...broken,
      },
      violations: [...violations, ...bounds.flatMap(([holds, sentence]) => (holds ? [] : [sentence]))],
    }
  },
}

// The endless one has accepted everything; the others have accepted nothing, and no delivery has been given up yet.
function endedWrongly(statuses: Readonly<Record<string, number>>): number {
  const isRight = /^(endless succeeded|(hanging|failing|patient) (pending|sending|retrying))$/
  return Object.entries(statuses).reduce((total, [what, number]) => total + (isRight.test(what) ? 0 : number), 0)
}

function range(values: readonly number[]): string {
  const [least, middle, most] = [quantile(values, 0), quantile(values, 0.5), quantile(values, 1)]
  const digits = most < 10 ? 2 : 0
  return `${middle.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}
