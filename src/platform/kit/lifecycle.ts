// Lifecycle tables: the allowed moves of a thing, one row per verb and status. A verb that has no row for a status is not allowed. Pure.

// `from` is null for the move that creates the thing. `announces` is the event kind. `due` is the payment work that becomes due.
export type LifecycleRow = readonly [
  verb: string,
  from: string | null,
  to: string,
  announces?: string | null,
  due?: string | null,
]

export interface Move<Row extends LifecycleRow> {
  from: Row[1]
  to: Row[2]
  announces: Row[3]
  due: Row[4]
}

type RowOf<Row extends LifecycleRow, Verb extends string> = Extract<Row, readonly [Verb, ...unknown[]]>

export function moveFor<Row extends LifecycleRow, Verb extends Row[0]>(
  table: readonly Row[],
  verb: Verb,
  from: Row[1] | Row[2],
): Move<RowOf<Row, Verb>> | undefined {
  const row = table.find((candidate) => candidate[0] === verb && candidate[1] === from)
  return row && moveOf<Row, Verb>(row)
}

// Returns the move of a verb that has exactly one row, without checking the status: for a new thing, or if the SQL statement checks the
// status.
export function onlyMove<Row extends LifecycleRow, Verb extends Row[0]>(
  table: readonly Row[],
  verb: Verb,
): Move<RowOf<Row, Verb>> {
  const [row, another] = table.filter((candidate) => candidate[0] === verb)
  if (!row || another) throw new Error(`the lifecycle table must have exactly one row for the verb ${verb}`)
  return moveOf<Row, Verb>(row)
}

function moveOf<Row extends LifecycleRow, Verb extends Row[0]>(row: Row): Move<RowOf<Row, Verb>> {
  const [, from, to, announces, due] = row
  // The cast holds: the row was found by this verb.
  return { from, to, announces, due } as Move<RowOf<Row, Verb>>
}
