// Legal texts: schemas and operations.

import { limits } from '../limits.ts'
import { Count, IdempotencyKey, Instant, paragraphSchema } from '../parts.ts'
import { object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { legalTextKinds, textLanguages } from '../words.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

const members = {
  kind: oneOf(legalTextKinds, {
    description: 'guarantee: the harmonised notice on the legal guarantee of goods, which is a picture.',
  }),
  language: oneOf(textLanguages),
}

export const AdminText = object({
  ...members,
  version: withDescription('Of this kind in this language.', Count),
  text: Type.String({ description: 'Plain text; lines count. Of `guarantee`: the address of the picture.' }),
  since: withDescription('When this version began to hold.', Instant),
})
export const AdminTextListResponse = object({
  data: Type.Array(AdminText, { maxItems: 100, description: 'Those that hold now, one for each kind and language.' }),
})
export const AdminTextRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  ...members,
  text: paragraphSchema(
    0,
    limits.textLengthMax,
    'Plain text; of `guarantee` the `url` of a picture that was uploaded. Empty: from now on there is none.',
  ),
})
export const AdminTextResponse = object({ data: AdminText })

// biome-ignore format: a row reads best as a few lines
export const textOperationRows = {
  getAdminTexts: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/texts',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Shop',
    summary: 'List legal texts',
    description: 'Terms, withdrawal instruction, notices and the other texts, as they hold now, in each language.',
    body: null, reply: okReply(AdminTextListResponse),
    refusals: [],
  },
  saveAdminText: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/texts',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Save a legal text',
    description: 'Makes a new version, which holds from now on. Orders keep the version that held when they were placed.',
    body: AdminTextRequest, bodyBytesMax: 524_288, reply: okReply(AdminTextResponse),
    refusals: ['text_limit'],
  },
} as const satisfies AdminOperationRows

export type AdminText = Static<typeof AdminText>
