// Computing in turns. The event loop answers everything that has arrived before it looks for more, and connections that it has just
// answered come first again: sixteen callers of a slow operation wait for all the others twice. Here each piece of work has a
// turn of the loop to itself, in the order in which it was asked for, and cheaper requests are answered in between.

export type TakeTurn = () => Promise<void>

export function createTurns(): TakeTurn {
  const waiting: (() => void)[] = []

  function next(): void {
    const first = waiting.shift()
    if (waiting.length > 0) setImmediate(next)
    first?.()
  }

  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next)
    })
}
