// A merchant's account at Mollie: an API key of one profile, for test or for live. Nothing is made at Mollie for it: each payment
// carries the webhook address.

import type { Mode } from '../../../../contract/words.ts'
import { type AccountProvider, AccountRefused, type OpenAccount } from '../../accountport.ts'
import type { AccountRow } from '../../accounts.ts'
import { createMollieClient, type MollieClient, MollieError } from './client.ts'
import { type MollieProfile, readProfile } from './objects.ts'
import { createMollieProvider, mollieName } from './provider.ts'

export interface MollieAccountParts {
  // Where the API is, in the place of its own address. For tests: live keys are refused with it.
  url?: string | undefined
}

const apiUrl = 'https://api.mollie.com'
const keyPattern = /^(test|live)_[A-Za-z0-9]{30,100}$/

export function createMollieAccounts({ url }: MollieAccountParts = {}): AccountProvider {
  function clientFor(key: string, mode: Mode, onCall?: OpenAccount['onCall']): MollieClient {
    const keyMode = keyPattern.exec(key)?.[1]
    if (keyMode === undefined)
      throw new AccountRefused('This is not an API key of Mollie: they begin with test_ or live_.')
    if (keyMode !== mode)
      throw new AccountRefused(`This key begins with ${keyMode}_, and the account is for ${mode} payments.`)
    if (url !== undefined && mode === 'live')
      throw new AccountRefused('Live keys are refused while CARTWRIGHT_MOLLIE_URL is set.')
    return createMollieClient({ url: url ?? apiUrl, key, onCall })
  }
  const clientOf = ({ account, secrets, onCall }: OpenAccount) => clientFor(secrets.key ?? '', account.mode, onCall)

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
          ...((await countMethods(client, signal)) === 0
            ? ['No payment method is switched on at Mollie for the profile.']
            : []),
        ]
      } catch (error) {
        return [sentenceOf(error)]
      }
    },

    // The key is deleted in the dashboard, where it was made.
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

function profileProblems({ mode, public: facts }: AccountRow, { id, status }: MollieProfile): string[] {
  if (id !== facts.profile) return [`The key belongs to the profile ${id}, and the account to ${facts.profile}.`]
  if (status === 'blocked') return ['Mollie has blocked the profile.']
  if (status === 'unverified' && mode === 'live')
    return ['Mollie has not verified the profile yet, so it takes no live payments.']
  return []
}

async function countMethods(client: MollieClient, signal: AbortSignal): Promise<unknown> {
  return ((await client.get('/v2/methods', {}, signal)) as { count?: unknown } | undefined)?.count
}

function sentenceOf(error: unknown): string {
  if (error instanceof AccountRefused) return error.message
  if (error instanceof MollieError) return `Mollie answered with status ${error.status}.`
  return 'Mollie could not be reached, or its answer could not be read.'
}

async function profileOf(client: MollieClient, signal: AbortSignal): Promise<MollieProfile> {
  try {
    return readProfile(await client.get('/v2/profiles/me', {}, signal))
  } catch (error) {
    if (error instanceof MollieError && error.status === 401)
      throw new AccountRefused('Mollie does not know this key, or it was deleted there.')
    throw error
  }
}
