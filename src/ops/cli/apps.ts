// The command `apps`: apps that merchants can install, and their installations.

import { open } from 'node:fs/promises'
import { type Mode, modes, openInterfaceScopes, type Scope, scopes } from '../../contract/words.ts'
import {
  type AppDefinition,
  appProblem,
  createApp,
  disableApp,
  enableApp,
  findApp,
  findAppByName,
  listAppInstallations,
  listApps,
  type OAuthApp,
  setApp,
} from '../../domain/oauth/apps.ts'
import { type ClientKeys, readClientKeys } from '../../domain/oauth/clientkeys.ts'
import { uninstallApp } from '../../domain/oauth/installing.ts'
import { escapeControlCharacters } from '../../platform/audit/change.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { parseJson } from '../../platform/kit/json.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import {
  type Command,
  CommandFailure,
  Misuse,
  type ParsedArguments,
  printResult,
  type Terminal,
  withStorage,
} from './command.ts'

const settings = {
  description: { value: 'TEXT', help: 'one line of text that merchants see below the name' },
  scopes: {
    value: 'SCOPES',
    help: `scopes that the app may request, comma-separated: ${scopes.join(', ')} (default: ${openInterfaceScopes.join(',')})`,
  },
  jwks: { value: 'FILE', help: 'the public keys of the app (JSON Web Key Set); without them it is a public client' },
  mode: { value: 'MODE', help: `the mode of the installations of the app: ${modes.join(' or ')} (default: test)` },
} as const
const redirectUris = { value: 'URIS', help: 'exact redirect URIs of the app, comma-separated' } as const

export const appsCommand: Command = {
  summary: 'Manage apps that merchants can install, and their installations.',
  verbs: {
    create: {
      summary: 'Create an app.',
      effect: 'changes',
      options: {
        name: { value: 'NAME', help: 'the name that merchants see when the app requests access', isRequired: true },
        'redirect-uri': { ...redirectUris, isRequired: true },
        ...settings,
      },
      run: create,
    },
    change: {
      summary: 'Change the given settings of an app; existing installations keep what was approved.',
      effect: 'changes',
      words: ['APP'],
      options: { 'redirect-uri': redirectUris, ...settings },
      run: change,
    },
    list: { summary: 'List all apps.', effect: 'reads', run: list },
    show: { summary: 'Show an app, by id or name.', effect: 'reads', words: ['APP'], run: show },
    disable: {
      summary: 'Stop new installations and new tokens of an app; existing installations keep working.',
      effect: 'changes',
      words: ['APP'],
      run: (given, terminal) => turn(given, terminal, 'disabled', disableApp),
    },
    enable: {
      summary: 'Allow new installations and new tokens of an app again.',
      effect: 'changes',
      words: ['APP'],
      run: (given, terminal) => turn(given, terminal, 'enabled', enableApp),
    },
    installations: {
      summary: 'List the installations of all apps, or of one app.',
      effect: 'reads',
      words: ['[APP]'],
      run: installations,
    },
    uninstall: {
      summary: 'End an installation of an app, and revoke its keys.',
      effect: 'changes',
      words: ['INSTALLATION_ID'],
      run: end,
    },
  },
}

async function create(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const { name = '', description = '', jwks, mode = 'test' } = given.texts
  const definition: AppDefinition = {
    name,
    description,
    redirectUris: wordsIn(given.texts['redirect-uri']),
    scopes: given.texts.scopes === undefined ? openInterfaceScopes : readScopes(given.texts.scopes),
    mode: readMode(mode),
    jwks: jwks === undefined ? null : await readKeys(jwks),
  }
  refuseProblem(definition)
  return withStorage(given, async (storage) => {
    const app = await storage.write((tx) => createApp(tx, definition, Date.now()))
    if (!app) throw refuse('app_exists', { message: `There is already an app named ${name}.` })
    tell(app, given, terminal)
    return 0
  })
}

// Options that are not given leave their values unchanged. Existing installations keep the scopes that were approved.
async function change(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const name = given.word
  const { description, scopes: wanted, jwks, mode, 'redirect-uri': uris } = given.texts
  const changed: Partial<AppDefinition> = {
    ...(description !== undefined && { description }),
    ...(uris !== undefined && { redirectUris: wordsIn(uris) }),
    ...(wanted !== undefined && { scopes: readScopes(wanted) }),
    ...(mode !== undefined && { mode: readMode(mode) }),
    ...(jwks !== undefined && { jwks: await readKeys(jwks) }),
  }
  if (Object.keys(changed).length === 0)
    throw new Misuse('apps change needs at least one option to change, such as --redirect-uri or --scopes')
  return withStorage(given, async (storage) => {
    const { id } = await chooseApp(storage, name)
    const app = await storage.write(async (tx) => {
      const before = await findApp(tx, id)
      if (!before) return undefined
      const definition = { ...before, ...changed }
      refuseProblem(definition)
      await setApp(tx, definition, Date.now())
      return findApp(tx, id)
    })
    if (!app) throw refuse('app_not_found', { message: `There is no app ${name}.` })
    tell(app, given, terminal)
    return 0
  })
}

function refuseProblem(definition: AppDefinition): void {
  const problem = appProblem(definition)
  if (problem) throw new Misuse(`${optionAt(problem.path)} ${problem.message}`)
}

function list(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage) => {
    const apps = await storage.read(listApps)
    printResult(terminal, given, { apps: apps.map(shown) }, () =>
      apps.map((app) =>
        escapeControlCharacters(
          `${app.id}  ${app.disabledAt === null ? 'active  ' : 'disabled'}  ${app.clientKind}  ${app.mode}  ${app.name}`,
        ),
      ),
    )
    return 0
  })
}

function show(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage) => {
    tell(await chooseApp(storage, given.word), given, terminal)
    return 0
  })
}

function turn(
  given: ParsedArguments,
  terminal: Terminal,
  outcome: 'disabled' | 'enabled',
  act: typeof disableApp,
): Promise<number> {
  return withStorage(given, async (storage) => {
    const app = await chooseApp(storage, given.word)
    const isChanged = await storage.write((tx) => act(tx, app.id, Date.now()))
    const living = (await storage.read((db) => listAppInstallations(db, app.id))).filter(
      ({ endedAt }) => endedAt === null,
    )
    printResult(
      terminal,
      given,
      { clientId: app.id, disabled: outcome === 'disabled', installations: living.length },
      () => [
        escapeControlCharacters(`${app.name} ${isChanged ? 'is' : 'was already'} ${outcome}`),
        ...(outcome === 'disabled' && living.length > 0
          ? [`Its installations (${living.length}) keep working: end each of them with \`apps uninstall\`.`]
          : []),
      ],
    )
    return 0
  })
}

function installations(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage) => {
    const app = given.word === '' ? undefined : await chooseApp(storage, given.word)
    const rows = await storage.read((db) => listAppInstallations(db, app?.id ?? null))
    const shownRows = rows.map(({ createdAt, endedAt, ...row }) => ({
      ...row,
      createdAt: toInstant(createdAt),
      endedAt: endedAt === null ? null : toInstant(endedAt),
    }))
    printResult(terminal, given, { installations: shownRows }, () =>
      shownRows.map((row) =>
        escapeControlCharacters(
          `${row.id}  ${row.endedAt === null ? 'active' : 'ended '}  ${row.mode}  ${row.merchantSlug}  ${row.scopes.join(',')}  ${row.name}`,
        ),
      ),
    )
    return 0
  })
}

function end(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const id = given.word
  return withStorage(given, async (storage) => {
    const isEnded = await storage.write((tx) => uninstallApp(tx, id, Date.now()))
    if (!isEnded)
      throw refuse('app_installation_not_found', { message: `There is no active installation of an app ${id}.` })
    printResult(terminal, given, { id, uninstalled: true }, () => [
      `installation ${id} is uninstalled: its keys are revoked, and its open checkouts accept no more payments`,
    ])
    return 0
  })
}

// Finds an app by its id or name.
async function chooseApp(storage: Storage, name: string): Promise<OAuthApp> {
  const app = await storage.read(async (db) => (await findApp(db, name)) ?? findAppByName(db, name))
  if (!app) throw refuse('app_not_found', { message: `There is no app ${name}.` })
  return app
}

function wordsIn(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

function readScopes(text: string): Scope[] {
  const words = wordsIn(text)
  const unknown = words.find((word) => !scopes.some((scope) => scope === word))
  if (unknown !== undefined) throw new Misuse(`there is no scope ${unknown}; use ${scopes.join(', ')}`)
  return scopes.filter((scope) => words.includes(scope))
}

function readMode(text: string): Mode {
  const mode = modes.find((known) => known === text)
  if (!mode) throw new Misuse(`--mode must be ${modes.join(' or ')}`)
  return mode
}

const keysBytesMax = 65_536

async function readKeys(path: string): Promise<ClientKeys> {
  const text = await readText(path)
  const parsed = parseJson(text)
  if ('problem' in parsed)
    throw new CommandFailure(`${path} must be a JSON file, but its content ${parsed.issue.message}`)
  const read = readClientKeys(parsed.value)
  if ('problem' in read) throw new CommandFailure(`${path} ${read.problem.path} ${read.problem.message}`)
  return read
}

// Reads one byte more than allowed, to detect a file that is too large.
async function readText(path: string): Promise<string> {
  try {
    const file = await open(path)
    const chunks = await Array.fromAsync(file.createReadStream({ end: keysBytesMax }) as AsyncIterable<Buffer>)
    const bytes = Buffer.concat(chunks)
    if (bytes.length <= keysBytesMax) return bytes.toString('utf8')
  } catch (error) {
    throw new CommandFailure(`cannot read ${path}: ${(error as Error).message}`, 'file_unreadable')
  }
  throw new CommandFailure(`${path} must have at most ${keysBytesMax} bytes`)
}

// Returns the option for a JSON pointer: --redirect-uri for `/redirectUris/0`.
function optionAt(path: string): string {
  const [, member = ''] = path.split('/')
  return member === 'redirectUris' ? '--redirect-uri' : `--${member}`
}

function shown({ id, createdAt, disabledAt, ...app }: OAuthApp) {
  return {
    clientId: id,
    ...app,
    createdAt: toInstant(createdAt),
    disabledAt: disabledAt === null ? null : toInstant(disabledAt),
  }
}

function tell(app: OAuthApp, given: ParsedArguments, terminal: Terminal): void {
  const rows: [name: string, value: string][] = [
    ['client id', app.id],
    ['kind', app.clientKind],
    ['mode', app.mode],
    ['status', app.disabledAt === null ? 'active' : `disabled since ${toInstant(app.disabledAt)}`],
    ...app.redirectUris.map((uri): [string, string] => ['redirect URI', uri]),
    ['scopes', app.scopes.join(' ')],
    ...(app.jwks?.keys ?? []).map((key): [string, string] => [
      'key',
      `${key.kid ?? '(no id)'}  ${key.alg ?? key.crv ?? ''}`,
    ]),
    ...(app.description === '' ? [] : [['description', app.description] as [string, string]]),
  ]
  printResult(terminal, given, shown(app), () => [
    escapeControlCharacters(app.name),
    ...rows.map(([name, value]) => escapeControlCharacters(`  ${name.padEnd(12)}  ${value}`)),
  ])
}
