// The operator's commands `apps` and `users`, as they are typed and as they answer.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { cartwright } from '../harness/commandline.ts'
import { makePasswordsCheap } from '../harness/passwords.ts'
import { type Outcome, tempFolder } from '../harness/process.ts'
import { givenEngine } from '../harness/storage.ts'
import { createApp, findAppByName } from '../src/domain/oauth/apps.ts'
import { installApp } from '../src/domain/oauth/installing.ts'
import { acceptInvitationAsNewUser, resetPassword } from '../src/domain/users/invitations.ts'
import { hashPassword } from '../src/domain/users/password.ts'
import { createSession } from '../src/domain/users/sessions.ts'
import { authenticate } from '../src/domain/users/users.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

makePasswordsCheap()

const rootText = 'the-root-secret-of-the-apps-command-test'
const rootSecret = parseRootSecret(rootText) as RootSecret

interface Said extends Outcome {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any
}

async function say(url: string, ...args: string[]): Promise<Said> {
  const environment = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: rootText }
  const said: Said = { ...(await cartwright(args, environment)), json: undefined }
  if (args.includes('--json') && said.out !== '') said.json = JSON.parse(said.out)
  return said
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`apps and users (${engine})`, () => {
    const given = givenEngine(engine)

    async function shops(): Promise<{ url: string; storage: Storage }> {
      const url = await given.migratedUrl()
      const storage = await given.open({ url })
      await storage.write(async (tx) => {
        for (const slug of ['alder', 'birch'])
          await tx.sql`
            insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at)
            values (${`mer_${slug}`}, ${slug}, ${slug}, 'EUR', 'DE', 'included', 5, '{}', 1, 0, 0)`
      })
      return { url, storage }
    }

    test('a user is created, signs in, gets another password, and is disabled', async () => {
      const { url, storage } = await shops()
      const isIn = async (password: string) =>
        (await authenticate(storage, rootSecret, 'ada@example.com', password)) !== undefined

      const made = await say(
        url,
        'users',
        'create',
        '--email',
        ' Ada@Example.com',
        '--merchant',
        'birch,alder',
        '--json',
      )
      assert.deepEqual(made.json, {
        id: made.json.id,
        email: 'ada@example.com',
        merchants: ['birch', 'alder'],
        password: made.json.password,
      })
      assert.equal(await isIn(made.json.password), true)

      const again = await say(url, 'users', 'create', '--email', 'ada@example.com', '--merchant', 'alder')
      assert.deepEqual([again.code, again.out], [1, ''])
      assert.match(again.err, /There is already a user with this e-mail address/)

      const reset = await say(url, 'users', 'password', 'ADA@example.com')
      const [password = ''] = reset.out.split('\n')
      assert.match(reset.out, /shown only once/)
      assert.deepEqual([await isIn(made.json.password), await isIn(password)], [false, true])

      const last = await say(url, 'users', 'merchants', made.json.id, '--merchant', 'alder', '--json')
      assert.deepEqual([last.code, last.json.error.code], [1, 'last_owner'])
      assert.equal((await say(url, 'users', 'create', '--email', 'bob@example.com', '--merchant', 'birch')).code, 0)
      assert.equal((await say(url, 'users', 'merchants', made.json.id, '--merchant', 'alder')).code, 0)
      const { json: listed } = await say(url, 'users', 'list', '--json')
      assert.deepEqual(
        listed.users.map((user: { email: string; merchants: string[] }) => [user.email, user.merchants]),
        [
          ['ada@example.com', ['alder']],
          ['bob@example.com', ['birch']],
        ],
      )
      assert.match((await say(url, 'users', 'disable', made.json.id)).out, /ada@example\.com is disabled/)
      assert.match((await say(url, 'users', 'disable', made.json.id)).out, /was already disabled/)
      assert.match((await say(url, 'users', 'list')).out, /disabled {2}ada@example\.com {2}alder/)
      assert.match((await say(url, 'users', 'enable', made.json.id)).out, /is enabled/)
    })

    test('a person is invited, gets another role, is signed out, gets a link for a new password, and is removed', async () => {
      const { url, storage } = await shops()
      const owner = await say(url, 'users', 'create', '--email', 'ada@example.com', '--merchant', 'alder', '--json')
      const link = (text: string) => text.slice(text.lastIndexOf('/') + 1)

      const invited = await say(
        url,
        'users',
        'invite',
        '--email',
        'bob@example.com',
        '--role',
        'viewer',
        '--merchant',
        'alder',
        '--json',
      )
      const { status, email, role: given } = invited.json.member
      assert.deepEqual([status, email, given], ['invited', 'bob@example.com', 'viewer'])
      assert.match(invited.json.link, /^http:\/\/localhost:\d+\/admin\/invitations\/[\w-]{43}$/)
      const passwordHash = await hashPassword('a long enough password')
      const token = link(invited.json.link)
      const { userId } = await storage.write((tx) =>
        acceptInvitationAsNewUser(tx, rootSecret, { token, passwordHash }, Date.now()),
      )
      const twice = await say(
        url,
        'users',
        'invite',
        '--email',
        'BOB@example.com',
        '--role',
        'staff',
        '--merchant',
        'alder',
        '--json',
      )
      assert.deepEqual([twice.code, twice.json.error.code], [1, 'member_exists'])
      assert.match((await say(url, 'users', 'list')).out, /active {4}bob@example\.com {2}alder \(viewer\)/)

      const role = await say(url, 'users', 'role', 'bob@example.com', 'staff', '--merchant', 'alder', '--json')
      assert.deepEqual([role.json.id, role.json.role], [userId, 'staff'])
      const last = await say(url, 'users', 'role', 'ada@example.com', 'staff', '--merchant', 'alder', '--json')
      assert.deepEqual([last.code, last.json.error.code], [1, 'last_owner'])
      assert.equal((await say(url, 'users', 'role', userId, 'boss', '--merchant', 'alder')).code, 2)
      const other = await say(url, 'users', 'role', userId, 'owner', '--merchant', 'birch', '--json')
      assert.deepEqual([other.code, other.json.error.code], [1, 'member_not_found'])

      const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'
      const made = { userId, passwordHash, userAgent, hasSecondFactor: false }
      const session = await storage.write((tx) => createSession(tx, made, Date.now()))
      const listed = await say(url, 'users', 'sessions', userId)
      assert.match(listed.out, new RegExp(`${session?.id} {2}last seen .* {2}Firefox on Linux`))
      assert.match(
        (await say(url, 'users', 'sessions', userId, '--end')).out,
        /bob@example\.com is signed out everywhere/,
      )
      assert.deepEqual((await say(url, 'users', 'sessions', userId, '--json')).json.sessions, [])

      const reset = await say(url, 'users', 'reset', userId, '--second-factor', '--json')
      assert.match(reset.json.url, /\/admin\/resets\/[\w-]{43}$/)
      const newHash = await hashPassword('another long password')
      await storage.write((tx) =>
        resetPassword(tx, rootSecret, { token: link(reset.json.url), passwordHash: newHash }, Date.now()),
      )
      assert.ok(await authenticate(storage, rootSecret, 'bob@example.com', 'another long password'))

      assert.equal((await say(url, 'users', 'remove', userId, '--merchant', 'alder')).code, 0)
      const gone = await say(url, 'users', 'remove', owner.json.id, '--merchant', 'alder', '--json')
      assert.deepEqual([gone.code, gone.json.error.code], [1, 'last_owner'])
      assert.match((await say(url, 'users', 'list')).out, /bob@example\.com {2}\(no shop\)/)
    })

    test('a shop file changes neither an app of another merchant’s file nor an app that another merchant installed', async () => {
      const { url, storage } = await shops()
      const folder = await tempFolder()
      const apply = async (slug: string, app: object, ...more: string[]) => {
        const path = join(folder, `${slug}.json`)
        const merchant = { slug, name: slug, currency: 'EUR', country: 'DE' }
        const products = [{ slug: 'a', name: 'A', skus: [{ code: 'A', price: 1 }] }]
        await writeFile(path, JSON.stringify({ merchant, products, apps: [app] }))
        return say(url, 'apply', path, ...more)
      }
      const urisOf = async (name: string): Promise<string[]> =>
        (await say(url, 'apps', 'show', name, '--json')).json.redirectUris
      const pigeon = { name: 'Pigeon', redirectUris: ['https://pigeon.example/cb'], scopes: ['catalog:read'] }
      const stolen = { ...pigeon, redirectUris: ['https://evil.example/cb'] }
      assert.equal((await apply('alder', pigeon)).code, 0)
      // To say the same again is no change, whoever says it.
      assert.equal((await apply('birch', pigeon)).code, 0)
      for (const more of [[], ['--dry-run']]) {
        const { code, err } = await apply('birch', stolen, ...more)
        assert.equal(code, 1)
        assert.match(err, /^cartwright: \/apps\/0: .*another merchant's shop file/)
      }
      assert.deepEqual(await urisOf('Pigeon'), pigeon.redirectUris)
      // A new shop whose file is refused is not made in part.
      assert.equal((await apply('cedar', stolen)).code, 1)
      assert.deepEqual(await storage.read((db) => db.sql`select id from merchants where slug = 'cedar'`), [])
      const moved = { ...pigeon, redirectUris: ['https://new.pigeon.example/cb'] }
      assert.equal((await apply('alder', moved)).code, 0)
      assert.deepEqual(await urisOf('Pigeon'), moved.redirectUris)

      // The operator's app belongs to no file. Once birch has installed it, alder's file leaves it alone.
      const made = await say(url, 'apps', 'create', '--name', 'Ledger', '--redirect-uri', 'https://ledger.example/cb')
      assert.equal(made.code, 0)
      const ledger = await storage.read((db) => findAppByName(db, 'Ledger'))
      assert.ok(ledger)
      const { json: user } = await say(
        url,
        'users',
        'create',
        '--email',
        'b@b.example',
        '--merchant',
        'birch',
        '--json',
      )
      const approval = {
        grant: 'a-grant-of-birch',
        app: ledger,
        userId: user.id,
        hasSecondFactor: false,
        merchantId: 'mer_birch',
        resource: 'https://shop.example/api/v1',
        granted: ['catalog:read'],
        rejected: [],
        rejectedWords: [],
      } as const
      assert.equal(await storage.write((tx) => installApp(tx, rootSecret, approval, Date.now())), true)
      const [installed] = (await say(url, 'apps', 'installations', 'Ledger', '--json')).json.installations
      const input = { name: 'Ledger', redirectUris: ['https://evil.example/cb'], scopes: ['catalog:read'] }
      const refused = await apply('alder', input)
      assert.deepEqual([refused.code, refused.out], [1, ''])
      assert.match(refused.err, /another merchant has installed the app/)
      assert.deepEqual(await urisOf('Ledger'), ['https://ledger.example/cb'])
      // The operator changes it by hand, whoever has it.
      const changed = await say(
        url,
        'apps',
        'change',
        'Ledger',
        '--redirect-uri',
        'https://ledger.example/new',
        '--json',
      )
      assert.deepEqual(
        [changed.code, changed.json.redirectUris, changed.json.scopes],
        [0, ['https://ledger.example/new'], ledger.scopes],
      )
      await say(url, 'apps', 'uninstall', installed.id)
      assert.equal((await apply('alder', input)).code, 0)
    })

    test('an app is created, shown, disabled and enabled; its installation is listed, and ends when it is uninstalled', async () => {
      const { url, storage } = await shops()
      const uris = 'https://pigeon.example/callback,http://127.0.0.1:4020/callback'
      const made = await say(
        url,
        'apps',
        'create',
        '--name',
        'Pigeon',
        '--redirect-uri',
        uris,
        '--scopes',
        'catalog:read',
        '--json',
      )
      const { clientId } = made.json
      assert.deepEqual(made.json, {
        clientId,
        name: 'Pigeon',
        description: '',
        clientKind: 'public',
        jwks: null,
        redirectUris: uris.split(','),
        scopes: ['catalog:read'],
        mode: 'test',
        createdAt: made.json.createdAt,
        disabledAt: null,
      })
      assert.match((await say(url, 'apps', 'list')).out, new RegExp(`^${clientId} +active +public +test +Pigeon\n$`))
      assert.match(
        (await say(url, 'apps', 'show', 'Pigeon')).out,
        /redirect URI {2}https:\/\/pigeon\.example\/callback/,
      )
      const twice = await say(url, 'apps', 'create', '--name', 'Pigeon', '--redirect-uri', uris)
      assert.deepEqual([twice.code, twice.err], [1, 'cartwright: There is already an app named Pigeon.\n'])

      const user = (await say(url, 'users', 'create', '--email', 'ada@example.com', '--merchant', 'alder', '--json'))
        .json
      const now = Date.now()
      await storage.write(async (tx) => {
        const ledger = await createApp(
          tx,
          {
            name: 'Ledger',
            description: '',
            redirectUris: ['https://l.example/'],
            scopes: ['catalog:read'],
            mode: 'test',
            jwks: null,
          },
          now,
        )
        assert(ledger)
        const approval = {
          grant: 'a-grant',
          app: ledger,
          userId: user.id,
          hasSecondFactor: false,
          merchantId: 'mer_alder',
          resource: 'https://shop.example/api/v1',
          granted: ['catalog:read'],
          rejected: [],
          rejectedWords: [],
        } as const
        assert.equal(await installApp(tx, rootSecret, approval, now), true)
        await tx.sql`
          insert into oauth_artifacts (kind, id, sealed, grant_id, expires_at, created_at)
          select 'RefreshToken', 'a-token', 'sealed', grant_id, ${now + 1_000_000}, ${now} from installations
          where grant_id is not null`
      })
      const countTokens = async () =>
        (await storage.read((db) => db.sql<object>`select id from oauth_artifacts where kind = 'RefreshToken'`)).length
      assert.equal(await countTokens(), 1)
      assert.deepEqual((await say(url, 'apps', 'installations', 'Pigeon', '--json')).json, { installations: [] })
      assert.equal((await say(url, 'apps', 'installations', 'Pigeon')).out, 'The list is empty.\n')
      const { installations } = (await say(url, 'apps', 'installations', '--json')).json
      assert.deepEqual(
        installations.map((row: Record<string, unknown>) => [
          row.appName,
          row.merchantSlug,
          row.approvedBy,
          row.endedAt,
        ]),
        [['Ledger', 'alder', user.id, null]],
      )
      assert.match((await say(url, 'apps', 'disable', 'Ledger')).out, /Ledger is disabled\n.*\(1\) keep working/)
      const [{ id }] = installations
      assert.match((await say(url, 'apps', 'uninstall', id)).out, /is uninstalled/)
      const over = await say(url, 'apps', 'uninstall', id)
      assert.deepEqual([over.code, over.out], [1, ''])
      assert.match(
        (await say(url, 'apps', 'installations', 'Ledger')).out,
        / {2}ended {3}test {2}alder {2}catalog:read {2}Ledger/,
      )
      assert.equal(await countTokens(), 0)
      assert.match((await say(url, 'apps', 'disable', 'Ledger')).out, /^Ledger was already disabled\n$/)
      assert.match((await say(url, 'apps', 'enable', 'Ledger')).out, /^Ledger is enabled\n$/)
    })
  })
}

const shop = (apps: unknown) =>
  JSON.stringify({ merchant: { slug: 'alder', name: 'Alder', currency: 'EUR', country: 'DE' }, apps })

describe('apps in a shop file and in the demo shop', () => {
  const given = givenEngine('sqlite')
  const app = { name: 'Pigeon', redirectUris: ['https://pigeon.example/cb'], scopes: ['catalog:read'] }

  test('a file creates an app, leaves it unchanged when repeated, and updates it; an app that the operator disabled stays disabled', async () => {
    const url = await given.migratedUrl()
    await say(url, 'migrate')
    const path = join(await tempFolder(), 'shop.json')
    const apply = async (apps: unknown, ...more: string[]) => {
      await writeFile(path, shop(apps))
      return (await say(url, 'apply', path, ...more, '--json')).json
    }
    const named = (changes: { what: string }[]) => changes.filter(({ what }) => what === 'app')
    const made = [{ kind: 'create', what: 'app', name: 'Pigeon', members: [] }]
    assert.deepEqual(named((await apply([app], '--dry-run')).changes), made)
    assert.equal((await say(url, 'apps', 'show', 'Pigeon')).code, 1)
    assert.deepEqual(named((await apply([app])).changes), made)
    assert.deepEqual((await apply([app])).changes, [])
    const { clientId } = (await say(url, 'apps', 'show', 'Pigeon', '--json')).json
    await say(url, 'apps', 'disable', clientId)
    const { publicKey } = generateKeyPairSync('ed25519')
    const jwks = { keys: [publicKey.export({ format: 'jwk' })] }
    const { changes } = await apply([{ ...app, scopes: ['checkout:quote', 'catalog:read'], jwks }])
    assert.deepEqual(
      named(changes)
        .flatMap((change) => ('members' in change ? (change.members as { member: string }[]) : []))
        .map(({ member }) => member),
      ['scopes', 'jwks'],
    )
    assert.deepEqual((await apply([{ ...app, scopes: ['catalog:read', 'checkout:quote'], jwks }])).changes, [])
    const { json: shown } = await say(url, 'apps', 'show', 'Pigeon', '--json')
    assert.deepEqual([shown.clientId, shown.clientKind, shown.disabledAt !== null], [clientId, 'confidential', true])
    // A file that says nothing of apps changes none.
    assert.deepEqual((await apply(undefined)).changes, [])
  })

  test('an invalid app is reported with its path', async () => {
    const url = await given.migratedUrl()
    const path = join(await tempFolder(), 'shop.json')
    const secret = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
    for (const [apps, place] of [
      [[app, app], '/apps/1/name'],
      [[{ ...app, redirectUris: ['https://a.example/', 'http://a.example/'] }], '/apps/0/redirectUris/1'],
      [[{ ...app, redirectUris: [] }], '/apps/0/redirectUris'],
      [[{ ...app, scopes: ['openid'] }], '/apps/0/scopes/0'],
      [[{ ...app, jwks: { keys: [secret] } }], '/apps/0/jwks/keys/0/d'],
      [[{ ...app, jwks: { keys: ['x'] } }], '/apps/0/jwks/keys/0'],
      [[{ ...app, clientSecret: 'x' }], '/apps/0/clientSecret'],
    ] as const) {
      await writeFile(path, shop(apps))
      const { code, out, json } = await say(url, 'apply', path, '--json')
      assert.deepEqual([code, json.problems[0].path], [1, place])
      assert.doesNotMatch(out, new RegExp(secret.d ?? ''))
    }
  })

  test('the demo shop has an app, two colleagues, and an owner whose password is new at each run', async () => {
    const url = await given.migratedUrl()
    const [first, second] = [(await say(url, 'demo', '--json')).json, (await say(url, 'demo', '--json')).json]
    assert.equal(first.user.email, 'demo@alder-finch.example')
    assert.deepEqual(second.app, first.app)
    assert.deepEqual(first.app.redirectUris, ['http://127.0.0.1:4020/callback', 'http://localhost:4020/callback'])
    const storage = await given.open({ url })
    assert.equal(await authenticate(storage, rootSecret, first.user.email, first.user.password), undefined)
    assert(await authenticate(storage, rootSecret, second.user.email, second.user.password))
    const { json } = await say(url, 'users', 'list', '--json')
    // The owner and two colleagues.
    assert.deepEqual(
      json.users.map((user: { merchants: string[] }) => user.merchants),
      [['alder-finch'], ['alder-finch'], ['alder-finch']],
    )
    const { json: shown } = await say(url, 'apps', 'show', first.app.clientId, '--json')
    assert.deepEqual([shown.name, shown.clientKind, shown.mode], ['Demo app', 'public', 'test'])
  })
})

describe('refused commands', () => {
  const given = givenEngine('sqlite')
  const create = ['apps', 'create', '--name', 'Pigeon', '--redirect-uri']
  // biome-ignore format: a table is read by its rows
  for (const [args, why] of [
    [['apps'], /apps needs a verb: create/],
    [['apps', 'show'], /apps show needs the argument APP/],
    [['apps', 'change', 'Pigeon'], /needs at least one option/],
    [['apps', 'change', 'Pigeon', '--mode', 'both'], /--mode must be test or live/],
    [['apps', 'toString', 'x'], /apps has no verb toString/],
    [['apps', 'list', 'x'], /does not take the argument x/],
    [['apps', 'create'], /--name is required/],
    [['apps', 'create', '--name', 'Pigeon'], /--redirect-uri is required/],
    [[...create, ''], /--redirect-uri must be 1 to 20/],
    [[...create, 'http://pigeon.example/'], /--redirect-uri must begin with https/],
    [[...create, 'https://pigeon.example/', '--scopes', 'openid'], /there is no scope openid/],
    [[...create, 'https://pigeon.example/', '--scopes', ''], /--scopes must only contain/],
    [[...create, 'https://pigeon.example/', '--mode', 'both'], /--mode must be test or live/],
    [['users'], /users needs a verb: create/],
    [['users', 'constructor', 'x'], /users has no verb constructor/],
    [['users', 'create', '--merchant', 'alder'], /--email is required/],
    [['users', 'create', '--email', 'ada'], /--email must be/],
    [['users', 'create', '--email', 'a@b.example', '--password', 'secret-secret'], /users create has no option --password/],
    [['users', 'password', 'a', 'b'], /users password does not take the argument b/],
  ] as const)
    test(`exit code 2 for ${args.join(' ')}`, async () => {
      const { code, out, err } = await say('sqlite:/dev/null/nothing-is-opened-for-it', ...args)
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, why)
    })

  test('exit code 1 for an unknown app, installation, user or merchant', async () => {
    const url = await given.migratedUrl()
    for (const args of [
      ['apps', 'show', 'app_no'],
      ['apps', 'installations', 'No'],
      ['apps', 'uninstall', 'ins_no'],
      ['users', 'disable', 'a@b.example'],
      ['users', 'create', '--email', 'a@b.example', '--merchant', 'nowhere'],
    ]) {
      const { code, out, err } = await say(url, ...args)
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, /^cartwright: [Tt]here is no /)
    }
  })

  test('keys are read from a file, and only public keys are accepted', async () => {
    const url = await given.migratedUrl()
    await say(url, 'migrate')
    const folder = await tempFolder()
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const file = async (name: string, value: unknown) => {
      await writeFile(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
      return join(folder, name)
    }
    const good = await file('good.json', { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'one' }] })
    const bad: [path: string, why: RegExp][] = [
      [
        await file('private.json', { keys: [pair.privateKey.export({ format: 'jwk' })] }),
        /keys\/0\/d must not be sent, because it is part of a private key/,
      ],
      [await file('broken.json', '{'), /must be a JSON file/],
      [await file('large.json', ' '.repeat(70_000)), /at most 65536 bytes/],
      [join(folder, 'missing.json'), /cannot read/],
      [folder, /cannot read/],
    ]
    for (const [path, why] of bad) {
      const { code, err } = await say(url, ...create, 'https://pigeon.example/', '--jwks', path)
      assert.equal(code, 1)
      assert.match(err, why)
      assert.doesNotMatch(err, new RegExp(pair.privateKey.export({ format: 'jwk' }).d ?? ''))
    }
    const made = await say(url, ...create, 'https://pigeon.example/', '--jwks', good, '--mode', 'live', '--json')
    assert.deepEqual(
      [made.json.clientKind, made.json.mode, made.json.jwks.keys[0].kid],
      ['confidential', 'live', 'one'],
    )
  })

  test('a password is read from standard input, must follow the rules, and is not printed', async () => {
    const url = await given.migratedUrl()
    const storage = await given.open({ url })
    await storage.write(
      (tx) => tx.sql`
        insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at)
        values ('mer_1', 'alder', 'Alder', 'EUR', 'DE', 'included', 5, '{}', 1, 0, 0)`,
    )
    const environment = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: rootText }
    const args = ['users', 'create', '--email', 'ada@example.com', '--password-stdin']
    const [short, long, good] = await Promise.all([
      cartwright(args, environment, { input: 'too short\n' }),
      cartwright(args, environment, { input: 'x'.repeat(100_000) }),
      cartwright(args, environment, { input: ' a good pass word \r\n' }),
    ])
    assert.deepEqual([short.code, long.code, good.code], [2, 2, 0])
    assert.match(short.err, /the password must have at least 10 characters/)
    assert.doesNotMatch(short.err + good.out, /too short|good pass/)
    assert(await authenticate(storage, rootSecret, 'ada@example.com', ' a good pass word '))
  })
})
