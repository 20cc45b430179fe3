// Every verb of the command line, by the words that call it.

import { commands } from '../src/ops/cli/cli.ts'
import type { CommandVerb } from '../src/ops/cli/command.ts'
import type { Effect } from '../src/ops/cli/database.ts'

export const verbs: ReadonlyMap<string, CommandVerb> = new Map(
  (
    await Promise.all(
      Object.entries(commands).map(async ([name, load]) => {
        const { alone, verbs = {} } = await load()
        const named = Object.entries(verbs).map(([word, verb]): [string, CommandVerb] => [`${name} ${word}`, verb])
        return alone ? [[name, alone] as [string, CommandVerb], ...named] : named
      }),
    )
  ).flat(),
)

// What each does to the database. A form that only reads is listed with its option.
export const effects: Readonly<Record<string, Effect | 'none'>> = Object.fromEntries(
  [...verbs].flatMap(([name, { effect, readsWith }]) => [
    [name, effect],
    ...(readsWith === undefined ? [] : [[`${name} --${readsWith}`, 'reads']]),
  ]),
)
