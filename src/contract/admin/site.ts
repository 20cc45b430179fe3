// The shop that this server shows for the merchant: schemas and rows.

import { ExpectedVersion, IdempotencyKey, Instant, Version } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { ok } from '../surface.ts'
import { siteStatuses } from '../words.ts'
import { AdminSubjectChange } from './changes.ts'
import { type AdminRows, adminRow } from './row.ts'

export const AdminSite = object({
  version: Version,
  status: oneOf(siteStatuses, {
    description: 'While it is closed, only people of the merchant who are signed in see it.',
  }),
  openedAt: nullable(Instant),
  url: nullable(Type.String(), { description: 'Where this server shows it. null if it does not.' }),
})

export const AdminSiteResponse = object({ data: AdminSite })
export const AdminSiteChangeResponse = object({
  data: AdminSite,
  changes: Type.Array(AdminSubjectChange, { description: 'What changed.' }),
})

export const SiteTransitionRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: ExpectedVersion,
})

// biome-ignore format: a row reads best as a few lines
export const siteRows = {
  getAdminSite: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/site',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Site',
    summary: 'Get the site',
    description: 'The online store that this server shows, in the mode of the caller: whether it is open, and where it is.',
    body: null, reply: ok(AdminSiteResponse),
    refusals: [],
  },
  openAdminSite: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/open',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Open the site',
    description: 'From now on everyone can see the online store and buy there.',
    body: SiteTransitionRequest, reply: ok(AdminSiteChangeResponse),
    refusals: ['version_conflict'],
  },
  closeAdminSite: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/close',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Close the site',
    description: 'Shoppers see a page that says so. Checkouts that are open can still be paid.',
    body: SiteTransitionRequest, reply: ok(AdminSiteChangeResponse),
    refusals: ['version_conflict'],
  },
} as const satisfies AdminRows

export type AdminSite = Static<typeof AdminSite>
