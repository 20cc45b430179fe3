// What a key was shown or made does not outlive it. The rows whose answer holds a secret are all here: a new one is decided on here too.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { type AdminOperationId, adminOperationIds, adminOperations } from '../src/contract/admin/operations.ts'
import type { Operation } from '../src/contract/surface.ts'
import { adminScopes, openInterfaceScopes } from '../src/contract/words.ts'
import { insertInstallation } from '../src/domain/merchants/store.ts'
import { endInstallation } from '../src/domain/oauth/installing.ts'
import { createKey, endKey, rotateKey } from '../src/platform/access/keys.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'

// Why a key may have the answer of such a row.
const decided: Partial<Record<AdminOperationId, string>> = {
  createAdminKey: 'the key that is made ends with the one that made it',
  rotateAdminKey: 'the successor ends with the key that was shown it',
  createAdminWebhookEndpoint: 'the endpoint ends with the key',
  rotateAdminWebhookSecret: 'the secret signs calls and opens nothing; it is rotated again by a person who doubts it',
  createAdminAgentKey: 'the key that is made ends with the one that made it',
  createAdminAgentWebhook: 'the endpoint ends with the key',
  createAdminDraft: 'the link pays the draft and opens nothing else; the draft is cancelled by a person who doubts it',
  updateAdminDraft: 'the link is the same as before',
  sendAdminDraft: 'the link goes to the shopper, who can do nothing with it but pay',
  inviteAdminMember: 'a key is shown no link',
  resetAdminMemberPassword: 'a key is shown no link',
}

test('every operation that returns a secret is listed in this test', () => {
  const secret = adminOperationIds.filter((id) => (adminOperations[id] as Operation).reply.isSecret)
  assert.deepEqual(secret.sort(), Object.keys(decided).sort())
})

eachEngine('what a key created', (given) => {
  let testServer: TestServer
  before(async () => {
    testServer = await openTestServer(given)
    await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
  })

  const keyed = (body: object = {}) => ({ ...body, idempotencyKey: newId('req') })
  const scopes = [...adminScopes, ...openInterfaceScopes] as const
  const isIn = async (key: string) => (await testServer.ask('listApiKeyCatalogCategories', { key })).status !== 401
  const revoke = (id: string) => testServer.askAdmin('revokeAdminKey', { path: { keyId: id }, body: keyed() })

  async function makeKeyBy(key: string, more: object = {}): Promise<{ id: string; secret: string }> {
    const body = keyed({ installationId: testServer.installationId, name: 'Made', scopes: ['catalog:read'], ...more })
    const { status, text, body: made } = await testServer.askAdmin('createAdminKey', { key, body })
    assert.equal(status, 200, text)
    return { id: made.data.key.id, secret: made.data.secret }
  }

  test('keys that a key created end when that key is revoked, publishable ones too, each with an audit entry', async () => {
    const maker = await testServer.newKey(scopes)
    const made = [
      await makeKeyBy(maker.key),
      await makeKeyBy(maker.key, { kind: 'publishable', scopes: [], origins: ['https://shop.example.com'] }),
    ]
    const other = await makeKeyBy(testServer.keys.admin, { scopes: [] })
    assert.ok((await Promise.all(made.map(({ secret }) => isIn(secret)))).every(Boolean))
    const revoked = await revoke(maker.id)
    assert.equal(revoked.status, 200)
    assert.deepEqual(await Promise.all(made.map(({ secret }) => isIn(secret))), [false, false])
    assert.equal(await isIn(other.secret), true, 'those of another key stay')
    for (const { id } of [maker, ...made]) {
      const { body } = await testServer.askAdmin('listAdminChanges', {
        query: `?subjectId=${id}&operation=revokeAdminKey`,
      })
      assert.equal(body.data.length, 1, id)
    }
  })

  test('the new key of a rotation ends with the key that made the rotation', async () => {
    const [maker, plain] = [await testServer.newKey(scopes), await testServer.newKey(['catalog:read'])]
    const rotated = await testServer.askAdmin('rotateAdminKey', {
      key: maker.key,
      path: { keyId: plain.id },
      body: keyed({ overlapHours: 1 }),
    })
    const { secret } = rotated.body.data
    assert.equal(await isIn(secret), true)
    await revoke(maker.id)
    assert.equal(await isIn(secret), false)
  })

  test('after the rotation of a key, the keys and invitations that it created belong to its successor, and end with the successor', async () => {
    const maker = await testServer.newKey(['admin:developers', 'admin:people', 'admin:read', 'catalog:read'])
    const made = await makeKeyBy(maker.key)
    const email = 'handed@bloom.example'
    const invited = await testServer.askAdmin('inviteAdminMember', {
      key: maker.key,
      body: keyed({ email, role: 'viewer' }),
    })
    assert.equal(invited.status, 200, invited.text)
    const successor = await testServer.storage.write((tx) =>
      rotateKey(tx, testSecret, maker.id, { overlapMs: 0 }, testServer.clock.now),
    )
    const isInvited = async () => (await testServer.askAdmin('listAdminMembers')).text.includes(email)
    assert.deepEqual([await isIn(made.secret), await isInvited()], [true, true])
    await testServer.storage.write((tx) => endKey(tx, successor.id, testServer.clock.now))
    testServer.forget(made.id)
    assert.deepEqual([await isIn(made.secret), await isInvited()], [false, false])
  })

  test('keys that a key created for another installation end with the installation of the creating key', async () => {
    const id = newId('ins')
    const owner = { id, merchantId: testServer.merchantId, mode: testServer.seller.mode }
    const { key } = await testServer.storage.write(async (tx) => {
      await insertInstallation(tx, { ...owner, name: id, redirectHosts: '[]', disabledAt: null }, testServer.clock.now)
      return createKey(tx, testSecret, owner, { name: 'Robot', scopes, expiresAt: null }, testServer.clock.now)
    })
    const made = await makeKeyBy(key)
    assert.equal(await isIn(made.secret), true)
    await testServer.storage.write((tx) => endInstallation(tx, id, testServer.clock.now))
    testServer.forget(made.id)
    assert.equal(await isIn(made.secret), false)
  })
})
