// What every command of the operator looks like, and the few things they share.

import { listAgentInstallations } from '../../domain/agents/store.ts'
import { type Installation, listInstallations, listMerchants, type Merchant } from '../../domain/merchants/store.ts'
import { type Config, type Environment, readSettings } from '../../platform/config.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Sink } from '../../platform/log/sink.ts'
import { refuseOtherSchema } from '../../platform/storage/migrate.ts'
import { patient, type Storage } from '../../platform/storage/storage.ts'
import { bringUpToDate, type Effect, openDatabase } from './database.ts'

export interface Command {
  summary: string
  // What it does without a verb.
  alone?: Verb
  verbs?: Readonly<Record<string, Verb>>
}

export interface Verb {
  summary: string
  // What it does to the database. `none`: it does not open it.
  effect: Effect | 'none'
  // The option with which it only reads.
  readsWith?: string
  // What is to be named, in order. `[APP]` may be left out, `VERSION...` may be several.
  words?: readonly string[]
  options?: Readonly<Record<string, OptionFacts>>
  // Answers with the exit code.
  run(given: Given, terminal: Terminal): Promise<number>
}

export interface OptionFacts {
  // What the help calls its value. Without one the option is a flag.
  value?: string
  help: string
  isRequired?: true
}

// A command that has no verbs.
export function command(verb: Verb): Command {
  return { summary: verb.summary, alone: verb }
}

export const merchantOption: OptionFacts = { value: 'SLUG', help: 'which merchant; required if there are several' }
export const installationOption: OptionFacts = {
  value: 'NAME',
  help: 'which installation, by name or id; required if there are several',
}

export interface Given {
  effect: Effect
  // The first of the words; empty where there is none.
  word: string
  // Without the verb.
  words: readonly string[]
  texts: Readonly<Record<string, string | undefined>>
  flags: ReadonlySet<string>
  // Where the settings are.
  environment: Environment
}

export interface Terminal {
  out(text: string): void
  err(text: string): void
  // A line that the next one overwrites; nothing where the output is not a terminal.
  progress(text: string): void
  isWatched: boolean
  environment: Environment
  // What is piped in.
  input: AsyncIterable<Buffer>
  // Where a person types: asks for one line, which is not shown.
  ask?: (label: string) => Promise<string>
  // For a server that is not alone in its process; otherwise it has the standard output and the signals.
  server?: ServerSurroundings
}

export interface ServerSurroundings {
  log: Sink
  // Resolves with the signal that ends it.
  signalled: Promise<string>
}

// Wrong arguments.
export class Misuse extends Error {}

// The environment of the command is not as it must be: a file, a port, a setting. What a verb of the shop refuses is a
// Refusal.
export class Failure extends Error {
  readonly code: FailureCode
  constructor(message: string, code: FailureCode = 'failed') {
    super(message)
    this.code = code
  }
}

export type FailureCode = 'failed' | 'file_unreadable' | 'port_in_use'

// What a report says that was not, or not wholly, done.
export type ReportCode =
  | 'call_failed'
  | 'copy_differs'
  | 'file_broken_off'
  | 'invalid_shop_file'
  | 'needs_person'
  | 'partly_refused'
  | 'refund_not_paid'
  | 'unhealthy'

// Opens the shop's storage beside a running server or without one. What only reads leaves it as it is; everything else
// brings it up to date first.
export async function withStorage<T>(
  { effect, environment }: Given,
  work: (storage: Storage, config: Config) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(readSettings(environment), effect, patient)
  const { storage, config } = database
  try {
    if (effect === 'reads') await refuseOtherSchema(storage)
    else await bringUpToDate(database, new Date())
    return await work(storage, config)
  } finally {
    await storage.close()
  }
}

// Where a server of this configuration is reached.
export function originOf({ publicUrl, port }: Config): () => string {
  return () => publicUrl ?? `http://localhost:${port}`
}

// The same, for verbs that are about one merchant.
export function withMerchant<T>(
  given: Given,
  work: (merchant: Merchant, storage: Storage, config: Config) => Promise<T>,
): Promise<T> {
  return withStorage(given, async (storage, config) =>
    work(await chooseMerchant(storage, given.texts.merchant), storage, config),
  )
}

// The merchant that is named, or the only one there is.
export async function chooseMerchant(storage: Storage, slug: string | undefined): Promise<Merchant> {
  const merchants = await storage.read(listMerchants)
  if (slug !== undefined) {
    const named = merchants.find((merchant) => merchant.slug === slug)
    if (named) return named
    throw refuse('merchant_not_found', { message: `There is no merchant ${slug}.` })
  }
  const [only, second] = merchants
  if (only && !second) return only
  if (!only)
    throw refuse('merchant_not_found', {
      message: 'There is no merchant yet: apply a shop file, or create the demo shop.',
    })
  throw new Misuse(`name the merchant with --merchant: ${merchants.map((merchant) => merchant.slug).join(', ')}`)
}

// The installation that is named, or the only one of its merchant.
export async function chooseInstallation(storage: Storage, given: Given): Promise<Installation> {
  const merchant = await chooseMerchant(storage, given.texts.merchant)
  // An uninstalled one has ended: a key for it would not work.
  const installations = (await storage.read((db) => listInstallations(db, merchant.id))).filter(
    ({ disabledAt }) => disabledAt === null,
  )
  const wanted = given.texts.installation
  if (wanted !== undefined) {
    const named = installations.find(({ id, name }) => id === wanted || name === wanted)
    if (named) return named
    throw refuse('installation_not_found', { message: `${merchant.slug} has no installation ${wanted}.` })
  }
  // That of the agents has no keys and no webhooks.
  const ofAgents = await storage.read((db) => listAgentInstallations(db, merchant.id))
  const [only, second] = installations.filter(({ id }) => !ofAgents.includes(id))
  if (only && !second) return only
  if (!only)
    throw refuse('installation_not_found', {
      message: `${merchant.slug} has no installation: name one in its shop file.`,
    })
  throw new Misuse(`name the installation with --installation: ${installations.map(({ name }) => name).join(', ')}`)
}

// The text of an option as one visible line.
export function readLine(text: string | undefined, name: string, lengthMax: number): string | null {
  if (text === undefined) return null
  if (text.trim() === '' || text.length > lengthMax || /\p{Cc}/u.test(text))
    throw new Misuse(`--${name} must be one line of 1 to ${lengthMax} characters`)
  return text
}

export interface ReportError {
  code: ReportCode
  message: string
}

// Prints a report, and answers with the exit code. With --json one of what was not done, or not all of it, has the member
// `error`, as every failure has; people see it from the lines.
export function printReport(
  terminal: Terminal,
  given: Given,
  { value, lines, error }: { value: object; lines: () => readonly string[]; error: ReportError | null },
): number {
  print(terminal, given, error ? { ...value, error } : value, lines)
  if (!error) return 0
  return error.code === 'needs_person' ? 3 : 1
}

export function print(terminal: Terminal, given: Given, value: object, lines: () => readonly string[]): void {
  if (given.flags.has('json')) terminal.out(`${JSON.stringify(value, null, 2)}\n`)
  else for (const line of orNone(lines())) terminal.out(`${line}\n`)
}

// A command that prints nothing looks as if it had not run.
function orNone(lines: readonly string[]): readonly string[] {
  return lines.length > 0 ? lines : ['There are none.']
}
