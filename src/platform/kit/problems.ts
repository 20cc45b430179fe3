// Problems of an entry, each with its place, and checks that all kinds of entries share. Pure.

import { type Issue, issueAt } from '../../contract/issues.ts'

// The path is relative to the entry.
export type Problem = Issue

export function isBlank(text: string | undefined): boolean {
  return text?.trim() === ''
}

export function* repeated(values: readonly string[], place: (index: number) => string): Generator<Problem> {
  const seen = new Set<string>()
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) yield issueAt(place(index), 'duplicate')
    seen.add(value)
  }
}

// Line breaks and tabs are allowed in texts. Other control characters are mistakes, and one of them is the placeholder for the public
// origin in rendered answers.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

export function* controlCharacters(value: unknown, path: string): Generator<Problem> {
  if (typeof value === 'string') {
    if (control.test(value) || !value.isWellFormed()) yield issueAt(path, 'control_characters')
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      yield* controlCharacters(name, path)
      yield* controlCharacters(member, `${path}/${name}`)
    }
  }
}

// Returns the problems of a part with their place in the whole entry.
export function* below(path: string, problems: Iterable<Problem>): Generator<Problem> {
  for (const problem of problems) yield { ...problem, path: `${path}${problem.path}` }
}
