// What admin operations refuse alike: another version, and entries that are not valid.

import { limits } from '../../contract/limits.ts'
import { below, type Problem } from '../kit/problems.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'

// The thing as it is now, so a person can compare.
export function versionConflict(thing: { version: number }): Refusal {
  const message = `The present version is ${thing.version}.`
  return refuse('version_conflict', { message, current: thing })
}

// What a schema cannot express, with its place in the body.
export function refuseProblems(path: string, problems: Iterable<Problem>): void {
  const issues = [...below(path, problems)].slice(0, limits.issuesMax)
  if (issues.length > 0) throw refuse('invalid_request', { issues })
}
