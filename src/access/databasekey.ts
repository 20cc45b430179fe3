// Random keys of the database itself: made once, the same on every node, and left alone by every rotation of the root secret,
// which only seals them. For what must not change while nodes know different versions of it.

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { openByRoot, type RootSecret, sealByRoot } from '../kit/secrets.ts'
import { onceDurable, type Reader, StorageRefused, type Tx } from '../storage/storage.ts'

// Made at the first call; sealed anew for versions of the root secret that it was not sealed for, so it is enough that a
// server has started once with the new version and the old one.
export type DatabaseKey = (tx: Tx, now: number) => Promise<KeyObject>

const keyBytes = 32
const purpose = 'database key'

export function createDatabaseKey(
  rootSecret: RootSecret,
  name: string,
  makeBytes: () => Buffer = () => randomBytes(keyBytes),
): DatabaseKey {
  let known: KeyObject | undefined
  return async (tx, now) => {
    if (known) return known
    const key = keyFrom(await findText(tx, rootSecret, { name, makeBytes, now }))
    onceDurable(tx, () => {
      known = key
    })
    return key
  }
}

// For whoever only looks: undefined where none was made.
export async function findDatabaseKey(
  db: Reader,
  rootSecret: RootSecret,
  name: string,
): Promise<KeyObject | undefined> {
  const sealed = await findSealed(db, name)
  return sealed && keyFrom(openText(rootSecret, name, sealed))
}

// Every key that is not sealed by the current version yet. Gives their number.
export async function sealDatabaseKeys(tx: Tx, rootSecret: RootSecret): Promise<number> {
  const rows = await tx.sql<{ name: string; sealed: string }>`select name, sealed from database_keys order by name`
  const old = rows
    .map(({ name, sealed }) => ({ name, before: JSON.parse(sealed) as SealedByVersion }))
    .filter(({ before }) => !Object.hasOwn(before, rootSecret.currentVersion))
  for (const { name, before } of old)
    updateSealed(tx, name, before, sealedFor(rootSecret, name, openText(rootSecret, name, before), before))
  return old.length
}

// Takes away what a version that is given up has sealed, and a key that no version opens any more, which would stand in the
// way of a new one.
export async function forgetSealedBy(tx: Tx, rootSecret: RootSecret, version: number): Promise<void> {
  const rows = await tx.sql<{ name: string; sealed: string }>`select name, sealed from database_keys`
  for (const { name, sealed } of rows) {
    const { [version]: _, ...left } = JSON.parse(sealed) as SealedByVersion
    if (Object.keys(left).some((known) => rootSecret.hasVersion(Number(known))))
      await tx.sql`update database_keys set sealed = ${JSON.stringify(left)} where name = ${name}`
    else await tx.sql`delete from database_keys where name = ${name}`
  }
}

// One text for each version of the root secret, under its number.
type SealedByVersion = Readonly<Record<string, string>>

function keyFrom(text: string): KeyObject {
  return createSecretKey(Buffer.from(text, 'base64url'))
}

async function findText(
  tx: Tx,
  rootSecret: RootSecret,
  { name, makeBytes, now }: { name: string; makeBytes: () => Buffer; now: number },
): Promise<string> {
  const found = await findSealed(tx, name)
  if (!found) insertSealed(tx, name, sealedFor(rootSecret, name, makeBytes().toString('base64url'), {}), now)
  // Another node may have been first; then it is the other's key.
  const sealed = found ?? (await findSealed(tx, name))
  const text = openText(rootSecret, name, sealed ?? {})
  // What an unknown version has sealed stays: a node or a command that does not know it yet must not take it away.
  const missing = rootSecret.versions.some((version) => !Object.hasOwn(sealed ?? {}, version))
  if (sealed && missing) updateSealed(tx, name, sealed, sealedFor(rootSecret, name, text, sealed))
  return text
}

function sealedFor(rootSecret: RootSecret, name: string, text: string, before: SealedByVersion): SealedByVersion {
  const sealed = rootSecret.versions.map((version) => [version, sealByRoot(rootSecret, purpose, text, name, version)])
  return { ...Object.fromEntries(sealed), ...before }
}

function openText(rootSecret: RootSecret, name: string, sealed: SealedByVersion): string {
  for (const text of Object.values(sealed)) {
    const opened = openByRoot(rootSecret, purpose, text, name)
    if (opened !== undefined) return opened
  }
  throw new StorageRefused(
    `the root secret does not open the database key "${name}": the database was made with another one`,
  )
}

async function findSealed(db: Reader, name: string): Promise<SealedByVersion | undefined> {
  const [row] = await db.sql<{ sealed: string }>`select sealed from database_keys where name = ${name}`
  return row && (JSON.parse(row.sealed) as SealedByVersion)
}

// Does nothing where there is one.
function insertSealed(tx: Tx, name: string, sealed: SealedByVersion, now: number): void {
  tx.sql`
    insert into database_keys (name, sealed, created_at) values (${name}, ${JSON.stringify(sealed)}, ${now})
    on conflict (name) do nothing`
}

// Does nothing where another node has changed it since.
function updateSealed(tx: Tx, name: string, before: SealedByVersion, sealed: SealedByVersion): void {
  tx.sql`
    update database_keys set sealed = ${JSON.stringify(sealed)}
    where name = ${name} and sealed = ${JSON.stringify(before)}`
}
