// Types of the operator's commands, and the few functions that they share.

import { listAgentInstallations } from '../../domain/agents/store.ts'
import { type Installation, listInstallations, listMerchants, type Merchant } from '../../domain/merchants/store.ts'
import { type Config, type Environment, readSettings } from '../../platform/config.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Sink } from '../../platform/log/sink.ts'
import { refuseOtherSchema } from '../../platform/storage/migrate.ts'
import { commandLimits, type Storage } from '../../platform/storage/storage.ts'
import { bringUpToDate, type Effect, openDatabase } from './database.ts'

export interface Command {
  summary: string
  // Runs if no verb is given.
  alone?: CommandVerb
  verbs?: Readonly<Record<string, CommandVerb>>
}

export interface CommandVerb {
  summary: string
  // Effect of the verb on the configured database. `none`: the verb does not call `openDatabase`: it opens no database, or opens
  // databases in its own way.
  effect: Effect | 'none'
  // The option that makes the verb read-only.
  readsWith?: string
  // Names of the words after the verb, in order. `[APP]` is optional, `VERSION...` stands for one or more words.
  words?: readonly string[]
  options?: Readonly<Record<string, OptionFacts>>
  // Returns the exit code.
  run(given: ParsedArguments, terminal: Terminal): Promise<number>
}

export interface OptionFacts {
  // Placeholder of the option's value in the help. An option without a placeholder is a flag.
  value?: string
  help: string
  isRequired?: true
}

// Makes a command without verbs.
export function commandOf(verb: CommandVerb): Command {
  return { summary: verb.summary, alone: verb }
}

export const merchantOption: OptionFacts = {
  value: 'SLUG',
  help: 'the slug of the merchant; required if there are several merchants',
}
export const installationOption: OptionFacts = {
  value: 'NAME',
  help: 'the name or id of the installation; required if there are several installations',
}

export interface ParsedArguments {
  effect: Effect
  // The first word, or '' if there is none.
  word: string
  // Words after the verb.
  words: readonly string[]
  texts: Readonly<Record<string, string | undefined>>
  flags: ReadonlySet<string>
  // Environment variables from which the settings are read.
  environment: Environment
}

export interface Terminal {
  out(text: string): void
  err(text: string): void
  // Writes a line that the next call overwrites. Writes nothing if the output is not a terminal.
  progress(text: string): void
  isWatched: boolean
  environment: Environment
  // Standard input.
  input: AsyncIterable<Buffer>
  // Asks the person at the terminal for one line, which is not shown. Undefined if nobody types at a terminal.
  ask?: (label: string) => Promise<string>
  // Set if the server runs inside another program, such as a test. Otherwise it logs to the standard output and ends on signals.
  server?: ServerSurroundings
}

export interface ServerSurroundings {
  log: Sink
  // Resolves with the signal that ends the server.
  signalled: Promise<string>
}

// The arguments are wrong. Exit code 2.
export class Misuse extends Error {}

// The command failed because of a file, a port, a setting or something else outside the shop. Operations of the shop throw a Refusal.
export class CommandFailure extends Error {
  readonly code: FailureCode
  constructor(message: string, code: FailureCode = 'failed') {
    super(message)
    this.code = code
  }
}

export type FailureCode = 'failed' | 'file_unreadable' | 'port_in_use'

// Why a report says that something was not done, or only partly.
export type ReportCode =
  | 'call_failed'
  | 'copy_differs'
  | 'file_broken_off'
  | 'invalid_shop_file'
  | 'needs_person'
  | 'partly_refused'
  | 'refund_not_paid'
  | 'unhealthy'

// Opens the configured database, even if no server runs. Commands that only read leave the schema unchanged; all others migrate it first.
export async function withStorage<T>(
  { effect, environment }: ParsedArguments,
  work: (storage: Storage, config: Config) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(readSettings(environment), effect, commandLimits)
  const { storage, config } = database
  try {
    if (effect === 'reads') await refuseOtherSchema(storage)
    else await bringUpToDate(database, new Date())
    return await work(storage, config)
  } finally {
    await storage.close()
  }
}

// Returns the origin under which a server of this configuration is reached.
export function configuredOrigin({ publicUrl, port }: Config): () => string {
  return () => publicUrl ?? `http://localhost:${port}`
}

// Opens the storage for a verb about one merchant.
export function withMerchant<T>(
  given: ParsedArguments,
  work: (merchant: Merchant, storage: Storage, config: Config) => Promise<T>,
): Promise<T> {
  return withStorage(given, async (storage, config) =>
    work(await chooseMerchant(storage, given.texts.merchant), storage, config),
  )
}

// Returns the merchant with the slug, or the only merchant if no slug is given.
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
      message: 'There is no merchant yet: apply a shop file with `apply`, or create the demo shop with `demo`.',
    })
  throw new Misuse(
    `there are several merchants; choose one with --merchant: ${merchants.map((merchant) => merchant.slug).join(', ')}`,
  )
}

// Returns the installation that the option names, or the only one of the merchant.
export async function chooseInstallation(storage: Storage, given: ParsedArguments): Promise<Installation> {
  const merchant = await chooseMerchant(storage, given.texts.merchant)
  // Uninstalled installations are left out: a key for them would not work.
  const installations = (await storage.read((db) => listInstallations(db, merchant.id))).filter(
    ({ disabledAt }) => disabledAt === null,
  )
  const wanted = given.texts.installation
  if (wanted !== undefined) {
    const named = installations.find(({ id, name }) => id === wanted || name === wanted)
    if (named) return named
    throw refuse('installation_not_found', { message: `The merchant ${merchant.slug} has no installation ${wanted}.` })
  }
  // The installation for agents is left out: its keys and webhooks belong to agent platforms.
  const ofAgents = await storage.read((db) => listAgentInstallations(db, merchant.id))
  const [only, second] = installations.filter(({ id }) => !ofAgents.includes(id))
  if (only && !second) return only
  if (!only)
    throw refuse('installation_not_found', {
      message: `The merchant ${merchant.slug} has no installation: add one to its shop file, and apply the file.`,
    })
  throw new Misuse(
    `there are several installations; choose one with --installation: ${installations.map(({ name }) => name).join(', ')}`,
  )
}

// Checks that the option is one line without control characters. Returns null if it is not given.
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

// Prints a report and returns the exit code. With --json, the report has the member `error`, like every failure, if something was not or
// only partly done; without --json, the printed lines say so.
export function printReport(
  terminal: Terminal,
  given: ParsedArguments,
  { value, lines, error }: { value: object; lines: () => readonly string[]; error: ReportError | null },
): number {
  printResult(terminal, given, error ? { ...value, error } : value, lines)
  if (!error) return 0
  return error.code === 'needs_person' ? 3 : 1
}

export function printResult(
  terminal: Terminal,
  given: ParsedArguments,
  value: object,
  lines: () => readonly string[],
): void {
  if (given.flags.has('json')) terminal.out(`${JSON.stringify(value, null, 2)}\n`)
  else for (const line of orNone(lines())) terminal.out(`${line}\n`)
}

// Printing nothing would look as if the command had not run.
function orNone(lines: readonly string[]): readonly string[] {
  return lines.length > 0 ? lines : ['The list is empty.']
}
