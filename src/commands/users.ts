// `users`: the people who sign in for a merchant to approve apps.

import { visible } from '../audit/change.ts'
import { toInstant } from '../kit/instant.ts'
import { refuse } from '../kit/refuse.ts'
import type { RootSecret } from '../kit/secrets.ts'
import { replaceMerchants } from '../staff/members.ts'
import { hashPassword, makePassword, passwordLengthMax, passwordProblem } from '../staff/password.ts'
import {
  createUser,
  disableUser,
  emailProblem,
  enableUser,
  findUser,
  findUserByEmail,
  listUserMerchants,
  listUsers,
  merchantsPerUserMax,
  setPassword,
  type User,
} from '../staff/users.ts'
import type { Storage } from '../storage/storage.ts'
import { type Command, chooseMerchant, type Given, Misuse, print, type Terminal, withStorage } from './command.ts'

const passwordOption = { help: 'read the password from standard input (default: one is made and shown once)' }
const merchantsOption = {
  value: 'SLUGS',
  help: 'comma-separated: the shops that the user may act for; required if there are several',
}

export const usersCommand: Command = {
  summary: 'Manage the people who may install apps.',
  verbs: {
    create: {
      summary: 'Create a user.',
      effect: 'changes',
      options: {
        email: { value: 'ADDRESS', help: 'with which the user signs in', isRequired: true },
        merchant: merchantsOption,
        'password-stdin': passwordOption,
      },
      run: create,
    },
    list: { summary: 'List all users.', effect: 'reads', run: list },
    password: {
      summary: 'Replace the password, and sign the user out.',
      effect: 'changes',
      words: ['USER'],
      options: { 'password-stdin': passwordOption },
      run: reset,
    },
    merchants: {
      summary: 'Set the shops that the user may act for.',
      effect: 'changes',
      words: ['USER'],
      options: { merchant: merchantsOption },
      run: setMerchants,
    },
    disable: {
      summary: 'Let the user sign in no more.',
      effect: 'changes',
      words: ['USER'],
      run: (given, terminal) => change(given, terminal, 'disabled', disableUser),
    },
    enable: {
      summary: 'Undo disable.',
      effect: 'changes',
      words: ['USER'],
      run: (given, terminal) => change(given, terminal, 'enabled', enableUser),
    },
  },
}

async function create(given: Given, terminal: Terminal): Promise<number> {
  const { email = '' } = given.texts
  const problem = emailProblem(email)
  if (problem !== undefined) throw new Misuse(`--email ${problem}`)
  const password = await choosePassword(given, terminal)
  return withStorage(given, async (storage, { rootSecret }) => {
    const merchants = await chooseMerchants(storage, given)
    const passwordHash = await hashPassword(password.text)
    const merchantIds = merchants.map(({ id }) => id)
    const user = await storage.write((tx) =>
      createUser(tx, rootSecret, { email, passwordHash, merchantIds }, Date.now()),
    )
    tellPassword(user, password, given, terminal, { merchants: merchants.map(({ slug }) => slug) })
    return 0
  })
}

function list(given: Given, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage, { rootSecret }) => {
    const [kept, pairs] = await storage.read((db) => Promise.all([listUsers(db, rootSecret), listUserMerchants(db)]))
    const users = kept.map(({ id, email, createdAt, disabledAt }) => ({
      id,
      email,
      merchants: pairs.filter(({ userId }) => userId === id).map(({ slug }) => slug),
      createdAt: toInstant(createdAt),
      disabledAt: disabledAt === null ? null : toInstant(disabledAt),
    }))
    print(terminal, given, { users }, () =>
      users.map(({ id, email, merchants, disabledAt }) =>
        visible(
          `${id}  ${disabledAt === null ? 'active  ' : 'disabled'}  ${email}  ${merchants.join(',') || '(no shop)'}`,
        ),
      ),
    )
    return 0
  })
}

async function reset(given: Given, terminal: Terminal): Promise<number> {
  const password = await choosePassword(given, terminal)
  return withStorage(given, async (storage, { rootSecret }) => {
    const user = await chooseUser(storage, rootSecret, given.word)
    const passwordHash = await hashPassword(password.text)
    await storage.write((tx) => setPassword(tx, user.id, passwordHash, Date.now()))
    tellPassword(user, password, given, terminal, {})
    return 0
  })
}

function setMerchants(given: Given, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage, { rootSecret }) => {
    const user = await chooseUser(storage, rootSecret, given.word)
    const merchants = await chooseMerchants(storage, given)
    const ids = merchants.map(({ id }) => id)
    await storage.write((tx) => replaceMerchants(tx, user.id, ids, Date.now()))
    const slugs = merchants.map(({ slug }) => slug)
    print(terminal, given, { id: user.id, merchants: slugs }, () => [
      visible(`${user.email} may act for ${slugs.join(', ')}`),
    ])
    return 0
  })
}

function change(
  given: Given,
  terminal: Terminal,
  outcome: 'disabled' | 'enabled',
  act: typeof disableUser,
): Promise<number> {
  return withStorage(given, async (storage, { rootSecret }) => {
    const user = await chooseUser(storage, rootSecret, given.word)
    const isChanged = await storage.write((tx) => act(tx, user.id, Date.now()))
    print(terminal, given, { id: user.id, disabled: outcome === 'disabled' }, () => [
      visible(`${user.email} ${isChanged ? 'is' : 'was already'} ${outcome}`),
    ])
    return 0
  })
}

// By e-mail or by id.
async function chooseUser(storage: Storage, rootSecret: RootSecret, name: string): Promise<User> {
  const user = await storage.read((db) =>
    name.includes('@') ? findUserByEmail(db, rootSecret, name) : findUser(db, rootSecret, name),
  )
  if (!user) throw refuse('user_not_found', { message: `There is no user ${name}.` })
  return user
}

async function chooseMerchants(storage: Storage, given: Given): Promise<{ id: string; slug: string }[]> {
  const slugs = (given.texts.merchant ?? '')
    .split(',')
    .map((slug) => slug.trim())
    .filter(Boolean)
  if (slugs.length > merchantsPerUserMax) throw new Misuse(`--merchant must be at most ${merchantsPerUserMax} slugs`)
  if (slugs.length === 0) return [await chooseMerchant(storage, undefined)]
  const merchants = []
  for (const slug of new Set(slugs)) merchants.push(await chooseMerchant(storage, slug))
  return merchants
}

interface ChosenPassword {
  text: string
  // Generated here, so it must be shown.
  isMade: boolean
}

// Never from an argument: every process of the machine can read those, and shells store them.
async function choosePassword(given: Given, terminal: Terminal): Promise<ChosenPassword> {
  if (!given.flags.has('password-stdin')) return { text: makePassword(), isMade: true }
  const text = await readStandardInput(terminal.input)
  const problem = passwordProblem(text)
  if (problem !== undefined) throw new Misuse(`the password ${problem}`)
  return { text, isMade: false }
}

const inputBytesMax = passwordLengthMax * 8

// One line, whose end does not belong to it.
async function readStandardInput(input: Terminal['input']): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of input) {
    chunks.push(chunk)
    length += chunk.length
    if (length > inputBytesMax) throw new Misuse('the password is too long')
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

function tellPassword(
  { id, email }: User,
  password: ChosenPassword,
  given: Given,
  terminal: Terminal,
  more: object,
): void {
  print(terminal, given, { id, email, ...more, ...(password.isMade && { password: password.text }) }, () => [
    ...(password.isMade ? [password.text] : []),
    visible(`${id}  ${email}${password.isMade ? ', the password is shown only once' : ''}`),
  ])
}
