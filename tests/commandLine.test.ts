// The command line by its tables of verbs: what --help prints, and what is refused before anything is opened.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartwright } from '../harness/commandline.ts'
import { verbs } from '../harness/verbs.ts'
import { commandNames, commands } from '../src/ops/cli/cli.ts'

const run = (...args: string[]) => cartwright(args, {})

test('the help of a command lists its verbs, and no options', async () => {
  const { code, out, err } = await run('webhooks', '--help')
  assert.deepEqual([code, err], [0, ''])
  const { verbs: own = {} } = await commands.webhooks()
  for (const word of Object.keys(own)) assert.match(out, new RegExp(`^  cartwright webhooks ${word} +\\S`, 'm'))
  assert.doesNotMatch(out, /--(url|limit|port)/)
})

test('the help of a verb has its usage and only its own options', async () => {
  assert.deepEqual(await run('webhooks', 'test', '--help'), {
    code: 0,
    err: '',
    out: `Send a test call to an endpoint, and print the outcome.

  cartwright webhooks test ENDPOINT_ID [--wait SECONDS]

  --wait SECONDS  maximum time to wait for the answer, up to 60 seconds (default: 25)
  --json          print the result as JSON
  --help          print this help
`,
  })
  assert.deepEqual(await run('webhooks', 'test', '-h'), await run('webhooks', '--help', 'test'))
})

test('the help of orders pay says that it records a payment, and that of payments close that an open authorization must be cancelled at the provider', async () => {
  assert.match(
    (await run('orders', 'pay', '--help')).out,
    /the total of an order with a manual payment has arrived\.\n/,
  )
  const close = (await run('payments', 'close', '--help')).out.replaceAll(/\s+/g, ' ')
  assert.match(close, /cancel an open authorization at the payment provider/)
})

test('every command and every verb has its own help', async () => {
  for (const name of commandNames) assert.equal((await run(name, '--help')).code, 0, name)
  for (const [name, { summary, options = {} }] of verbs) {
    assert.match(summary, /^[A-Z].*\.$/, name)
    const { out } = await run(...name.split(' '), '--help')
    if (name === 'secret') continue
    assert.ok(out.startsWith(`${summary}\n`), name)
    for (const option of Object.keys(options)) assert.match(out, new RegExp(`^  --${option} `, 'm'), name)
  }
})

for (const [args, message, usage] of [
  [
    ['webhooks', 'test', 'whe_1', '--limit', '3'],
    'webhooks test has no option --limit',
    'webhooks test ENDPOINT_ID [--wait SECONDS]',
  ],
  [['keys', 'revoke', 'key_1', '--name=x'], 'keys revoke has no option --name', 'keys revoke KEY_ID'],
  [['keys', 'revoke', 'key_1', '-x'], 'keys revoke has no option -x', 'keys revoke KEY_ID'],
  [['doctor', '--force'], 'doctor has no option --force', 'doctor'],
  [['keys', 'revoke'], 'keys revoke needs the argument KEY_ID', 'keys revoke KEY_ID'],
  [['keys', 'revoke', 'key_1', 'key_2'], 'keys revoke does not take the argument key_2', 'keys revoke KEY_ID'],
  [['secret', 'forget'], 'secret forget needs the argument VERSION', 'secret forget VERSION... [--force]'],
  [['backup'], 'backup needs the argument FILE', 'backup FILE [--force]'],
  [['backup', 'a', 'b'], 'backup does not take the argument b', 'backup FILE [--force]'],
  [['apply', 'a', 'b'], 'apply does not take the argument b', 'apply [FILE] [--dry-run] [--stock] [--schema]'],
  [
    ['keys', 'create'],
    '--name is required',
    'keys create --name NAME [--scopes SCOPES] [--publishable ORIGINS] [--expires-in-days N] [--installation NAME] [--merchant SLUG]',
  ],
  [['keys'], 'keys needs a verb: create, list, rotate, revoke', 'keys VERB'],
  [['keys', 'sing'], 'keys has no verb sing; its verbs are create, list, rotate, revoke', 'keys VERB'],
  [['keys', 'toString'], 'keys has no verb toString; its verbs are create, list, rotate, revoke', 'keys VERB'],
  [['keys', 'a\u001bb'], 'keys has no verb a\\u001bb; its verbs are create, list, rotate, revoke', 'keys VERB'],
] as const)
  test(`exit code 2 for ${args.join(' ')}`, async () => {
    assert.deepEqual(await run(...args), { code: 2, out: '', err: `${message}\nUsage: cartwright ${usage}\n` })
  })

test('--json may come before the verb, and words after -- are not options', async () => {
  const { code, out } = await run('keys', '--json', 'revoke')
  assert.equal(code, 2)
  assert.deepEqual(JSON.parse(out), { error: { code: 'misuse', message: 'keys revoke needs the argument KEY_ID' } })
  assert.match((await run('keys', 'revoke', '--', '--x', 'y')).err, /^keys revoke does not take the argument y\n/)
})
