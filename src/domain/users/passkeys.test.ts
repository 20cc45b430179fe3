import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachEngine } from '../../../harness/storage.ts'
import { parseRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import { addPasskey, findPasskey, recordPasskeyUse } from './passkeys.ts'
import { createUser } from './users.ts'

const now = 1_700_000_000_000
const rootSecret = parseRootSecret('the-root-secret-of-passkeys-in-tests') as RootSecret

eachEngine('the counter of a passkey', (given) => {
  test('increases up to the largest 32-bit number, and never decreases', async () => {
    const storage = await given.open()
    const user = { email: 'ada@bloom.example', passwordHash: 'x', merchantIds: [] }
    const { id: userId } = await storage.write((tx) => createUser(tx, rootSecret, user, now))
    const passkey = { id: 'credential', publicKey: 'x', counter: 0, transports: [] }
    assert.ok(await storage.write((tx) => addPasskey(tx, { userId, sessionId: 'x', name: 'Key', passkey }, now)))
    const use = async (counter: number) => {
      const found = await storage.read((db) => findPasskey(db, passkey.id))
      return found && storage.write((tx) => recordPasskeyUse(tx, found, counter, now))
    }
    // Devices without a counter always report 0.
    assert.deepEqual([await use(0), await use(0)], [true, true])
    const last = 2 ** 32 - 1
    assert.deepEqual([await use(last - 1), await use(last), await use(last), await use(0)], [true, true, false, false])
  })
})
