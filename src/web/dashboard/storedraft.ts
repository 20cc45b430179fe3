// What the pages of look, home and menus share: the draft, the line that says whether it is published, and the shop as its preview.

import type { AdminSite } from '../../contract/admin/site.ts'
import type { SiteContent } from '../../contract/sitecontent.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { keyField, keyIn } from './form.ts'
import { button, linkButton } from './parts.ts'
import { attempt, type Posted, type Visit } from './screen.ts'
import { sections, storeSections } from './sections.ts'

type DraftPart = 'look'

export const draftPaths: Readonly<Record<DraftPart, string>> = {
  look: 'store/look',
}

// What the next edit begins with.
export function draftOf({ draft, published }: AdminSite): SiteContent {
  return draft ?? published
}

// Above each of the three pages.
export function draftHead(visit: Visit, site: AdminSite, part: DraftPart): Html {
  const { words, to, may } = visit
  const { draft, draftUrl, version } = site
  const act = (name: string, label: string, kind: 'first' | 'second') =>
    button({ label, kind, name: 'do', value: name })
  return html`${sections(visit, storeSections, part)}<div class="draft-bar"><p><strong>${words.say(draft ? 'draft.open' : 'draft.none')}</strong> <span class="soft">${words.say(draft ? 'draft.openText' : 'draft.noneText')}</span></p>
<div class="draft-actions">${draftUrl !== null && linkButton({ label: words.say('draft.see'), href: draftUrl, icon: 'eye', isNewTab: true })}${
    draft !== null &&
    may('publishAdminSite') &&
    html`<form method="post" action="${to('store/draft')}">${keyField()}<input type="hidden" name="version" value="${version}"><input type="hidden" name="back" value="${part}">${act('discard', words.say('draft.discard'), 'second')}${act('publish', words.say('draft.publish'), 'first')}</form>`
  }</div></div>`
}

// The shop itself, with the draft.
export function draftPreview({ words }: Visit, { draftUrl }: AdminSite): Html | false {
  if (draftUrl === null) return false
  return html`<div class="preview"><iframe src="${new URL(draftUrl).pathname}" title="${words.say('draft.preview')}" loading="lazy"></iframe></div>`
}

// Of a form with the version that it was drawn from.
export function versionIn({ form }: Posted): number {
  const version = Number(form.get('version'))
  return Number.isSafeInteger(version) && version > 0 ? version : 1
}

export async function replaceDraft(posted: Posted, content: SiteContent) {
  const body = { ...content, expectedVersion: versionIn(posted) }
  return attempt(posted.change('replaceAdminSite', { body, key: keyIn(posted.form) }))
}
