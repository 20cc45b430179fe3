// Random keys that belong to the database: each is generated once, is the same on every node, and does not change when the root secret,
// which only encrypts it, is rotated. For values that must not change while nodes use different versions of the root secret.

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { type Reader, runAfterCommit, StorageRefused, type Tx } from '../storage/storage.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from './secrets.ts'

// Returns the key, and generates it at the first call. Encrypts it with versions of the root secret that are new, so starting once with
// both the new and the old version is enough.
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
    runAfterCommit(tx, () => {
      known = key
    })
    return key
  }
}

// For reading only. Returns the present key, if it exists, followed by former keys that were set aside when their versions of the root
// secret were discarded, if they can be decrypted again.
export async function listDatabaseKeys(db: Reader, rootSecret: RootSecret, name: string): Promise<KeyObject[]> {
  const rows = (await listRows(db)).filter((row) => firstNameOf(row.name) === name)
  const [present, former] = [rows.filter((row) => row.name === name), rows.filter((row) => row.name !== name)]
  return [
    ...present.map(({ sealed }) => openText(rootSecret, name, sealed)),
    ...former.flatMap(({ sealed }) => tryOpen(rootSecret, name, sealed) ?? []),
  ].map(keyFrom)
}

// For rows that are moved to another database: copies the keys that only the source has. Returns the names of keys that differ between
// the databases.
export async function shareDatabaseKeys(
  source: Reader,
  target: Tx,
  rootSecret: RootSecret,
  { names, now }: { names: readonly string[]; now: number },
): Promise<string[]> {
  const different: string[] = []
  for (const name of names) {
    const [here, there] = [await findSealed(source, name), await findSealed(target, name)]
    if (here && !there) insertSealed(target, name, here, now)
    else if (here && there && openText(rootSecret, name, here) !== openText(rootSecret, name, there))
      different.push(name)
  }
  return different
}

// Encrypts every key that is not yet encrypted with the current version. Returns the number of keys that it encrypted.
export async function reencryptDatabaseKeys(tx: Tx, rootSecret: RootSecret): Promise<number> {
  let count = 0
  for (const { name, sealed } of await listRows(tx)) {
    const first = firstNameOf(name)
    if (opensBy(rootSecret, first, sealed, rootSecret.currentVersion)) continue
    // A key that was set aside may no longer be decryptable.
    const text = name === first ? openText(rootSecret, first, sealed) : tryOpen(rootSecret, first, sealed)
    if (text === undefined) continue
    updateSealed(tx, name, sealed, sealedFor(rootSecret, first, text, sealed))
    count += 1
  }
  return count
}

// Removes the texts that discarded versions have encrypted. A key that no other version can decrypt would block the creation of a new
// key, so it is set aside unchanged: it can be decrypted again if a discarded version is configured again.
export async function deleteEncryptedBy(
  tx: Tx,
  rootSecret: RootSecret,
  versions: readonly number[],
  now: number,
): Promise<void> {
  for (const { name, sealed } of await listRows(tx)) {
    const kept = Object.entries(sealed).filter(([version]) => !versions.includes(Number(version)))
    const left: SealedByVersion = Object.fromEntries(kept)
    const first = firstNameOf(name)
    if (tryOpen(rootSecret, first, left) !== undefined)
      await tx.sql`update database_keys set sealed = ${JSON.stringify(left)} where name = ${name}`
    else if (name === first)
      await tx.sql`update database_keys set name = ${`${name}${asideMark}${now}`} where name = ${name}`
  }
}

// Separates the name of a key from the instant at which the key was set aside. The encryption is bound to the name only.
const asideMark = ' until '

function firstNameOf(name: string): string {
  return name.split(asideMark)[0] ?? name
}

interface KeyRow {
  name: string
  sealed: SealedByVersion
}

// The table has few rows: the keys, and former keys for each time that all versions were lost.
async function listRows(db: Reader): Promise<KeyRow[]> {
  const rows = await db.sql<{ name: string; sealed: string }>`select name, sealed from database_keys order by name`
  return rows.map(({ name, sealed }) => ({ name, sealed: JSON.parse(sealed) as SealedByVersion }))
}

// The key as encrypted by each version of the root secret, by version number.
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
  // If another node has inserted its key first, that key is used.
  const sealed = found ?? (await findSealed(tx, name))
  const text = openText(rootSecret, name, sealed ?? {})
  // Encrypted texts of versions that are unknown here are preserved: a node or command without a version must not remove the text of this
  // version.
  const missing = rootSecret.versions.some((version) => !opensBy(rootSecret, name, sealed ?? {}, version))
  if (sealed && missing) updateSealed(tx, name, sealed, sealedFor(rootSecret, name, text, sealed))
  return text
}

// Preserves encrypted texts that can be decrypted. A text that cannot be was encrypted with another secret of the same version number,
// and is replaced.
function sealedFor(rootSecret: RootSecret, name: string, text: string, before: SealedByVersion): SealedByVersion {
  const sealed = rootSecret.versions
    .filter((version) => !opensBy(rootSecret, name, before, version))
    .map((version) => [version, encryptByRootSecret(rootSecret, purpose, text, name, version)])
  return { ...before, ...Object.fromEntries(sealed) }
}

function opensBy(rootSecret: RootSecret, name: string, sealed: SealedByVersion, version: number): boolean {
  const text = sealed[version]
  return text !== undefined && decryptByRootSecret(rootSecret, purpose, text, name) !== undefined
}

function tryOpen(rootSecret: RootSecret, name: string, sealed: SealedByVersion): string | undefined {
  for (const text of Object.values(sealed)) {
    const opened = decryptByRootSecret(rootSecret, purpose, text, name)
    if (opened !== undefined) return opened
  }
  return undefined
}

function openText(rootSecret: RootSecret, name: string, sealed: SealedByVersion): string {
  const opened = tryOpen(rootSecret, name, sealed)
  if (opened !== undefined) return opened
  throw new StorageRefused(
    `the root secret cannot decrypt the database key "${name}": the database was created with another root secret`,
  )
}

async function findSealed(db: Reader, name: string): Promise<SealedByVersion | undefined> {
  const [row] = await db.sql<{ sealed: string }>`select sealed from database_keys where name = ${name}`
  return row && (JSON.parse(row.sealed) as SealedByVersion)
}

// Does nothing if the key already exists.
function insertSealed(tx: Tx, name: string, sealed: SealedByVersion, now: number): void {
  tx.send`
    insert into database_keys (name, sealed, created_at) values (${name}, ${JSON.stringify(sealed)}, ${now})
    on conflict (name) do nothing`
}

// Does nothing if another node has changed the row meanwhile.
function updateSealed(tx: Tx, name: string, before: SealedByVersion, sealed: SealedByVersion): void {
  tx.send`
    update database_keys set sealed = ${JSON.stringify(sealed)}
    where name = ${name} and sealed = ${JSON.stringify(before)}`
}
