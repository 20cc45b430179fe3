// listAdminMembers, inviteAdminMember, updateAdminMember, removeAdminMember: the people of a merchant over the API.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { adminScopes, type Role } from '../src/contract/words.ts'
import { insertInstallation } from '../src/domain/merchants/store.ts'
import { endInstallation } from '../src/domain/oauth/installing.ts'
import { acceptInvitationAsNewUser, createInvitation, findReset } from '../src/domain/users/invitations.ts'
import { listMembers } from '../src/domain/users/members.ts'
import { hashPassword } from '../src/domain/users/password.ts'
import { scopesOfRole } from '../src/domain/users/roles.ts'
import { createSession, findSession } from '../src/domain/users/sessions.ts'
import { createKey, endKey } from '../src/platform/access/keys.ts'
import { personCaller } from '../src/platform/http/admin.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { decryptUserEmail, setMailSwitch } from '../src/platform/outbox/emails.ts'

const hash = () => hashPassword('correct horse battery', { ln: 4, r: 8, p: 1 })

anyEngine('members', (given) => {
  let testServer: TestServer
  before(async () => {
    testServer = await openTestServer(given)
    await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
  })

  const keyed = (body: object = {}) => ({ ...body, idempotencyKey: newId('req') })
  const invite = (email: string, role: string, key = testServer.keys.admin) =>
    testServer.askAdmin('inviteAdminMember', { key, body: keyed({ email, role }) })

  // The link of the newest e-mail to an address: a key does not see it.
  const linkTo = async (email: string) => {
    const rows = await testServer.storage.read(
      (db) => db.sql<{ id: string; sealed: string }>`select id, sealed from emails order by id desc`,
    )
    const opened = rows.map(({ id, sealed }) => decryptUserEmail(testSecret, id, sealed))
    return opened.find((message) => message?.email === email)?.path ?? ''
  }
  const tokenIn = (link: string) => link.split('/').at(-1)?.split('?')[0] ?? ''

  const accept = async (link: string) => {
    const made = { token: tokenIn(link), passwordHash: await hash() }
    return (
      await testServer.storage.write((tx) => acceptInvitationAsNewUser(tx, testSecret, made, testServer.clock.now))
    ).userId
  }

  async function join(email: string, role: Role): Promise<string> {
    const input = { merchantId: testServer.merchantId, email, role, held: adminScopes, createdBy: null }
    const link = await testServer.storage.write((tx) => createInvitation(tx, testSecret, input, testServer.clock.now))
    return accept(link.path)
  }

  test('200: a member is invited by an e-mailed link, joins, is changed and removed, and the audit entries contain no e-mail address', async () => {
    const key = keyed({ email: 'Grace@Bloom.example', role: 'staff' })
    const invited = await testServer.askAdmin('inviteAdminMember', { body: key })
    assert.equal(invited.status, 200, invited.text)
    const { member } = invited.body.data
    const token = tokenIn(await linkTo('grace@bloom.example'))
    assert.match(token, /^[\w-]{43}$/)
    assert.deepEqual([member.status, member.email, member.role], ['invited', 'grace@bloom.example', 'staff'])
    const again = await testServer.askAdmin('inviteAdminMember', { body: key })
    assert.equal(again.text, invited.text, 'the same request gets the same answer')
    const stored = JSON.stringify(await testServer.storage.read((db) => db.sql`select answer from idempotency_keys`))
    assert.ok(!stored.includes(token), 'the link is not stored in clear')

    const passwordHash = await hash()
    const { userId } = await testServer.storage.write((tx) =>
      acceptInvitationAsNewUser(tx, testSecret, { token, passwordHash }, testServer.clock.now),
    )
    const listed = await testServer.askAdmin('listAdminMembers')
    const row = listed.body.data.find(({ id }: { id: string }) => id === userId)
    assert.deepEqual([row.status, row.email, row.role, row.expiresAt], ['active', 'grace@bloom.example', 'staff', null])
    const twice = await invite('grace@bloom.example', 'viewer')
    assert.deepEqual([twice.status, twice.body.error.code], [409, 'member_exists'])

    const path = { memberId: userId }
    const changed = await testServer.askAdmin('updateAdminMember', { path, body: keyed({ role: 'viewer' }) })
    assert.equal(changed.body.data.role, 'viewer')
    assert.equal((await testServer.askAdmin('removeAdminMember', { path, body: keyed() })).status, 200)
    const gone = await testServer.askAdmin('removeAdminMember', { path, body: keyed() })
    assert.deepEqual([gone.status, gone.body.error.code], [404, 'member_not_found'])

    const entries = await testServer.storage.read(
      (db) => db.sql<{ operation: string; changes: string }>`
        select operation, changes from audit_entries where merchant_id = ${testServer.merchantId} order by id`,
    )
    const told = entries.filter(({ changes }) => changes.includes(userId) || changes.includes(member.id))
    assert.deepEqual(
      told.map(({ operation, changes }) => [operation, JSON.parse(changes)[0].members]),
      [
        ['inviteAdminMember', [{ member: 'role', from: null, to: 'staff' }]],
        ['updateAdminMember', [{ member: 'role', from: 'staff', to: 'viewer' }]],
        ['removeAdminMember', [{ member: 'role', from: 'viewer', to: null }]],
      ],
    )
    assert.ok(!JSON.stringify(entries).includes('bloom.example'))
  })

  test('200: an invitation is withdrawn', async () => {
    const { body } = await invite('back@bloom.example', 'viewer')
    const path = { memberId: body.data.member.id }
    assert.equal((await testServer.askAdmin('removeAdminMember', { path, body: keyed() })).status, 200)
    const { text } = await testServer.askAdmin('listAdminMembers')
    assert.ok(!text.includes('back@bloom.example'))
  })

  test('403: a key cannot grant or remove a role with a scope that the key lacks', async () => {
    const owner = await join('owner@bloom.example', 'owner')
    await join('owner2@bloom.example', 'owner')
    const { key } = await testServer.newKey([...scopesOfRole.staff, 'admin:people'])
    for (const answer of [
      await invite('x@bloom.example', 'owner', key),
      await testServer.askAdmin('updateAdminMember', {
        key,
        path: { memberId: owner },
        body: keyed({ role: 'viewer' }),
      }),
      await testServer.askAdmin('removeAdminMember', { key, path: { memberId: owner }, body: keyed() }),
    ])
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'scope_missing'])
    assert.equal((await invite('y@bloom.example', 'staff', key)).status, 200)
  })

  test('200: a custom role has the chosen scopes and admin:read, and a change of its scopes is audited', async () => {
    const invited = await testServer.askAdmin('inviteAdminMember', {
      body: keyed({ email: 'packer@bloom.example', role: 'custom', scopes: ['admin:orders'] }),
    })
    assert.deepEqual(invited.body.data.member.scopes, ['admin:read', 'admin:orders'])
    const userId = await accept(await linkTo('packer@bloom.example'))
    const listed = await testServer.askAdmin('listAdminMembers')
    const row = listed.body.data.find(({ id }: { id: string }) => id === userId)
    assert.deepEqual([row.role, row.scopes], ['custom', ['admin:read', 'admin:orders']])
    const scopes = ['admin:refunds', 'admin:orders', 'admin:read']
    const path = { memberId: userId }
    const changed = await testServer.askAdmin('updateAdminMember', { path, body: keyed({ role: 'custom', scopes }) })
    assert.deepEqual(changed.body.data.scopes, ['admin:read', 'admin:orders', 'admin:refunds'])
    const [entry] = (await testServer.askAdmin('listAdminChanges', { query: `?subjectId=${userId}` })).body.data
    assert.deepEqual(
      entry.changes[0].members.find(({ member }: { member: string }) => member === 'scopes'),
      {
        member: 'scopes',
        from: ['admin:read', 'admin:orders'],
        to: ['admin:read', 'admin:orders', 'admin:refunds'],
      },
    )
    const back = await testServer.askAdmin('updateAdminMember', { path, body: keyed({ role: 'viewer' }) })
    assert.deepEqual([back.body.data.role, back.body.data.scopes], ['viewer', ['admin:read']])
  })

  test('400 for the role custom without scopes and for scopes with another role; 403 for a scope that the key lacks', async () => {
    const ask = (role: string, scopes: readonly string[] | undefined, key = testServer.keys.admin) =>
      testServer.askAdmin('inviteAdminMember', {
        key,
        body: keyed({ email: 'z@bloom.example', role, ...(scopes && { scopes }) }),
      })
    for (const [role, scopes, code] of [
      ['custom', undefined, 'required'],
      ['staff', ['admin:orders'], 'excluded_by'],
    ] as const) {
      const { status, body } = await ask(role, scopes)
      assert.deepEqual([status, body.error.issues[0].path, body.error.issues[0].code], [400, '/scopes', code])
    }
    const { key } = await testServer.newKey(['admin:read', 'admin:people'])
    assert.equal((await ask('custom', ['admin:orders'], key)).status, 403)
    assert.equal((await ask('custom', ['admin:people'])).status, 403, 'a key makes no one who manages people')
  })

  test('403: a key cannot create an owner, whatever its scopes; a person can', async () => {
    const viewer = await join('rising@bloom.example', 'viewer')
    const path = { memberId: viewer }
    for (const answer of [
      await invite('crown@bloom.example', 'owner'),
      await testServer.askAdmin('updateAdminMember', { path, body: keyed({ role: 'owner' }) }),
    ])
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'scope_missing'])
    const userId = await join('giver@bloom.example', 'owner')
    const principal = personCaller({ userId, merchantId: testServer.merchantId, mode: 'test', scopes: adminScopes })
    const made = await testServer.app.admin.perform('inviteAdminMember', {
      principal,
      body: keyed({ email: 'crown@bloom.example', role: 'owner' }),
    })
    assert.equal(JSON.parse(String(made.body)).data.member.role, 'owner')
  })

  test('an invitation ends with the key that created it, and with the installation of that key', async () => {
    const later = testServer.clock.now + 3_600_000
    const invited = async (email: string, key: string) => {
      assert.equal((await invite(email, 'viewer', key)).status, 200)
      return linkTo(email)
    }
    const listed = async () => (await testServer.askAdmin('listAdminMembers')).text
    const scopes = ['admin:people', 'admin:read'] as const
    const [lasting, revoked, expiring] = [
      await testServer.newKey(scopes),
      await testServer.newKey(scopes),
      await testServer.newKey(scopes, { expiresAt: later }),
    ]
    const links = {
      lasting: await invited('lasting@bloom.example', lasting.key),
      revoked: await invited('revoked@bloom.example', revoked.key),
      expiring: await invited('expiring@bloom.example', expiring.key),
    }
    await testServer.storage.write((tx) => endKey(tx, revoked.id, testServer.clock.now))
    assert.doesNotMatch(await listed(), /revoked@/)
    assert.match(await listed(), /expiring@/)
    await assert.rejects(accept(links.revoked), { code: 'invitation_not_found' })
    testServer.clock.now = later
    await assert.rejects(accept(links.expiring), { code: 'invitation_not_found' })
    assert.match(await accept(links.lasting), /^usr_/)

    const installationId = newId('ins')
    const owner = { id: installationId, merchantId: testServer.merchantId, mode: 'test' } as const
    const made = await testServer.storage.write(async (tx) => {
      await insertInstallation(tx, { ...owner, name: 'Robot', redirectHosts: '[]', disabledAt: null }, later)
      return createKey(tx, testSecret, owner, { name: 'Robot', scopes, expiresAt: null }, later)
    })
    const last = await invited('last@bloom.example', made.key)
    await testServer.storage.write((tx) => endInstallation(tx, installationId, later))
    await assert.rejects(accept(last), { code: 'invitation_not_found' })
    const again = await invite('last@bloom.example', 'viewer')
    assert.equal(again.status, 200, again.text)
  })

  test('200: a staff member is sent a link for a new password; 403 for an owner if a key requests it; 404 for an unknown member', async () => {
    const { key } = await testServer.newKey([...scopesOfRole.staff, 'admin:people'])
    const reset = (memberId: string, by = key) =>
      testServer.askAdmin('resetAdminMemberPassword', { key: by, path: { memberId }, body: keyed() })
    const staff = await join('forgetful@bloom.example', 'staff')
    assert.equal((await reset(staff)).status, 200)
    const token = tokenIn(await linkTo('forgetful@bloom.example'))
    const found = () => testServer.storage.read((db) => findReset(db, token, testServer.clock.now))
    assert.equal((await found())?.userId, staff)
    const owner = await join('proud@bloom.example', 'owner')
    const refused = await reset(owner, testServer.keys.admin)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'scope_missing'])
    const gone = await reset(newId('usr'))
    assert.deepEqual([gone.status, gone.body.error.code], [404, 'member_not_found'])
    const entries = JSON.stringify(
      await testServer.storage.read(
        (db) => db.sql`select changes from audit_entries where operation = 'resetAdminMemberPassword'`,
      ),
    )
    assert.ok(entries.includes('passwordReset') && !entries.includes(token))
  })

  test('200: every session of a member ends; 403 for a member with a higher role, 404 for an unknown member', async () => {
    const sessionOf = async (userId: string) => {
      const [user] = await testServer.storage.read(
        (db) => db.sql<{ hash: string }>`select password_hash as "hash" from users where id = ${userId}`,
      )
      const input = { userId, passwordHash: user?.hash ?? '', userAgent: undefined, hasSecondFactor: false }
      const made = await testServer.storage.write((tx) => createSession(tx, input, testServer.clock.now))
      return async () =>
        (await testServer.storage.read((db) => findSession(db, made?.token, testServer.clock.now))) !== undefined
    }
    const { key } = await testServer.newKey([...scopesOfRole.staff, 'admin:people'])
    const end = (memberId: string) =>
      testServer.askAdmin('endAdminMemberSessions', { key, path: { memberId }, body: keyed() })
    const staff = await join('away@bloom.example', 'staff')
    const isOpen = [await sessionOf(staff), await sessionOf(staff)]
    const answer = await end(staff)
    assert.deepEqual([answer.status, answer.body.data], [200, { memberId: staff, ended: 2 }])
    assert.deepEqual(await Promise.all(isOpen.map((one) => one())), [false, false])
    assert.equal((await end(staff)).body.data.ended, 0)
    const owner = await join('grand@bloom.example', 'owner')
    const isOwnerIn = await sessionOf(owner)
    const refused = await end(owner)
    assert.deepEqual([refused.status, refused.body.error.code, await isOwnerIn()], [403, 'scope_missing', true])
    for (const id of [newId('usr'), newId('inv')]) assert.equal((await end(id)).status, 404)
  })

  test('200: the shop can require a second factor, which makes one audit entry', async () => {
    const demand = (secondFactorRequired: boolean) =>
      testServer.askAdmin('updateAdminPeople', { body: keyed({ secondFactorRequired }) })
    const { body } = await demand(true)
    assert.equal(body.data.secondFactorRequired, true)
    assert.ok(body.data.membersWithoutSecondFactor > 0)
    await demand(true)
    assert.deepEqual((await testServer.askAdmin('getAdminPeople')).body.data, body.data)
    const entries = await testServer.storage.read(
      (db) => db.sql`select id from audit_entries where operation = 'updateAdminPeople'`,
    )
    assert.equal(entries.length, 1)
  })

  test('409: the last owner cannot be removed', async () => {
    const owners = (await testServer.storage.read((db) => listMembers(db, testSecret, testServer.merchantId))).filter(
      ({ role }) => role === 'owner',
    )
    const answers = []
    for (const { userId } of owners)
      answers.push(await testServer.askAdmin('removeAdminMember', { path: { memberId: userId }, body: keyed() }))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...owners.slice(1).map(() => 200), 409])
    assert.equal(answers.at(-1)?.body.error.code, 'last_owner')
  })

  test('400 for an invalid e-mail address', async () => {
    for (const email of ['nobody', 'a@b', ' a@bloom.example,b@bloom.example'])
      assert.equal((await invite(email, 'viewer')).status, 400, email)
  })
})
