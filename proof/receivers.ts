// Events to many receivers, of which a few are sick: one never answers, one fails, one asks for patience, one answers
// without an end. Rounds with the sick alternate with rounds without them; the well ones must not notice. What is measured is
// the time from the commit of an event to its arrival.

import { median, quantile } from './quantile.ts'
import { playRounds, type Round, type SickKind } from './rounds.ts'
import type { Run } from './runs.ts'

const wellReceivers = 97
// With sick receivers beside them the well ones may wait this much longer, which is what the machine's own moods amount to.
const slowdownMax = 1.5
// What is in use after a collection must not grow. The process itself does for a while, in steps, because the heap gets a
// larger nursery under load: from 154 to 245 MiB over sixteen rounds in which what was in use stayed at 30.
const liveGrowthMax = 1.25
const rssMiBMax = 400
const callsMax = 256
const perEndpointMax = 8
// The breaker opens at ten failures, of which the last seven may have been under way.
const untilBreakerMax = 17
const restSeconds = 30

export const receiversRun: Run = {
  name: 'receivers',
  method: 'rounds with and without four sick receivers beside 97 well ones; from commit to arrival at the well ones',
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
    const alone = rounds.filter(({ isWithSick }) => !isWithSick)
    const beside = rounds.filter(({ isWithSick }) => isWithSick)
    const slowdown = median(beside.map(({ p99Ms }) => p99Ms)) / median(alone.map(({ p99Ms }) => p99Ms))
    const firstAndLast = [rounds[0], rounds.at(-1)].map((round) => round?.load)
    const rssMiB = firstAndLast.map((load) => Math.round((load?.rssBytes ?? 0) / 2 ** 20))
    const liveMiB = firstAndLast.map((load) => Math.round((load?.liveBytes ?? 0) / 2 ** 20))
    const sum = (of: (round: Round) => number | undefined) =>
      rounds.reduce((total, round) => total + (of(round) ?? 0), 0)
    const most = (of: (round: Round) => number | undefined) => Math.max(0, ...rounds.map((round) => of(round) ?? 0))
    const mostCalls = (kind: SickKind) => most(({ sick }) => sick?.calls[kind])
    const probes = Math.ceil(seconds / restSeconds)
    const broken = {
      missing: sum(({ missing }) => missing),
      duplicates: sum(({ duplicates }) => duplicates),
      'sick attempts too early': sum(({ sick }) => sick?.early),
      'sick endpoints given up': sum(({ sick }) => sick?.givenUp),
      'sick deliveries ended wrongly': sum(({ sick }) => sick && endedWrongly(sick.statuses)),
      'endless answers not cut off': sum(({ sick }) => sick && sick.calls.endless - sick.endlessCut),
    }
    const violations = Object.entries(broken).flatMap(([what, number]) => (number > 0 ? [`${number} ${what}`] : []))
    const bounds: readonly [boolean, string][] = [
      [slowdown <= slowdownMax, `the well ones are ${slowdown.toFixed(2)} times slower beside the sick`],
      [(liveMiB[1] ?? 0) <= (liveMiB[0] ?? 0) * liveGrowthMax, 'what is in use grows'],
      [Math.max(...rssMiB) <= rssMiBMax, 'the process takes too much memory'],
      [most(({ load }) => load.inFlightMax) <= callsMax, 'too many calls at once'],
      [most(({ sick }) => sick?.hangingMax) <= perEndpointMax, 'too many calls at once to the one that hangs'],
      [mostCalls('failing') <= untilBreakerMax + probes, 'too many calls to the one that fails'],
      [mostCalls('patient') <= perEndpointMax * (1 + probes), 'too many calls to the one that asks for patience'],
      // Were there a queue without the sick, the comparison would show nothing.
      [
        median(alone.map(({ p50Ms }) => p50Ms)) < 1_000 / rate,
        'the load is too high for this machine: events overtake',
      ],
      [median(alone.map(({ growth }) => growth)) < 2, 'the load is too high for this machine: it piles up'],
    ]
    return {
      seen: {
        'p50 ms, without the sick': range(alone.map(({ p50Ms }) => p50Ms)),
        'p50 ms, with the sick': range(beside.map(({ p50Ms }) => p50Ms)),
        'p99 ms, without the sick': range(alone.map(({ p99Ms }) => p99Ms)),
        'p99 ms, with the sick': range(beside.map(({ p99Ms }) => p99Ms)),
        'ratio of p99': slowdown.toFixed(2),
        'calls to the well': rounds.length * seconds * rate * wellReceivers,
        'share of a core': range(rounds.map(({ load }) => load.cpuShare)),
        'calls at once': most(({ load }) => load.inFlightMax),
        'rss MiB, first and last': rssMiB.join(' '),
        'in use MiB, first and last': liveMiB.join(' '),
        'sick, calls in a round': JSON.stringify(beside.at(-1)?.sick?.calls),
        'sick, at the end': JSON.stringify(beside.at(-1)?.sick?.statuses),
        'hanging at once': most(({ sick }) => sick?.hangingMax),
        ...broken,
      },
      violations: [...violations, ...bounds.flatMap(([holds, sentence]) => (holds ? [] : [sentence]))],
    }
  },
}

// The endless one has said that it took everything; the others have taken nothing, and nothing is given up yet.
function endedWrongly(statuses: Readonly<Record<string, number>>): number {
  const isRight = /^(endless succeeded|(hanging|failing|patient) (pending|sending|retrying))$/
  return Object.entries(statuses).reduce((total, [what, number]) => total + (isRight.test(what) ? 0 : number), 0)
}

function range(values: readonly number[]): string {
  const [least, middle, most] = [quantile(values, 0), quantile(values, 0.5), quantile(values, 1)]
  const digits = most < 10 ? 2 : 0
  return `${middle.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}
