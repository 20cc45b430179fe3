// Parts shared by the pages for design, home page and menus: the draft, the line that says whether it is published, and the store as its
// preview.

import type { AdminSite } from '../../contract/admin/site.ts'
import type { SiteContent } from '../../contract/sitecontent.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { keyField, type Problems, problemsFromRefusal, readKey } from './form.ts'
import { button, linkButton } from './parts.ts'
import { catchRefusal, type PostedScreen, type ScreenVisit } from './screen.ts'
import { renderSections, storeSections } from './sections.ts'
import { redirectWithRefusal, redirectWithToast, type ToastKey } from './toast.ts'

export type DraftPart = 'look' | 'home' | 'menus'

export const draftPaths: Readonly<Record<DraftPart, string>> = {
  look: 'store/look',
  home: 'store/home',
  menus: 'store/menus',
}

// Returns the content with which the next edit begins.
export function currentSiteDraft({ draft, published }: AdminSite): SiteContent {
  return draft ?? published
}

// The head of each of the three pages.
export function draftHead(visit: ScreenVisit, site: AdminSite, part: DraftPart): Html {
  const { words, to, may } = visit
  const { draft, draftUrl, version } = site
  const act = (name: string, label: string, kind: 'first' | 'second') =>
    button({ label, kind, name: 'do', value: name })
  return html`${renderSections(visit, storeSections, part)}
  <div class="draft-bar">
    <p>
      <strong>${words.say(draft ? 'draft.open' : 'draft.none')}</strong> <span class="soft">
        ${words.say(draft ? 'draft.openText' : 'draft.noneText')}
      </span>
    </p>
<div class="draft-actions">
  ${draftUrl !== null && linkButton({ label: words.say('draft.see'), href: draftUrl, icon: 'eye', isNewTab: true })}
  ${
    draft !== null &&
    may('publishAdminSite') &&
    html`<form method="post" action="${to('store/draft')}">
      ${keyField()}
      <input type="hidden" name="version" value="${version}">
      <input type="hidden" name="back" value="${part}">
      ${act('discard', words.say('draft.discard'), 'second')}
      ${act('publish', words.say('draft.publish'), 'first')}
    </form>`
  }</div></div>`
}

// Embeds the store itself, with the draft.
export function draftPreview({ words }: ScreenVisit, { draftUrl }: AdminSite): Html | false {
  if (draftUrl === null) return false
  return html`<div class="draft-preview">
    <iframe src="${new URL(draftUrl).pathname}" title="${words.say('draft.preview')}" loading="lazy"></iframe>
  </div>`
}

// Returns the version that the posted form showed.
export function readSiteVersion({ form }: PostedScreen): number {
  const version = Number(form.get('version'))
  return Number.isSafeInteger(version) && version > 0 ? version : 1
}

export async function replaceSiteDraft(posted: PostedScreen, content: SiteContent) {
  const body = { ...content, expectedVersion: readSiteVersion(posted) }
  return catchRefusal(posted.change('replaceAdminSite', { body, key: readKey(posted.form) }))
}

// Saves a change without typed values, such as moving a row. Redirects to the page, with a toast for success or refusal.
export async function changeSiteDraft(
  posted: PostedScreen,
  part: DraftPart,
  content: SiteContent,
  says: ToastKey,
): Promise<PageAnswer> {
  const outcome = await replaceSiteDraft(posted, content)
  const back = posted.to(draftPaths[part])
  if ('refusal' in outcome) return redirectWithRefusal(back, outcome.refusal)
  return redirectWithToast(back, says, { change: outcome.reply.change })
}

// Returns the URL of the picture that was uploaded with a form, if any.
export async function uploadFormPicture(posted: PostedScreen): Promise<{ url?: string } | { problems: Problems }> {
  const [file] = posted.files.filter(({ length }) => length > 0)
  if (!file) return {}
  const body = { content: file.toString('base64') }
  const outcome = await catchRefusal(posted.ask('uploadAdminPicture', { body, key: `${readKey(posted.form)}-file` }))
  return 'refusal' in outcome
    ? { problems: problemsFromRefusal(posted.words, outcome.refusal) }
    : { url: outcome.reply.data.url }
}

interface PictureFieldParts {
  label: string
  present: string | null
  // Label of the checkbox that removes the picture.
  removes: string
}

export function pictureField({ words }: ScreenVisit, { label, present, removes }: PictureFieldParts): Html {
  return html`<div class="field whole">
    <label for="field-file">${label} <span class="soft">${words.say('form.optional')}</span></label>
${present !== null && html`<img class="guide-logo" src="${present}" alt="${label}">`}
<input
  id="field-file"
  type="file"
  name="file"
  accept="image/png,image/jpeg,image/webp,image/avif"
  aria-describedby="field-file-help">
  <p class="help" id="field-file-help">${words.say('guide.logoHelp')}</p>
${present !== null && html`<label class="check"><input type="checkbox" name="noPicture" value="on"> ${removes}</label>`}
  </div>`
}
