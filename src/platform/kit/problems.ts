// Problems of an entry, each with its path, and checks that are shared by all kinds of entries. Pure.

import { type Issue, issueAt } from '../../contract/issues.ts'

// `path` is relative to the entry.
export type EntryProblem = Issue

export function isBlank(text: string | undefined): boolean {
  return text?.trim() === ''
}

export function* repeatedValueProblems(
  values: readonly string[],
  place: (index: number) => string,
): Generator<EntryProblem> {
  const seen = new Set<string>()
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) yield issueAt(place(index), 'duplicate')
    seen.add(value)
  }
}

// Texts may contain line breaks and tabs. Other control characters are mistakes; one of them is the placeholder for the public origin in
// rendered responses.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

export function* controlCharacterProblems(value: unknown, path: string): Generator<EntryProblem> {
  if (typeof value === 'string') {
    if (control.test(value) || !value.isWellFormed()) yield issueAt(path, 'control_characters')
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      yield* controlCharacterProblems(name, path)
      yield* controlCharacterProblems(member, `${path}/${name}`)
    }
  }
}

// Prefixes the paths of problems, which are relative to a part of the entry, with the path of that part.
export function* problemsBelow(path: string, problems: Iterable<EntryProblem>): Generator<EntryProblem> {
  for (const problem of problems) yield { ...problem, path: `${path}${problem.path}` }
}
