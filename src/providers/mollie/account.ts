// A merchant's account at Mollie: an API key of one profile, for test or for live. Nothing is made at Mollie for it: each payment
// carries the address for notices.

import type { Mode } from '../../contract/words.ts'
import { type AccountProvider, AccountRefused, type OpenAccount } from '../../payments/accountPort.ts'
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
  function clientFor(key: string, mode: Mode): MollieClient {
    const keyMode = keyPattern.exec(key)?.[1]
    if (keyMode === undefined)
      throw new AccountRefused('This is not an API key of Mollie: they begin with test_ or live_.')
    if (keyMode !== mode)
      throw new AccountRefused(`This key begins with ${keyMode}_, and the account is for ${mode} payments.`)
    if (url !== undefined && mode === 'live')
      throw new AccountRefused('Live keys are refused while CARTWRIGHT_MOLLIE_URL is set.')
    return createMollieClient({ url: url ?? apiUrl, key })
  }
  const clientOf = ({ account, secrets }: OpenAccount) => clientFor(secrets.key ?? '', account.mode)

  return {
    name: mollieName,
    questions: [
      { name: 'key', label: 'API key of Mollie (test_… or live_…, in the dashboard under Developers, API keys)' },
    ],
    noticeSecret: null,

    async connect({ answers, mode }, signal) {
      const key = (answers.key ?? '').trim()
      const { id, name } = await profileOf(clientFor(key, mode), signal)
      return { public: { profile: id, name }, secrets: { key } }
    },

    async check(open, signal) {
      const client = clientOf(open)
      try {
        const { id, status } = await profileOf(client, signal)
        const problems: string[] = []
        if (id !== open.account.public.profile)
          problems.push(`The key belongs to the profile ${id}, and the account to ${open.account.public.profile}.`)
        if (status === 'blocked') problems.push('Mollie has blocked the profile.')
        if (status === 'unverified' && open.account.mode === 'live')
          problems.push('Mollie has not verified the profile yet, so it takes no live payments.')
        const { count } = (await client.get('/v2/methods', {}, signal)) as { count?: unknown }
        if (count === 0) problems.push('No payment method is switched on at Mollie for the profile.')
        return problems
      } catch (error) {
        if (error instanceof AccountRefused) return [error.message]
        throw error
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

async function profileOf(client: MollieClient, signal: AbortSignal): Promise<MollieProfile> {
  try {
    return readProfile(await client.get('/v2/profiles/me', {}, signal))
  } catch (error) {
    if (error instanceof MollieError && error.status === 401)
      throw new AccountRefused('Mollie does not know this key, or it was deleted there.')
    throw error
  }
}
