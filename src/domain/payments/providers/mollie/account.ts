// A merchant's account at Mollie: an API key of one profile, for test or live mode. Connecting creates nothing at Mollie, because each
// payment contains the webhook URL.

import { type Issue, issueAt } from '../../../../contract/issues.ts'
import type { Mode } from '../../../../contract/words.ts'
import { AccountRefused, type DecryptedAccount, type ProviderAccounts } from '../../accountport.ts'
import type { AccountRow } from '../../accounts.ts'
import { createMollieClient, type MollieClient, MollieError } from './client.ts'
import { type MollieProfile, readProfile } from './objects.ts'
import { createMollieProvider, mollieName } from './provider.ts'

export interface MollieAccountParts {
  // For tests: replaces the URL of Mollie's API. Live keys are then refused.
  url?: string | undefined
}

const apiUrl = 'https://api.mollie.com'
const provider = 'Mollie'
const keyPath = '/keys/key'
const keyPattern = /^(test|live)_[A-Za-z0-9]{30,100}$/

export function createMollieAccounts({ url }: MollieAccountParts = {}): ProviderAccounts {
  function clientFor(key: string, mode: Mode, onCall?: DecryptedAccount['onCall']): MollieClient {
    const keyMode = keyPattern.exec(key)?.[1]
    if (keyMode === undefined) throw new AccountRefused(issueAt(keyPath, 'not_a_mollie_key'))
    if (keyMode !== mode) throw new AccountRefused(issueAt(keyPath, 'key_of_other_mode', { mode: keyMode }))
    if (url !== undefined && mode === 'live')
      throw new AccountRefused(issueAt(keyPath, 'live_key_with_stand_in', { setting: 'CARTWRIGHT_MOLLIE_URL' }))
    return createMollieClient({ url: url ?? apiUrl, key, onCall })
  }
  const clientOf = ({ account, secrets, onCall }: DecryptedAccount) =>
    clientFor(secrets.key ?? '', account.mode, onCall)

  return {
    name: mollieName,
    questions: [
      { name: 'key', label: 'API key of Mollie (test_… or live_…, in the dashboard under Developers, API keys)' },
    ],
    accountFact: 'profile',
    noticeSecret: null,

    async connect({ answers, mode }, signal) {
      const key = (answers.key ?? '').trim()
      const { id, name } = await profileOf(clientFor(key, mode), signal)
      return { public: { profile: id, name }, secrets: { key } }
    },

    async check(open, signal) {
      try {
        const client = clientOf(open)
        return [
          ...profileProblems(open.account, await profileOf(client, signal)),
          ...((await countMethods(client, signal)) === 0 ? [issueAt('', 'no_method_at_provider', { provider })] : []),
        ]
      } catch (error) {
        return [issueOf(error)]
      }
    },

    // Nothing was created at Mollie. The merchant deletes the key in Mollie's dashboard.
    disconnect: async () => {},
    noticeHelp: () =>
      'Mollie is given the address with each payment, once the public URL of this server is https. Until then payments are looked up on a schedule.',
    open: (account) =>
      createMollieProvider({
        client: clientOf(account),
        mode: account.account.mode,
        noticeUrl: account.noticeUrl,
      }),
  }
}

function profileProblems({ mode, public: facts }: AccountRow, { id, status }: MollieProfile): Issue[] {
  if (id !== facts.profile) return [issueAt(keyPath, 'key_of_other_account', { provider })]
  if (status === 'blocked') return [issueAt('', 'account_blocked', { provider })]
  if (status === 'unverified' && mode === 'live') return [issueAt('', 'account_not_charging', { provider })]
  return []
}

async function countMethods(client: MollieClient, signal: AbortSignal): Promise<unknown> {
  return ((await client.get('/v2/methods', {}, signal)) as { count?: unknown } | undefined)?.count
}

function issueOf(error: unknown): Issue {
  if (error instanceof AccountRefused) return error.issue
  if (error instanceof MollieError) return issueAt('', 'provider_refused', { provider, reason: String(error.status) })
  return issueAt('', 'provider_unreachable', { provider })
}

async function profileOf(client: MollieClient, signal: AbortSignal): Promise<MollieProfile> {
  try {
    return readProfile(await client.get('/v2/profiles/me', {}, signal))
  } catch (error) {
    if (error instanceof MollieError && error.status === 401)
      throw new AccountRefused(issueAt(keyPath, 'key_not_accepted', { provider }))
    throw error
  }
}
