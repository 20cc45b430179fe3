// Error pages. A resource of another shop gets the same page as one that never existed.

import { type AdminOperationId, adminOperations } from '../../contract/admin/operations.ts'
import { refusals } from '../../contract/refusals.ts'
import { renderHtmlDocument } from '../../platform/html/frame.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { siteBranding } from '../../platform/html/mark.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import type { Refusal } from '../../platform/kit/refuse.ts'
import { confirmPathFor, signInPath } from '../signin/visit.ts'
import { style } from './assets.ts'
import { renderDashboardFrame } from './frame.ts'
import { dashboardHeaders } from './headers.ts'
import { button, emptyState, linkButton } from './parts.ts'
import type { PlaceId } from './places.ts'
import type { ScreenVisit } from './screen.ts'
import { type DashboardWords, dashboardWordsFor } from './words.ts'

export type DashboardErrorKind =
  | { kind: 'foreign' | 'lost' }
  | { kind: 'scope'; needs: AdminOperationId }
  | { kind: 'refused'; refusal: Refusal }

export function errorPage(visit: ScreenVisit, place: PlaceId | null, wrong: DashboardErrorKind): PageAnswer {
  const { words, to } = visit
  const { status, title, text } = wordsOf(visit, wrong)
  const action = linkButton({ label: words.say('error.home'), href: to('home') })
  return renderDashboardFrame(visit, place, {
    title,
    status,
    width: 'narrow',
    body: html`<div class="card">${emptyState({ title: text, action })}</div>`,
  })
}

function wordsOf({ words }: ScreenVisit, wrong: DashboardErrorKind): { status: number; title: string; text: string } {
  if (wrong.kind === 'foreign')
    return { status: 403, title: words.say('error.foreign'), text: words.say('error.foreignText') }
  if (wrong.kind === 'scope') {
    return { status: 403, title: words.say('error.scope'), text: scopeText(words, adminOperations[wrong.needs].scope) }
  }
  const lost = { status: 404, title: words.say('error.lost'), text: words.say('error.lostText') }
  if (!('refusal' in wrong)) return lost
  const { refusal } = wrong
  const { status } = refusals[refusal.code]
  if (status === 404) return lost
  if (refusal.code === 'scope_missing') {
    const scope = String(refusal.details.current?.requiredScope ?? '')
    return { status, title: words.say('error.scope'), text: scopeText(words, scope) }
  }
  return { status, title: words.say('error.refused'), text: words.refusal(refusal) }
}

// Describes what the scope allows, since merchants do not know the names of scopes.
function scopeText(words: DashboardWords, scope: string): string {
  return words.say('error.scopeText', { scope: words.sayKnown(`scope.${scope}`, scope) })
}

export interface HeldPost {
  kind: 'signIn' | 'confirm'
  // Where the person goes after signing in or confirming.
  back: string
  action: string
  fields: Html
  hasFile: boolean
}

// The page for a form that was sent after the session or the confirmation had expired. Its button sends the form again.
export function heldPage(
  { raw }: Pick<Incoming, 'raw'>,
  { kind, back, action, fields, hasFile }: HeldPost,
): PageAnswer {
  const words = dashboardWordsFor(raw.headers['accept-language'], 'UTC')
  return alonePage(words, {
    status: 403,
    title: words.say(`held.${kind}`),
    body: html`<p class="lead">${words.say(hasFile ? 'held.fileText' : `held.${kind}Text`)}</p>
${wayOut(words, { kind, back })}
<form method="post" action="${action}"${hasFile && html` enctype="multipart/form-data"`}>
  ${fields}
  ${
    hasFile &&
    html`<p>
      <label for="field-file">${words.say('picture.file')}</label> <input
        id="field-file"
        type="file"
        name="file"
        required>
    </p>`
  }
  ${button({ label: words.say('held.again') })}</form>`,
  })
}

// The page for a form that is too large to be rendered again after the session or the confirmation has expired.
export function unheldPage(
  { raw }: Pick<Incoming, 'raw'>,
  { kind, back }: Pick<HeldPost, 'kind' | 'back'>,
): PageAnswer {
  const words = dashboardWordsFor(raw.headers['accept-language'], 'UTC')
  return alonePage(words, {
    status: 413,
    title: words.say(`held.${kind}`),
    body: html`<p class="lead">${words.say('held.largeText')}</p>
${wayOut(words, { kind, back })}`,
  })
}

function wayOut(words: DashboardWords, { kind, back }: Pick<HeldPost, 'kind' | 'back'>): Html {
  const way = kind === 'signIn' ? signInPath(back) : confirmPathFor(back)
  return html`<p><a class="button first" href="${way}" target="_blank" rel="noopener">${words.say(`held.${kind}Open`)}</a></p>`
}

// The page for errors outside the frame of the dashboard: another person's shop, a defect, too much load.
export function failedPage({ raw }: Pick<Incoming, 'raw'>, status: number): PageAnswer {
  const words = dashboardWordsFor(raw.headers['accept-language'], 'UTC')
  const kind = status === 404 ? 'lost' : status === 429 ? 'limited' : status < 500 ? 'refused' : 'failed'
  return alonePage(words, {
    status,
    title: words.say(`error.${kind}`),
    body: html`<p class="lead">${words.say(`error.${kind}Text`)}</p>
    <p><a class="button second" href="/admin">${words.say('error.home')}</a></p>`,
  })
}

function alonePage(
  words: DashboardWords,
  { status, title, body }: { status: number; title: string; body: Html },
): PageAnswer {
  return {
    status,
    headers: { ...dashboardHeaders },
    body: renderHtmlDocument({
      ...siteBranding,
      locale: words.locale,
      direction: words.direction,
      title: `${title} – Cartwright`,
      style: style.href,
      attributes: html` class="alone"`,
      body: html`<main id="main"><h1>${title}</h1>${body}</main>`,
    }),
  }
}
