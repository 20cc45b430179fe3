// The text of --help, generated from the tables of verbs.

import type { ChosenVerb } from './arguments.ts'
import type { Command, OptionFacts } from './command.ts'

export function usageOf({ name, verb }: Pick<ChosenVerb, 'name' | 'verb'>): string {
  const options = Object.entries(verb.options ?? {}).map(([option, facts]) => {
    const text = spelled(option, facts)
    return facts.isRequired ? text : `[${text}]`
  })
  return ['cartwright', name, ...(verb.words ?? []), ...options].join(' ')
}

function spelled(option: string, { value }: OptionFacts): string {
  return value === undefined ? `--${option}` : `--${option} ${value}`
}

const forAll: Readonly<Record<string, OptionFacts>> = {
  json: { help: 'print the result as JSON' },
  help: { help: 'print this help' },
}

export function helpForVerb(chosen: ChosenVerb): string {
  const options = Object.entries({ ...chosen.verb.options, ...forAll })
  const rows = options.map(([option, facts]) => [spelled(option, facts), facts.help] as const)
  return [chosen.verb.summary, '', `  ${usageOf(chosen)}`, '', ...alignColumns(rows), ''].join('\n')
}

export function helpForCommand(name: string, { summary, alone, verbs = {} }: Command): string {
  const rows = Object.entries(verbs).map(([word, verb]) => [`cartwright ${name} ${word}`, verb.summary] as const)
  return [
    summary,
    '',
    ...alignColumns([...(alone ? [[`cartwright ${name}`, alone.summary] as const] : []), ...rows]),
    '',
    `\`cartwright ${name} VERB --help\` lists the arguments and options of a verb.`,
    '',
  ].join('\n')
}

export function alignColumns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
