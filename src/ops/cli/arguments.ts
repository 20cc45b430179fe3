// Finds the verb in the arguments and reads its words and options. Unknown words and options are refused by name.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Environment } from '../../platform/config.ts'
import { type Command, type CommandVerb, Misuse, type ParsedArguments } from './command.ts'
import type { Effect } from './database.ts'

export interface ChosenVerb {
  // The command as it is typed: `webhooks test`, or `serve` if it has no verbs.
  name: string
  verb: CommandVerb
  args: readonly string[]
}

// Returns undefined if the command needs a verb and none is given. The verb comes first; only --json and --help may precede it.
export function chooseVerb(
  name: string,
  { alone, verbs = {} }: Command,
  args: readonly string[],
): ChosenVerb | undefined {
  const at = args.findIndex((arg) => !isForAll(arg))
  const word = args[at] ?? ''
  const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined
  if (verb) return { name: `${name} ${word}`, verb, args: args.toSpliced(at, 1) }
  if (alone) return { name, verb: alone, args }
  if (at < 0) return undefined
  throw new Misuse(`${name} has no verb ${word}; its verbs are ${Object.keys(verbs).join(', ')}`)
}

function isForAll(arg: string): boolean {
  return arg === '--json' || arg === '--help' || arg === '-h'
}

export function readArguments({ name, verb, args }: ChosenVerb, environment: Environment): ParsedArguments {
  const facts = verb.options ?? {}
  const options: ParseArgsOptionsConfig = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } }
  for (const [option, { value }] of Object.entries(facts))
    options[option] = { type: value === undefined ? 'boolean' : 'string' }
  refuseUnknown(name, options, args)
  const { values, positionals } = parse(options, args)
  const texts: Record<string, string | undefined> = {}
  const flags = new Set<string>()
  for (const [option, value] of Object.entries(values)) {
    if (typeof value === 'string') texts[option] = value
    else if (value === true) flags.add(option)
  }
  refuseWords(name, verb, positionals)
  for (const [option, { isRequired }] of Object.entries(facts))
    if (isRequired && texts[option] === undefined) throw new Misuse(`--${option} is required`)
  return { effect: effectOf(verb, flags), word: positionals[0] ?? '', words: positionals, texts, flags, environment }
}

function refuseUnknown(name: string, options: ParseArgsOptionsConfig, args: readonly string[]): void {
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true })
  for (const token of tokens)
    if (token.kind === 'option' && !Object.hasOwn(options, token.name))
      throw new Misuse(`${name} has no option ${token.rawName}`)
}

function parse(options: ParseArgsOptionsConfig, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new Misuse((error as Error).message)
  }
}

function refuseWords(name: string, { words = [] }: CommandVerb, given: readonly string[]): void {
  const needed = words.filter((word) => !word.startsWith('['))
  const missing = needed[given.length]
  if (missing !== undefined) throw new Misuse(`${name} needs the argument ${missing.replace('...', '')}`)
  const extra = words.at(-1)?.endsWith('...') ? undefined : given[words.length]
  if (extra !== undefined) throw new Misuse(`${name} does not take the argument ${extra}`)
}

// For the effect `none` the result is not used: such a verb does not call `openDatabase`.
function effectOf({ effect, readsWith }: CommandVerb, flags: ReadonlySet<string>): Effect {
  if (readsWith !== undefined && flags.has(readsWith)) return 'reads'
  return effect === 'none' ? 'changes' : effect
}
