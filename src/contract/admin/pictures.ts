// Pictures: schemas and rows.

import { limits } from '../limits.ts'
import { IdempotencyKey } from '../parts.ts'
import { idPattern } from '../patterns.ts'
import { object, type Static, Type } from '../schema.ts'
import { ok } from '../surface.ts'
import { idPrefixes } from '../words.ts'
import { type AdminRows, adminRow } from './row.ts'

export const PictureId = Type.String({
  pattern: idPattern(idPrefixes.picture).source,
  description: 'Id of a picture: the same motif in one or several sizes.',
})

// Four characters for three bytes.
const contentLengthMax = Math.ceil(limits.pictureBytesMax / 3) * 4

export const AdminPictureRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  content: Type.String({
    minLength: 1,
    maxLength: contentLengthMax,
    pattern: '^[A-Za-z0-9+/]+={0,2}$',
    description:
      'The file in base64: WebP, JPEG, PNG or AVIF of at most 1 MiB and 4,096 pixels a side. Camera data is taken out; an AVIF file with camera data is refused.',
  }),
  pictureId: Type.Optional({ ...PictureId, description: 'Makes the file another size of this picture.' }),
})

const size = {
  url: Type.String({ description: 'Its path on this server. What is under it never changes.' }),
  width: Type.Integer({ description: 'In pixels.' }),
  height: Type.Integer({ description: 'In pixels.' }),
}

export const AdminPicture = object({
  pictureId: PictureId,
  ...size,
  sizes: Type.Array(object(size), { description: 'All sizes of the picture, the smallest first.' }),
})

export const AdminPictureResponse = object({ data: AdminPicture })

// biome-ignore format: rows are read one below the other
export const pictureRows = {
  uploadAdminPicture: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/pictures',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Upload a picture',
    description:
      'Stores a file and answers with its path, to be used as the picture of a product, a SKU or a category. The same file again answers with the same path.',
    body: AdminPictureRequest, bodyBytesMax: contentLengthMax + 4_096, reply: ok(AdminPictureResponse),
    refusals: ['picture_not_found', 'picture_limit'],
  },
} as const satisfies AdminRows

export type AdminPicture = Static<typeof AdminPicture>
