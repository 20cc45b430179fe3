// `keys`: API keys of an installation.

import { type Mode, publishableScopes, type Scope, scopes } from '../../contract/words.ts'
import { createKey, endKey, listKeys, rotateKey } from '../../platform/access/keys.ts'
import { normalOrigin, originRule } from '../../platform/access/origins.ts'
import { findCredentialById } from '../../platform/access/store.ts'
import { type AuditedChange, visible } from '../../platform/audit/change.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import {
  type Command,
  chooseInstallation,
  type Given,
  installationOption,
  Misuse,
  merchantOption,
  print,
  readLine,
  type Terminal,
  withStorage,
} from './command.ts'
import { type Written, writeDown } from './written.ts'

export const keysCommand: Command = {
  summary: 'Create, list, rotate and revoke API keys.',
  verbs: {
    create: {
      summary: 'Create a key and print it; it is shown only once.',
      effect: 'changes',
      options: {
        name: { value: 'NAME', help: 'what the key is for', isRequired: true },
        scopes: { value: 'SCOPES', help: `comma-separated: ${scopes.join(', ')} (default: none)` },
        publishable: {
          value: 'ORIGINS',
          help: 'for the pages of these origins, comma-separated: a key for browsers, without --scopes',
        },
        'expires-in-days': { value: 'N', help: 'when the key expires (default: never)' },
        installation: installationOption,
        merchant: merchantOption,
      },
      run: create,
    },
    list: {
      summary: 'List the keys of an installation.',
      effect: 'reads',
      options: { installation: installationOption, merchant: merchantOption },
      run: list,
    },
    rotate: {
      summary: 'Create a successor of a key; the old key works for a while.',
      effect: 'changes',
      words: ['KEY_ID'],
      options: { 'overlap-hours': { value: 'N', help: 'how long the old key goes on working (default: 24)' } },
      run: rotate,
    },
    revoke: { summary: 'Revoke a key at once.', effect: 'changes', words: ['KEY_ID'], run: revoke },
  },
}

const dayMs = 86_400_000
const hourMs = 3_600_000

function create(given: Given, terminal: Terminal): Promise<number> {
  const name = readLine(given.texts.name, 'name', 200) ?? ''
  const wanted = readScopes(given.texts.scopes)
  const pages = readWords(given.texts.publishable)
  if (given.texts.publishable !== undefined && (wanted.length > 0 || pages.length === 0))
    throw new Misuse('--publishable names at least one origin, and takes no --scopes')
  const days = readNumber(given, 'expires-in-days', 3_650)
  return withStorage(given, async (storage, { rootSecret }) => {
    const installation = await chooseInstallation(storage, given)
    const now = Date.now()
    const expiresAt = days === undefined ? null : now + Math.round(days * dayMs)
    const origins = pages.map((page) => readOrigin(page, installation.mode))
    const rights = origins.length > 0 ? publishableScopes : wanted
    const made = await storage.write(async (tx) => {
      const key = await createKey(tx, rootSecret, installation, { name, scopes: rights, origins, expiresAt }, now)
      const members = [
        { member: 'scopes', from: null, to: rights },
        ...(origins.length > 0 ? [{ member: 'origins', from: null, to: origins }] : []),
      ]
      const change = { kind: 'create', what: 'key', id: key.id, name, members } as const
      writeDown(tx, { ...installation, operation: 'createAdminKey', changes: [change], now })
      return key
    })
    print(terminal, given, made, () => [made.key, `${made.id}, shown only once`])
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
          `${key.id}  ${key.prefix}…${key.last4}  ${key.status.padEnd(8)}  ${key.origins.join(',') || key.scopes.join(',') || '(no scope)'}  ${key.name}`,
        ),
      ),
      ...(notShown > 0 ? [`${notShown} older keys are not shown`] : []),
    ])
    return 0
  })
}

function rotate(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  const hours = readNumber(given, 'overlap-hours', 24 * 365) ?? 24
  return withStorage(given, async (storage, { rootSecret }) => {
    const overlapMs = Math.round(hours * hourMs)
    const { oldKeyEndsAt, ...made } = await storage.write(async (tx) => {
      const now = Date.now()
      const key = await rotateKey(tx, rootSecret, id, { overlapMs }, now)
      const members = [{ member: 'replacedBy', from: null, to: key.id }]
      await writeDownKey(tx, id, { kind: 'change', operation: 'rotateAdminKey', members, now })
      return key
    })
    const end = toInstant(oldKeyEndsAt)
    print(terminal, given, { ...made, oldKey: { id, expiresAt: end } }, () => [
      made.key,
      `${made.id}, shown only once; ${id} works until ${end}`,
    ])
    return 0
  })
}

function revoke(given: Given, terminal: Terminal): Promise<number> {
  const id = given.word
  return withStorage(given, async (storage) => {
    const ended = await storage.write(async (tx) => {
      const now = Date.now()
      const done = await endKey(tx, id, now)
      for (const one of done)
        await writeDownKey(tx, one.id, { kind: 'retire', operation: 'revokeAdminKey', members: [], now })
      return done
    })
    const made = ended.slice(1)
    print(terminal, given, { id, revoked: true, alsoRevoked: made.map((one) => one.id) }, () => [
      ended.length > 0 ? `${id} is revoked` : `${id} was already revoked`,
      ...made.map((one) => visible(`${one.id} (${one.name}), which it made, is revoked too`)),
    ])
    return 0
  })
}

async function writeDownKey(
  tx: Tx,
  id: string,
  { kind, operation, members, now }: Pick<Written, 'operation' | 'now'> & Pick<AuditedChange, 'kind' | 'members'>,
): Promise<void> {
  const key = await findCredentialById(tx, id)
  if (!key) return
  const { merchantId, mode, name } = key
  writeDown(tx, { merchantId, mode, operation, changes: [{ kind, what: 'key', id, name, members }], now })
}

function readScopes(text: string | undefined): Scope[] {
  const words = readWords(text)
  const unknown = words.find((word) => !scopes.some((scope) => scope === word))
  if (unknown !== undefined) throw new Misuse(`there is no scope ${unknown}; there are ${scopes.join(', ')}`)
  return scopes.filter((scope) => words.includes(scope))
}

function readWords(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

function readOrigin(text: string, mode: Mode): string {
  const origin = normalOrigin(text, mode)
  if (origin === undefined) throw new Misuse(`${visible(text)} ${originRule.message}`)
  return origin
}

function readNumber(given: Given, name: string, max: number): number | undefined {
  const text = given.texts[name]
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || number > max) throw new Misuse(`--${name} must be a number up to ${max}`)
  return number
}
