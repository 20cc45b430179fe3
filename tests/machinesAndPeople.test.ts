// What a key or an app does with people: it gets no link, the person is told, and what it made ends with it.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  currentNonce,
  installApp,
  makeProof,
  type OAuthTestServer,
  openBrowser,
  openOAuthTestServer,
} from '../harness/oauth.ts'
import { eachEngine } from '../harness/storage.ts'
import { cheapCost, testSecret } from '../harness/testServer.ts'
import { adminScopes, type Role } from '../src/contract/words.ts'
import { createInvitation } from '../src/domain/users/invitations.ts'
import { isSecondFactorRequired, setSecondFactorRequired } from '../src/domain/users/members.ts'
import { hashPassword } from '../src/domain/users/password.ts'
import { scopesOfRole } from '../src/domain/users/roles.ts'
import { createUser } from '../src/domain/users/users.ts'
import { endKey } from '../src/platform/access/keys.ts'
import { personCaller } from '../src/platform/http/admin.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { decryptUserEmail, setMailSwitch } from '../src/platform/outbox/emails.ts'

const password = 'correct horse battery staple'
const scopes = [...scopesOfRole.staff, 'admin:people'] as const

eachEngine('admin keys and people', (given) => {
  let testServer: OAuthTestServer
  before(async () => {
    testServer = await openOAuthTestServer(given)
    await switchMail(true)
  })

  const switchMail = (isOn: boolean) => testServer.storage.write((tx) => setMailSwitch(tx, isOn, testServer.clock.now))
  const keyed = (body: object = {}) => ({ ...body, idempotencyKey: newId('req') })
  const refusalOf = (answer: { status: number; body: { error?: { code: string } } }) => [
    answer.status,
    answer.body.error?.code,
  ]

  async function newPerson(name: string, role: Role): Promise<{ id: string; email: string }> {
    const email = `${name}@bloom.example`
    const input = {
      email,
      passwordHash: await hashPassword(password, cheapCost),
      merchantIds: [testServer.merchantId],
      role,
    }
    return {
      id: (await testServer.storage.write((tx) => createUser(tx, testSecret, input, testServer.clock.now))).id,
      email,
    }
  }

  // What was written to an address, the oldest first.
  async function emailsTo(email: string): Promise<{ kind: string; path: string | undefined }[]> {
    const rows = await testServer.storage.read(
      (db) => db.sql<{ id: string; kind: string; sealed: string }>`select id, kind, sealed from emails order by id`,
    )
    return rows.flatMap(({ id, kind, sealed }) => {
      const opened = decryptUserEmail(testSecret, id, sealed)
      return opened?.email === email ? [{ kind, path: opened.path ?? undefined }] : []
    })
  }

  const kindsTo = async (email: string) => (await emailsTo(email)).map(({ kind }) => kind)

  const setPasswordBy = (path: string, text: string) =>
    openBrowser(testServer).submit(testServer.origin + path, [['password', text]])

  const entersWith = async (email: string, text: string) => {
    const fields = Object.entries({ step: 'password', email, password: text, next: '/admin/account' })
    return (await openBrowser(testServer).submit(`${testServer.origin}/admin/sign-in`, fields)).status === 200
  }

  test('a key cannot take over an account: the links that it makes are only e-mailed to the person, and stop working when the key ends', async () => {
    const victim = await newPerson('victim', 'staff')
    const { id, key } = await testServer.newKey(scopes)
    const invited = await testServer.askAdmin('inviteAdminMember', {
      key,
      body: keyed({ email: 'newcomer@bloom.example', role: 'staff' }),
    })
    assert.deepEqual([invited.status, invited.body.data.link], [200, null])
    const path = { memberId: victim.id }
    const reset = await testServer.askAdmin('resetAdminMemberPassword', { key, path, body: keyed() })
    assert.deepEqual([reset.status, reset.body.data.link], [200, null])
    assert.doesNotMatch(invited.text + reset.text, /\/admin\//)

    const [invitation] = await emailsTo('newcomer@bloom.example')
    const [mailed] = await emailsTo(victim.email)
    assert.deepEqual([invitation?.kind, mailed?.kind], ['invitation', 'password_reset'])
    await testServer.storage.write((tx) => endKey(tx, id, testServer.clock.now))
    for (const { path: link } of [invitation, mailed].flatMap((message) => message ?? []))
      assert.equal((await setPasswordBy(link ?? '', 'another password of five')).status, 404)
    assert.deepEqual(
      [
        await entersWith(victim.email, password),
        await entersWith('newcomer@bloom.example', 'another password of five'),
      ],
      [true, false],
    )
  })

  test('a person whose password was replaced by means of a link is notified', async () => {
    const victim = await newPerson('reset', 'staff')
    const { key } = await testServer.newKey(scopes)
    const path = { memberId: victim.id }
    await testServer.askAdmin('resetAdminMemberPassword', { key, path, body: keyed() })
    const [mailed] = await emailsTo(victim.email)
    assert.equal((await setPasswordBy(mailed?.path ?? '', 'a third password of mine')).status, 200)
    assert.deepEqual(await kindsTo(victim.email), ['password_reset', 'password_changed'])
    assert.equal(await entersWith(victim.email, 'a third password of mine'), true)
  })

  test('owners are notified of a new member whom a key invited, but not of one whom a person invited', async () => {
    const owner = await newPerson('captain', 'owner')
    const { key } = await testServer.newKey(scopes)
    const body = keyed({ email: 'joiner@bloom.example', role: 'staff' })
    assert.equal((await testServer.askAdmin('inviteAdminMember', { key, body })).status, 200)
    assert.deepEqual(await kindsTo(owner.email), [])
    const [mailed] = await emailsTo('joiner@bloom.example')
    assert.equal((await setPasswordBy(mailed?.path ?? '', 'a password of a joiner')).status, 200)
    assert.deepEqual(await kindsTo(owner.email), ['member_joined'])
    const input = {
      merchantId: testServer.merchantId,
      email: 'friend@bloom.example',
      role: 'viewer',
      held: adminScopes,
      createdBy: owner.id,
    } as const
    const link = await testServer.storage.write((tx) => createInvitation(tx, testSecret, input, testServer.clock.now))
    assert.equal((await setPasswordBy(link.path, 'a password of a friend')).status, 200)
    assert.deepEqual(await kindsTo(owner.email), ['member_joined'])
  })

  test('an app that invites a person does not get the link either', async () => {
    const app = await testServer.newApp({ name: 'Team tool', scopes })
    const installed = await installApp(testServer, { app, scope: scopes.join(' ') })
    const { accessToken: token } = installed
    const path = '/api/v1/admin/members'
    const url = testServer.origin + path
    const dpop = await makeProof(testServer, installed.key, {
      method: 'POST',
      url,
      token,
      nonce: await currentNonce(testServer),
    })
    const invited = await testServer.fetch(path, {
      method: 'POST',
      headers: { authorization: `DPoP ${token}`, dpop, 'content-type': 'application/json' },
      body: JSON.stringify(keyed({ email: 'guest@bloom.example', role: 'viewer' })),
    })
    assert.deepEqual([invited.status, invited.body.data.link], [200, null], invited.text)
    assert.deepEqual(await kindsTo('guest@bloom.example'), ['invitation'])
  })

  test('an invitation and a password reset get 409 if no server sends e-mails, and create nothing', async () => {
    const member = await newPerson('unreached', 'viewer')
    await switchMail(false)
    for (const answer of [
      await testServer.askAdmin('inviteAdminMember', { body: keyed({ email: 'quiet@bloom.example', role: 'viewer' }) }),
      await testServer.askAdmin('resetAdminMemberPassword', { path: { memberId: member.id }, body: keyed() }),
    ])
      assert.deepEqual(refusalOf(answer), [409, 'mail_off'])
    await switchMail(true)
    assert.doesNotMatch((await testServer.askAdmin('listAdminMembers')).text, /quiet@/)
    const links = await testServer.storage.read((db) => db.sql`select id from invitations where user_id = ${member.id}`)
    assert.equal(links.length, 0)
  })

  test('a key may require a second factor for the shop, but gets 403 for lifting the requirement', async () => {
    const demand = (secondFactorRequired: boolean) =>
      testServer.askAdmin('updateAdminPeople', { body: keyed({ secondFactorRequired }) })
    const isDemanded = () => testServer.storage.read((db) => isSecondFactorRequired(db, testServer.merchantId))
    assert.equal((await demand(true)).status, 200)
    assert.deepEqual([refusalOf(await demand(false)), await isDemanded()], [[403, 'person_required'], true])
    await testServer.storage.write((tx) => setSecondFactorRequired(tx, testServer.merchantId, false))
  })

  test('a person is notified when a key or another person changes their role or resets their password, but not of their own changes', async () => {
    const [owner, member] = [await newPerson('chief', 'owner'), await newPerson('ranked', 'viewer')]
    const principal = personCaller({
      userId: owner.id,
      merchantId: testServer.merchantId,
      mode: 'test',
      scopes: adminScopes,
    })
    const asOwner = (id: string, memberId: string, body: object) =>
      testServer.app.admin.perform(id, { principal, path: { memberId }, body: keyed(body) })
    await testServer.askAdmin('updateAdminMember', { path: { memberId: member.id }, body: keyed({ role: 'staff' }) })
    await testServer.askAdmin('updateAdminMember', { path: { memberId: member.id }, body: keyed({ role: 'staff' }) })
    await asOwner('updateAdminMember', member.id, { role: 'viewer' })
    const { link } = JSON.parse(String((await asOwner('resetAdminMemberPassword', member.id, {})).body)).data
    assert.match(link, /\/admin\/resets\//)
    assert.deepEqual(await kindsTo(member.email), ['role_changed', 'role_changed', 'reset_made'])
    await newPerson('second.chief', 'owner')
    await asOwner('resetAdminMemberPassword', owner.id, {})
    await asOwner('updateAdminMember', owner.id, { role: 'staff' })
    assert.deepEqual(await kindsTo(owner.email), [])
  })
})
