// A check inside an update that is sent and not awaited: `update carts set ${expectVersion(3, 4)}, …`. The row was read under its lock,
// so it cannot have changed. If it has, the lock was missing, which is a defect, and the row must not be overwritten. A condition in
// `where` would update no row and look like a success, since the result is not read. Instead the column is set to null, which its `not
// null` constraint refuses, so the commit fails. The storage recognizes the statement by its guard, and throws `RowMoved`.

import { Fragment, type SqlValue } from './storage.ts'

export class Guard extends Fragment {
  readonly column: string
  readonly expected: SqlValue

  // The column must be `not null`.
  constructor(column: string, expected: SqlValue, then: Fragment) {
    super(`${column} = case when ${column} = ? then ${then.text} end`, [expected, ...then.values])
    this.column = column
    this.expected = expected
  }
}

export function expectVersion(before: number, after: number): Guard {
  return new Guard('version', before, new Fragment('cast(? as bigint)', [after]))
}

export function expectStatus(before: string, after: string): Guard {
  return new Guard('status', before, new Fragment('cast(? as text)', [after]))
}

// The row was not in the state that the statement expected.
export class RowMoved extends Error {
  constructor({ column, expected }: Guard, table: string, cause: unknown) {
    super(`${column} moved: a row of ${table} was expected at ${column} ${expected}`, { cause })
    this.name = 'RowMoved'
  }
}

// Returns the error to throw if the guard of the statement with these parts failed. `refused` is the column whose `not null` constraint
// was violated.
export function guardFailure(
  parts: readonly (SqlValue | Fragment)[],
  refused: { table: string; column: string } | undefined,
  error: unknown,
): RowMoved | undefined {
  if (!refused) return undefined
  const guard = parts.find((part) => part instanceof Guard && part.column === refused.column)
  return guard instanceof Guard ? new RowMoved(guard, refused.table, error) : undefined
}
