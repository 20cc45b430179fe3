// A listener that counts its calls.

export interface CallCounter {
  call(): void
  count(): number
  // Resolves when it has been called this many times since the last reset.
  times(wanted: number): Promise<void>
  reset(): void
}

export function createCallCounter(): CallCounter {
  let count = 0
  let waiting: { wanted: number; resolve: () => void }[] = []

  function wake(): void {
    for (const { wanted, resolve } of waiting) if (count >= wanted) resolve()
    waiting = waiting.filter(({ wanted }) => count < wanted)
  }

  return {
    call() {
      count += 1
      wake()
    },
    count: () => count,
    times: (wanted) =>
      new Promise((resolve) => {
        waiting.push({ wanted, resolve })
        wake()
      }),
    reset() {
      count = 0
    },
  }
}
