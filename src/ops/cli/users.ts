// The command `users`: manages people who sign in for a merchant.

import { peopleOperationRows } from '../../contract/admin/people.ts'
import { type Role, roles } from '../../contract/words.ts'
import { removeAllFactors } from '../../domain/users/factors.ts'
import { type CreatedLink, createReset } from '../../domain/users/invitations.ts'
import { replaceMerchants } from '../../domain/users/members.ts'
import { notifyUser } from '../../domain/users/notices.ts'
import { hashPassword, makePassword, passwordLengthMax, passwordProblem } from '../../domain/users/password.ts'
import { listSessions } from '../../domain/users/sessions.ts'
import {
  createUser,
  disableUser,
  emailProblem,
  enableUser,
  endSessionsFrom,
  findUser,
  findUserByEmail,
  listUserMerchants,
  listUsers,
  merchantsPerUserMax,
  setPassword,
  type User,
} from '../../domain/users/users.ts'
import { type AuditedChange, escapeControlCharacters } from '../../platform/audit/change.ts'
import type { Config } from '../../platform/config.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import {
  type Command,
  chooseMerchant,
  configuredOrigin,
  Misuse,
  merchantOption,
  type ParsedArguments,
  printResult,
  type Terminal,
  withStorage,
} from './command.ts'
import { type CommandTarget, chooseMode, forMerchant, operationVerbs } from './operation.ts'
import { recordCommand, recordPersonCommand } from './written.ts'

const namedRoles = roles.filter((role) => role !== 'custom')
const roleOption = { value: 'ROLE', help: `role of the user: ${namedRoles.join(', ')} (default: owner)` }
const passwordOption = {
  help: 'read the password from standard input (default: a password is generated and shown once)',
}
const merchantsOption = {
  value: 'SLUGS',
  help: 'slugs of the merchants for which the user may act, comma-separated; required if there are several merchants',
}

const { one } = operationVerbs(peopleOperationRows, 'people')

const member: CommandTarget = {
  words: ['USER'],
  options: { merchant: merchantOption },
  async find(given, storage, { rootSecret }) {
    const of = await chooseMode(given, storage)
    const { id: memberId } = await chooseUser(storage, rootSecret, given.word)
    return { of, members: { memberId } }
  },
}

const findWithRole: CommandTarget['find'] = async (given, storage, config) => {
  const role = readRole(given.words[1] ?? '', roles)
  const { of, members } = await member.find(given, storage, config)
  return { of, members: { ...members, role } }
}

export const usersCommand: Command = {
  summary: 'Manage the people who sign in for a merchant.',
  verbs: {
    create: {
      summary: 'Create a user.',
      effect: 'changes',
      options: {
        email: { value: 'ADDRESS', help: 'e-mail address with which the user signs in', isRequired: true },
        merchant: merchantsOption,
        name: { value: 'NAME', help: 'name of the person' },
        role: roleOption,
        'password-stdin': passwordOption,
      },
      run: create,
    },
    invite: one('inviteAdminMember', {
      summary:
        'Create an invitation link, which is shown only once: with the link, a person sets a password and joins a merchant.',
      target: forMerchant,
      values: { email: 'ADDRESS' },
      helps: { email: 'e-mail address of the person, to which the link is also sent if mail is set up' },
    }),
    reset: {
      summary: 'Create a link with which a user sets a new password, and which is shown only once.',
      effect: 'changes',
      words: ['USER'],
      options: { 'second-factor': { help: 'also remove the second factor and the passkeys of the user' } },
      run: reset,
    },
    role: one('updateAdminMember', {
      summary: 'Change the role of a member.',
      target: { ...member, words: ['USER', 'ROLE'], finds: ['role'], find: findWithRole },
    }),
    remove: one('removeAdminMember', {
      summary: 'Remove a member from a merchant, and sign the member out.',
      target: member,
    }),
    sessions: {
      summary: 'List the sessions of a user.',
      effect: 'changes',
      words: ['USER'],
      options: { end: { help: 'end all sessions of the user' } },
      run: sessions,
    },
    list: { summary: 'List all users.', effect: 'reads', run: list },
    password: {
      summary: 'Replace the password of a user, and sign the user out.',
      effect: 'changes',
      words: ['USER'],
      options: { 'password-stdin': passwordOption },
      run: replacePassword,
    },
    merchants: {
      summary: 'Set the merchants for which a user may act.',
      effect: 'changes',
      words: ['USER'],
      options: { merchant: merchantsOption },
      run: setMerchants,
    },
    disable: {
      summary: 'Prevent a user from signing in.',
      effect: 'changes',
      words: ['USER'],
      run: (given, terminal) => change(given, terminal, 'disabled', disableUser),
    },
    enable: {
      summary: 'Allow a user to sign in again.',
      effect: 'changes',
      words: ['USER'],
      run: (given, terminal) => change(given, terminal, 'enabled', enableUser),
    },
  },
}

async function create(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const { email = '', name } = given.texts
  const problem = emailProblem(email)
  if (problem !== undefined) throw new Misuse(`--email ${problem.message}`)
  const role = readRole(given.texts.role ?? 'owner', namedRoles)
  const password = await choosePassword(given, terminal)
  return withStorage(given, async (storage, { rootSecret }) => {
    const merchants = await chooseMerchants(storage, given)
    const passwordHash = await hashPassword(password.text)
    const merchantIds = merchants.map(({ id }) => id)
    const user = await storage.write(async (tx) => {
      const now = Date.now()
      const made = await createUser(tx, rootSecret, { email, name: name ?? null, passwordHash, merchantIds, role }, now)
      const change = roleChange('create', 'member', made.id, null, role)
      for (const merchantId of merchantIds)
        recordCommand(tx, { merchantId, mode: null, operation: 'inviteAdminMember', changes: [change], now })
      return made
    })
    tellPassword(user, password, given, terminal, { merchants: merchants.map(({ slug }) => slug) })
    return 0
  })
}

function list(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage, { rootSecret }) => {
    const [kept, pairs] = await storage.read((db) => Promise.all([listUsers(db, rootSecret), listUserMerchants(db)]))
    const users = kept.map(({ id, email, name, createdAt, disabledAt }) => ({
      id,
      email,
      name,
      merchants: pairs.filter(({ userId }) => userId === id).map(({ slug }) => slug),
      roles: pairs.filter(({ userId }) => userId === id).map(({ role }) => role),
      createdAt: toInstant(createdAt),
      disabledAt: disabledAt === null ? null : toInstant(disabledAt),
    }))
    printResult(terminal, given, { users }, () =>
      users.map(({ id, email, name, merchants, roles: held, disabledAt }) => {
        const shops = merchants.map((slug, i) => (held[i] === 'owner' ? slug : `${slug} (${held[i]})`)).join(', ')
        const who = name === null ? email : `${email} (${name})`
        return escapeControlCharacters(
          `${id}  ${disabledAt === null ? 'active  ' : 'disabled'}  ${who}  ${shops || '(no shop)'}`,
        )
      }),
    )
    return 0
  })
}

async function replacePassword(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const password = await choosePassword(given, terminal)
  return withStorage(given, async (storage, { rootSecret }) => {
    const user = await chooseUser(storage, rootSecret, given.word)
    const passwordHash = await hashPassword(password.text)
    await storage.write(async (tx) => {
      const now = Date.now()
      await setPassword(tx, user.id, passwordHash, now)
      await writeDownReset(tx, user.id, now)
      await notifyUser(tx, rootSecret, { userId: user.id, kind: 'password_changed' }, now)
    })
    tellPassword(user, password, given, terminal, {})
    return 0
  })
}

function reset(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage, config) => {
    const user = await chooseUser(storage, config.rootSecret, given.word)
    const link = await storage.write(async (tx) => {
      const now = Date.now()
      const { id: userId } = user
      if (given.flags.has('second-factor') && (await removeAllFactors(tx, userId)))
        await notifyUser(tx, config.rootSecret, { userId, kind: 'factor_removed' }, now)
      await writeDownReset(tx, userId, now)
      await notifyUser(tx, config.rootSecret, { userId, kind: 'reset_made' }, now)
      return createReset(tx, userId, now)
    })
    printLink(given, terminal, { link, config, facts: { user: user.id, email: user.email } })
    return 0
  })
}

function printLink(
  given: ParsedArguments,
  terminal: Terminal,
  { link, config, facts }: { link: CreatedLink; config: Config; facts: object },
): void {
  const url = configuredOrigin(config)() + link.path
  const expiresAt = toInstant(link.expiresAt)
  printResult(terminal, given, { id: link.id, ...facts, url, expiresAt }, () => [
    url,
    `the link ${link.id} is shown only once; it works once, until ${expiresAt}`,
  ])
}

function sessions(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const isEnding = given.flags.has('end')
  return withStorage(given, async (storage, { rootSecret }) => {
    const user = await chooseUser(storage, rootSecret, given.word)
    const now = Date.now()
    const open = await storage.read((db) => listSessions(db, user.id, now))
    if (isEnding)
      await storage.write(async (tx) => {
        await endSessionsFrom(tx, user.id, now)
        const members = [{ member: 'sessions', from: open.length, to: 0 }]
        await recordPersonCommand(tx, { userId: user.id, operation: 'endAdminMemberSessions', members, now })
      })
    const shown = open.map(({ id, browser, hasSecondFactor, createdAt, seenAt, expiresAt }) => ({
      id,
      browser,
      hasSecondFactor,
      createdAt: toInstant(createdAt),
      seenAt: toInstant(seenAt),
      expiresAt: toInstant(expiresAt),
    }))
    printResult(terminal, given, { id: user.id, sessions: shown, ended: isEnding }, () => [
      ...shown.map(({ id, browser, seenAt }) => `${id}  last seen ${seenAt}  ${browser || '(unknown browser)'}`),
      ...(isEnding ? [escapeControlCharacters(`${user.email} is signed out everywhere`)] : []),
    ])
    return 0
  })
}

function writeDownReset(tx: Tx, userId: string, now: number): Promise<void> {
  const members = [{ member: 'passwordReset', from: null, to: toInstant(now) }]
  return recordPersonCommand(tx, { userId, operation: 'resetAdminMemberPassword', members, now })
}

// The list of changes names a person only by the role, without an e-mail address.
function roleChange(
  kind: 'create' | 'change' | 'retire',
  what: 'member' | 'invitation',
  id: string,
  from: Role | null,
  to: Role | null,
): AuditedChange {
  return { kind, what, id, name: to ?? from ?? '', members: [{ member: 'role', from, to }] }
}

function readRole<One extends Role>(text: string, known: readonly One[]): One {
  const role = known.find((one) => one === text)
  if (!role) throw new Misuse(`the role must be one of ${known.join(', ')}`)
  return role
}

function setMerchants(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage, { rootSecret }) => {
    const user = await chooseUser(storage, rootSecret, given.word)
    const merchants = await chooseMerchants(storage, given)
    const ids = merchants.map(({ id }) => id)
    await storage.write(async (tx) => {
      const now = Date.now()
      const { added, dropped } = await replaceMerchants(tx, user.id, ids, now)
      for (const merchantId of added) {
        const notice = { userId: user.id, merchantId, kind: 'role_changed', facts: { role: 'owner' } } as const
        await notifyUser(tx, rootSecret, notice, now)
        const changes = [roleChange('create', 'member', user.id, null, 'owner')]
        recordCommand(tx, { merchantId, mode: null, operation: 'inviteAdminMember', changes, now })
      }
      for (const { merchantId, role } of dropped) {
        const changes = [roleChange('retire', 'member', user.id, role, null)]
        recordCommand(tx, { merchantId, mode: null, operation: 'removeAdminMember', changes, now })
      }
    })
    const slugs = merchants.map(({ slug }) => slug)
    printResult(terminal, given, { id: user.id, merchants: slugs }, () => [
      escapeControlCharacters(`${user.email} may act for ${slugs.join(', ')}`),
    ])
    return 0
  })
}

function change(
  given: ParsedArguments,
  terminal: Terminal,
  outcome: 'disabled' | 'enabled',
  act: typeof disableUser,
): Promise<number> {
  return withStorage(given, async (storage, { rootSecret }) => {
    const user = await chooseUser(storage, rootSecret, given.word)
    const isChanged = await storage.write(async (tx) => {
      const now = Date.now()
      const isDone = await act(tx, user.id, now)
      const isDisabled = outcome === 'disabled'
      const members = [{ member: 'disabled', from: !isDisabled, to: isDisabled }]
      if (isDone) await recordPersonCommand(tx, { userId: user.id, operation: 'updateAdminMember', members, now })
      return isDone
    })
    printResult(terminal, given, { id: user.id, disabled: outcome === 'disabled' }, () => [
      escapeControlCharacters(`${user.email} ${isChanged ? 'is' : 'was already'} ${outcome}`),
    ])
    return 0
  })
}

// Finds a user by e-mail address or by id.
async function chooseUser(storage: Storage, rootSecret: RootSecret, name: string): Promise<User> {
  const user = await storage.read((db) =>
    name.includes('@') ? findUserByEmail(db, rootSecret, name) : findUser(db, rootSecret, name),
  )
  if (!user) throw refuse('user_not_found', { message: `There is no user ${name}.` })
  return user
}

async function chooseMerchants(storage: Storage, given: ParsedArguments): Promise<{ id: string; slug: string }[]> {
  const slugs = (given.texts.merchant ?? '')
    .split(',')
    .map((slug) => slug.trim())
    .filter(Boolean)
  if (slugs.length > merchantsPerUserMax) throw new Misuse(`--merchant takes at most ${merchantsPerUserMax} slugs`)
  if (slugs.length === 0) return [await chooseMerchant(storage, undefined)]
  const merchants = []
  for (const slug of new Set(slugs)) merchants.push(await chooseMerchant(storage, slug))
  return merchants
}

interface ChosenPassword {
  text: string
  // The password was generated here, so it must be shown.
  isMade: boolean
}

// A password is never an argument: every process of the machine can read arguments, and shells store them.
async function choosePassword(given: ParsedArguments, terminal: Terminal): Promise<ChosenPassword> {
  if (!given.flags.has('password-stdin')) return { text: makePassword(), isMade: true }
  const text = await readStandardInput(terminal.input)
  const problem = passwordProblem(text)
  if (problem !== undefined) throw new Misuse(`the password ${problem}`)
  return { text, isMade: false }
}

const inputBytesMax = passwordLengthMax * 8

// Reads one line, without its line break.
async function readStandardInput(input: Terminal['input']): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of input) {
    chunks.push(chunk)
    length += chunk.length
    if (length > inputBytesMax)
      throw new Misuse(`the password on standard input must have at most ${inputBytesMax} bytes`)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

function tellPassword(
  { id, email }: User,
  password: ChosenPassword,
  given: ParsedArguments,
  terminal: Terminal,
  more: object,
): void {
  printResult(terminal, given, { id, email, ...more, ...(password.isMade && { password: password.text }) }, () => [
    ...(password.isMade ? [password.text] : []),
    escapeControlCharacters(`${id}  ${email}${password.isMade ? ', the password is shown only once' : ''}`),
  ])
}
