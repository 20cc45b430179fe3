// Names of the people who acted. In lists of changes and notes, operations name people by id only, because names and e-mail addresses are
// not stored in plain text.

import type { AdminActor } from '../../contract/admin/changes.ts'
import type { ScreenVisit } from './screen.ts'

export type NameActor = (actor: AdminActor) => AdminActor

// People who may list members see all names; others see their own only. The members are loaded only if another person acted.
export async function loadActorNames(visit: ScreenVisit, actors: readonly AdminActor[]): Promise<NameActor> {
  const names = new Map([[visit.userId, visit.name ?? visit.email]])
  const isOther = ({ kind, id }: AdminActor) => kind === 'person' && id !== visit.userId
  if (actors.some(isOther) && visit.may('listAdminMembers')) {
    const { data } = await visit.ask('listAdminMembers')
    for (const { id, email, name } of data) names.set(id, name ?? email)
  }
  return (actor) => ({ ...actor, name: actor.name ?? names.get(actor.id ?? '') ?? null })
}
