// The command `keys`: API keys of an installation.

import { developerOperationRows } from '../../contract/admin/developers.ts'
import { scopes } from '../../contract/words.ts'
import { findCredentialById } from '../../platform/access/store.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { type Command, Misuse, type ParsedArguments } from './command.ts'
import { type CommandTarget, forInstallation, operationVerbs } from './operation.ts'

const { one, list } = operationVerbs(developerOperationRows, 'developers')

// Ids of keys are unique among all merchants, so no merchant is named.
const ofKey: CommandTarget = {
  words: ['KEY_ID'],
  async find({ word: keyId }, storage) {
    const key = await storage.read((db) => findCredentialById(db, keyId))
    if (!key) throw refuse('credential_not_found', { message: `There is no key ${keyId}.` })
    return { of: key, members: { keyId } }
  },
}

export const keysCommand: Command = {
  summary: 'Create, list, rotate and revoke API keys.',
  verbs: {
    create: one('createAdminKey', {
      summary: 'Create an API key and print the key, which is shown only once.',
      target: forInstallation,
      omits: ['kind', 'expiresAt'],
      names: { origins: 'publishable' },
      helps: {
        scopes: `scopes of the key, comma-separated: ${scopes.join(', ')} (default: none)`,
        origins:
          'origins of the pages that may use the key, comma-separated: creates a publishable key, without --scopes',
      },
      options: {
        'expires-in-days': { value: 'N', help: 'number of days after which the key expires (default: never)' },
      },
      read: (given) => ({ ...readEnd(given), ...(given.texts.publishable !== undefined && { kind: 'publishable' }) }),
    }),
    list: list('listAdminKeys', {
      summary: 'List the API keys of an installation.',
      target: forInstallation,
      name: 'keys',
      columns: ['id', 'prefix', 'last4', 'status', 'scopes', 'origins', 'name'],
    }),
    rotate: one('rotateAdminKey', {
      summary: 'Create a successor of an API key; the old key keeps working for a transition period.',
      target: ofKey,
    }),
    revoke: one('revokeAdminKey', {
      summary: 'Revoke an API key immediately, with all keys that were created with it.',
      target: ofKey,
    }),
  },
}

const dayMs = 86_400_000
const daysMax = 3_650

function readEnd({ texts: { 'expires-in-days': text } }: ParsedArguments): { expiresAt?: string } {
  if (text === undefined) return {}
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > daysMax)
    throw new Misuse(`--expires-in-days must be a number from 0 to ${daysMax}`)
  return { expiresAt: toInstant(Date.now() + Math.round(Number(text) * dayMs)) }
}
