// Pictures: schemas and operations.

import { limits } from '../limits.ts'
import { IdempotencyKey } from '../parts.ts'
import { idPattern } from '../patterns.ts'
import { object, oneOf, type Static, Type } from '../schema.ts'
import { okReply } from '../surface.ts'
import { idPrefixes, remotePictureProblems } from '../words.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

export const PictureId = Type.String({
  pattern: idPattern(idPrefixes.picture).source,
  description: 'Id of a picture: the same motif in one or several sizes.',
})

// Base64 has four characters for three bytes.
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

export const AdminRemotePictures = object({
  broughtOver: Type.Integer({ description: 'How many are on this server now.' }),
  waiting: Type.Integer({ description: 'How many are still to be tried, or tried again.' }),
  givenUp: Type.Integer({ description: 'How many stay where they are.' }),
  problems: Type.Array(
    object({
      url: Type.String({ description: 'Where the picture is.' }),
      productSlug: Type.String({ description: 'The product that shows it.' }),
      problem: oneOf(remotePictureProblems, {
        description:
          '`forbidden`: an address that this server may not call. `missing`: its server does not have it. `unreachable`, `too_slow`: its server did not answer, or not in time, five times. `too_large`: more than 15 MiB, or too many pixels. `not_a_picture`: no picture that browsers show. `limit`: the shop has as many pictures as it may have.',
      }),
    }),
    { description: 'The first hundred that were given up, by product.' },
  ),
})

export const AdminRemotePicturesResponse = object({ data: AdminRemotePictures })

export const AdminPictureResponse = object({ data: AdminPicture })

// biome-ignore format: rows are read one below the other
export const pictureOperationRows = {
  uploadAdminPicture: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/pictures',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Upload a picture',
    description:
      'Stores a file and answers with its path, to be used as the picture of a product, a SKU or a category. The same file again answers with the same path.',
    body: AdminPictureRequest, bodyBytesMax: contentLengthMax + 4_096, reply: okReply(AdminPictureResponse),
    refusals: ['picture_not_found', 'picture_limit'],
  },
  getAdminRemotePictures: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/pictures/remote',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog',
    summary: 'Show how far pictures of imports are brought over',
    description:
      'Pictures of imported products that are on other servers are copied to this one, so they stay when the old shop is closed. How many are here, and why others are not.',
    body: null, reply: okReply(AdminRemotePicturesResponse), refusals: [],
  },
} as const satisfies AdminOperationRows

export type AdminPicture = Static<typeof AdminPicture>
