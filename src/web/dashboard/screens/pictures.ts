// Uploads of pictures. With script, browser/picture.ts sends several sizes of a picture and adds the result to the form of the product.
// Without script, a page takes one file and adds it to the product.

import { limits } from '../../../contract/limits.ts'
import { html } from '../../../platform/html/html.ts'
import type { PageAnswer } from '../../../platform/http/pages.ts'
import type { Refusal } from '../../../platform/kit/refuse.ts'
import { pictureSides } from '../browser/names.ts'
import { dialog } from '../dialog.ts'
import { keyField, readKey } from '../form.ts'
import { dashboardHeaders } from '../headers.ts'
import { button, renderNotice } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'

const sizesMax = pictureSides.length
const filesBytesMax = sizesMax * limits.pictureBytesMax + 65_536

interface Uploaded {
  url: string
  width: number
  height: number
}

// Uploads the largest size first, whose id identifies the picture.
async function upload(posted: PostedScreen): Promise<{ reply: Uploaded } | { refusal: Refusal }> {
  const key = readKey(posted.form)
  let first: (Uploaded & { pictureId: string }) | undefined
  for (const [at, file] of posted.files.slice(0, sizesMax).entries()) {
    const content = file.toString('base64')
    const outcome = await catchRefusal(
      posted.ask('uploadAdminPicture', {
        body: { content, ...(first && { pictureId: first.pictureId }) },
        key: `${key}-${at}`,
      }),
    )
    if ('refusal' in outcome) return outcome
    first ??= outcome.reply.data
  }
  if (!first) throw new Error('the picture was sent without a file')
  const { url, width, height } = first
  return { reply: { url, width, height } }
}

export const picturesScreen: Screen = {
  path: 'pictures',
  name: 'dashboard pictures',
  place: 'products',
  needs: 'uploadAdminPicture',
  filesBytesMax,
  async post(posted) {
    if (posted.files.length === 0) return json(400, { message: posted.words.say('picture.none') })
    const outcome = await upload(posted)
    if ('refusal' in outcome) return json(400, { message: reasonOf(posted, outcome.refusal) })
    return json(200, outcome.reply)
  },
}

function json(status: number, value: object): PageAnswer {
  return {
    status,
    body: JSON.stringify(value),
    headers: { ...dashboardHeaders, 'content-type': 'application/json' },
  }
}

function reasonOf({ words }: ScreenVisit, refusal: Refusal): string {
  const [issue] = refusal.details.issues ?? []
  if (!issue) return words.refusal(refusal)
  return words.say('picture.needs', { reason: words.issue(issue) })
}

export const addPictureScreen: Screen = {
  path: 'products/:productId/picture',
  name: 'dashboard add picture',
  place: 'products',
  needs: 'uploadAdminPicture',
  filesBytesMax,
  async get(visit) {
    return askingFor(visit)
  },
  async post(posted) {
    const { form, path, to, words } = posted
    if (posted.files.length === 0) return askingFor(posted, words.say('picture.none'))
    const { data: present } = await posted.ask('getAdminProduct', { path: { productId: path.productId ?? '' } })
    const outcome = await upload(posted)
    if ('refusal' in outcome) return askingFor(posted, reasonOf(posted, outcome.refusal))
    const alt = (form.get('alt') ?? '').trim().slice(0, 500)
    const product = { ...present.product, images: [...(present.product.images ?? []), { ...outcome.reply, alt }] }
    const saved = await catchRefusal(
      posted.ask('replaceAdminProduct', {
        path: { productId: present.id },
        body: { expectedVersion: present.version, product },
        key: readKey(form),
      }),
    )
    if ('refusal' in saved) return askingFor(posted, words.refusal(saved.refusal))
    return redirectWithToast(to(`products/${present.id}`), 'done.saved')
  },
}

async function askingFor(visit: ScreenVisit, problem?: string): Promise<ScreenSheet> {
  const { words, to, path } = visit
  const { data } = await visit.ask('getAdminProduct', { path: { productId: path.productId ?? '' } })
  const back = to(`products/${data.id}`)
  return dialog({
    title: words.say('product.addPicture'),
    back: { href: back, label: data.product.name },
    status: problem === undefined ? 200 : 400,
    body: html`<form
      class="form"
      method="post"
      enctype="multipart/form-data"
      action="${to(`products/${data.id}/picture`)}">
      ${keyField()}
${problem !== undefined && renderNotice('bad', problem, 'alert')}
<div class="fields">
  <div class="field whole">
    <label for="field-file">${words.say('picture.file')}</label>
    <input
      id="field-file"
      type="file"
      name="file"
      accept="image/webp,image/jpeg,image/png,image/avif"
      required
      aria-describedby="field-file-help">
    <p class="help" id="field-file-help">${words.say('picture.help')}</p>
  </div>
<div class="field whole">
  <label for="field-alt">${words.say('product.alt')}</label>
  <input id="field-alt" name="alt" maxlength="500" dir="auto" autocomplete="off"></div></div>
<div class="form-foot">
  ${button({ label: words.say('picture.submit'), kind: 'first', shortcut: 'save' })}
  <a class="button plain" href="${back}" data-close>${words.say('action.cancel')}</a></div>
</form>`,
  })
}
