// `keys`: API keys of an installation.

import { type Scope, scopes } from '../contract/words.ts'
import { toInstant } from '../kit/instant.ts'
import { visible } from '../provisioning/difference.ts'
import { createKey, endKey, listKeys, rotateKey } from '../provisioning/keys.ts'
import { type Command, chooseInstallation, type Given, Misuse, print, type Terminal, withStorage } from './command.ts'

export const keysCommand: Command = {
  summary: 'Create, list, rotate and revoke API keys.',
  usage: [
    'keys create --name NAME [--scopes a,b] [--expires-in-days N] [--installation NAME] [--merchant SLUG]',
    'keys list [--installation NAME] [--merchant SLUG]',
    'keys rotate KEY_ID [--overlap-hours N]',
    'keys revoke KEY_ID',
  ],
  options: {
    name: { type: 'string', help: 'what the key is for' },
    scopes: { type: 'string', help: `separated by commas: ${scopes.join(', ')}` },
    'expires-in-days': { type: 'string', help: 'the key ends by itself' },
    'overlap-hours': { type: 'string', help: 'how long a rotated key goes on working; 24 unless said' },
    installation: { type: 'string', help: 'name or id; needed when there are several' },
    merchant: { type: 'string', help: 'slug; needed when there are several' },
  },
  async run(given, terminal) {
    const [verb, id, ...rest] = given.words
    if (rest.length > 0) throw new Misuse('too many words')
    if (verb === 'create') return create(given, terminal)
    if (verb === 'list') return list(given, terminal)
    if (id === undefined || (verb !== 'rotate' && verb !== 'revoke'))
      throw new Misuse('say keys create, list, rotate KEY_ID or revoke KEY_ID')
    return verb === 'rotate' ? rotate(id, given, terminal) : revoke(id, given, terminal)
  },
}

const dayMs = 86_400_000
const hourMs = 3_600_000

function create(given: Given, terminal: Terminal): Promise<number> {
  const { name } = given.texts
  if (!name || name.length > 200) throw new Misuse('--name is needed, of at most 200 characters')
  if (name.trim() === '' || /\p{Cc}/u.test(name)) throw new Misuse('--name must be one line of visible text')
  const wanted = readScopes(given.texts.scopes)
  const days = readNumber(given, 'expires-in-days', 3_650)
  return withStorage(given, async (storage, { rootSecret }) => {
    const installation = await chooseInstallation(storage, given)
    const now = Date.now()
    const expiresAt = days === undefined ? null : now + Math.round(days * dayMs)
    const made = await storage.write((tx) =>
      createKey(tx, rootSecret, installation, { name, scopes: wanted, expiresAt }, now),
    )
    print(terminal, given, made, () => [made.key, `${made.id}, shown this once`])
    return 0
  })
}

function list(given: Given, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage) => {
    const installation = await chooseInstallation(storage, given)
    const { keys, notShown } = await storage.read((db) => listKeys(db, installation.id, Date.now()))
    print(terminal, given, { keys, notShown }, () => [
      ...keys.map((key) =>
        visible(
          `${key.id}  ${key.prefix}…${key.last4}  ${key.status.padEnd(8)}  ${key.scopes.join(',') || '(no scope)'}  ${key.name}`,
        ),
      ),
      ...(notShown > 0 ? [`${notShown} older keys are not shown`] : []),
    ])
    return 0
  })
}

function rotate(id: string, given: Given, terminal: Terminal): Promise<number> {
  const hours = readNumber(given, 'overlap-hours', 24 * 365) ?? 24
  return withStorage(given, async (storage, { rootSecret }) => {
    const overlapMs = Math.round(hours * hourMs)
    const { oldKeyEndsAt, ...made } = await storage.write((tx) => rotateKey(tx, rootSecret, id, overlapMs, Date.now()))
    const end = toInstant(oldKeyEndsAt)
    print(terminal, given, { ...made, oldKey: { id, expiresAt: end } }, () => [
      made.key,
      `${made.id}, shown this once; ${id} works until ${end}`,
    ])
    return 0
  })
}

function revoke(id: string, given: Given, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage) => {
    const outcome = await storage.write((tx) => endKey(tx, id, Date.now()))
    print(terminal, given, { id, revoked: true }, () => [
      outcome === 'revoked' ? `${id} is revoked` : `${id} was revoked before`,
    ])
    return 0
  })
}

function readScopes(text: string | undefined): Scope[] {
  const words = (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  const unknown = words.find((word) => !scopes.some((scope) => scope === word))
  if (unknown !== undefined) throw new Misuse(`there is no scope ${visible(unknown)}; there are ${scopes.join(', ')}`)
  return scopes.filter((scope) => words.includes(scope))
}

function readNumber(given: Given, name: string, max: number): number | undefined {
  const text = given.texts[name]
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || number > max) throw new Misuse(`--${name} must be a number up to ${max}`)
  return number
}
