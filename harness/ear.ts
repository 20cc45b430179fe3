// Somebody who listens, and counts.

export interface Ear {
  heard(): void
  count(): number
  // When it has been called so many times since it last forgot.
  times(wanted: number): Promise<void>
  forget(): void
}

export function openEar(): Ear {
  let count = 0
  let waiting: { wanted: number; resolve: () => void }[] = []

  function wake(): void {
    for (const { wanted, resolve } of waiting) if (count >= wanted) resolve()
    waiting = waiting.filter(({ wanted }) => count < wanted)
  }

  return {
    heard() {
      count += 1
      wake()
    },
    count: () => count,
    times: (wanted) =>
      new Promise((resolve) => {
        waiting.push({ wanted, resolve })
        wake()
      }),
    forget() {
      count = 0
    },
  }
}
