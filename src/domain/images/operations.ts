// The admin operations on pictures.

import { createHash } from 'node:crypto'
import type { AdminPicture } from '../../contract/admin/pictures.ts'
import { type BrokenRule, issue } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { newId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { type ImageProblem, imageSideMax, readImage } from './format.ts'
import { imageName } from './name.ts'
import { countFiles, filesPerMerchantMax, findFile, type ImageRow, insertFile, listPictureFiles } from './store.ts'

const sizesMax = 8

const problems: Readonly<Record<ImageProblem, BrokenRule>> = {
  unknown: issue('unknown_image_format'),
  broken: issue('broken_image'),
  too_large: issue('image_too_large', { max: imageSideMax }),
  has_metadata: issue('image_has_metadata'),
}

const tooHeavy = issue('image_too_heavy', { mebibytes: limits.pictureBytesMax / 1_048_576 })

export function adminImageOperations(): { uploadAdminPicture: AdminHandler<'uploadAdminPicture'> } {
  return {
    async uploadAdminPicture({ db, caller: { merchantId }, body, now }) {
      const bytes = Buffer.from(body.content, 'base64')
      const picture = bytes.length > limits.pictureBytesMax ? 'too_heavy' : readImage(bytes)
      if (typeof picture === 'string') {
        const problem = picture === 'too_heavy' ? tooHeavy : problems[picture]
        throw refuse('invalid_request', { issues: [{ path: '/content', ...problem }] })
      }
      const hash = createHash('sha256').update(picture.bytes).digest('hex').slice(0, 32)
      // Uploads of one merchant are handled one after the other, so a file is stored once and the limits hold.
      await db.lockRow`select id from merchants where id = ${merchantId}`
      const found = await findFile(db, merchantId, hash)
      if (found) return new AuditedReply(await answer(found), [])
      const pictureId = body.pictureId ?? newId('pic')
      if (body.pictureId !== undefined) {
        const sizes = await listPictureFiles(db, merchantId, pictureId)
        if (sizes.length === 0) throw refuse('picture_not_found')
        if (sizes.length >= sizesMax) throw refuse('picture_limit')
      }
      if ((await countFiles(db, merchantId)) >= filesPerMerchantMax) throw refuse('picture_limit')
      const { kind, width, height } = picture
      const row: ImageRow = { merchantId, hash, pictureId, kind, width, height, bytes: picture.bytes.length }
      insertFile(db, row, picture.bytes, now.getTime())
      const change = { what: 'picture', id: pictureId, name: imageName(row) } as const
      const isSize = body.pictureId !== undefined
      const members = isSize ? [{ member: 'size', from: null, to: width }] : []
      return new AuditedReply(await answer(row), [{ ...change, kind: isSize ? 'change' : 'create', members }])

      async function answer(file: ImageRow): Promise<{ data: AdminPicture }> {
        const sizes = await listPictureFiles(db, merchantId, file.pictureId)
        return { data: { pictureId: file.pictureId, ...sizeView(file), sizes: sizes.map(sizeView) } }
      }
    },
  }
}

function sizeView(row: ImageRow) {
  return { url: `/media/${imageName(row)}`, width: Number(row.width), height: Number(row.height) }
}
