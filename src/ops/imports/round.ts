// The turn of the loop: plans what has come, writes what was confirmed, and deletes what was discarded.

import { setImmediate as breathe } from 'node:timers/promises'
import { handleEach, noteFailures, type Round, type RowFailure, RowsFailed } from '../../platform/jobs/rows.ts'
import { planTransfer, type TransferTools } from './plan.ts'
import { deleteWhole } from './retention.ts'
import { type DueTransfer, listDue } from './store.ts'
import { deleteWritten, writeBatch } from './write.ts'

const transfersAtOnce = 10
// Merchants take turns.
const turnMs = 2_000

// Answers whether there is more to do.
export async function transfersTurn(tools: TransferTools, isEnding: () => boolean): Promise<boolean> {
  const { storage, clock } = tools
  const now = clock()
  const due = await storage.read((db) => listDue(db, now, transfersAtOnce))
  const round: Round = { storage, loop: 'transfers', now }
  const failures: RowFailure[] = []
  let isMore = due.length === transfersAtOnce
  const work = async (transfer: DueTransfer) => {
    if (isEnding()) return 0
    if (transfer.state === 'planning') await planTransfer(tools, transfer, isEnding)
    else if (transfer.state === 'writing') isMore = (await writeFor(tools, transfer, failures, isEnding)) || isMore
    else await deleteWhole(storage, transfer)
    return 1
  }
  await noteFailures(
    failures,
    handleEach(round, due, ({ merchantId, id }) => ({ tenantId: merchantId, rowId: id }), work),
  )
  if (failures.length > 0) throw new RowsFailed(failures, due.length - failures.length, isMore)
  return isMore
}

async function writeFor(
  { storage, clock }: TransferTools,
  transfer: DueTransfer,
  failures: RowFailure[],
  isEnding: () => boolean,
): Promise<boolean> {
  const deadline = performance.now() + turnMs
  while (await writeBatch({ storage, loop: 'transfers', now: clock() }, transfer, failures)) {
    if (isEnding() || performance.now() >= deadline) return true
    await breathe()
  }
  while (await deleteWritten(storage, transfer)) await breathe()
  return false
}
