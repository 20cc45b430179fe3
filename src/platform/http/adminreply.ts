// Refusals that admin operations share: a version conflict, and invalid entries.

import { limits } from '../../contract/limits.ts'
import { type EntryProblem, problemsBelow } from '../kit/problems.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'

// The refusal contains the present state, so the user can compare.
export function versionConflict(thing: { version: number }): Refusal {
  const message = `The resource is at version ${thing.version}, which is not the version that the request expects.`
  return refuse('version_conflict', { message, current: thing })
}

// Refuses problems that a schema cannot detect, with their paths in the body.
export function refuseProblems(path: string, problems: Iterable<EntryProblem>): void {
  const issues = [...problemsBelow(path, problems)].slice(0, limits.issuesMax)
  if (issues.length > 0) throw refuse('invalid_request', { issues })
}
