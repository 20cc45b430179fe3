// Writes redirects in such a way that one is enough for every old path: a new one leads to where its target leads, and those that led to
// its path lead to its target. The caller has locked the merchant.

import { redirectsMax } from '../../contract/admin/redirects.ts'
import type { RedirectCause } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { isAlwaysThere, normalPath, type PathTarget, productPath, targetOf } from './paths.ts'
import {
  countRedirects,
  deleteRedirects,
  findRedirect,
  listRedirectsAt,
  moveTargets,
  putRedirect,
  type RedirectRow,
} from './store.ts'

// A path where something was; null as `to`: it is gone.
export interface PathMove {
  from: string
  to: string | null
}

// What becomes of paths when things are renamed, removed or imported. Beyond the limit nothing is written: a rename is not refused for it.
export async function recordMoves(
  tx: Tx,
  merchantId: string,
  moves: readonly PathMove[],
  cause: Exclude<RedirectCause, 'merchant'>,
  now: number,
): Promise<void> {
  const wanted = new Map<string, PathTarget | null>()
  for (const move of moves) {
    const from = normalPath(move.from)
    const to = move.to === null ? null : targetOf(move.to)
    if (from !== undefined && to !== undefined && !isAlwaysThere(from)) wanted.set(from, to)
  }
  if (wanted.size === 0) return
  const paths = [...wanted].flatMap(([from, to]) => [from, ...(to ? [to.targetPath] : [])])
  const known = new Map((await listRedirectsAt(tx, merchantId, [...new Set(paths)])).map((row) => [row.path, row]))
  // What a file says of old paths does not replace what is known of them.
  const news = [...wanted].filter(([from]) => cause !== 'import' || !known.has(from))
  if (news.length === 0) return
  const room = redirectsMax - (await countRedirects(tx, merchantId))
  const writes: Promise<void>[] = []
  let added = 0
  for (const [path, given] of news) {
    const to = given && finalTarget(known.get(given.targetPath), given)
    if (to?.targetPath === path) continue
    if (!known.has(path) && added++ >= room) continue
    const row = newRow(path, to, cause, now)
    writes.push(putRedirect(tx, merchantId, row))
    if (to) writes.push(moveTargets(tx, merchantId, path, { ...to, updatedAt: now }))
  }
  await Promise.all(writes)
}

// To a product, from where it was in another shop.
export function movesTo(slug: string, oldPaths: readonly string[]): PathMove[] {
  return oldPaths.map((from) => ({ from, to: productPath(slug) }))
}

// Something is shown at these paths now.
export async function claimPaths(tx: Tx, merchantId: string, paths: readonly string[]): Promise<void> {
  if (paths.length > 0) await deleteRedirects(tx, merchantId, paths)
}

export function newRow(path: string, to: PathTarget | null, cause: RedirectCause, now: number): RedirectRow {
  const { target, targetPath } = to ?? { target: null, targetPath: null }
  return { ...{ id: newId('rdr'), path, target, targetPath, cause, version: 1 }, createdAt: now, updatedAt: now }
}

export function redirectTo(before: RedirectRow, to: PathTarget | null, now: number): RedirectRow {
  const { target, targetPath } = to ?? { target: null, targetPath: null }
  return { ...before, target, targetPath, cause: 'merchant', version: before.version + 1, updatedAt: now }
}

// With those that lead to it.
export async function writeRedirect(tx: Tx, merchantId: string, row: RedirectRow): Promise<void> {
  const { path, target, targetPath, updatedAt } = row
  await putRedirect(tx, merchantId, row)
  if (targetPath !== null) await moveTargets(tx, merchantId, path, { target, targetPath, updatedAt })
}

function finalTarget(next: Pick<RedirectRow, 'target' | 'targetPath'> | undefined, given: PathTarget): PathTarget {
  return next?.target != null && next.targetPath !== null ? { target: next.target, targetPath: next.targetPath } : given
}

// Where a new redirect leads in the end. Undefined where that is the path itself.
export async function settledTarget(
  db: Reader,
  merchantId: string,
  path: string,
  given: PathTarget,
): Promise<PathTarget | undefined> {
  const to = finalTarget(await findRedirect(db, merchantId, given.targetPath), given)
  return to.targetPath === path ? undefined : to
}

export type Resolved = { kind: 'moved'; target: string } | { kind: 'gone' }

export async function resolveRedirect(db: Reader, merchantId: string, path: string): Promise<Resolved | undefined> {
  const row = await findRedirect(db, merchantId, path)
  if (!row) return undefined
  if (row.target === null || row.targetPath === null) return { kind: 'gone' }
  const next = await findRedirect(db, merchantId, row.targetPath)
  return next && next.target === null ? { kind: 'gone' } : { kind: 'moved', target: row.target }
}
