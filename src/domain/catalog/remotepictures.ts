// Downloads pictures of imported products from other servers, so a shop that leaves its old host keeps its pictures. The addresses are
// untrusted: downloads are guarded and bounded. A file that is not a picture is given up, and the reason is recorded.

import { createHash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import type { RemotePictureProblem } from '../../contract/words.ts'
import { insertEntry } from '../../platform/audit/store.ts'
import { handleClaimed, type LoopRound } from '../../platform/jobs/rows.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import type { Copier } from '../images/copier.ts'
import type { ImageFiles } from '../images/files.ts'
import { imageMedia, type Picture, readImage } from '../images/format.ts'
import { imageName } from '../images/name.ts'
import type { ReadPicture } from '../images/remote.ts'
import { countFiles, filesPerMerchantMax, findFile, insertStoredFile } from '../images/store.ts'
import { auditedChangesOfPlan, planProductPatch, saveProductPlans } from './change.ts'
import type { ProductRow } from './product.ts'
import {
  claimRemotePictures,
  findCopiedPictures,
  insertRemotePictures,
  listDueRemotePictures,
  listOfProduct,
  type RemotePicture,
  recordRemotePicture,
  remotePictureWaitsMs,
} from './remotestore.ts'
import { listCategories, listProductsById, lockSeller } from './store.ts'

export interface RemotePictureTools {
  storage: Storage
  files: ImageFiles
  copier: Copier
  read: ReadPicture
}

const atOnce = 4
// Problems that may be temporary, so the download is tried again.
const mayPass: ReadonlySet<RemotePictureProblem> = new Set(['unreachable', 'too_slow'])

// Records the pictures of these products that are on other servers.
export function queueRemotePictures(tx: Tx, merchantId: string, products: readonly ProductRow[], now: number): void {
  const found = products.flatMap(({ id: productId, images, skus }) => {
    const addresses = new Set([...images.map(({ url }) => url), ...skus.flatMap(({ image }) => image ?? [])])
    return [...addresses]
      .filter(isRemote)
      .map((address) => ({ merchantId, productId, address, addressHash: hashOf(address) }))
  })
  insertRemotePictures(tx, found, now)
}

// Returns a function that returns the local path of a remote picture, or its address if the picture is not stored here. A picture that
// was downloaded therefore stays local when the file is imported again.
export async function loadLocalPicturePaths(
  db: Reader,
  merchantId: string,
  addresses: readonly string[],
): Promise<(address: string) => string> {
  const remote = [...new Set(addresses)].filter(isRemote)
  const paths = await findCopiedPictures(db, merchantId, remote.map(hashOf))
  return (address) => (isRemote(address) ? (paths.get(hashOf(address)) ?? address) : address)
}

const isRemote = (address: string) => /^https?:/.test(address)
const hashOf = (address: string) => createHash('sha256').update(address).digest('hex').slice(0, 32)

// Returns the number of pictures that were tried.
export async function copyRemotePictures(tools: RemotePictureTools, now: number, rowsMax: number): Promise<number> {
  const { storage } = tools
  const due = await storage.read((db) => listDueRemotePictures(db, now, rowsMax))
  if (due.length === 0) return 0
  const round: LoopRound = { storage, loop: 'remote_pictures', now, atOnce }
  return handleClaimed(
    round,
    {
      claim: (only) => storage.write((tx) => claimRemotePictures(tx, { now, rowsMax, only })),
      listDue: async () => due,
    },
    keyOf,
    (row) => bringOne(tools, row, now),
  )
}

const keyOf = ({ merchantId, addressHash, productId }: RemotePicture) => ({
  tenantId: merchantId,
  rowId: `${addressHash} ${productId}`,
})

async function bringOne(tools: RemotePictureTools, row: RemotePicture, now: number): Promise<number> {
  const { storage, files } = tools
  const { merchantId, addressHash, failures } = row
  const known = await storage.read((db) => findCopiedPictures(db, merchantId, [addressHash]))
  const path = known.get(addressHash)
  if (path !== undefined) return end(null, path)
  const got = await tools.read(row.address)
  const picture = typeof got === 'string' ? got : await usable(got.bytes, tools.copier)
  if (typeof picture === 'string') return end(picture, null)
  const { kind, width, height, bytes } = picture
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32)
  const name = { merchantId, hash, width, kind }
  await files.put(imageName(name), bytes, imageMedia[kind])
  return end(null, async (tx) => {
    const found = await findFile(tx, merchantId, hash)
    if (found) return imageName(found)
    if ((await countFiles(tx, merchantId)) >= filesPerMerchantMax) return null
    insertStoredFile(tx, { ...name, height, bytes: bytes.length, pictureId: newId('pic') }, now)
    return imageName(name)
  })

  async function end(
    problem: RemotePictureProblem | null,
    here: string | null | ((tx: Tx) => Promise<string | null>),
  ): Promise<number> {
    await storage.write(async (tx) => {
      // Pictures of one merchant are stored one after the other, as with uploads.
      const seller = await lockSeller(tx, merchantId)
      if (!seller) throw new Error(`merchant ${merchantId} has pictures to download but does not exist`)
      const name = typeof here === 'function' ? await here(tx) : here
      const path = name === null || name.startsWith('/') ? name : `/media/${name}`
      const why = path === null ? (problem ?? 'limit') : null
      const wait = why !== null && mayPass.has(why) ? remotePictureWaitsMs[failures] : undefined
      await recordRemotePicture(tx, row, { path, problem: why, dueAt: wait === undefined ? null : now + wait })
      await placePictures(tx, seller, row, now)
    })
    return 1
  }
}

// Returns the picture if it can be stored unchanged, otherwise a smaller copy. A file that cannot be decoded is not a picture.
async function usable(bytes: Buffer, copier: Copier): Promise<Picture | RemotePictureProblem> {
  const read = readImage(bytes)
  if (typeof read !== 'string' && read.bytes.length <= limits.pictureBytesMax) return read
  if (read === 'unknown' && !isGif(bytes)) return 'not_a_picture'
  if (!(await copier.isAvailable())) return read === 'broken' ? 'not_a_picture' : 'too_large'
  const made = await copier.copiesOf(bytes)
  if (typeof made === 'string') return made === 'too_many_pixels' ? 'too_large' : 'not_a_picture'
  const widest = made.copies.findLast(({ kind }) => kind === 'webp')
  const again = widest === undefined ? 'broken' : readImage(widest.bytes)
  return typeof again === 'string' ? 'not_a_picture' : again
}

const isGif = (bytes: Buffer) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))

// Updates the product only after all of its pictures were tried, so it is written once and not for each picture.
async function placePictures(
  tx: Tx,
  seller: NonNullable<Awaited<ReturnType<typeof lockSeller>>>,
  { merchantId, productId }: RemotePicture,
  now: number,
): Promise<void> {
  const pictures = await listOfProduct(tx, merchantId, productId)
  if (pictures.some(({ isUntried }) => isUntried)) return
  const paths = new Map(pictures.flatMap(({ address, path }) => (path === null ? [] : [[address, path] as const])))
  if (paths.size === 0) return
  const [before] = await listProductsById(tx, merchantId, [productId])
  if (!before) return
  const after = {
    ...before,
    images: before.images.map((image) => ({ ...image, url: paths.get(image.url) ?? image.url })),
    skus: before.skus.map((sku) => ({ ...sku, image: paths.get(sku.image ?? '') ?? sku.image })),
  }
  const plan = planProductPatch(before, after, now)
  if (!plan.differs) return
  await saveProductPlans(tx, seller, [plan], await listCategories(tx, merchantId), { now, cause: null })
  insertEntry(tx, {
    ...{ merchantId, mode: null, actor: { kind: 'loop', id: 'remote_pictures' }, operation: 'bring_pictures' },
    ...{ requestId: null, changes: auditedChangesOfPlan(plan), undoes: null, at: now },
  })
}
