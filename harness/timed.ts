// Bounds on time that hold on a loaded machine. Work is measured in CPU time of its thread, and waiting in ticks of the event loop, of which
// none passes while the machine does not run the process.

// The CPU time of this thread, in milliseconds.
export async function threadCpuMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

// The least of up to three measurements, the next only where one is not below the bound: the same work takes more CPU time beside other
// processes and where garbage is collected, but not each time. Work that is too much is too much each time.
export async function leastOf(boundMs: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < 3 && least >= boundMs; time += 1) {
    const ms = await measure()
    least = Math.min(least, ms < boundMs ? ms : ms / slowness())
  }
  return least
}

// What `sample` takes on the machine for which the bounds were set.
const sampleMs = 5
// Slower machines may fail.
const slownessMax = 3

// How much slower than that machine this one is now, 1 to 3: a virtual machine whose host is busy gets less done in the same CPU time.
export function slowness(): number {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < 3; time += 1) {
    const before = process.threadCpuUsage()
    sample()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return Math.min(Math.max(least / sampleMs, 1), slownessMax)
}

function sample(): number {
  let text = ''
  for (let number = 0; number < 20_000; number += 1) text += `${number},`
  return (JSON.parse(`[${text}0]`) as number[]).map(String).sort().length
}

const tickMs = 20

// How long some waiting took, in ticks.
export async function ticked<Value>(wait: () => Promise<Value>): Promise<{ value: Value; ms: number }> {
  let ms = 0
  const ticks = setInterval(() => {
    ms += tickMs
  }, tickMs)
  try {
    return { value: await wait(), ms }
  } finally {
    clearInterval(ticks)
  }
}
