// The operator's command line: finds the command, reads its arguments, prints help, and turns what went wrong into one
// line and an exit code (0 done, 1 not done, 2 misused).

import { type Command, Failure, Misuse, readArguments, type Terminal } from './commands/command.ts'
import { BadSetting } from './config.ts'
import { StorageRefused, StorageUnavailable } from './storage/storage.ts'
import { version } from './version.ts'

// Loaded when asked for: a command that makes a key does not wait for the HTTP server.
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  restore: async () => (await import('./commands/backup.ts')).restoreCommand,
  demo: async () => (await import('./commands/shop.ts')).demoCommand,
  apply: async () => (await import('./commands/shop.ts')).applyCommand,
  import: async () => (await import('./commands/shop.ts')).importCommand,
  promotions: async () => (await import('./commands/promotions.ts')).promotionsCommand,
  orders: async () => (await import('./commands/orders.ts')).ordersCommand,
  webhooks: async () => (await import('./commands/webhooks.ts')).webhooksCommand,
  keys: async () => (await import('./commands/keys.ts')).keysCommand,
  apps: async () => (await import('./commands/apps.ts')).appsCommand,
  users: async () => (await import('./commands/users.ts')).usersCommand,
  doctor: async () => (await import('./commands/inspect.ts')).doctorCommand,
  openapi: async () => (await import('./commands/inspect.ts')).openapiCommand,
}

export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.out(await overview())
    return name === undefined ? 2 : 0
  }
  if (name === '--version') {
    terminal.out(`${version}\n`)
    return 0
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load) {
    terminal.err(`There is no command ${name}. cartwright --help lists them.\n`)
    return 2
  }
  const command = await load()
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(helpFor(command))
    return 0
  }
  try {
    return await command.run(readArguments(command, rest), terminal)
  } catch (error) {
    if (error instanceof Misuse) {
      terminal.err(`${error.message}. cartwright ${name} --help tells more.\n`)
      return 2
    }
    if (
      error instanceof Failure ||
      error instanceof BadSetting ||
      error instanceof StorageRefused ||
      error instanceof StorageUnavailable
    ) {
      terminal.err(`cartwright: ${error.message}\n`)
      return 1
    }
    throw error
  }
}

async function overview(): Promise<string> {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  const loaded = Object.entries(commands).map(
    async ([name, load]) => `  ${name.padEnd(width)}  ${(await load()).summary}`,
  )
  const rows = await Promise.all(loaded)
  return [
    `Cartwright ${version}, a commerce server`,
    '',
    'npm run -s cartwright -- <command> [--help] [--json]',
    '',
    ...rows,
    '',
    'The settings are environment variables; README.md lists them.',
    '',
  ].join('\n')
}

function helpFor({ summary, usage, options }: Command): string {
  const all = {
    ...options,
    json: { type: 'boolean', help: 'print JSON for machines' },
    help: { type: 'boolean', help: 'print this' },
  }
  const width = Math.max(...Object.keys(all).map((name) => name.length))
  return [
    summary,
    '',
    ...usage.map((form) => `  cartwright ${form}`),
    '',
    ...Object.entries(all).map(([name, { help }]) => `  --${name.padEnd(width)}  ${help}`),
    '',
  ].join('\n')
}
