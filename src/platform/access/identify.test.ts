import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { eachEngine } from '../../../harness/storage.ts'
import { parseRootSecret, RootSecret } from '../secrets/secrets.ts'
import { Fragment, type Storage } from '../storage/storage.ts'
import { type CredentialInput, newCredential } from './credential.ts'
import { createIdentify } from './identify.ts'
import { generateKey, unboundDigest } from './key.ts'
import {
  expireCredential,
  findCredential,
  findCredentialById,
  insertCredential,
  listCredentials,
  revokeCredential,
  touchCredentials,
} from './store.ts'

const rootText = 'a-root-secret-that-only-this-test-knows'
const newerText = 'the-root-secret-that-takes-its-place-later'
const rootSecret = rootFrom(rootText)
// The storage of the engine that is being tested.
let storage: Storage

function rootFrom(text: string): RootSecret {
  const parsed = parseRootSecret(text)
  assert.ok(parsed instanceof RootSecret)
  return parsed
}

// Creates a merchant, an installation and a credential for one test.
let given = 0
async function givenKey(input: Partial<CredentialInput> = {}, root = rootSecret) {
  const number = ++given
  const merchantId = `mer_${number}`
  const installationId = `ins_${number}`
  const made = newCredential(
    root,
    {
      installationId,
      merchantId,
      name: 'Key',
      mode: 'test',
      scopes: ['catalog:read', 'checkout:quote'],
      expiresAt: null,
      rotatedFrom: null,
      ...input,
    },
    1,
  )
  await storage.write(async (tx) => {
    await tx.sql`
      insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version,
        created_at, updated_at)
      values (${merchantId}, ${`shop-${number}`}, 'Shop', 'EUR', 'DE', 'included', 5, '[]', 1, 1, 1)`
    await tx.sql`
      insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
      values (${installationId}, ${merchantId}, 'Main', 'test', '[]', 2)`
    await insertCredential(tx, made.credential)
  })
  const { id, lookup } = made.credential
  return { id, lookup, merchantId, installationId, slug: `shop-${number}`, keyText: made.keyText }
}

// The real storage, which counts reads, and delays their results until `gate` resolves.
function watched(gate: Promise<void> = Promise.resolve()): { storage: Storage; reads: () => number } {
  let count = 0
  const read: Storage['read'] = async (work) => {
    const result = await storage.read(work)
    count++
    await gate
    return result
  }
  return { storage: { ...storage, read }, reads: () => count }
}

async function lastUseOf(id: string): Promise<number | null | undefined> {
  return (await storage.read((db) => findCredentialById(db, id)))?.lastUsedAt
}

eachEngine('identify', ({ open }) => {
  before(async () => {
    storage = await open()
  })

  test('a caller is identified by the key, with or without a scheme', async () => {
    const key = await givenKey()
    const { identify } = createIdentify({ storage, rootSecret })
    const caller = await identify(`Bearer ${key.keyText}`, 10)
    assert.deepEqual(caller, {
      kind: 'key',
      id: key.id,
      claimant: key.installationId,
      throttleKey: key.id,
      installationId: key.installationId,
      merchantId: key.merchantId,
      merchantSlug: key.slug,
      mode: 'test',
      scopes: ['catalog:read', 'checkout:quote'],
    })
    assert.ok(Object.isFrozen(caller) && Object.isFrozen(caller?.scopes))
    assert.equal(await identify(key.keyText, 10), caller)
  })

  test('a refused caller gets the same result for every reason', async () => {
    const { identify } = createIdentify({ storage, rootSecret })
    const refused: Record<string, string | undefined> = {
      'no header': undefined,
      empty: '',
      'another scheme': `Basic ${(await givenKey()).keyText}`,
      malformed: `${(await givenKey()).keyText}0`,
      unknown: generateKey('test').text,
      expired: (await givenKey({ expiresAt: 10 })).keyText,
    }
    const revoked = await givenKey()
    await storage.write((tx) => revokeCredential(tx, revoked.installationId, revoked.id, 5))
    refused.revoked = revoked.keyText
    const disabled = await givenKey()
    await storage.write((tx) => tx.sql`update installations set disabled_at = 5 where id = ${disabled.installationId}`)
    refused['installation disabled'] = disabled.keyText
    const closed = await givenKey()
    await storage.write((tx) => tx.sql`update merchants set closed_at = 5 where id = ${closed.merchantId}`)
    refused['merchant closed'] = closed.keyText
    const wrong = await givenKey()
    await storage.write((tx) => tx.sql`update credentials set digest = ${'f'.repeat(64)} where id = ${wrong.id}`)
    refused['wrong secret'] = wrong.keyText
    for (const [reason, header] of Object.entries(refused)) assert.equal(await identify(header, 10), undefined, reason)
  })

  // An attacker who can write to the table and has one key must not be identified as another caller.
  for (const column of ['id', 'installation_id', 'merchant_id', 'mode', 'scopes'] as const)
    test(`a row with another ${column} identifies no caller`, async () => {
      const [own, others] = [await givenKey(), await givenKey()]
      const values = {
        id: 'key_other',
        installation_id: others.installationId,
        merchant_id: others.merchantId,
        mode: 'live',
        scopes: 'catalog:read checkout:quote webhooks:write',
      }
      await storage.write(
        (tx) => tx.sql`update credentials set ${new Fragment(`${column} = ?`, [values[column]])} where id = ${own.id}`,
      )
      assert.equal(await createIdentify({ storage, rootSecret }).identify(own.keyText, 10), undefined)
    })

  test('a row with the digest of another key, or a copied row, identifies no caller', async () => {
    const [own, others] = [await givenKey(), await givenKey()]
    const row = await storage.read((db) => findCredentialById(db, own.id))
    await storage.write((tx) => tx.sql`update credentials set lookup = 'taken' where id = ${own.id}`)
    await storage.write(
      (tx) => tx.sql`
        update credentials set lookup = ${own.keyText.slice(9, 21)}, digest = ${row?.digest ?? ''} where id = ${others.id}`,
    )
    const { identify } = createIdentify({ storage, rootSecret })
    for (const { keyText } of [own, others]) assert.equal(await identify(keyText, 10), undefined)
  })

  test('a key whose digest an earlier release did not bind to its row is accepted, and bound at its first use', async () => {
    const [key, others] = [await givenKey(), await givenKey()]
    const former = unboundDigest(rootSecret, 1, key.keyText)
    await storage.write((tx) => tx.sql`update credentials set digest = ${former} where id = ${key.id}`)
    const { identify, flushLastUse } = createIdentify({ storage, rootSecret })
    assert.equal((await identify(key.keyText, 10))?.installationId, key.installationId)
    await flushLastUse(20)
    const row = await storage.read((db) => findCredentialById(db, key.id))
    assert.notEqual(row?.digest, former)
    assert.ok(await createIdentify({ storage, rootSecret }).identify(key.keyText, 30))
    await storage.write(
      (tx) => tx.sql`update credentials set installation_id = ${others.installationId} where id = ${key.id}`,
    )
    assert.equal(await createIdentify({ storage, rootSecret }).identify(key.keyText, 40), undefined)
  })

  test('a key of an older version of the root secret is accepted while the root secret contains that version', async () => {
    const key = await givenKey()
    const rotated = rootFrom(`2:${newerText},1:${rootText}`)
    const dropped = rootFrom(`2:${newerText}`)
    assert.ok(await createIdentify({ storage, rootSecret: rotated }).identify(key.keyText, 10))
    assert.equal(await createIdentify({ storage, rootSecret: dropped }).identify(key.keyText, 10), undefined)
    const young = await givenKey({}, rotated)
    assert.ok(await createIdentify({ storage, rootSecret: dropped }).identify(young.keyText, 10))
  })

  test('a valid key is read at most once in two seconds, and a refused one every time', async () => {
    const key = await givenKey()
    const { storage: counted, reads } = watched()
    const { identify } = createIdentify({ storage: counted, rootSecret })
    for (const now of [1000, 1001, 2999]) assert.ok(await identify(key.keyText, now))
    assert.equal(reads(), 1)
    assert.ok(await identify(key.keyText, 3000))
    assert.equal(reads(), 2)
    // After the clock was set back, the entry must not stay cached until the clock catches up.
    assert.ok(await identify(key.keyText, 500))
    assert.equal(reads(), 3)
    const unknown = generateKey('test').text
    for (let i = 0; i < 3; i++) assert.equal(await identify(unknown, 500), undefined)
    assert.equal(reads(), 6)
    // Text that is not a valid key never reaches the database.
    assert.equal(await identify(`${unknown.slice(0, -1)}_`, 500), undefined)
    assert.equal(reads(), 6)
  })

  test('concurrent callers with one key share one read', async () => {
    const key = await givenKey()
    const { storage: counted, reads } = watched()
    const { identify } = createIdentify({ storage: counted, rootSecret })
    const callers = await Promise.all(Array.from({ length: 50 }, () => identify(key.keyText, 10)))
    assert.equal(new Set(callers).size, 1)
    assert.equal(reads(), 1)
  })

  test('a failed read fails only for the callers that waited for it', async () => {
    const key = await givenKey()
    let isDown = true
    const read: Storage['read'] = (work) => (isDown ? Promise.reject(new Error('down')) : storage.read(work))
    const { identify } = createIdentify({ storage: { ...storage, read }, rootSecret })
    const outcomes = await Promise.allSettled([identify(key.keyText, 10), identify(key.keyText, 10)])
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ['rejected', 'rejected'],
    )
    isDown = false
    assert.ok(await identify(key.keyText, 10))
  })

  test('expiry is exact, also for a cached key', async () => {
    const key = await givenKey({ expiresAt: 1500 })
    const { identify } = createIdentify({ storage, rootSecret })
    assert.ok(await identify(key.keyText, 1000))
    assert.ok(await identify(key.keyText, 1499))
    assert.equal(await identify(key.keyText, 1500), undefined)
  })

  test('a revocation takes effect within two seconds, and immediately on the node that is notified', async () => {
    const key = await givenKey()
    const here = createIdentify({ storage, rootSecret })
    const elsewhere = createIdentify({ storage, rootSecret })
    assert.ok(await here.identify(key.keyText, 1000))
    assert.ok(await elsewhere.identify(key.keyText, 1000))
    await storage.write(async (tx) => {
      tx.afterCommit(() => here.forget(key.id))
      await revokeCredential(tx, key.installationId, key.id, 1001)
    })
    assert.equal(await here.identify(key.keyText, 1001), undefined)
    assert.ok(await elsewhere.identify(key.keyText, 1001))
    assert.equal(await elsewhere.identify(key.keyText, 3000), undefined)
  })

  test('a key that was read before its revocation is not cached after it', async () => {
    const key = await givenKey()
    let openGate = () => {}
    const gate = new Promise<void>((resolve) => {
      openGate = resolve
    })
    const { storage: held, reads } = watched(gate)
    const { identify, forget } = createIdentify({ storage: held, rootSecret })
    const early = identify(key.keyText, 1000)
    while (reads() === 0) await setImmediate()
    await storage.write((tx) => revokeCredential(tx, key.installationId, key.id, 1001))
    forget(key.id)
    const late = identify(key.keyText, 1001)
    openGate()
    assert.ok(await early)
    assert.equal(await late, undefined)
    assert.equal(await identify(key.keyText, 1001), undefined)
  })

  test('the number of cached keys is limited', async () => {
    const keys = [await givenKey(), await givenKey(), await givenKey()]
    const { storage: counted, reads } = watched()
    const { identify } = createIdentify({ storage: counted, rootSecret, entriesMax: 2 })
    for (const key of keys) assert.ok(await identify(key.keyText, 10))
    assert.ok(await identify(keys[2]?.keyText, 10))
    assert.equal(reads(), 3)
    assert.ok(await identify(keys[0]?.keyText, 10))
    assert.equal(reads(), 4)
  })

  test('the last use is written at most once a minute', async () => {
    const key = await givenKey()
    const idle = await givenKey()
    const { identify, flushLastUse } = createIdentify({ storage, rootSecret })
    const start = 1_000_000
    await flushLastUse(start)
    await identify(key.keyText, start)
    await identify(key.keyText, start + 5)
    assert.equal(await lastUseOf(key.id), null)
    await flushLastUse(start + 10)
    assert.equal(await lastUseOf(key.id), start + 5)
    await identify(key.keyText, start + 30_000)
    await flushLastUse(start + 60_000)
    assert.equal(await lastUseOf(key.id), start + 5)
    await flushLastUse(start + 60_010)
    assert.equal(await lastUseOf(key.id), start + 30_000)
    await flushLastUse(start + 200_000)
    assert.equal(await lastUseOf(key.id), start + 30_000)
    await identify(key.keyText, start + 200_001)
    await flushLastUse(start + 200_002)
    assert.equal(await lastUseOf(key.id), start + 200_001)
    assert.equal(await lastUseOf(idle.id), null)
  })

  test('the time of a last use that could not be written is written later', async () => {
    const key = await givenKey()
    let isDown = true
    const write: Storage['write'] = (work) => (isDown ? Promise.reject(new Error('down')) : storage.write(work))
    const { identify, flushLastUse } = createIdentify({ storage: { ...storage, write }, rootSecret })
    await identify(key.keyText, 1000)
    await assert.rejects(flushLastUse(1001), /down/)
    isDown = false
    await flushLastUse(1002)
    assert.equal(await lastUseOf(key.id), 1000)
  })

  test('the use of a refused key is not recorded', async () => {
    const key = await givenKey({ expiresAt: 1000 })
    const { identify, flushLastUse } = createIdentify({ storage, rootSecret })
    assert.equal(await identify(key.keyText, 1000), undefined)
    await flushLastUse(1001)
    assert.equal(await lastUseOf(key.id), null)
  })

  test('the store finds a complete credential by its lookup and by its id', async () => {
    const key = await givenKey()
    const row = await storage.read((db) => findCredential(db, key.lookup))
    assert.ok(row)
    const { digest, ...shown } = row
    assert.match(digest, /^[0-9a-f]{64}$/)
    assert.deepEqual(shown, {
      id: key.id,
      name: 'Key',
      mode: 'test',
      pepperVersion: 1,
      prefix: key.keyText.slice(0, 21),
      last4: key.keyText.slice(-4),
      scopes: 'catalog:read checkout:quote',
      createdAt: 1,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      rotatedFrom: null,
      replacedBy: null,
      origins: null,
      installationId: key.installationId,
      installationName: 'Main',
      installationMode: 'test',
      installationCreatedAt: 2,
      installationDisabledAt: null,
      installationEndedAt: null,
      appId: null,
      appName: null,
      merchantId: key.merchantId,
      merchantSlug: key.slug,
      merchantName: 'Shop',
      merchantCurrency: 'EUR',
      merchantCountry: 'DE',
      merchantClosedAt: null,
      isMoving: 0,
    })
    assert.deepEqual(await storage.read((db) => findCredentialById(db, key.id)), row)
    assert.equal(await storage.read((db) => findCredential(db, 'nobody')), undefined)
  })

  test('the store does not list, revoke or expire credentials of another installation', async () => {
    const key = await givenKey()
    const other = await givenKey()
    assert.equal(await storage.write((tx) => revokeCredential(tx, other.installationId, key.id, 5)), false)
    assert.equal(await storage.write((tx) => expireCredential(tx, other.installationId, key.id, 5)), false)
    const listed = await storage.read((db) => listCredentials(db, key.installationId))
    assert.deepEqual(
      listed.map(({ id, revokedAt, expiresAt }) => ({ id, revokedAt, expiresAt })),
      [{ id: key.id, revokedAt: null, expiresAt: null }],
    )
  })

  test('the store keeps the time of the first revocation, and an expiry can only be moved to an earlier time', async () => {
    const key = await givenKey()
    const expire = (at: number) => storage.write((tx) => expireCredential(tx, key.installationId, key.id, at))
    const revoke = (at: number) => storage.write((tx) => revokeCredential(tx, key.installationId, key.id, at))
    assert.deepEqual([await expire(50), await expire(60), await expire(40)], [true, false, true])
    assert.deepEqual([await revoke(7), await revoke(8), await expire(5)], [true, false, false])
    const row = await storage.read((db) => findCredentialById(db, key.id))
    assert.deepEqual([row?.expiresAt, row?.revokedAt], [40, 7])
  })

  test('the store lists the newest credentials first and shows which ones were replaced', async () => {
    const key = await givenKey()
    const { installationId, merchantId } = key
    const input = { installationId, merchantId, name: 'Next', mode: 'test', scopes: [], expiresAt: null } as const
    const { credential } = newCredential(rootSecret, { ...input, rotatedFrom: key.id }, 3)
    await storage.write((tx) => insertCredential(tx, credential))
    const listed = await storage.read((db) => listCredentials(db, installationId))
    assert.deepEqual(
      listed.map(({ id, rotatedFrom, replacedBy, scopes }) => ({ id, rotatedFrom, replacedBy, scopes })),
      [
        { id: credential.id, rotatedFrom: key.id, replacedBy: null, scopes: '' },
        { id: key.id, rotatedFrom: null, replacedBy: credential.id, scopes: 'catalog:read checkout:quote' },
      ],
    )
  })

  test('the store moves the last use of many credentials only forward in time', async () => {
    const keys = [await givenKey(), await givenKey(), await givenKey()]
    const touch = (at: number) =>
      storage.write((tx) =>
        touchCredentials(
          tx,
          keys.map(({ id }, i) => ({ id, at: at + i })),
        ),
      )
    await storage.write((tx) => touchCredentials(tx, []))
    await touch(100)
    await touch(50)
    assert.deepEqual(await Promise.all(keys.map(({ id }) => lastUseOf(id))), [100, 101, 102])
  })
})
