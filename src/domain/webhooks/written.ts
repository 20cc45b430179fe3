// Entries of the audit log for an endpoint. Pure.

import type { AuditedChange, MemberChange } from '../../platform/audit/change.ts'
import type { Endpoint } from './store.ts'
import { urlFingerprint } from './url.ts'

export interface RecordedEndpoint {
  url: string
  description: string
  events: readonly string[]
  status: string
}

export function endpointFacts({ url, description, events, status }: Endpoint): RecordedEndpoint {
  return { url: urlFingerprint(url), description, events: JSON.parse(events) as string[], status }
}

export function createdMembers(members: RecordedEndpoint): MemberChange[] {
  return Object.entries(members).map(([member, to]) => ({ member, from: null, to }))
}

export function endpointChange(
  kind: AuditedChange['kind'],
  { id, url }: Endpoint,
  members: readonly MemberChange[],
): AuditedChange {
  return { kind, what: 'webhook', id, name: urlFingerprint(url), members }
}
