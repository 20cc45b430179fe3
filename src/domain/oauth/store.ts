// The SQL of the artifacts of the authorization server: codes, tokens, sessions and proofs. Ids are hashes, contents are encrypted.

import { isNotDeferred } from '../../platform/jobs/store.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'

export interface Artifact {
  kind: string
  id: string
  sealed: string
  grantId: string | null
  uid: string | null
  // Null: valid until the installation ends.
  expiresAt: number | null
}

export interface ArtifactRow {
  id: string
  sealed: string
  consumedAt: number | null
}

export async function findArtifact(
  db: Reader,
  kind: string,
  id: string,
  now: number,
): Promise<ArtifactRow | undefined> {
  const [artifact] = await db.sql<ArtifactRow>`
    select id, sealed, consumed_at as "consumedAt" from oauth_artifacts
    where kind = ${kind} and id = ${id} and (expires_at is null or expires_at > ${now})`
  return artifact
}

export async function findArtifactByUid(
  db: Reader,
  kind: string,
  uid: string,
  now: number,
): Promise<ArtifactRow | undefined> {
  const [artifact] = await db.sql<ArtifactRow>`
    select id, sealed, consumed_at as "consumedAt" from oauth_artifacts
    where kind = ${kind} and uid = ${uid} and expires_at > ${now}`
  return artifact
}

// If two tabs change the id of one session at the same time, the second insert conflicts by id or uid, and updates the row instead.
export async function saveArtifact(tx: Tx, artifact: Artifact, now: number): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if ((await insertArtifact(tx, artifact, now)) || (await updateArtifact(tx, artifact))) return
  }
  throw new Error('the OAuth artifact could neither be inserted nor updated')
}

async function insertArtifact(tx: Tx, artifact: Artifact, now: number): Promise<boolean> {
  const rows = await tx.sql`
    insert into oauth_artifacts (kind, id, sealed, grant_id, uid, expires_at, created_at)
    values (${artifact.kind}, ${artifact.id}, ${artifact.sealed}, ${artifact.grantId}, ${artifact.uid},
      ${artifact.expiresAt}, ${now})
    on conflict do nothing returning id`
  return rows.length > 0
}

// Returns false if the row does not exist. A consumed artifact stays consumed.
export async function updateArtifact(tx: Tx, artifact: Artifact): Promise<boolean> {
  const rows = await tx.sql`
    update oauth_artifacts set id = ${artifact.id}, sealed = ${artifact.sealed}, grant_id = ${artifact.grantId},
      expires_at = ${artifact.expiresAt}
    where kind = ${artifact.kind} and (id = ${artifact.id} or uid = ${artifact.uid})
    returning id`
  return rows.length > 0
}

// Returns true only for the first caller: the unique row decides. An expired row counts as missing, even before it is swept.
export async function insertOnce(tx: Tx, artifact: Artifact, now: number): Promise<boolean> {
  const rows = await tx.sql`
    insert into oauth_artifacts (kind, id, sealed, expires_at, created_at)
    values (${artifact.kind}, ${artifact.id}, ${artifact.sealed}, ${artifact.expiresAt}, ${now})
    on conflict (kind, id) do update
      set sealed = excluded.sealed, expires_at = excluded.expires_at, created_at = excluded.created_at
      where oauth_artifacts.expires_at <= ${now}
    returning id`
  return rows.length > 0
}

// Returns true only for the first caller. The library checks first and consumes later, so only this condition makes a code single-use.
// `by`: thumbprint of the key that the request has proved, if any.
export async function consumeArtifact(
  tx: Tx,
  kind: string,
  id: string,
  { now, by }: { now: number; by: string | null },
): Promise<boolean> {
  const rows = await tx.sql`
    update oauth_artifacts set consumed_at = ${now}, consumed_by = ${by}
    where kind = ${kind} and id = ${id} and consumed_at is null
    returning id`
  return rows.length > 0
}

export interface ArtifactUse {
  grantId: string | null
  consumedBy: string | null
}

export async function findUseOf(db: Reader, kind: string, id: string): Promise<ArtifactUse | undefined> {
  const [use] = await db.sql<ArtifactUse>`
    select grant_id as "grantId", consumed_by as "consumedBy" from oauth_artifacts where kind = ${kind} and id = ${id}`
  return use
}

// Returns true only for one of several concurrent callers.
export async function deleteArtifact(tx: Tx, kind: string, id: string): Promise<boolean> {
  const rows = await tx.sql`delete from oauth_artifacts where kind = ${kind} and id = ${id} returning id`
  return rows.length > 0
}

// Deletes the grant with its codes and tokens.
export async function deleteGrant(tx: Tx, grantId: string): Promise<void> {
  await tx.sql`delete from oauth_artifacts where grant_id = ${grantId}`
}

// Deletes all but the newest `keptMax` rows, so an app that refreshes in a loop cannot fill the table.
export async function trimArtifactsOfGrant(tx: Tx, kind: string, grantId: string, keptMax: number): Promise<void> {
  await tx.sql`
    delete from oauth_artifacts where kind = ${kind} and grant_id = ${grantId} and id in (
      select id from oauth_artifacts where kind = ${kind} and grant_id = ${grantId}
      order by created_at desc, id limit 1000 offset ${keptMax})`
}

export interface ArtifactKey {
  kind: string
  id: string
}

// Lists expired rows, oldest first.
export async function listExpiredArtifacts(db: Reader, now: number, rowsMax: number): Promise<ArtifactKey[]> {
  return db.sql<ArtifactKey>`
    select t.kind, t.id from oauth_artifacts t
    where t.expires_at <= ${now} and ${isNotDeferred('oauth', 't.kind', 't.id', now)}
    order by t.expires_at limit ${rowsMax}`
}

// Safe to run on several nodes at the same time.
export async function deleteExpiredArtifacts(tx: Tx, keys: readonly ArtifactKey[], now: number): Promise<number> {
  const expired = tx.rows(
    keys.map(({ kind, id }) => [kind, id]),
    ['text', 'text'],
  )
  const rows = await tx.sql`
    with expired (kind, id) as (${expired})
    delete from oauth_artifacts where (kind, id) in (select kind, id from expired) and expires_at <= ${now}
    returning id`
  return rows.length
}
