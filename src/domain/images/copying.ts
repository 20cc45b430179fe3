// Makes the copies of pictures that browsers load: smaller, in newer formats, and without camera metadata. If a picture cannot be
// decoded, the reason is recorded, and the picture is shown unchanged.

import { handleClaimed, type LoopRound } from '../../platform/jobs/rows.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { Copier, CopyProblem } from './copier.ts'
import type { ImageFiles } from './files.ts'
import { imageMedia } from './format.ts'
import { copyName, imageName } from './name.ts'
import {
  claimImagesToCopy,
  findContent,
  type ImageToCopy,
  insertCopies,
  listPictureFiles,
  listToCopy,
  noteCopyFailure,
  recordCopyOutcome,
} from './store.ts'

export interface CopyTools {
  storage: Storage
  files: ImageFiles
  copier: Copier
}

// Problems that the machine may have caused, so the picture is tried again.
const mayPass: ReadonlySet<CopyProblem> = new Set(['too_slow', 'too_much_memory', 'crashed'])
const failuresMax = 3

// Returns the number of handled pictures.
export async function copyPictures(tools: CopyTools, now: number, rowsMax: number): Promise<number> {
  const { storage, copier } = tools
  const due = await storage.read((db) => listToCopy(db, now, rowsMax))
  if (due.length === 0 || !(await copier.isAvailable())) return 0
  const round: LoopRound = { storage, loop: 'picture_copies', now }
  return handleClaimed(
    round,
    {
      claim: (only) => storage.write((tx) => claimImagesToCopy(tx, { now, rowsMax, only })),
      listDue: async () => due,
    },
    keyOf,
    (row) => copyOne(tools, row, now),
  )
}

const keyOf = ({ merchantId, hash }: ImageToCopy) => ({ tenantId: merchantId, rowId: hash })

async function copyOne({ storage, files, copier }: CopyTools, row: ImageToCopy, now: number): Promise<number> {
  const { merchantId, hash, pictureId } = row
  const [found, sizes] = await storage.read((db) =>
    Promise.all([findContent(db, merchantId, hash), listPictureFiles(db, merchantId, pictureId)]),
  )
  // Copies are made only of the largest size of a picture.
  if (sizes.at(-1)?.hash !== hash) return end({ color: null, problem: null })
  const bytes = found && (found.content ?? (await files.get(imageName(row))))
  if (!bytes) throw new Error('the file of a picture is missing')
  const made = await copier.copiesOf(bytes)
  if (typeof made !== 'string') {
    for (const copy of made.copies) await files.put(copyName({ ...row, ...copy }), copy.bytes, imageMedia[copy.kind])
    await storage.write(async (tx) => {
      insertCopies(tx, row, made)
      await recordCopyOutcome(tx, row, { color: made.color, problem: null }, now)
    })
    return 1
  }
  if (!mayPass.has(made) || row.failures + 1 >= failuresMax) return end({ color: null, problem: made })
  await storage.write((tx) => noteCopyFailure(tx, row, made, now))
  return 1

  async function end(as: Parameters<typeof recordCopyOutcome>[2]): Promise<number> {
    await storage.write((tx) => recordCopyOutcome(tx, row, as, now))
    return 1
  }
}
