// The longest that some work holds the event loop, in milliseconds of CPU of its thread: on a machine that does other things,
// the clock would also count those.

export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longestMicros = 0
  let before = process.threadCpuUsage()
  function measure(): void {
    const { user, system } = process.threadCpuUsage(before)
    longestMicros = Math.max(longestMicros, user + system)
    before = process.threadCpuUsage()
  }
  let isOver = false
  const turn = () => {
    measure()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
  } finally {
    isOver = true
    measure()
  }
  return longestMicros / 1_000
}
