import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachEngine } from '../../../../harness/storage.ts'
import { testSecret } from '../../../../harness/testServer.ts'
import { newId } from '../../../platform/kit/ids.ts'
import type { DecryptedAccount, ProviderAccounts } from '../accountport.ts'
import { type AccountRow, encryptAccountSecrets, insertAccount, saveAccount } from '../accounts.ts'
import type { PaymentProvider } from '../port.ts'
import { manualProvider } from './manual/provider.ts'
import { createRegistry, walletHostFor } from './registry.ts'

const start = Date.parse('2026-06-15T12:00:00.000Z')

test('wallets are registered only for public hosts with https', () => {
  for (const [origin, host] of [
    ['https://shop.example', 'shop.example'],
    ['https://shop.example:8443', 'shop.example'],
    ['http://shop.example', null],
    ['https://localhost:4000', null],
    ['https://shop.localhost', null],
    ['https://127.0.0.1', null],
    ['https://[::1]', null],
  ] as const)
    assert.equal(walletHostFor(origin), host, origin)
})

eachEngine('the registry of providers', (given) => {
  async function openRegistry() {
    const storage = await given.open({ url: await given.migratedUrl() })
    const clock = { now: start }
    const opened: DecryptedAccount[] = []
    const unusable: string[] = []
    const bank: ProviderAccounts = {
      name: 'bank',
      questions: [],
      accountFact: 'account',
      noticeSecret: null,
      connect: () => assert.fail(),
      check: () => assert.fail(),
      disconnect: () => assert.fail(),
      noticeHelp: () => assert.fail(),
      open(account) {
        opened.push(account)
        return { ...manualProvider, name: 'bank' } satisfies PaymentProvider
      },
    }
    const registry = createRegistry({
      rootSecret: testSecret,
      clock: () => new Date(clock.now),
      publicOrigin: () => 'https://shop.example',
      providerUrls: {},
      withoutAccount: [manualProvider],
      withAccount: { bank: async () => bank, broken: () => Promise.reject(new Error('does not load')) },
      watch: { unusable: ({ provider }, error) => unusable.push(`${provider}: ${(error as Error).message}`) },
    })
    async function connect(changes: Partial<AccountRow> = {}): Promise<AccountRow> {
      const account: AccountRow = {
        merchantId: newId('mer'),
        id: newId('pac'),
        mode: 'live',
        provider: 'bank',
        public: { account: 'acct_1' },
        secretsSealed: '',
        previousSealed: null,
        previousUntil: null,
        seenUntil: null,
        endedAt: null,
        createdAt: clock.now,
        updatedAt: clock.now,
        ...changes,
      }
      account.secretsSealed ||= encryptAccountSecrets(testSecret, account, { key: 'rk_first' })
      await storage.write((tx) => insertAccount(tx, account))
      return account
    }
    const offered = (account: AccountRow, mode = account.mode) =>
      storage.read(async (db) =>
        (await registry.offered(db, { merchantId: account.merchantId, mode })).map(({ provider, accountId }) => [
          provider.name,
          accountId,
        ]),
      )
    return { storage, clock, registry, opened, unusable, connect, offered }
  }

  test('an account is offered only by its merchant and in its mode, before methods without an account', async () => {
    const { registry, storage, connect, offered, opened } = await openRegistry()
    const [account, rival] = [await connect(), await connect()]
    assert.deepEqual(await offered(account), [
      ['bank', account.id],
      ['manual', null],
    ])
    assert.deepEqual(await offered(account, 'test'), [['manual', null]])
    const of = (merchantId: string, accountId: string | null, provider = 'bank') =>
      storage.read((db) => registry.of(db, { provider, accountId, merchantId }))
    assert.equal((await of(account.merchantId, account.id))?.name, 'bank')
    assert.equal(await of(account.merchantId, rival.id), undefined)
    assert.equal(await of(account.merchantId, account.id, 'manual'), undefined)
    assert.equal(await of(account.merchantId, null), undefined)
    assert.deepEqual(
      opened.map(({ secrets, noticeUrl }) => [secrets, noticeUrl]),
      [[{ key: 'rk_first' }, `https://shop.example/hooks/payments/${account.id}`]],
    )
  })

  test('after a rotation of its secrets an account is opened with the new and the previous ones, until the previous ones expire', async () => {
    const { clock, storage, connect, offered, opened } = await openRegistry()
    const account = await connect()
    await offered(account)
    await offered(account)
    const rotated = {
      ...account,
      secretsSealed: encryptAccountSecrets(testSecret, account, { key: 'rk_second' }),
      previousSealed: account.secretsSealed,
      previousUntil: start + 1_000,
      updatedAt: start + 1,
    }
    await storage.write((tx) => saveAccount(tx, rotated))
    await offered(account)
    clock.now = start + 1_000
    await offered(account)
    assert.deepEqual(
      opened.map(({ secrets, previous }) => [secrets.key, previous[0]?.key]),
      [
        ['rk_first', undefined],
        ['rk_second', 'rk_first'],
        ['rk_second', undefined],
      ],
    )
  })

  test('an ended account takes no new payments, and is still opened for its earlier ones', async () => {
    const { registry, storage, connect, offered } = await openRegistry()
    const account = await connect()
    await storage.write((tx) => saveAccount(tx, { ...account, endedAt: start, updatedAt: start + 1 }))
    assert.deepEqual(await offered(account), [['manual', null]])
    assert.equal((await storage.read((db) => registry.ofAccount(db, account.id)))?.name, 'bank')
    assert.equal((await storage.read((db) => registry.of(db, { ...account, accountId: account.id })))?.name, 'bank')
    assert.equal(await storage.read((db) => registry.ofAccount(db, newId('pac'))), undefined)
  })

  test('an unusable account does not hide other payment methods', async () => {
    const { connect, offered, unusable } = await openRegistry()
    const { merchantId } = await connect({ provider: 'broken' })
    await connect({ merchantId, provider: 'foreign', createdAt: start + 1 })
    // Encrypted for another merchant, as if the row had been moved.
    const { secretsSealed } = await connect()
    const account = await connect({ merchantId, secretsSealed, createdAt: start + 2 })
    assert.deepEqual(await offered(account), [['manual', null]])
    assert.deepEqual(unusable.toSorted(), [
      'bank: the keys cannot be decrypted',
      'broken: does not load',
      'foreign: the provider is not installed',
    ])
  })
})
