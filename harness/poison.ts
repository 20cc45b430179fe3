// A row that cannot be handled: whatever wants to change or delete it fails, as on a page of the file that is damaged. The
// refusal is a trigger, so that it works for every table.

import { Fragment, type Storage } from '../src/storage/storage.ts'

let made = 0

// Refuses every change of the rows of `table` that meet `condition`, which names the row `old` (`old.id = '…'`). Answers with
// the cure.
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
