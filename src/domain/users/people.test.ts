// Members, sessions, second factors and links, on both engines, also if two requests run at the same time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf } from '../../../harness/refused.ts'
import { eachEngine } from '../../../harness/storage.ts'
import { adminScopes, type Role } from '../../contract/words.ts'
import { decryptUserEmail, setMailSwitch } from '../../platform/outbox/emails.ts'
import { parseRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import {
  countRecoveryCodes,
  hasSecondFactor,
  makeTotpSecret,
  removeSecondFactor,
  setTotp,
  useSecondFactorCode,
} from './factors.ts'
import {
  acceptInvitationAsNewUser,
  acceptInvitationAsUser,
  type CreatedLink,
  createInvitation,
  createReset,
  createResetForMember,
  findInvitation,
  findReset,
  listInvitations,
  mailPasswordReset,
  type NewInvitation,
  removeInvitation,
  resetPassword,
} from './invitations.ts'
import { findMember, listMembers, removeMember, replaceMerchants, setRole } from './members.ts'
import { hashPassword, type PasswordCost } from './password.ts'
import { rightsFor, scopesOfRole } from './roles.ts'
import {
  browserName,
  confirmSession,
  createSession,
  endSession,
  findSession,
  isConfirmed,
  listSessions,
  needsTouch,
  touchSession,
} from './sessions.ts'
import { sweepUsers } from './sweep.ts'
import { totpCodeAt, totpStepAt } from './totp.ts'
import { authenticate, createUser, disableUser, endSessionsFrom, setPassword } from './users.ts'

const rootSecret = parseRootSecret('the-root-secret-of-people-in-tests-1') as RootSecret
const now = 1_700_000_000_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const cost: PasswordCost = { ln: 4, r: 8, p: 1 }
const cheapHash = (password: string) => hashPassword(password, cost)
const firstPassword = 'correct horse battery'

async function withShops(storage: Storage, slugs: readonly string[]): Promise<void> {
  await storage.write(async (tx) => {
    for (const slug of slugs)
      await tx.sql`
        insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at)
        values (${`mer_${slug}`}, ${slug}, ${slug}, 'EUR', 'DE', 'included', 5, '{}', 1, 0, 0)`
  })
}

const tokenOf = ({ path }: Pick<CreatedLink, 'path'>) => path.slice(path.lastIndexOf('/') + 1)

eachEngine('users, sessions and invitations', (given) => {
  let opened: Promise<Storage> | undefined
  let shops = 0
  let people = 0

  // One database for all tests; each test has its own shop.
  async function scene() {
    opened ??= given.shared.open()
    const storage = await opened
    shops += 1
    const slug = `shop${shops}`
    await withShops(storage, [slug])
    const merchantId = `mer_${slug}`
    const passwordHash = await cheapHash(firstPassword)
    async function newUser(role: Role, merchantIds: readonly string[] = [merchantId]) {
      people += 1
      const email = `person${people}@bloom.example`
      const user = await storage.write((tx) =>
        createUser(tx, rootSecret, { email, passwordHash, merchantIds, role }, now),
      )
      return user
    }
    async function signedIn(userId: string, at = now) {
      const made = await storage.write((tx) =>
        createSession(tx, { userId, passwordHash, userAgent: undefined, hasSecondFactor: false }, at),
      )
      assert.ok(made)
      return made
    }
    const invite = (input: Partial<NewInvitation> & { email: string }, at = now) =>
      storage.write((tx) =>
        createInvitation(
          tx,
          rootSecret,
          { merchantId, role: 'staff', held: adminScopes, createdBy: null, ...input },
          at,
        ),
      )
    return { storage, merchantId, newUser, signedIn, invite, passwordHash }
  }

  test('a session is found only by its token, and expires after 7 days without use or after 30 days', async () => {
    const { storage, newUser, signedIn } = await scene()
    const user = await newUser('owner')
    const { id, token } = await signedIn(user.id)
    const find = (at: number, text = token) => storage.read((db) => findSession(db, text, at))
    assert.equal((await find(now))?.id, id)
    assert.equal(await find(now, id), undefined)
    assert.equal(await find(now, 'x'.repeat(43)), undefined)
    assert.equal(await storage.read((db) => findSession(db, undefined, now)), undefined)
    const rows = await storage.read((db) => db.sql`select * from user_sessions where id = ${id}`)
    assert.ok(!JSON.stringify(rows).includes(token), 'the token is not stored')

    assert.ok(await find(now + 7 * dayMs - 1))
    assert.equal(await find(now + 7 * dayMs), undefined, 'seven idle days')
    let at = now
    for (let days = 6; days <= 30; days += 6) {
      const session = await find(at)
      assert.ok(session)
      assert.equal(needsTouch(session, at), days > 6)
      await storage.write((tx) => touchSession(tx, session, at))
      at = now + days * dayMs
    }
    assert.ok(await find(now + 30 * dayMs - 1))
    assert.equal(await find(now + 30 * dayMs), undefined, 'thirty days in all')
    await sweepUsers(storage, now + 30 * dayMs)
    assert.deepEqual(await storage.read((db) => db.sql`select id from user_sessions where id = ${id}`), [])
  })

  test('a session counts as confirmed for ten minutes after the password', async () => {
    const { storage, newUser, signedIn } = await scene()
    const { token } = await signedIn((await newUser('owner')).id)
    const session = await storage.read((db) => findSession(db, token, now))
    assert.ok(session)
    assert.deepEqual([isConfirmed(session, now + 599_999), isConfirmed(session, now + 600_000)], [true, false])
    await storage.write((tx) => confirmSession(tx, session, now + hourMs, false))
    const again = await storage.read((db) => findSession(db, token, now + hourMs))
    assert.ok(again && isConfirmed(again, now + hourMs + 599_999))
  })

  test('sessions can be ended in the list, and end with a new password, when a user is disabled, and when a member is removed', async () => {
    const { storage, merchantId, newUser, signedIn, passwordHash } = await scene()
    await newUser('owner')
    const user = await newUser('staff')
    const [one, two, three] = [await signedIn(user.id), await signedIn(user.id), await signedIn(user.id)]
    const alive = async () => (await storage.read((db) => listSessions(db, user.id, now))).map(({ id }) => id).sort()
    assert.deepEqual(await alive(), [one.id, two.id, three.id].sort())
    const other = await newUser('staff')
    assert.equal(await storage.write((tx) => endSession(tx, other.id, one.id)), false, "not another's")
    assert.equal(await storage.write((tx) => endSession(tx, user.id, one.id)), true)
    await storage.write((tx) => endSessionsFrom(tx, user.id, now, two.id))
    assert.deepEqual(await alive(), [two.id])

    const newHash = await cheapHash('another long password')
    await storage.write((tx) => setPassword(tx, user.id, newHash, now))
    assert.deepEqual(await alive(), [])
    const late = { userId: user.id, userAgent: undefined, hasSecondFactor: false }
    assert.equal(
      await storage.write((tx) => createSession(tx, { ...late, passwordHash }, now)),
      undefined,
      'a sign-in with the password before it, which was under way',
    )
    assert.ok(await storage.write((tx) => createSession(tx, { ...late, passwordHash: newHash }, now)))
    await storage.write((tx) => removeMember(tx, { merchantId, userId: user.id, held: adminScopes }, now))
    assert.deepEqual(await alive(), [])

    const last = await newUser('viewer')
    const { token } = await signedIn(last.id)
    await storage.write((tx) => disableUser(tx, last.id, now))
    assert.equal(await storage.read((db) => findSession(db, token, now)), undefined)
  })

  test('only the newest 50 sessions of a user are stored', async () => {
    const { storage, newUser, signedIn } = await scene()
    const user = await newUser('owner')
    const made = []
    for (let i = 0; i < 53; i += 1) made.push(await signedIn(user.id, now + i))
    const rows = await storage.read(
      (db) => db.sql<{ id: string }>`select id from user_sessions where user_id = ${user.id}`,
    )
    assert.deepEqual(
      rows.map(({ id }) => id).sort(),
      made
        .slice(3)
        .map(({ id }) => id)
        .sort(),
    )
  })

  test('a code of an authenticator app or a recovery code works once, even if it is sent twice concurrently', async () => {
    const { storage, newUser, signedIn } = await scene()
    const user = await newUser('owner')
    const { id: sessionId, token } = await signedIn(user.id)
    const elsewhere = await signedIn(user.id)
    const secret = makeTotpSecret()
    const code = (at: number) => totpCodeAt(secret, totpStepAt(at))
    const set = (typed: string, at = now) =>
      storage.write((tx) => setTotp(tx, rootSecret, { userId: user.id, secret, code: typed, sessionId }, at))
    assert.equal(await set('000000'), undefined)
    assert.equal(await storage.read((db) => hasSecondFactor(db, user.id)), false)

    const codes = (await set(code(now))) ?? []
    assert.equal(new Set(codes).size, 10)
    assert.equal(await storage.read((db) => hasSecondFactor(db, user.id)), true)
    assert.equal((await storage.read((db) => findSession(db, token, now)))?.hasSecondFactor, true)
    assert.equal(await storage.read((db) => findSession(db, elsewhere.token, now)), undefined, 'others end')
    const rows = JSON.stringify(
      await storage.read((db) => db.sql`select * from user_factors where user_id = ${user.id}`),
    )
    for (const text of [...codes, secret.toString('base64url'), secret.toString('hex')]) assert.ok(!rows.includes(text))

    const use = (typed: string, at: number) =>
      storage.write((tx) => useSecondFactorCode(tx, rootSecret, user.id, typed, at))
    assert.equal(await use(code(now), now), false, 'the code that set it up')
    const later = now + 60_000
    const twice = await Promise.all([use(code(later), later), use(code(later), later)])
    assert.deepEqual(twice.sort(), [false, true])
    assert.equal(await use(code(later - 30_000), later), false, 'an older one')
    const [first = '', second = ''] = codes
    assert.deepEqual((await Promise.all([use(first, later), use(first, later)])).sort(), [false, true])
    assert.equal(await use(` ${second.toUpperCase().replaceAll('-', ' ')}`, later), true, 'however it is typed')
    assert.equal(await storage.read((db) => countRecoveryCodes(db, user.id)), 8)
    const other = await newUser('owner')
    assert.equal(
      await storage.write((tx) => useSecondFactorCode(tx, rootSecret, other.id, codes[3] ?? '', later)),
      false,
      "another's code",
    )
    await storage.write((tx) => removeSecondFactor(tx, user.id))
    assert.equal(await use(codes[4] ?? '', later), false)
  })

  test('a merchant always keeps an owner, even if two are removed or demoted concurrently', async () => {
    const { storage, merchantId, newUser } = await scene()
    const held = adminScopes
    for (let round = 0; round < 5; round += 1) {
      const owners = await storage.read((db) => listMembers(db, rootSecret, merchantId))
      for (let missing = owners.filter(({ role }) => role === 'owner').length; missing < 2; missing += 1)
        await newUser('owner')
      const [one, two] = (await storage.read((db) => listMembers(db, rootSecret, merchantId)))
        .filter(({ role }) => role === 'owner')
        .map(({ userId }) => userId) as [string, string]
      const change = (userId: string, isRemoval: boolean) =>
        answerOf(
          storage.write((tx) =>
            isRemoval
              ? removeMember(tx, { merchantId, userId, held }, now)
              : setRole(tx, { merchantId, userId, role: 'staff', held }, now),
          ),
        )
      const answers = await Promise.all([change(one, true), change(two, round % 2 === 0)])
      assert.deepEqual(answers.map((answer) => ('code' in answer ? answer.code : 'done')).sort(), [
        'done',
        'last_owner',
      ])
    }
    const [last] = (await storage.read((db) => listMembers(db, rootSecret, merchantId))).filter(
      ({ role }) => role === 'owner',
    )
    assert.ok(last)
    const disabled = await newUser('owner')
    await storage.write((tx) => disableUser(tx, disabled.id, now))
    const alone = await answerOf(
      storage.write((tx) => removeMember(tx, { merchantId, userId: last.userId, held }, now)),
    )
    assert.equal('code' in alone && alone.code, 'last_owner', 'a disabled owner does not count')
    const moved = await answerOf(storage.write((tx) => replaceMerchants(tx, last.userId, [], now)))
    assert.equal('code' in moved && moved.code, 'last_owner', 'nor does the operator take the last one')
  })

  test('no member can grant or remove a role with a scope that they lack', async () => {
    const { storage, merchantId, newUser, invite } = await scene()
    const owner = await newUser('owner')
    const viewer = await newUser('viewer')
    const held = [...scopesOfRole.staff, 'admin:people']
    const code = async (work: Promise<unknown>) => {
      const answer = await answerOf(work)
      return 'code' in answer ? answer.code : 'done'
    }
    const role = (userId: string, to: Role) =>
      code(storage.write((tx) => setRole(tx, { merchantId, userId, role: to, held }, now)))
    assert.equal(await role(viewer.id, 'owner'), 'scope_missing')
    assert.equal(await role(viewer.id, 'staff'), 'done')
    assert.equal(await role(owner.id, 'viewer'), 'scope_missing')
    assert.equal(
      await code(storage.write((tx) => removeMember(tx, { merchantId, userId: owner.id, held }, now))),
      'scope_missing',
    )
    assert.equal(await code(invite({ email: 'new@bloom.example', role: 'owner', held })), 'scope_missing')
    const reset = { merchantId, userId: owner.id, held, createdBy: viewer.id }
    assert.equal(await code(storage.write((tx) => createResetForMember(tx, reset, now))), 'scope_missing')
    assert.equal((await storage.read((db) => findMember(db, rootSecret, merchantId, owner.id)))?.role, 'owner')
    assert.equal(
      await code(storage.write((tx) => removeMember(tx, { merchantId, userId: 'usr_none', held }, now))),
      'member_not_found',
    )
  })

  test('an invitation is valid for seven days and can be used once, also if it is used twice concurrently', async () => {
    const { storage, merchantId, invite } = await scene()
    const email = `Guest.${merchantId}@Bloom.example`
    const link = await invite({ email })
    const token = tokenOf(link)
    const see = (at: number) => storage.read((db) => findInvitation(db, rootSecret, token, at))
    assert.deepEqual(await see(now + 7 * dayMs - 1), {
      id: link.id,
      merchantId,
      merchantName: merchantId.slice(4),
      email: email.toLowerCase(),
      ...rightsFor('staff'),
      createdBy: null,
      userId: null,
    })
    assert.ok(await see(now), 'opening does not use it up')
    assert.equal(await see(now + 7 * dayMs), undefined)
    const rows = JSON.stringify(await storage.read((db) => db.sql`select * from invitations`))
    assert.ok(!rows.includes(token) && !rows.toLowerCase().includes('guest'), 'nothing is stored in clear')

    const passwordHash = await cheapHash(firstPassword)
    const accept = () =>
      answerOf(storage.write((tx) => acceptInvitationAsNewUser(tx, rootSecret, { token, passwordHash }, now)))
    const answers = await Promise.all([accept(), accept()])
    assert.deepEqual(answers.map((answer) => ('code' in answer ? answer.code : 'done')).sort(), [
      'done',
      'invitation_not_found',
    ])
    assert.equal(await see(now), undefined)
    const members = await storage.read((db) => listMembers(db, rootSecret, merchantId))
    assert.deepEqual(
      members.map((member) => [member.email, member.role, member.hasSecondFactor]),
      [[email.toLowerCase(), 'staff', false]],
    )
    const again = await answerOf(invite({ email }))
    assert.equal('code' in again && again.code, 'member_exists')
  })

  test('invitations and password resets are e-mailed only while the server sends e-mails', async () => {
    const { storage, merchantId, newUser, invite } = await scene()
    const owner = await newUser('owner')
    const emails = () =>
      storage.read(
        (db) => db.sql<{ kind: string; subjectId: string }>`
          select kind, subject_id as "subjectId" from emails where merchant_id = ${merchantId} order by kind`,
      )
    const forget = (email: string) =>
      storage.write((tx) => mailPasswordReset(tx, rootSecret, { email, locale: 'de' }, now))
    await forget(owner.email)
    assert.deepEqual(await emails(), [])
    await storage.write((tx) => setMailSwitch(tx, true, now))
    const link = await invite({ email: `new.${merchantId}@bloom.example` })
    await forget(owner.email.toUpperCase())
    await forget('nobody@bloom.example')
    const [reset] = await storage.read(
      (db) => db.sql<{ id: string; expiresAt: number }>`
        select id, expires_at as "expiresAt" from invitations where user_id = ${owner.id}`,
    )
    assert.equal(Number(reset?.expiresAt), now + hourMs)
    assert.deepEqual(await emails(), [
      { kind: 'invitation', subjectId: link.id },
      { kind: 'password_reset', subjectId: reset?.id },
    ])
    await storage.write((tx) => setMailSwitch(tx, false, now))
  })

  test('the first reset by e-mail recovers an account that another person created with the address', async () => {
    const { storage, merchantId, newUser, invite } = await scene()
    await newUser('owner')
    await storage.write((tx) => setMailSwitch(tx, true, now))
    const emailedPath = async (email: string) => {
      const [message] = await storage.read(
        (db) => db.sql<{ id: string; sealed: string }>`
          select id, sealed from emails where merchant_id = ${merchantId} order by id desc limit 1`,
      )
      const opened = message && decryptUserEmail(rootSecret, message.id, message.sealed)
      assert.equal(opened?.email, email)
      return { path: opened?.path ?? '' }
    }
    const secret = makeTotpSecret()
    const code = totpCodeAt(secret, totpStepAt(now))
    // Accepts an invitation, sets up a factor, and resets the password by e-mail. Returns whether the factor still exists.
    async function resetByMail(email: string, way: 'shown' | 'mailed') {
      const shown = await invite({ email })
      const link = new URL(way === 'shown' ? shown.path : (await emailedPath(email)).path, 'https://x.example')
      const accepted = { token: link.pathname.split('/').at(-1) ?? '', mailed: link.searchParams.get('mailed') }
      const passwordHash = await cheapHash(firstPassword)
      const { userId } = await storage.write((tx) =>
        acceptInvitationAsNewUser(tx, rootSecret, { ...accepted, passwordHash }, now),
      )
      const factors = []
      for (const _ of [1, 2]) {
        await storage.write((tx) => setTotp(tx, rootSecret, { userId, secret, code, sessionId: '' }, now))
        await storage.write((tx) => mailPasswordReset(tx, rootSecret, { email, locale: null }, now))
        const token = tokenOf(await emailedPath(email))
        await storage.write((tx) => resetPassword(tx, rootSecret, { token, passwordHash }, now))
        factors.push(await storage.read((db) => hasSecondFactor(db, userId)))
      }
      return factors
    }
    assert.deepEqual(await resetByMail(`squat.${merchantId}@bloom.example`, 'shown'), [false, true])
    assert.deepEqual(await resetByMail(`own.${merchantId}@bloom.example`, 'mailed'), [true, true])
    await storage.write((tx) => setMailSwitch(tx, false, now))
  })

  test('requesting an e-mail to reset the password leaves the link of the operator valid, until one of them is used', async () => {
    const { storage, newUser } = await scene()
    const user = await newUser('owner')
    const link = await storage.write((tx) => createReset(tx, user.id, now))
    const ask = () => storage.write((tx) => mailPasswordReset(tx, rootSecret, { email: user.email, locale: null }, now))
    await ask()
    await ask()
    assert.ok(await storage.read((db) => findReset(db, tokenOf(link), now)))
    const open = () => storage.read((db) => db.sql`select id from invitations where user_id = ${user.id}`)
    assert.equal((await open()).length, 2, 'of the e-mails the newest counts')
    const passwordHash = await cheapHash('a new long password')
    await storage.write((tx) => resetPassword(tx, rootSecret, { token: tokenOf(link), passwordHash }, now))
    assert.deepEqual(await open(), [], 'a used link ends the others')
  })

  test('a second invitation replaces the first; an invitation can be withdrawn, and ends when its inviter is demoted', async () => {
    const { storage, merchantId, newUser, invite } = await scene()
    await newUser('owner')
    const inviter = await newUser('owner')
    const email = `twice.${merchantId}@bloom.example`
    const first = await invite({ email })
    const second = await invite({ email, role: 'viewer' })
    const see = (link: CreatedLink) => storage.read((db) => findInvitation(db, rootSecret, tokenOf(link), now))
    assert.equal(await see(first), undefined)
    const open = () => storage.read((db) => listInvitations(db, rootSecret, merchantId, now))
    assert.deepEqual(
      (await open()).map(({ id, email: to, role }) => [id, to, role]),
      [[second.id, email, 'viewer']],
    )
    await storage.write((tx) => removeInvitation(tx, { merchantId, id: second.id, held: adminScopes }))
    assert.equal(await see(second), undefined)
    const third = await invite({ email, createdBy: inviter.id })
    await storage.write((tx) => setRole(tx, { merchantId, userId: inviter.id, role: 'staff', held: adminScopes }, now))
    assert.equal(await see(third), undefined)
    await invite({ email })
    await sweepUsers(storage, now + 7 * dayMs)
    assert.deepEqual(
      await storage.read((db) => db.sql`select id from invitations where merchant_id = ${merchantId}`),
      [],
    )
  })

  test('a user with an account accepts an invitation by signing in, and keeps the password', async () => {
    const { storage, merchantId, newUser, invite } = await scene()
    await withShops(storage, [`other-${merchantId}`])
    const user = await newUser('owner', [`mer_other-${merchantId}`])
    const stranger = await newUser('owner')
    const link = await invite({ email: user.email })
    const token = tokenOf(link)
    assert.equal((await storage.read((db) => findInvitation(db, rootSecret, token, now)))?.userId, user.id)
    const passwordHash = await cheapHash('a password of the inviter')
    const taken = await answerOf(
      storage.write((tx) => acceptInvitationAsNewUser(tx, rootSecret, { token, passwordHash }, now)),
    )
    assert.equal('code' in taken && taken.code, 'user_exists')
    const wrong = await answerOf(
      storage.write((tx) => acceptInvitationAsUser(tx, rootSecret, { token, userId: stranger.id }, now)),
    )
    assert.equal('code' in wrong && wrong.code, 'invitation_not_found')
    await storage.write((tx) => acceptInvitationAsUser(tx, rootSecret, { token, userId: user.id }, now))
    assert.equal((await storage.read((db) => findMember(db, rootSecret, merchantId, user.id)))?.role, 'staff')
    assert.ok(await authenticate(storage, rootSecret, user.email, firstPassword, { cost }))

    const reset = { merchantId, userId: user.id, held: adminScopes, createdBy: stranger.id }
    const refused = await answerOf(storage.write((tx) => createResetForMember(tx, reset, now)))
    assert.equal('code' in refused && refused.code, 'person_of_others', 'an owner cannot sign in as them elsewhere')
  })

  test('a reset works once, ends sessions, and is refused if the member has joined another shop since', async () => {
    const { storage, merchantId, newUser, signedIn } = await scene()
    const owner = await newUser('owner')
    const user = await newUser('staff')
    const { token: cookie } = await signedIn(user.id)
    const earlier = await storage.write((tx) => createReset(tx, user.id, now))
    const link = await storage.write((tx) => createReset(tx, user.id, now))
    assert.equal(await storage.read((db) => findReset(db, tokenOf(earlier), now)), undefined, 'the newest counts')
    const passwordHash = await cheapHash('a new long password')
    const use = (made: CreatedLink) =>
      answerOf(storage.write((tx) => resetPassword(tx, rootSecret, { token: tokenOf(made), passwordHash }, now)))
    const answers = await Promise.all([use(link), use(link)])
    assert.deepEqual(answers.map((answer) => ('code' in answer ? answer.code : 'done')).sort(), [
      'done',
      'invitation_not_found',
    ])
    assert.equal(await storage.read((db) => findSession(db, cookie, now)), undefined)
    assert.ok(await authenticate(storage, rootSecret, user.email, 'a new long password', { cost }))

    const held = adminScopes
    const mine = { merchantId, userId: user.id, held, createdBy: owner.id }
    const byOwner = await storage.write((tx) => createResetForMember(tx, mine, now))
    await withShops(storage, [`later-${merchantId}`])
    await storage.write((tx) => replaceMerchants(tx, user.id, [merchantId, `mer_later-${merchantId}`], now))
    const refused = await use(byOwner)
    assert.equal('code' in refused && refused.code, 'person_of_others')
  })
})

test('the name of a browser contains nothing that identifies a person', () => {
  assert.equal(
    browserName('Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'),
    'Firefox on Linux',
  )
  assert.equal(
    browserName(
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    ),
    'Safari on iOS',
  )
  assert.equal(browserName('curl/8'), '')
  assert.equal(browserName(undefined), '')
})
