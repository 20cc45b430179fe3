// A check inside of an update that is sent and not awaited: `update carts set ${expectVersion(3, 4)}, …`. The row was read under
// its lock, so it must still be as it was read; if it is not, the lock was missing, which is a defect and must not be written over.
// A condition in `where` would update nothing and pass for a success, since nobody looks at the rows. So the column becomes null
// instead, which its table refuses, and the commit with it. The storage knows the statement by its guard and throws `RowMoved`.

import { Fragment, type SqlValue } from './storage.ts'

export class Guard extends Fragment {
  readonly column: string
  readonly expected: SqlValue

  // The column is `not null`.
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

// The row was not as the statement expected it.
export class RowMoved extends Error {
  constructor({ column, expected }: Guard, table: string, cause: unknown) {
    super(`${column} moved: a row of ${table} was expected at ${column} ${expected}`, { cause })
    this.name = 'RowMoved'
  }
}

// What a statement with these parts failed by, if it was its guard. `refused` is the column that was not to be null.
export function guardFailure(
  parts: readonly (SqlValue | Fragment)[],
  refused: { table: string; column: string } | undefined,
  error: unknown,
): RowMoved | undefined {
  if (!refused) return undefined
  const guard = parts.find((part) => part instanceof Guard && part.column === refused.column)
  return guard instanceof Guard ? new RowMoved(guard, refused.table, error) : undefined
}
