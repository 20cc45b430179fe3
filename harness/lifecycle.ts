// The whole matrix of a lifecycle table: what `moveFor` returns for every verb and every status.

import { type LifecycleRow, moveFor } from '../src/platform/kit/lifecycle.ts'

// The pairs that have a move, in the order of verbs and statuses, each as a row of the table.
export function matrixOf(table: readonly LifecycleRow[], statuses: readonly string[]): unknown[][] {
  const verbs = [...new Set(table.map(([verb]) => verb))]
  return verbs.flatMap((verb) =>
    [null, ...statuses].flatMap((from) => {
      const move = moveFor(table, verb, from)
      return move ? [[verb, from, move.to, move.announces, move.due].filter((cell) => cell !== undefined)] : []
    }),
  )
}

// Statuses without an outgoing move, and those without an incoming one.
export function endsOf(table: readonly LifecycleRow[], statuses: readonly string[]): string[] {
  return statuses.filter((status) => table.every(([, from, to]) => from !== status || to === status))
}

export function unreachableOf(table: readonly LifecycleRow[], statuses: readonly string[]): string[] {
  return statuses.filter((status) => table.every(([, from, to]) => to !== status || from === status))
}
