// A row that cannot be handled: every change or deletion of it fails, as on a damaged page of the file. A trigger
// refuses the change, so it works for every table.

import { Fragment, type Storage } from '../src/platform/storage/storage.ts'

let made = 0

// Refuses every change of the rows of `table` that meet `condition`, which refers to the row as `old` (`old.id = '…'`).
// Returns the function that removes the trigger.
export async function poison(storage: Storage, table: string, condition: string): Promise<() => Promise<void>> {
  made += 1
  const name = `poison_${made}`
  const run = (statements: readonly string[]) =>
    storage.write(async (tx) => {
      for (const statement of statements) await tx.sql`${new Fragment(statement)}`
    })
  if (storage.engine === 'sqlite') {
    const refusing = (verb: string) => `
      create trigger ${name}_${verb} before ${verb} on ${table} when ${condition}
      begin select raise(abort, 'the row is poisoned'); end`
    await run([refusing('update'), refusing('delete')])
    return () => run([`drop trigger ${name}_update`, `drop trigger ${name}_delete`])
  }
  await run([
    `create function ${name}() returns trigger language plpgsql as
      $$ begin raise exception 'the row is poisoned' using errcode = 'P0001'; end $$`,
    `create trigger ${name} before update or delete on ${table} for each row when (${condition})
      execute function ${name}()`,
  ])
  return () => run([`drop trigger ${name} on ${table}`, `drop function ${name}()`])
}
