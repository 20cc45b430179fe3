// Reads lifecycle tables: what may happen to a thing, by verb and status, one row for each move. A pair of verb and status
// without a row may not happen. Pure.

// `from` is null for the move that creates the thing. `announces` is the kind of its event, `due` what is owed because of it.
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

// The move of a verb that has one row, whatever the status is: of a thing that is new, or where the statement itself checks the
// status.
export function onlyMove<Row extends LifecycleRow, Verb extends Row[0]>(
  table: readonly Row[],
  verb: Verb,
): Move<RowOf<Row, Verb>> {
  const [row, another] = table.filter((candidate) => candidate[0] === verb)
  if (!row || another) throw new Error(`the verb ${verb} does not have exactly one row`)
  return moveOf<Row, Verb>(row)
}

function moveOf<Row extends LifecycleRow, Verb extends Row[0]>(row: Row): Move<RowOf<Row, Verb>> {
  const [, from, to, announces, due] = row
  // The row was found by its verb, so it is one of those of the verb.
  return { from, to, announces, due } as Move<RowOf<Row, Verb>>
}
