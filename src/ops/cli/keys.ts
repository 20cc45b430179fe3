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
      summary: 'Create a key and print it; it is shown only once.',
      target: forInstallation,
      omits: ['kind', 'expiresAt'],
      names: { origins: 'publishable' },
      helps: {
        scopes: `comma-separated: ${scopes.join(', ')} (default: none)`,
        origins: 'for the pages of these origins, comma-separated: a key for browsers, without --scopes',
      },
      options: { 'expires-in-days': { value: 'N', help: 'when the key expires (default: never)' } },
      read: (given) => ({ ...readEnd(given), ...(given.texts.publishable !== undefined && { kind: 'publishable' }) }),
    }),
    list: list('listAdminKeys', {
      summary: 'List the keys of an installation.',
      target: forInstallation,
      name: 'keys',
      columns: ['id', 'prefix', 'last4', 'status', 'scopes', 'origins', 'name'],
    }),
    rotate: one('rotateAdminKey', {
      summary: 'Create a successor of a key; the old key works for a while.',
      target: ofKey,
    }),
    revoke: one('revokeAdminKey', { summary: 'Revoke a key at once, with the keys that it made.', target: ofKey }),
  },
}

const dayMs = 86_400_000
const daysMax = 3_650

function readEnd({ texts: { 'expires-in-days': text } }: ParsedArguments): { expiresAt?: string } {
  if (text === undefined) return {}
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > daysMax)
    throw new Misuse(`--expires-in-days must be a number up to ${daysMax}`)
  return { expiresAt: toInstant(Date.now() + Math.round(Number(text) * dayMs)) }
}
