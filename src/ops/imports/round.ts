// One round of the import loop: plans new files, writes confirmed plans, and deletes discarded imports.

import { setImmediate as breathe } from 'node:timers/promises'
import { collectFailures, handleEach, type LoopRound, type RowFailure, RowsFailed } from '../../platform/jobs/rows.ts'
import { type ImportTools, planImport } from './plan.ts'
import { deleteWhole } from './retention.ts'
import { type DueImport, listDue } from './store.ts'
import { deleteWritten, writeBatch } from './write.ts'

const importsAtOnce = 10
// Maximum time for one import before the next import is worked on.
const turnMs = 2_000

// Returns whether there is more to do.
export async function runImportsRound(tools: ImportTools, isEnding: () => boolean): Promise<boolean> {
  const { storage, clock } = tools
  const now = clock()
  const due = await storage.read((db) => listDue(db, now, importsAtOnce))
  const round: LoopRound = { storage, loop: 'transfers', now }
  const failures: RowFailure[] = []
  let isMore = due.length === importsAtOnce
  const work = async (transfer: DueImport) => {
    if (isEnding()) return 0
    if (transfer.state === 'planning') await planImport(tools, transfer, isEnding)
    else if (transfer.state === 'writing') isMore = (await writeFor(tools, transfer, failures, isEnding)) || isMore
    else await deleteWhole(storage, transfer)
    return 1
  }
  await collectFailures(
    failures,
    handleEach(round, due, ({ merchantId, id }) => ({ tenantId: merchantId, rowId: id }), work),
  )
  if (failures.length > 0) throw new RowsFailed(failures, due.length - failures.length, isMore)
  return isMore
}

async function writeFor(
  { storage, clock }: ImportTools,
  transfer: DueImport,
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
