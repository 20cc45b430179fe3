// Entries of the list of changes for an endpoint. Pure.

import type { AuditedChange, MemberChange } from '../../platform/audit/change.ts'
import type { Endpoint } from './store.ts'
import { addressMark } from './url.ts'

export interface EndpointFacts {
  url: string
  description: string
  events: readonly string[]
  status: string
}

export function facts({ url, description, events, status }: Endpoint): EndpointFacts {
  return { url: addressMark(url), description, events: JSON.parse(events) as string[], status }
}

export function createdMembers(members: EndpointFacts): MemberChange[] {
  return Object.entries(members).map(([member, to]) => ({ member, from: null, to }))
}

export function changeOf(
  kind: AuditedChange['kind'],
  { id, url }: Endpoint,
  members: readonly MemberChange[],
): AuditedChange {
  return { kind, what: 'webhook', id, name: addressMark(url), members }
}
