import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { answerOf } from '../../../harness/refused.ts'
import { eachEngine } from '../../../harness/storage.ts'
import { parseRootSecret, RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { replaceMerchants } from './members.ts'
import { hashPassword, isOutdated, isPassword, makePassword, passwordProblem } from './password.ts'
import { rightsFor } from './roles.ts'
import {
  authenticate,
  createUser,
  disableUser,
  emailProblem,
  enableUser,
  findMerchantOf,
  findUser,
  findUserByEmail,
  findUserForSignIn,
  listMerchantsOf,
  listUserMerchants,
  listUsers,
  merchantsPerUserMax,
  setPassword,
} from './users.ts'

const now = 1_700_000_000_000
const [oldText, newText] = ['the-old-root-secret-of-users-in-tests', 'the-new-root-secret-of-users-in-tests']

function secret(text: string): RootSecret {
  const parsed = parseRootSecret(text)
  assert(parsed instanceof RootSecret)
  return parsed
}
const rootSecret = secret(oldText)

// A hash that is cheap to create and to check. It also stands for hashes that were stored before the cost was raised.
function cheapHash(password: string): string {
  const salt = Buffer.alloc(16, 7)
  const hash = scryptSync(password, salt, 32, { N: 2 ** 4, r: 8, p: 1 })
  return `scrypt$4$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

describe('passwords', () => {
  // biome-ignore format: a table is read by its rows
  for (const [password, why] of [
    ['short-one', /at least 10/],
    ['x'.repeat(201), /at most 200/],
    ['x'.repeat(100_000), /at most 200/],
    ['aaaaaaaaaaaaaaaa', /different/],
    ['with\u0000a nothing', /control/],
    ['with a tab\t in it', /control/],
    ['password123', /guessed first/],
    ['1234567890', /guessed first/],
    ['qwertyuiop', /guessed first/],
    ['aaaabbbbcd', /guessed first/],
    ['P@ssw0rd2024!', /guessed first/],
    ['iloveyou1234', /guessed first/],
    ['Summer2026!!', /guessed first/],
    ['Welcome-Admin-1', /guessed first/],
    ['1q2w3e4r5t6y', /guessed first/],
    ['abcabcabcabc', /different|guessed first/],
  ] as const)
    test(`refuses ${JSON.stringify(password.slice(0, 20))}`, () => assert.match(passwordProblem(password) ?? '', why))

  for (const password of [
    'correct horse battery',
    'ten-chars!',
    'the-summer-was-long',
    'my shop sells tea since 1987',
    'пароль-длинный',
    '🐦🐧🦆🦅🦉🦜🐓🦃🦚🦩',
    makePassword(),
  ])
    test(`accepts ${password}`, () => assert.equal(passwordProblem(password), undefined))

  test('a generated password is long and different each time', () => {
    const made = Array.from({ length: 50 }, makePassword)
    assert.equal(new Set(made).size, 50)
    for (const password of made) assert.match(password, /^\w{5}-\w{5}-\w{5}-\w{5}$/)
  })

  test('are stored with salt and cost, and only the right one matches', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    assert.match(one, /^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    assert.notEqual(one, two)
    assert.deepEqual(
      await Promise.all([isPassword(one, 'correct horse'), isPassword(one, 'Correct horse'), isPassword(one, '')]),
      [true, false, false],
    )
    assert.equal(isOutdated(one), false)
    assert.equal(isOutdated(cheapHash('x')), true)
  })

  test('match in any Unicode normalization', async () => {
    assert.equal(await isPassword(cheapHash('pässword-ﬁx'.normalize('NFKC')), 'pässword-ﬁx'.normalize('NFD')), true)
  })

  test('never match a missing hash, and a broken hash is an error', async () => {
    assert.equal(await isPassword(undefined, 'correct horse'), false)
    await assert.rejects(isPassword('scrypt$15$8$1$short$short', 'correct horse'))
    await assert.rejects(isPassword('', 'correct horse'))
  })

  test('are checked for a limited number of concurrent requests, and the others are refused', async () => {
    const hash = cheapHash('correct horse')
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => isPassword(hash, 'correct horse')))
    const good = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value)
    assert.equal(good.length, 34)
    assert.equal(outcomes.filter((outcome) => outcome.status === 'rejected').length, 26)
    assert.equal(await isPassword(hash, 'correct horse'), true)
  })
})

describe('e-mail addresses', () => {
  for (const email of ['ada@example.com', '  Ada@Example.COM ', "o'neil+shop@sub.example"])
    test(`accepts ${email}`, () => assert.equal(emailProblem(email), undefined))
  for (const email of ['', 'ada', '@example.com', 'ada@', 'a b@example.com', 'a@b@c', `${'x'.repeat(250)}@example.com`])
    test(`refuses ${email.slice(0, 30)}`, () => assert.match(emailProblem(email)?.message ?? '', /^must/))
})

eachEngine('users', (given) => {
  async function testServer(): Promise<Storage> {
    const storage = await given.open()
    await storage.write(async (tx) => {
      for (const [id, slug, closedAt] of [
        ['mer_1', 'alder', null],
        ['mer_2', 'birch', null],
        ['mer_3', 'cedar', now],
      ] as const)
        await tx.sql`
          insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at, closed_at)
          values (${id}, ${slug}, ${slug.toUpperCase()}, 'EUR', 'DE', 'included', 5, '{}', 1, 0, 0, ${closedAt})`
    })
    return storage
  }

  // Signs in with a low cost of hashing. Another test checks that the standard cost is the default.
  const signIn = (storage: Storage, rootSecret: RootSecret, email: string, password: string) =>
    authenticate(storage, rootSecret, email, password, { cost: { ln: 4, r: 8, p: 1 } })

  const ada = { email: ' Ada@Example.com ', passwordHash: cheapHash('correct horse'), merchantIds: ['mer_2', 'mer_1'] }

  test('sign in with their e-mail address in any letter case and their exact password, and in no other way', async () => {
    const storage = await testServer()
    const user = await storage.write((tx) => createUser(tx, rootSecret, ada, now))
    assert.match(user.id, /^usr_/)
    assert.equal(user.email, 'ada@example.com')
    const tries: [email: string, password: string][] = [
      ['ada@example.com', 'correct horse'],
      ['ADA@example.com\n', 'correct horse'],
      ['ada@example.com', 'correct horse '],
      ['bob@example.com', 'correct horse'],
      ['x'.repeat(100_000), 'correct horse'],
      ['ada@example.com', 'x'.repeat(100_000)],
    ]
    const outcomes = []
    for (const [email, password] of tries) outcomes.push((await signIn(storage, rootSecret, email, password))?.id)
    assert.deepEqual(outcomes, [user.id, user.id, ...Array.from({ length: 4 }, () => undefined)])
  })

  test('get a hash with the current cost when they sign in, and can sign in again', async () => {
    const storage = await testServer()
    await storage.write((tx) => createUser(tx, rootSecret, ada, now))
    assert(await authenticate(storage, rootSecret, 'ada@example.com', 'correct horse'))
    const kept = await storage.read((db) => findUserForSignIn(db, rootSecret, 'ada@example.com'))
    assert.equal(isOutdated(kept?.passwordHash ?? ''), false)
    assert(await authenticate(storage, rootSecret, 'ada@example.com', 'correct horse'))
  })

  test('have neither their e-mail address nor their password stored in clear text', async () => {
    const storage = await testServer()
    await storage.write((tx) => createUser(tx, rootSecret, ada, now))
    const rows = await storage.read((db) => db.sql<object>`select * from users`)
    assert.doesNotMatch(JSON.stringify(rows), /ada|example|horse/i)
  })

  test('cannot share an e-mail address, even if they are created concurrently', async () => {
    const storage = await testServer()
    const made = await Promise.all(
      ['ada@example.com', 'ADA@EXAMPLE.COM'].map((email) =>
        answerOf(storage.write((tx) => createUser(tx, rootSecret, { ...ada, email }, now))),
      ),
    )
    assert.deepEqual(made.map((one) => ('code' in one ? one.code : 'made')).sort(), ['made', 'user_exists'])
    assert.equal((await storage.read((db) => listUsers(db, rootSecret))).length, 1)
  })

  test('are found after a rotation of the root secret, and cannot be created again', async () => {
    const storage = await testServer()
    const user = await storage.write((tx) => createUser(tx, rootSecret, ada, now))
    const rotated = secret(`2:${newText},1:${oldText}`)
    assert.equal((await signIn(storage, rotated, 'ada@example.com', 'correct horse'))?.id, user.id)
    assert.deepEqual(await storage.read((db) => findUserByEmail(db, rotated, 'ada@example.com')), user)
    await assert.rejects(
      storage.write((tx) => createUser(tx, rotated, ada, now)),
      { code: 'user_exists' },
    )
    const bob = await storage.write((tx) => createUser(tx, rotated, { ...ada, email: 'bob@example.com' }, now))
    assert.deepEqual(await storage.read((db) => listUsers(db, rotated)), [user, bob])
    // Without the version of the root secret under which the user was created, the user is not found and cannot sign in.
    assert.equal(await signIn(storage, secret(newText), 'ada@example.com', 'correct horse'), undefined)
  })

  test('cannot be read with an e-mail address that was copied from another row', async () => {
    const storage = await testServer()
    const user = await storage.write((tx) => createUser(tx, rootSecret, ada, now))
    const bob = await storage.write((tx) => createUser(tx, rootSecret, { ...ada, email: 'bob@example.com' }, now))
    await storage.write(
      (tx) => tx.sql`
        update users set email_sealed = (select email_sealed from users where id = ${user.id}) where id = ${bob.id}`,
    )
    await assert.rejects(storage.read((db) => findUser(db, rootSecret, bob.id)))
  })

  test('act for the open shops that are assigned to them, and for no others', async () => {
    const storage = await testServer()
    const user = await storage.write((tx) =>
      createUser(tx, rootSecret, { ...ada, merchantIds: ['mer_2', 'mer_3', 'mer_1', 'mer_1'] }, now),
    )
    const shops = (id: string) => storage.read(async (db) => (await listMerchantsOf(db, id)).map(({ slug }) => slug))
    assert.deepEqual(await shops(user.id), ['alder', 'birch'])
    const found = await storage.read(async (db) => [
      (await findMerchantOf(db, user.id, 'mer_1'))?.name,
      await findMerchantOf(db, user.id, 'mer_3'),
      await findMerchantOf(db, 'usr_other', 'mer_1'),
    ])
    assert.deepEqual(found, ['ALDER', undefined, undefined])
    // Another owner for the shops that this user leaves.
    const bob = { ...ada, email: 'bob@example.com', merchantIds: ['mer_1', 'mer_3'] }
    const { id: bobId } = await storage.write((tx) => createUser(tx, rootSecret, bob, now))
    await storage.write((tx) => replaceMerchants(tx, user.id, ['mer_2'], now))
    assert.deepEqual(await shops(user.id), ['birch'])
    assert.deepEqual(await storage.read(listUserMerchants), [
      { userId: user.id, slug: 'birch', ...rightsFor('owner') },
      { userId: bobId, slug: 'alder', ...rightsFor('owner') },
      { userId: bobId, slug: 'cedar', ...rightsFor('owner') },
    ])
    const tooMany = Array.from({ length: merchantsPerUserMax + 1 }, () => 'mer_1')
    await assert.rejects(storage.write((tx) => replaceMerchants(tx, user.id, tooMany, now)))
    await assert.rejects(storage.write((tx) => replaceMerchants(tx, user.id, ['mer_unknown'], now)))
    assert.deepEqual(await shops(user.id), ['birch'])
  })

  test('that are disabled can neither sign in nor act, until they are enabled', async () => {
    const storage = await testServer()
    const user = await storage.write((tx) => createUser(tx, rootSecret, ada, now))
    const state = async () => ({
      isIn: (await signIn(storage, rootSecret, 'ada@example.com', 'correct horse')) !== undefined,
      shops: (await storage.read((db) => listMerchantsOf(db, user.id))).length,
      shop: (await storage.read((db) => findMerchantOf(db, user.id, 'mer_1'))) !== undefined,
    })
    assert.equal(await storage.write((tx) => disableUser(tx, user.id, now + 1)), true)
    assert.equal(await storage.write((tx) => disableUser(tx, user.id, now + 2)), false)
    assert.equal((await storage.read((db) => findUser(db, rootSecret, user.id)))?.disabledAt, now + 1)
    assert.deepEqual(await state(), { isIn: false, shops: 0, shop: false })
    assert.equal(await storage.write((tx) => enableUser(tx, user.id, now + 3)), true)
    assert.deepEqual(await state(), { isIn: true, shops: 2, shop: true })
  })

  test('cannot sign in with the old password after it was changed', async () => {
    const storage = await testServer()
    const user = await storage.write((tx) => createUser(tx, rootSecret, ada, now))
    assert.equal(await storage.write((tx) => setPassword(tx, user.id, cheapHash('another horse'), now)), true)
    assert.equal(await storage.write((tx) => setPassword(tx, 'usr_no', cheapHash('another horse'), now)), false)
    assert.equal(await signIn(storage, rootSecret, ada.email, 'correct horse'), undefined)
    assert.equal((await signIn(storage, rootSecret, ada.email, 'another horse'))?.id, user.id)
  })
})
