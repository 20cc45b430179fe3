// The operator's command line: finds the command, reads its arguments, prints help, and turns errors into one line and an exit code (0
// done, 1 not done, 2 misused, 3 a person is needed).

import type { Issue } from '../../contract/issues.ts'
import { escapeControlCharacters } from '../../platform/audit/change.ts'
import { BadSetting } from '../../platform/kit/badsetting.ts'
import { program } from '../../platform/kit/program.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import { StorageRefused, StorageUnavailable } from '../../platform/storage/storage.ts'
import { version } from '../../platform/version.ts'
import { chooseVerb, readArguments } from './arguments.ts'
import { environmentOfCommand } from './cellsfile.ts'
import { type Command, CommandFailure, Misuse, type Terminal } from './command.ts'
import { alignColumns, helpForCommand, helpForVerb, usageOf } from './help.ts'
import { refusalText } from './refused.ts'

// Each file is loaded when its command is run: creating a key need not wait for the HTTP server to load.
export const commands = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./backup.ts')).restoreCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  apply: async () => (await import('./shop.ts')).applyCommand,
  import: async () => (await import('./shop.ts')).importCommand,
  export: async () => (await import('./exports.ts')).exportCommand,
  promotions: async () => (await import('./promotions.ts')).promotionsCommand,
  merchants: async () => (await import('./merchants.ts')).merchantsCommand,
  methods: async () => (await import('./methods.ts')).methodsCommand,
  mail: async () => (await import('./mail.ts')).mailCommand,
  orders: async () => (await import('./orders.ts')).ordersCommand,
  documents: async () => (await import('./documents.ts')).documentsCommand,
  payments: async () => (await import('./payments.ts')).paymentsCommand,
  shoppers: async () => (await import('./shoppers.ts')).shoppersCommand,
  webhooks: async () => (await import('./webhooks.ts')).webhooksCommand,
  agents: async () => (await import('./agents.ts')).agentsCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  apps: async () => (await import('./apps.ts')).appsCommand,
  users: async () => (await import('./users.ts')).usersCommand,
  search: async () => (await import('./search.ts')).searchCommand,
  health: async () => (await import('./health.ts')).healthCommand,
  doctor: async () => (await import('./inspect.ts')).doctorCommand,
  openapi: async () => (await import('./inspect.ts')).openapiCommand,
  cells: async () => (await import('./cells.ts')).cellsCommand,
  secret: async () => (await import('./secret.ts')).secretCommand,
} as const satisfies CommandTable

export type CommandTable = Readonly<Record<string, () => Promise<Command>>>

export type CommandName = keyof typeof commands

export const commandNames = Object.keys(commands) as readonly CommandName[]

export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
  table: CommandTable = commands,
): Promise<number> {
  const isJson = args.includes('--json')
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.out(await overview())
    return name === undefined ? 2 : 0
  }
  if (name === '--version') {
    terminal.out(`${version}\n`)
    return 0
  }
  const load = Object.hasOwn(table, name) ? table[name] : undefined
  if (!load) {
    const message = `There is no command ${escapeControlCharacters(name)}: \`cartwright --help\` lists the commands.`
    if (isJson) printError(terminal, { code: 'unknown_command', message })
    else terminal.err(`${message}\n`)
    return 2
  }
  const command = await load()
  let usage = `cartwright ${name} VERB`
  try {
    const isHelp = rest.includes('--help') || rest.includes('-h')
    const chosen = chooseVerb(name, command, rest)
    if (isHelp) {
      const isVerb = chosen && (chosen.name !== name || !command.verbs)
      terminal.out(isVerb ? helpForVerb(chosen) : helpForCommand(name, command))
      return 0
    }
    if (!chosen) throw new Misuse(`${name} needs a verb: ${Object.keys(command.verbs ?? {}).join(', ')}`)
    usage = usageOf(chosen)
    const ofCell = name !== 'serve' && chosen.verb.effect !== 'none'
    const environment = ofCell ? environmentOfCommand(terminal.environment) : terminal.environment
    return await chosen.verb.run(readArguments(chosen, environment), terminal)
  } catch (error) {
    const failure = commandError(error)
    // An unknown error is a defect: without --json, the process ends with its stack trace.
    if (!failure && !isJson) throw error
    if (!failure) terminal.err(`${error instanceof Error ? error.stack : error}\n`)
    if (isJson) printError(terminal, failure ?? { code: 'internal_error', message: String(error) })
    else if (failure?.code === 'misuse') terminal.err(`${failure.message}\nUsage: ${usage}\n`)
    else terminal.err(`cartwright: ${failure?.message}\n`)
    return failure?.code === 'misuse' ? 2 : 1
  }
}

// A failure as printed with --json.
interface CommandError {
  code: string
  message: string
  issues?: readonly Issue[]
  current?: Readonly<Record<string, unknown>>
}

function printError(terminal: Terminal, error: CommandError): void {
  terminal.out(`${JSON.stringify({ error }, null, 2)}\n`)
}

// Returns undefined for a defect. Control characters in the message are escaped, since it may contain names that others chose.
function commandError(error: unknown): CommandError | undefined {
  if (error instanceof Refusal) {
    const { issues, current } = error.details
    const message = escapeControlCharacters(refusalText(error))
    return { code: error.code, message, ...(issues && { issues }), ...(current && { current }) }
  }
  const code = codeOf(error)
  return code === undefined ? undefined : { code, message: escapeControlCharacters((error as Error).message) }
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof Misuse) return 'misuse'
  if (error instanceof CommandFailure) return error.code
  if (error instanceof BadSetting) return 'bad_setting'
  if (error instanceof StorageRefused) return 'storage_refused'
  if (error instanceof StorageUnavailable) return 'storage_unavailable'
  return undefined
}

async function overview(): Promise<string> {
  const loaded = Object.entries(commands).map(async ([name, load]) => [name, (await load()).summary] as const)
  return [
    `Cartwright ${version}, a commerce server`,
    '',
    `${program} <command> [--help] [--json]`,
    '',
    ...alignColumns(await Promise.all(loaded)),
    '',
    'The settings are environment variables, which docs/commands.md lists.',
    '',
  ].join('\n')
}
