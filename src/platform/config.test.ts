import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { findRootSecret, makeRootSecret, readSettings, secretSourceOf } from './config.ts'
import { BadSetting } from './kit/badsetting.ts'
import { retentionDefaultsMs } from './kit/retention.ts'
import { checkValueOf, parseRootSecret, type RootSecret } from './secrets/secrets.ts'

const secret = 'the-root-secret-of-the-settings-tests'
const good = { CARTWRIGHT_DATABASE_URL: 'sqlite:data/a.db', CARTWRIGHT_SECRET: secret }

const checkOf = (text: string) => checkValueOf(parseRootSecret(text) as RootSecret, 1)

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cartwright-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function refuses(environment: Readonly<Record<string, string>>, pattern: RegExp): void {
  assert.throws(
    () => readSettings(environment),
    (error: Error) => {
      assert.ok(error instanceof BadSetting, error.stack)
      assert.match(error.message, pattern)
      assert.ok(!error.message.includes('\n'), 'one line')
      return true
    },
  )
}

describe('settings', () => {
  test('an empty variable counts as not set', () => {
    const names = ['PORT', 'HOST', 'CARTWRIGHT_PUBLIC_URL', 'CARTWRIGHT_RATE_LIMIT', 'LOG_LEVEL', 'NODE_ENV']
    const others = ['CARTWRIGHT_TRUSTED_PROXIES', 'CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE', 'CARTWRIGHT_RETENTION']
    const empty = Object.fromEntries([...names, ...others].map((name) => [name, '']))
    const { givenSecret, ...settings } = readSettings({
      ...empty,
      CARTWRIGHT_DATABASE_URL: '',
      CARTWRIGHT_SECRET: secret,
    })
    assert.equal(givenSecret && checkValueOf(givenSecret, 1), checkOf(secret))
    assert.deepEqual(settings, {
      production: false,
      port: 4000,
      host: '0.0.0.0',
      databaseUrl: 'sqlite:data/cartwright.db',
      databaseConnections: 16,
      publicUrl: null,
      rateLimit: { perSecond: 100, burst: 200 },
      trustedProxies: [],
      webhookAllowPrivate: false,
      retentionMs: retentionDefaultsMs,
      logLevel: 'info',
      drainDelayMs: 0,
      metrics: 'on',
      tracesUrl: null,
      providerUrls: {},
      mail: { target: { kind: 'file', folder: 'data/mail' }, from: 'shop@localhost' },
      media: { kind: 'folder', folder: 'data/media' },
      agentsShop: null,
      demoHistory: true,
      isRunByNpm: false,
    })
  })

  test('payment providers and VIES can be replaced only by a stand-in on this machine, and not in production', () => {
    const url = 'http://127.0.0.1:8420'
    const { providerUrls } = readSettings({
      ...good,
      CARTWRIGHT_STRIPE_URL: url,
      CARTWRIGHT_MOLLIE_URL: `${url}/`,
      CARTWRIGHT_VIES_URL: url,
    })
    assert.deepEqual(providerUrls, { stripe: url, mollie: url, vies: url })
    for (const bad of [
      'https://127.0.0.1',
      'http://example.test',
      'http://127.0.0.1/v1',
      'http://127.0.0.1.example.test',
    ])
      refuses({ ...good, CARTWRIGHT_STRIPE_URL: bad }, /^CARTWRIGHT_STRIPE_URL must be an address on this machine/)
    refuses({ ...good, NODE_ENV: 'production', CARTWRIGHT_STRIPE_URL: url }, /^CARTWRIGHT_STRIPE_URL is for tests/)
  })

  test('the size of the connection pool is limited, and a PostgreSQL URL has one host', () => {
    assert.equal(readSettings({ ...good, CARTWRIGHT_DATABASE_CONNECTIONS: '5' }).databaseConnections, 5)
    for (const bad of ['0', '1000', 'many'])
      refuses({ ...good, CARTWRIGHT_DATABASE_CONNECTIONS: bad }, /^CARTWRIGHT_DATABASE_CONNECTIONS must be/)
    for (const url of ['postgres://u:p@h1,h2/db', 'postgres://h1:1,h2:2/db?target_session_attrs=read-write'])
      refuses({ ...good, CARTWRIGHT_DATABASE_URL: url }, /not several hosts/)
    for (const url of ['postgres://u:p@h/db?options=a,b', 'postgres://u:p,q@h1/db'])
      assert.equal(readSettings({ ...good, CARTWRIGHT_DATABASE_URL: url }).databaseUrl, url)
  })

  test('the drain time, the metrics port, the shop for agents and the demo history are validated', () => {
    const { drainDelayMs, metrics } = readSettings({
      ...good,
      CARTWRIGHT_DRAIN_SECONDS: '15',
      CARTWRIGHT_METRICS: '9100',
    })
    assert.deepEqual([drainDelayMs, metrics], [15_000, 9100])
    assert.equal(readSettings({ ...good, CARTWRIGHT_METRICS: 'off' }).metrics, 'off')
    for (const bad of ['-1', '301', '1.5', 'soon'])
      refuses({ ...good, CARTWRIGHT_DRAIN_SECONDS: bad }, /^CARTWRIGHT_DRAIN_SECONDS must be/)
    const shopOf = (shop: string) => readSettings({ ...good, CARTWRIGHT_AGENTS_SHOP: shop }).agentsShop
    assert.deepEqual(['', 'tea', 'tea/test'].map(shopOf), [null, 'tea', 'tea/test'])
    for (const bad of ['Tea', 'tea/live', '/test'])
      refuses({ ...good, CARTWRIGHT_AGENTS_SHOP: bad }, /must name a shop/)
    assert.equal(readSettings({ ...good, CARTWRIGHT_DEMO_HISTORY: 'off' }).demoHistory, false)
    refuses({ ...good, CARTWRIGHT_DEMO_HISTORY: '0' }, /^CARTWRIGHT_DEMO_HISTORY must be on or off/)
    for (const bad of ['0', '65536', 'no']) refuses({ ...good, CARTWRIGHT_METRICS: bad }, /^CARTWRIGHT_METRICS must be/)
  })

  test('a retention is a list of names and durations', () => {
    const { retentionMs } = readSettings({ ...good, CARTWRIGHT_RETENTION: 'customers=2d,texts=12h' })
    assert.deepEqual(retentionMs, { ...retentionDefaultsMs, customers: 2 * 86_400_000, texts: 12 * 3_600_000 })
    refuses({ ...good, CARTWRIGHT_RETENTION: '30d' }, /^CARTWRIGHT_RETENTION must be a list such as .*, not "30d"\.$/)
  })

  test('trusted proxies are addresses, networks or names of networks', () => {
    const proxies = ['10.0.0.0/8', '192.0.2.1', '::1', 'fd00::/8', '2001:db8::1/128', 'loopback', 'uniquelocal']
    const read = readSettings({ ...good, CARTWRIGHT_TRUSTED_PROXIES: proxies.join(' , ') })
    assert.deepEqual(read.trustedProxies, proxies)
  })

  for (const bad of [
    '999.1.1.1',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::1/129',
    ':::1',
    'fe80::1%eth0',
    '...',
    'balancer',
    '1.2.3.4/-1',
  ]) {
    test(`${bad} is refused as trusted proxy`, () =>
      refuses({ ...good, CARTWRIGHT_TRUSTED_PROXIES: `10.0.0.1,${bad}` }, /^CARTWRIGHT_TRUSTED_PROXIES must be/))
  }

  test('private webhook receivers are allowed only by the value 1', () => {
    const read = (text: string) => readSettings({ ...good, CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE: text }).webhookAllowPrivate
    assert.deepEqual([read('1'), read('0')], [true, false])
    for (const bad of ['true', 'yes', 'false', '01', ' 1', '2'])
      refuses(
        { ...good, CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE: bad },
        /^CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE must be 1 or 0, not "/,
      )
  })

  for (const bad of [
    'sqlite://data.db',
    'sqlite::memory:',
    'sqlite:',
    'sqlite:/',
    'sqlite:data/',
    'sqlite:/tmp',
    'file:x',
  ])
    test(`${bad} is refused as database`, () => refuses({ CARTWRIGHT_DATABASE_URL: bad }, /^CARTWRIGHT_DATABASE_URL /))
})

describe('the root secret', () => {
  const urlIn = (folder: string) => `sqlite:${join(folder, 'data', 'a.db')}`
  const fileAt = (url: string) => secretSourceOf(readSettings({ CARTWRIGHT_DATABASE_URL: url }), url) as string

  function refusesToMake(url: string, pattern: RegExp): void {
    assert.throws(
      () => {
        const file = fileAt(url)
        return findRootSecret(file) ?? makeRootSecret(file)
      },
      (error: Error) => error instanceof BadSetting && pattern.test(error.message) && !error.message.includes('\n'),
    )
  }

  test('is looked for beside a SQLite database, and reading the settings creates nothing', () => {
    const folder = tempFolder()
    const file = fileAt(urlIn(folder))
    assert.equal(file, join(folder, 'data', 'secret'))
    assert.equal(findRootSecret(file), undefined)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('is created once, completely, in a folder for its owner only, and no other files are left', () => {
    const folder = tempFolder()
    const file = fileAt(urlIn(folder))
    makeRootSecret(file)
    const text = readFileSync(file, 'utf8')
    assert.match(text, /^[\w-]{43}\n$/)
    makeRootSecret(file)
    assert.equal(readFileSync(file, 'utf8'), text)
    assert.deepEqual(readdirSync(join(folder, 'data')), ['secret'])
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(join(folder, 'data')).mode & 0o777, 0o700)
  })

  test('gives an error of one line if its folder cannot be created or its file is invalid', () => {
    refusesToMake('sqlite:/dev/null/deep/a.db', /^Cannot make the folder \/dev\/null\/deep: /)
    const folder = tempFolder()
    mkdirSync(join(folder, 'data', 'secret'), { recursive: true })
    refusesToMake(urlIn(folder), /^Cannot read the root secret in .*secret: EISDIR/)
    const other = tempFolder()
    writeFileSync(join(other, 'secret'), '')
    refusesToMake(`sqlite:${join(other, 'a.db')}`, /secret: The root secret must have 32/)
  })

  test('is read from a configured file, without the line end', () => {
    const file = join(tempFolder(), 'mounted')
    writeFileSync(file, `${secret}\n`)
    const { givenSecret } = readSettings({ CARTWRIGHT_SECRET_FILE: file })
    assert.equal(givenSecret && checkValueOf(givenSecret, 1), checkOf(secret))
  })

  test('gives an error of one line for a file that is missing, too long or invalid, or if both a file and a secret are set', () => {
    const folder = tempFolder()
    const file = join(folder, 'mounted')
    refuses(
      { CARTWRIGHT_SECRET_FILE: file },
      /^CARTWRIGHT_SECRET_FILE must name an existing file, but there is no file .*mounted\.$/,
    )
    refuses({ CARTWRIGHT_SECRET_FILE: folder }, /^Cannot read the root secret in .*: EISDIR/)
    refuses(
      { CARTWRIGHT_SECRET_FILE: '/dev/zero' },
      /^Cannot read the root secret in \/dev\/zero: the file has more than/,
    )
    writeFileSync(file, 'short')
    refuses({ CARTWRIGHT_SECRET_FILE: file }, /mounted: The root secret must have 32/)
    writeFileSync(file, secret)
    refuses(
      { CARTWRIGHT_SECRET_FILE: file, CARTWRIGHT_SECRET: secret },
      /^CARTWRIGHT_SECRET and CARTWRIGHT_SECRET_FILE are both set/,
    )
  })

  test('is required with PostgreSQL, and in production for a shop with a public address', () => {
    const postgres = 'postgres://shop@127.0.0.1/shop'
    for (const [environment, pattern] of [
      [{ CARTWRIGHT_DATABASE_URL: postgres }, /^CARTWRIGHT_SECRET is required with PostgreSQL: .*cartwright -- secret/],
      [
        { NODE_ENV: 'production', CARTWRIGHT_PUBLIC_URL: 'https://shop.example.com' },
        /^CARTWRIGHT_SECRET is required when NODE_ENV is production and CARTWRIGHT_PUBLIC_URL is set: .*cartwright -- secret/,
      ],
    ] as const) {
      const settings = readSettings(environment)
      assert.throws(
        () => secretSourceOf(settings, settings.databaseUrl),
        (error: Error) => error instanceof BadSetting && pattern.test(error.message),
      )
    }
  })
})
