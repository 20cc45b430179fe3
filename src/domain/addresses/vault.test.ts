import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { eachEngine } from '../../../harness/storage.ts'
import type { Address } from '../../contract/open/carts.ts'
import { newId } from '../../platform/kit/ids.ts'
import { parseRootSecret, RootSecret } from '../../platform/secrets/secrets.ts'
import { migrate } from '../../platform/storage/migrate.ts'
import { openStorage } from '../../platform/storage/open.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { summarizeAddress } from './check.ts'
import {
  decryptAddress,
  eraseAddressExceptCity,
  findAddressSummary,
  moveAddress,
  storeEncryptedAddress,
  sweepAddresses,
} from './vault.ts'

const oldText = 'an-old-root-secret-of-at-least-32-characters'
const newText = 'a-new-root-secret-of-at-least-32-characters!'

function rootSecretOf(text: string): RootSecret {
  const rootSecret = parseRootSecret(text)
  assert.ok(rootSecret instanceof RootSecret)
  return rootSecret
}

const rootSecret = rootSecretOf(oldText)
const now = Date.UTC(2026, 0, 31)
const expiresAt = now + 3_600_000

const address: Address = {
  name: 'Wilhelmina Plantedname',
  company: 'Plantedcompany',
  line1: 'Plantedstreet 17',
  line2: 'Plantedfloor',
  city: 'Berlin',
  postalCode: '10115',
  country: 'DE',
  phone: '+493012345678',
}
const secretParts = ['Wilhelmina', 'Planted', '+493012345678', '3012345678', '10115']
const summary = summarizeAddress(address)

interface Row {
  sealed: string
  row_key: string | null
}

eachEngine('the vault of addresses', (given) => {
  let storage: Storage
  before(async () => {
    storage = await given.open()
  })

  const newOwner = () => ({ installationId: newId('ins'), ownerId: newId('cart') })
  type Owner = ReturnType<typeof newOwner>
  const put = (owner: Owner, secret = rootSecret, end = expiresAt) =>
    storage.write(async (tx) => storeEncryptedAddress(tx, secret, { ...owner, address, summary, now, expiresAt: end }))
  const take = (name: Owner & { id: string }, at = now, secret = rootSecret) =>
    storage.read((db) => decryptAddress(db, secret, { ...name, now: at }))
  const rowOf = async (id: string) => {
    const [row] = await storage.read((db) => db.sql<Row>`select * from addresses where id = ${id}`)
    assert.ok(row)
    return row
  }
  const spoil = (id: string, row: Row) =>
    storage.write(
      (tx) => tx.sql`update addresses set sealed = ${row.sealed}, row_key = ${row.row_key} where id = ${id}`,
    )

  test('returns an encrypted address by its token', async () => {
    const owner = newOwner()
    const id = await put(owner)
    assert.match(id, /^adr_[0-9a-z]{26}$/)
    assert.deepEqual(await take({ ...owner, id }), address)
    assert.deepEqual(await storage.read((db) => findAddressSummary(db, { ...owner, id })), {
      summary: { city: 'Berlin', region: null, country: 'DE', postalCodePrefix: '10' },
      expiresAt,
      isErased: false,
    })
  })

  test('returns no address to another installation or owner', async () => {
    const owner = newOwner()
    const id = await put(owner)
    const foreign = [
      { ...owner, id, installationId: newId('ins') },
      { ...owner, id, ownerId: newId('cart') },
      { ...owner, id: newId('adr') },
    ]
    for (const name of foreign) {
      assert.equal(await take(name), undefined)
      assert.equal(await storage.read((db) => findAddressSummary(db, name)), undefined)
      assert.equal(
        await storage.write((tx) => moveAddress(tx, rootSecret, { ...name, newOwnerId: newId('ord'), now, expiresAt })),
        undefined,
      )
    }
    await storage.write(async (tx) => eraseAddressExceptCity(tx, newId('ins'), id))
    assert.deepEqual(await take({ ...owner, id }), address)
  })

  test('stores neither name, street, phone number nor whole postal code readable in the row', async () => {
    const id = await put(newOwner())
    const text = JSON.stringify(await rowOf(id))
    for (const part of secretParts) assert.ok(!text.includes(part), part)
    assert.notEqual((await rowOf(await put(newOwner()))).row_key, (await rowOf(id)).row_key)
  })

  test('does not return an erased address, whose bytes are removed from the row', async () => {
    const owner = newOwner()
    const id = await put(owner)
    // The second time, nothing is left to erase.
    for (let time = 0; time < 2; time += 1)
      await storage.write(async (tx) => eraseAddressExceptCity(tx, owner.installationId, id))
    assert.equal(await take({ ...owner, id }), undefined)
    const { sealed, row_key } = await rowOf(id)
    assert.deepEqual({ sealed, row_key }, { sealed: '', row_key: null })
    const face = await storage.read((db) => findAddressSummary(db, { ...owner, id }))
    assert.deepEqual(face, { summary, expiresAt, isErased: true })
  })

  test('deletes the address of an order when it expires, and keeps the town', async () => {
    const owner = { installationId: newId('ins'), ownerId: newId('ord') }
    const id = await put(owner)
    while ((await sweepAddresses(storage, expiresAt, 10_000)) > 0);
    assert.deepEqual(await rowOf(id).then(({ sealed, row_key }) => ({ sealed, row_key })), {
      sealed: '',
      row_key: null,
    })
    const face = await storage.read((db) => findAddressSummary(db, { ...owner, id }))
    assert.deepEqual(face, { summary, expiresAt, isErased: true })
  })

  test('does not return an address after its expiry, even before the sweep', async () => {
    const owner = newOwner()
    const id = await put(owner)
    assert.deepEqual(await take({ ...owner, id }, expiresAt - 1), address)
    assert.equal(await take({ ...owner, id }, expiresAt), undefined)
    const move = { ...owner, id, newOwnerId: newId('ord'), now: expiresAt, expiresAt: expiresAt + 1 }
    assert.equal(await storage.write((tx) => moveAddress(tx, rootSecret, move)), undefined)
  })

  test('moves an address to another owner once, and no longer returns it to the first one', async () => {
    const owner = newOwner()
    const id = await put(owner)
    const newOwnerId = newId('ord')
    const move = { ...owner, id, newOwnerId, now, expiresAt: expiresAt + 1_000 }
    const moves = await Promise.all([1, 2].map(() => storage.write((tx) => moveAddress(tx, rootSecret, move))))
    const tokens = moves.filter((token) => token !== undefined)
    assert.equal(tokens.length, 1)
    const moved = { installationId: owner.installationId, ownerId: newOwnerId, id: tokens[0] ?? '' }
    assert.notEqual(moved.id, id)
    assert.deepEqual(await take(moved), address)
    assert.deepEqual(await storage.read((db) => findAddressSummary(db, moved)), {
      summary,
      expiresAt: expiresAt + 1_000,
      isErased: false,
    })
    assert.equal(await take({ ...owner, id }), undefined)
    assert.equal(await storage.read((db) => findAddressSummary(db, { ...owner, id })), undefined)
  })

  test('returns an address after a rotation of the root secret while the old version is known', async () => {
    const both = rootSecretOf(`2:${newText},1:${oldText}`)
    const owner = newOwner()
    const before = await put(owner)
    const after = await put(owner, both)
    assert.deepEqual(await take({ ...owner, id: before }, now, both), address)
    assert.deepEqual(await take({ ...owner, id: after }, now, both), address)
    await assert.rejects(take({ ...owner, id: before }, now, rootSecretOf(`2:${newText}`)), /cannot be decrypted/)
    await assert.rejects(take({ ...owner, id: after }, now, rootSecret), /cannot be decrypted/)
  })

  test('reports a changed or exchanged row as an error, which does not contain the address', async () => {
    const owner = newOwner()
    const id = await put(owner)
    const twin = await put(owner)
    const [row, other] = [await rowOf(id), await rowOf(twin)]
    const flipped = (text: string) => `${text.slice(0, 30)}${text[30] === 'A' ? 'B' : 'A'}${text.slice(31)}`
    const spoilt: Row[] = [
      { ...row, sealed: flipped(row.sealed) },
      { ...row, row_key: flipped(row.row_key ?? '') },
      { ...row, sealed: '' },
      { ...row, sealed: row.sealed.slice(0, -8) },
      // The whole row of another address of the same owner.
      other,
      { ...row, sealed: other.sealed },
    ]
    for (const each of spoilt) {
      await spoil(id, each)
      await assert.rejects(take({ ...owner, id }), (error: Error) => {
        assert.match(error.message, /cannot be decrypted/)
        for (const part of [...secretParts, row.sealed, row.row_key ?? '']) {
          assert.ok(!`${error.stack} ${JSON.stringify(error)}`.includes(part))
        }
        return true
      })
    }
    await spoil(id, row)
    assert.deepEqual(await take({ ...owner, id }), address)
    // Writing another owner into the row does not let that owner decrypt the address.
    const thief = newId('cart')
    await storage.write((tx) => tx.sql`update addresses set owner_id = ${thief} where id = ${id}`)
    await assert.rejects(take({ ...owner, ownerId: thief, id }), /cannot be decrypted/)
  })

  test('deletes expired addresses in batches, on two nodes concurrently', async () => {
    const url = await given.migratedUrl()
    const [one, two] = [await given.open({ url }), await given.open({ url })]
    const owner = newOwner()
    const ids = await one.write(async (tx) => {
      const ids: string[] = []
      for (let i = 0; i < 1_200; i += 1) {
        const end = i < 1_150 ? now - i : now + 1
        ids.push(
          storeEncryptedAddress(tx, rootSecret, { ...owner, address, summary, now: now - 5_000, expiresAt: end }),
        )
      }
      return ids
    })
    assert.equal(await sweepAddresses(one, now, 0), 0)
    assert.equal(await sweepAddresses(one, now, 50), 50)
    const swept = await Promise.all([sweepAddresses(one, now, 10_000), sweepAddresses(two, now, 10_000)])
    // Each sweep may have skipped rows that the other sweep had locked, so one more round finishes.
    const rest = await sweepAddresses(one, now, 10_000)
    assert.equal(swept[0] + swept[1] + rest, 1_100)
    const [left] = await one.read(
      (db) => db.sql<{ rows: number; open: number }>`
        select count(*) as "rows", count(row_key) as "open" from addresses`,
    )
    assert.deepEqual(left, { rows: 50, open: 50 }, 'of a cart nothing is left')
    const open = await one.read((db) => decryptAddress(db, rootSecret, { ...owner, id: ids[1_199] ?? '', now }))
    assert.deepEqual(open, address)
    assert.equal(await sweepAddresses(two, now + 1, 10_000), 50)
    assert.equal(await sweepAddresses(two, now + 1, 10_000), 0)
  })
})

test('no address is in clear text in the database file or its write-ahead log', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'test.db')
  const storage = await openStorage(`sqlite:${file}`)
  await migrate(storage, { now: new Date(now) })
  const id = await storage.write(async (tx) =>
    storeEncryptedAddress(tx, rootSecret, {
      installationId: 'ins_1',
      ownerId: 'cart_1',
      address,
      summary,
      now,
      expiresAt,
    }),
  )
  const written = Buffer.concat([await readFile(file), await readFile(`${file}-wal`)])
  await storage.close()
  const closed = await readFile(file)
  for (const bytes of [written, closed]) {
    assert.ok(bytes.includes(id), 'the row is there')
    for (const part of secretParts) {
      for (const encoding of ['utf8', 'utf16le'] as const) assert.ok(!bytes.includes(Buffer.from(part, encoding)), part)
    }
  }
})
