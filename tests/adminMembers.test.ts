// listAdminMembers, inviteAdminMember, updateAdminMember, removeAdminMember: the people of a merchant over the API.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type House, openHouse, testSecret } from '../harness/house.ts'
import { eachEngine } from '../harness/storage.ts'
import { newId } from '../src/kit/ids.ts'
import { acceptAsNew } from '../src/staff/invitations.ts'
import { listMembers } from '../src/staff/members.ts'
import { hashPassword } from '../src/staff/password.ts'
import { scopesOfRole } from '../src/staff/roles.ts'

const hash = () => hashPassword('correct horse battery', { ln: 4, r: 8, p: 1 })

eachEngine('members', (given) => {
  let house: House
  before(async () => {
    house = await openHouse(given)
  })

  const keyed = (body: object = {}) => ({ ...body, idempotencyKey: newId('req') })
  const invite = (email: string, role: string, key = house.keys.admin) =>
    house.askAdmin('inviteAdminMember', { key, body: keyed({ email, role }) })

  async function join(email: string, role: string): Promise<string> {
    const { body } = await invite(email, role)
    const token = body.data.link.split('/').at(-1)
    const made = { token, passwordHash: await hash() }
    return (await house.storage.write((tx) => acceptAsNew(tx, testSecret, made, house.clock.now))).userId
  }

  test('200: invited by a link that is shown once, joined, changed, removed; each is written down without an address', async () => {
    const key = keyed({ email: 'Grace@Bloom.example', role: 'staff' })
    const invited = await house.askAdmin('inviteAdminMember', { body: key })
    assert.equal(invited.status, 200, invited.text)
    const { member, link } = invited.body.data
    assert.match(link, new RegExp(`^${house.origin}/admin/invitations/[\\w-]{43}$`))
    assert.deepEqual([member.status, member.email, member.role], ['invited', 'grace@bloom.example', 'staff'])
    const again = await house.askAdmin('inviteAdminMember', { body: key })
    assert.equal(again.text, invited.text, 'the same request gets the same answer')
    const stored = JSON.stringify(await house.storage.read((db) => db.sql`select answer from idempotency_keys`))
    assert.ok(!stored.includes(link.split('/').at(-1)), 'the link is not stored in clear')

    const passwordHash = await hash()
    const token = link.split('/').at(-1)
    const { userId } = await house.storage.write((tx) =>
      acceptAsNew(tx, testSecret, { token, passwordHash }, house.clock.now),
    )
    const listed = await house.askAdmin('listAdminMembers')
    const row = listed.body.data.find(({ id }: { id: string }) => id === userId)
    assert.deepEqual([row.status, row.email, row.role, row.expiresAt], ['active', 'grace@bloom.example', 'staff', null])
    const twice = await invite('grace@bloom.example', 'viewer')
    assert.deepEqual([twice.status, twice.body.error.code], [409, 'member_exists'])

    const path = { memberId: userId }
    const changed = await house.askAdmin('updateAdminMember', { path, body: keyed({ role: 'viewer' }) })
    assert.equal(changed.body.data.role, 'viewer')
    assert.equal((await house.askAdmin('removeAdminMember', { path, body: keyed() })).status, 200)
    const gone = await house.askAdmin('removeAdminMember', { path, body: keyed() })
    assert.deepEqual([gone.status, gone.body.error.code], [404, 'member_not_found'])

    const entries = await house.storage.read(
      (db) => db.sql<{ operation: string; changes: string }>`
        select operation, changes from audit_entries where merchant_id = ${house.merchantId} order by id`,
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

  test('200: an invitation is taken back', async () => {
    const { body } = await invite('back@bloom.example', 'viewer')
    const path = { memberId: body.data.member.id }
    assert.equal((await house.askAdmin('removeAdminMember', { path, body: keyed() })).status, 200)
    const { text } = await house.askAdmin('listAdminMembers')
    assert.ok(!text.includes('back@bloom.example'))
  })

  test('403: nobody gives or takes a role with a scope that they do not have', async () => {
    const owner = await join('owner@bloom.example', 'owner')
    await join('owner2@bloom.example', 'owner')
    const { key } = await house.newKey([...scopesOfRole.staff, 'admin:people'])
    for (const answer of [
      await invite('x@bloom.example', 'owner', key),
      await house.askAdmin('updateAdminMember', { key, path: { memberId: owner }, body: keyed({ role: 'viewer' }) }),
      await house.askAdmin('removeAdminMember', { key, path: { memberId: owner }, body: keyed() }),
    ])
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'scope_missing'])
    assert.equal((await invite('y@bloom.example', 'staff', key)).status, 200)
  })

  test('409: the last owner stays', async () => {
    const owners = (await house.storage.read((db) => listMembers(db, testSecret, house.merchantId))).filter(
      ({ role }) => role === 'owner',
    )
    const answers = []
    for (const { userId } of owners)
      answers.push(await house.askAdmin('removeAdminMember', { path: { memberId: userId }, body: keyed() }))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...owners.slice(1).map(() => 200), 409])
    assert.equal(answers.at(-1)?.body.error.code, 'last_owner')
  })

  test('400: an address that is none', async () => {
    for (const email of ['nobody', 'a@b', ' a@bloom.example,b@bloom.example'])
      assert.equal((await invite(email, 'viewer')).status, 400, email)
  })
})
