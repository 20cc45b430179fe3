// The online store that this server shows for the merchant: schemas and operations.

import { ExpectedVersion, IdempotencyKey, Instant, Version } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { SiteContent } from '../sitecontent.ts'
import { okReply } from '../surface.ts'
import { hostProblems, siteStatuses } from '../words.ts'
import { AdminSubjectChange } from './changes.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

// Per shop.
export const hostsMax = 10
const contentBytesMax = 512 * 1024

export const AdminHost = object({
  host: Type.String(),
  isMain: Type.Boolean({ description: 'The others lead to it.' }),
  isProved: Type.Boolean({ description: 'It counts from then on.' }),
  problem: nullable(oneOf(hostProblems), { description: 'Why it is not proved, as of the last look.' }),
  checkedAt: nullable(Instant),
  isChecked: Type.Boolean({
    description: 'Whether its proof is still looked for. After a week it has to be asked for again.',
  }),
  record: object(
    { name: Type.String(), value: Type.String() },
    {
      description:
        'A TXT record that proves it. Without one, it is proved once this server answers under its name by http.',
    },
  ),
})

export const AdminSite = object({
  version: Version,
  status: oneOf(siteStatuses, {
    description: 'While it is closed, only people of the merchant who are signed in see it.',
  }),
  openedAt: nullable(Instant),
  url: nullable(Type.String(), { description: 'Where this server shows it. null if it does not.' }),
  hosts: Type.Array(AdminHost, { maxItems: hostsMax, description: 'Of the shop in live mode, oldest first.' }),
  published: withDescription('What shoppers see: look, home and menus, in both modes.', SiteContent),
  draft: nullable(SiteContent, { description: 'What they would see once it is published. null if nothing differs.' }),
  draftUrl: nullable(Type.String(), {
    description: 'The shop in the look of the draft, for people of the merchant who are signed in.',
  }),
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

const idempotencyKey = Type.Optional(IdempotencyKey)
export const ReplaceAdminSiteRequest = object({
  idempotencyKey,
  expectedVersion: ExpectedVersion,
  ...SiteContent.properties,
})
export const AdminHostAddRequest = object({
  idempotencyKey,
  host: Type.String({ minLength: 1, maxLength: 253, description: 'A name of yours: shop.example.com.' }),
})
export const AdminHostActionRequest = object({ idempotencyKey })

// biome-ignore format: a row reads best as a few lines
export const siteOperationRows = {
  getAdminSite: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/site',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Site',
    summary: 'Get the site',
    description: 'The online store that this server shows, in the mode of the caller: whether it is open, and where it is.',
    body: null, reply: okReply(AdminSiteResponse),
    refusals: [],
  },
  replaceAdminSite: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/site',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Replace the draft of the site',
    description: 'Look, home and menus are what the body says once they are published. A body that equals what is published ends the draft.',
    body: ReplaceAdminSiteRequest, bodyBytesMax: contentBytesMax, reply: okReply(AdminSiteChangeResponse),
    refusals: ['version_conflict'],
  },
  publishAdminSite: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/publish',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Publish the draft of the site',
    description: 'Shoppers see it from now on. Checkout, order page, account and e-mails wear the same look.',
    body: SiteTransitionRequest, reply: okReply(AdminSiteChangeResponse),
    refusals: ['version_conflict'],
  },
  openAdminSite: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/open',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Open the site',
    description: 'From now on everyone can see the online store and buy there.',
    body: SiteTransitionRequest, reply: okReply(AdminSiteChangeResponse),
    refusals: ['version_conflict'],
  },
  closeAdminSite: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/close',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Close the site',
    description: 'Shoppers see a page that says so. Checkouts that are open can still be paid.',
    body: SiteTransitionRequest, reply: okReply(AdminSiteChangeResponse),
    refusals: ['version_conflict'],
  },
  addAdminHost: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/hosts',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Add a host',
    description: 'A name under which shoppers reach the shop. It counts once it is proved: by a TXT record, or by this server answering under it. It is looked for at once and for a week.',
    body: AdminHostAddRequest, reply: okReply(AdminSiteChangeResponse),
    refusals: ['host_limit'],
  },
  checkAdminHost: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/hosts/{host}/check',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Look for the proof of a host',
    description: 'At once, and again for a week. The outcome is in the site a few seconds later.',
    body: AdminHostActionRequest, reply: okReply(AdminSiteChangeResponse),
    refusals: ['host_not_found'],
  },
  makeAdminHostMain: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/hosts/{host}/main',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Make a host the main one',
    description: 'The other hosts lead to it, and links name it.',
    body: AdminHostActionRequest, reply: okReply(AdminSiteChangeResponse),
    refusals: ['host_not_found', 'host_not_proved'],
  },
  removeAdminHost: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/site/hosts/{host}',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Remove a host',
    description: 'The shop is no longer shown there.',
    body: AdminHostActionRequest, reply: okReply(AdminSiteChangeResponse),
    refusals: ['host_not_found'],
  },
} as const satisfies AdminOperationRows

export type AdminSite = Static<typeof AdminSite>
