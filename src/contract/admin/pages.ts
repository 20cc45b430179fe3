// The pages of the online store: schemas and operations.

import { optionalMember, slugSchema, textSchema } from '../entries.ts'
import { ExpectedVersion, IdempotencyKey, Instant, Version } from '../parts.ts'
import { object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { pageMenus } from '../words.ts'
import { AdminSubjectChange } from './changes.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

// Per shop.
export const pagesMax = 100
export const pageBodyLengthMax = 40_000
const pageBytesMax = 256 * 1024

export const PageEntry = object({
  slug: withDescription('The path of the page in the shop: about for /about.', slugSchema),
  title: Type.String({ minLength: 1, maxLength: 200 }),
  bodyHtml: withDescription(
    'HTML: headings, lists, tables, bold, links. Anything else, such as styles, pictures and scripts, is removed.',
    textSchema(pageBodyLengthMax),
  ),
  description: optionalMember('What search engines show below the title.', textSchema(500)),
  menu: optionalMember('Which menu of the shop links to it (default: none).', oneOf(pageMenus)),
  position: optionalMember(
    'Lower ones come first in the menu (default: 0).',
    Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  ),
  published: optionalMember('false hides it (default: true).', Type.Boolean()),
})

export const AdminPage = object({ version: Version, updatedAt: Instant, page: PageEntry })
export const AdminPageResponse = object({ data: AdminPage })
export const AdminPageListResponse = object({
  data: Type.Array(AdminPage, { maxItems: pagesMax, description: 'In the order of menus. `bodyHtml` is empty here.' }),
})
export const AdminPageChangeResponse = object({
  data: AdminPage,
  changes: Type.Array(AdminSubjectChange, { description: 'What changed.' }),
})

const idempotencyKey = Type.Optional(IdempotencyKey)
const { slug: _, ...members } = PageEntry.properties
export const CreateAdminPageRequest = object({ idempotencyKey, ...PageEntry.properties })
export const ReplaceAdminPageRequest = object({ idempotencyKey, expectedVersion: ExpectedVersion, ...members })
export const RemoveAdminPageRequest = object({ idempotencyKey, expectedVersion: ExpectedVersion })

// biome-ignore format: a row reads best as a few lines
export const pageOperationRows = {
  getAdminPages: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/site/pages',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Site',
    summary: 'List pages',
    description: 'The pages of the online store, without their texts.',
    body: null, reply: okReply(AdminPageListResponse),
    refusals: [],
  },
  getAdminPage: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/site/pages/{slug}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Site',
    summary: 'Get a page',
    description: 'One page with its text.',
    body: null, reply: okReply(AdminPageResponse),
    refusals: ['page_not_found'],
  },
  createAdminPage: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/pages',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Create a page',
    description: 'A page of the online store, such as About or Terms, below its own path.',
    body: CreateAdminPageRequest, bodyBytesMax: pageBytesMax, reply: okReply(AdminPageChangeResponse),
    refusals: ['page_exists', 'page_limit'],
  },
  replaceAdminPage: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/site/pages/{slug}',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Replace a page',
    description: 'The page is what the body says. Its path stays.',
    body: ReplaceAdminPageRequest, bodyBytesMax: pageBytesMax, reply: okReply(AdminPageChangeResponse),
    refusals: ['page_not_found', 'version_conflict'],
  },
  removeAdminPage: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/site/pages/{slug}',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Remove a page',
    description: 'Its address is not found from now on.',
    body: RemoveAdminPageRequest, reply: okReply(AdminPageChangeResponse),
    refusals: ['page_not_found', 'version_conflict'],
  },
} as const satisfies AdminOperationRows

export type PageEntry = Static<typeof PageEntry>
export type AdminPage = Static<typeof AdminPage>
