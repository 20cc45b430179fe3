// Writes redirects without chains, so each old path needs only one redirect: a new redirect leads to the final target of its target, and
// redirects that led to its path now lead to its target. The caller must have locked the merchant.

import { redirectsMax } from '../../contract/admin/redirects.ts'
import type { RedirectCause } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { isAlwaysThere, normalizePath, type PathTarget, parseTarget, productPath } from './paths.ts'
import {
  countRedirects,
  deleteRedirects,
  findRedirect,
  listRedirectsAt,
  putRedirect,
  type RedirectRow,
  retargetRedirects,
} from './store.ts'

// The former path of a product, category or page, and its new path. `to` is null if the product, category or page was removed.
export interface PathMove {
  from: string
  to: string | null
}

// Records redirects for paths that were renamed, removed or imported. New redirects above the limit are left out, so the limit never
// makes a rename fail.
export async function recordMoves(
  tx: Tx,
  merchantId: string,
  moves: readonly PathMove[],
  cause: Exclude<RedirectCause, 'merchant'>,
  now: number,
): Promise<void> {
  const wanted = new Map<string, PathTarget | null>()
  for (const move of moves) {
    const from = normalizePath(move.from)
    const to = move.to === null ? null : parseTarget(move.to)
    if (from !== undefined && to !== undefined && !isAlwaysThere(from)) wanted.set(from, to)
  }
  if (wanted.size === 0) return
  const paths = [...wanted].flatMap(([from, to]) => [from, ...(to ? [to.targetPath] : [])])
  const known = new Map((await listRedirectsAt(tx, merchantId, [...new Set(paths)])).map((row) => [row.path, row]))
  // Old paths in an imported file do not replace stored redirects.
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
    if (to) writes.push(retargetRedirects(tx, merchantId, path, { ...to, updatedAt: now }))
  }
  await Promise.all(writes)
}

// Moves from a product's paths in another shop system to its path here.
export function productMoves(slug: string, oldPaths: readonly string[]): PathMove[] {
  return oldPaths.map((from) => ({ from, to: productPath(slug) }))
}

// Deletes redirects at these paths, because the shop now shows something there.
export async function claimPaths(tx: Tx, merchantId: string, paths: readonly string[]): Promise<void> {
  if (paths.length > 0) await deleteRedirects(tx, merchantId, paths)
}

export function newRow(path: string, to: PathTarget | null, cause: RedirectCause, now: number): RedirectRow {
  const { target, targetPath } = to ?? { target: null, targetPath: null }
  return { ...{ id: newId('rdr'), path, target, targetPath, cause, version: 1 }, createdAt: now, updatedAt: now }
}

export function redirectRowTo(before: RedirectRow, to: PathTarget | null, now: number): RedirectRow {
  const { target, targetPath } = to ?? { target: null, targetPath: null }
  return { ...before, target, targetPath, cause: 'merchant', version: before.version + 1, updatedAt: now }
}

// Writes a redirect. Also updates the redirects that lead to its path.
export async function writeRedirect(tx: Tx, merchantId: string, row: RedirectRow): Promise<void> {
  const { path, target, targetPath, updatedAt } = row
  await putRedirect(tx, merchantId, row)
  if (targetPath !== null) await retargetRedirects(tx, merchantId, path, { target, targetPath, updatedAt })
}

function finalTarget(next: Pick<RedirectRow, 'target' | 'targetPath'> | undefined, given: PathTarget): PathTarget {
  return next?.target != null && next.targetPath !== null ? { target: next.target, targetPath: next.targetPath } : given
}

// Returns the final target of a new redirect, or undefined if the final target is the redirected path itself.
export async function resolveFinalTarget(
  db: Reader,
  merchantId: string,
  path: string,
  given: PathTarget,
): Promise<PathTarget | undefined> {
  const to = finalTarget(await findRedirect(db, merchantId, given.targetPath), given)
  return to.targetPath === path ? undefined : to
}

export type RedirectResolution = { kind: 'moved'; target: string } | { kind: 'gone' }

export async function resolveRedirect(
  db: Reader,
  merchantId: string,
  path: string,
): Promise<RedirectResolution | undefined> {
  const row = await findRedirect(db, merchantId, path)
  if (!row) return undefined
  if (row.target === null || row.targetPath === null) return { kind: 'gone' }
  const next = await findRedirect(db, merchantId, row.targetPath)
  return next && next.target === null ? { kind: 'gone' } : { kind: 'moved', target: row.target }
}
