// With --json whatever a command has to say is one JSON document on the standard output, a failure too: it has the member
// `error`, with a code and a message, and the exit code is the same as without.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, test } from 'node:test'
import { cartwright } from '../harness/commandline.ts'
import { type Environment, type Outcome, tempFolder } from '../harness/process.ts'
import { bloom } from '../harness/shops.ts'
import { testSecretText } from '../harness/testServer.ts'
import { type CommandName, commandNames, type runCommandLine } from '../src/ops/cli/cli.ts'
import { commandOf } from '../src/ops/cli/command.ts'
import { refuse } from '../src/platform/kit/refuse.ts'

// The settings of the commands that follow.
let environment: Environment = {}

function settings(values: Environment): void {
  environment = values
}

function run(args: readonly string[], table?: Parameters<typeof runCommandLine>[2]): Promise<Outcome> {
  return cartwright(args, environment, table ? { table } : {})
}

// biome-ignore lint/suspicious/noExplicitAny: each command prints another shape
async function failure(args: readonly string[], exitCode: number, errorCode: string): Promise<any> {
  const told = await run([...args, '--json'])
  assert.equal(told.err, '')
  const printed = JSON.parse(told.out)
  assert.deepEqual([told.code, printed.error.code], [exitCode, errorCode], told.out)
  assert.match(printed.error.message, /^\S.*\S$/)
  return printed
}

// Words with which each command comes as far as its settings.
const wellFormed: Readonly<Record<CommandName, readonly string[]>> = {
  serve: [],
  migrate: [],
  backup: ['copy.db'],
  restore: ['copy.db'],
  demo: [],
  apply: ['shop.json'],
  import: ['products.csv'],
  export: ['--format', 'shopify'],
  promotions: ['list'],
  merchants: ['move', 'mug', '--to', 'sqlite:other.db', '--origin', 'https://b.example'],
  methods: ['list'],
  mail: ['list'],
  orders: ['list'],
  documents: ['export', 'documents.zip'],
  payments: ['close', 'pay_1', '--outcome', 'declined'],
  shoppers: ['forget', '--email', 'ada@example.test'],
  webhooks: ['list'],
  agents: ['show'],
  keys: ['list'],
  apps: ['list'],
  users: ['list'],
  search: ['rebuild'],
  doctor: [],
  health: [],
  cells: ['list'],
  openapi: [],
  secret: [],
}

const promotion = ['--code', 'TEN', '--name', 'Ten', '--type', 'percentage', '--percentage', '1000'] as const

const folder = await tempFolder()

describe('a failure with --json', { timeout: 120_000 }, () => {
  const file = (name: string) => join(folder, name)
  const words = (name: CommandName) => wellFormed[name].map((word) => (/\.\w+$/.test(word) ? file(word) : word))

  before(async () => {
    await writeFile(file('shop.json'), JSON.stringify(bloom))
    await writeFile(file('products.csv'), 'Handle,Title\n')
    await writeFile(file('garbage.db'), 'This is not a database. '.repeat(100))
  })

  for (const name of commandNames) {
    test(`${name}: misuse`, async () => {
      await failure([name, '--no-such-option'], 2, 'misuse')
    })

    // They read no settings.
    if (name === 'openapi' || name === 'secret') continue
    test(`${name}: an invalid setting`, async () => {
      settings({ CARTWRIGHT_DATABASE_URL: 'nonsense' })
      const { error } = await failure([name, ...words(name)], 1, 'bad_setting')
      assert.match(error.message, /CARTWRIGHT_DATABASE_URL/)
    })

    // It asks the server, not the database.
    if (name === 'health') continue
    test(`${name}: an unusable database`, async () => {
      settings({
        CARTWRIGHT_DATABASE_URL: `sqlite:${file('garbage.db')}`,
        CARTWRIGHT_SECRET: testSecretText,
        PORT: '0',
      })
      const told = await run([name, ...words(name), '--json'])
      assert.deepEqual([told.code, told.err], [1, ''])
      assert.match(JSON.parse(told.out).error.code, /^(storage_refused|storage_unavailable|failed)$/)
    })
  }

  test('an unknown command', async () => {
    await failure(['sell'], 2, 'unknown_command')
    await failure([], 2, 'unknown_command')
  })

  const verb = { summary: '', effect: 'none' } as const

  test('defects and refusals have error codes, and the stack trace of a defect is written to standard error', async () => {
    const broken = commandOf({ ...verb, run: () => Promise.reject(new TypeError('a defect')) })
    const told = await run(['broken', '--json'], { broken: async () => broken })
    assert.equal(told.code, 1)
    assert.deepEqual(JSON.parse(told.out), { error: { code: 'internal_error', message: 'TypeError: a defect' } })
    assert.match(told.err, /TypeError: a defect\n +at /)
    await assert.rejects(run(['broken'], { broken: async () => broken }), /a defect/)

    const refused = commandOf({
      ...verb,
      run: () => Promise.reject(refuse('order_not_cancellable', { current: { reason: 'x' } })),
    })
    const said = await run(['refused', '--json'], { refused: async () => refused })
    assert.equal(said.err, '')
    assert.deepEqual([said.code, JSON.parse(said.out).error.code], [1, 'order_not_cancellable'])
    assert.deepEqual(JSON.parse(said.out).error.current, { reason: 'x' })
    const plain = await run(['refused'], { refused: async () => refused })
    assert.deepEqual([plain.code, plain.out], [1, ''])
    assert.match(plain.err, /^cartwright: \S.*\n$/)
  })

  describe('in a shop', () => {
    before(async () => {
      settings({ CARTWRIGHT_DATABASE_URL: `sqlite:${file('shop.db')}` })
      assert.equal((await run(['apply', file('shop.json')])).code, 0)
    })

    for (const [code, ...args] of [
      ['merchant_not_found', 'orders', 'list', '--merchant', 'nobody'],
      ['order_not_found', 'orders', 'show', '1'],
      ['order_not_found', 'orders', 'pay', '1'],
      ['order_not_found', 'orders', 'return', '1'],
      ['payment_not_found', 'payments', 'close', 'pay_1', '--outcome', 'declined'],
      ['promotion_not_found', 'promotions', 'show', 'NONE'],
      ['credential_not_found', 'keys', 'revoke', 'key_1'],
      ['credential_not_found', 'keys', 'rotate', 'key_1'],
      ['installation_not_found', 'keys', 'create', '--name', 'x', '--installation', 'Till'],
      ['user_not_found', 'users', 'disable', 'ada@example.com'],
      ['app_not_found', 'apps', 'show', 'app_1'],
      ['app_installation_not_found', 'apps', 'uninstall', 'ins_1'],
      ['webhook_endpoint_not_found', 'webhooks', 'pause', 'whe_1'],
      ['webhook_delivery_not_found', 'webhooks', 'replay', 'whd_1'],
      ['webhook_endpoint_invalid', 'webhooks', 'add', '--url', 'ftp://example.com/'],
      ['category_not_found', 'promotions', 'add', ...promotion, '--categories', 'none'],
      ['sku_not_found', 'promotions', 'add', ...promotion, '--skus', 'NONE'],
      ['file_unreadable', 'apply', 'no-such-file.yaml'],
      ['file_unreadable', 'import', 'no-such-file.csv'],
    ] as const)
      test(args.join(' '), () => failure(args, 1, code))

    test('creating what already exists has an error code', async () => {
      const app = ['apps', 'create', '--name', 'Till', '--redirect-uri', 'https://till.example.com/cb']
      const user = ['users', 'create', '--email', 'eve@example.com']
      for (const [code, args] of [
        ['app_exists', app],
        ['user_exists', user],
        ['promotion_exists', ['promotions', 'add', ...promotion]],
      ] as const) {
        assert.equal((await run(args)).code, 0)
        await failure(args, 1, code)
      }
    })

    test('reports with exit code 1 contain the error in addition to their other content', async () => {
      await writeFile(file('bad.yaml'), 'merchant: 1\n')
      const { problems } = await failure(['apply', file('bad.yaml')], 1, 'invalid_shop_file')
      assert.deepEqual(problems, [
        { path: '/merchant', code: 'not_an_object', values: {}, message: 'must be an object' },
      ])

      const taken = { ...bloom, products: [{ slug: 'other', name: 'Other', skus: [{ code: 'ROSE-12', price: 1 }] }] }
      await writeFile(file('taken.json'), JSON.stringify(taken))
      const { refused } = await failure(['apply', file('taken.json')], 1, 'partly_refused')
      assert.equal(refused[0].slug, 'other')

      await writeFile(file('some.csv'), 'Handle,Title,Variant SKU,Variant Price\na,A,A1,1.00\nb,B,B1,x\n')
      const { refusedCount, created } = await failure(['import', file('some.csv')], 1, 'partly_refused')
      assert.deepEqual([refusedCount, created], [1, 1])

      await writeFile(file('broken.csv'), 'Handle,Title,Variant SKU,Variant Price\nc,C,C1,1.00\nd,D,D1,1.00\ne,"E')
      const broken = await failure(['import', file('broken.csv')], 1, 'file_broken_off')
      assert.equal(broken.created, 1)

      // A migration that is not there yet.
      settings({ CARTWRIGHT_DATABASE_URL: `sqlite:${file('behind.db')}` })
      assert.equal((await run(['migrate'])).code, 0)
      const db = new DatabaseSync(file('behind.db'))
      db.exec('delete from schema_migrations where version = (select max(version) from schema_migrations)')
      db.close()
      const doctor = await failure(['doctor'], 1, 'unhealthy')
      assert.equal(doctor.healthy, false)
      assert.ok(doctor.pendingMigrations > 0)
    })
  })
})
