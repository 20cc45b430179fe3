// Stores the meanings that merchants assigned to the columns of a file, by its header, so the next file with the same columns is imported
// without asking.

import { createHash } from 'node:crypto'
import type { AdminFileColumn } from '../../contract/admin/transfers.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import type { AssignedColumn } from './formats/assigned.ts'
import { columnName } from './formats/format.ts'

const rememberedMax = 50

export async function findAssignedColumns(
  db: Reader,
  merchantId: string,
  columns: readonly AdminFileColumn[],
): Promise<readonly AssignedColumn[] | undefined> {
  const [row] = await db.sql<{ assigned: string }>`
    select assigned from assigned_columns where merchant_id = ${merchantId} and header_digest = ${digestOf(columns)}`
  return row && (JSON.parse(row.assigned) as AssignedColumn[])
}

// The caller must have locked the import to which the columns belong.
export async function saveAssignedColumns(
  tx: Tx,
  merchantId: string,
  { columns, assigned, now }: { columns: readonly AdminFileColumn[]; assigned: readonly AssignedColumn[]; now: number },
): Promise<void> {
  await tx.sql`
    insert into assigned_columns (merchant_id, header_digest, assigned, used_at)
    values (${merchantId}, ${digestOf(columns)}, ${JSON.stringify(assigned)}, ${now})
    on conflict (merchant_id, header_digest) do update set assigned = excluded.assigned, used_at = excluded.used_at`
  await tx.sql`
    delete from assigned_columns where merchant_id = ${merchantId} and header_digest not in (
      select header_digest from assigned_columns where merchant_id = ${merchantId}
      order by used_at desc, header_digest limit ${rememberedMax})`
}

function digestOf(columns: readonly AdminFileColumn[]): string {
  const names = columns.map(({ name }) => columnName(name))
  return createHash('sha256').update(names.join('\n')).digest('base64url')
}
