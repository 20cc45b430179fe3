// A toast: one line after a redirect that says what was done, with a button to undo it. The URL contains only the key of its text, numbers
// and the id of the change, never text.
//
//   return redirectWithToast(visit.to('orders'), 'done.sent')                             redirects, then shows the line
//   return redirectWithToast(visit.to('products'), 'done.saved', { count: 12, change })   with *Undo* (`change` from `visit.change`)
//   return redirectWithRefusal(visit.to('orders'), refusal)                               shows the sentence of a refusal instead

import { randomUUID } from 'node:crypto'
import { type RefusalCode, refusals } from '../../contract/refusals.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import type { Refusal } from '../../platform/kit/refuse.ts'
import { toastParameters } from './browser/names.ts'
import { redirectTo, type ScreenVisit } from './screen.ts'
import type { TextKey } from './words.ts'

// Only texts with this prefix and the sentences of refusals can be shown as a toast, so a URL cannot make the page show other texts.
export type ToastKey = Extract<TextKey, `done.${string}`>

export interface ToastFacts {
  count?: number | undefined
  // Number of refused items of a bulk operation.
  refused?: number | undefined
  change?: string | undefined
}

export function redirectWithToast(
  href: string,
  key: ToastKey,
  { count, refused, change }: ToastFacts = {},
): PageAnswer {
  return redirectTo(
    withQuery(href, { done: key.slice('done.'.length), n: count, refused: refused || undefined, change }),
  )
}

export function redirectWithRefusal(href: string, { code }: Pick<Refusal, 'code'>): PageAnswer {
  return redirectTo(withQuery(href, { failed: code }))
}

function withQuery(href: string, values: Readonly<Record<string, string | number | undefined>>): string {
  const [path = '', query] = href.split('?')
  const parameters = new URLSearchParams(query)
  for (const name of toastParameters) parameters.delete(name)
  for (const [name, value] of Object.entries(values)) if (value !== undefined) parameters.set(name, String(value))
  return `${path}?${parameters}`
}

export function renderToast(visit: ScreenVisit): Html | false {
  const { query, words, may } = visit
  const failed = query.get('failed')
  if (failed !== null && Object.hasOwn(refusals, failed)) {
    const code = failed as RefusalCode
    return toast(words.refusal({ code, message: refusals[code].sentence }), 'bad')
  }
  const key = `done.${query.get('done') ?? ''}`
  const count = wholeIn(query.get('n'))
  const text = words.sayKnown(key, '') && words.say(key as TextKey, { count })
  if (!text) return false
  const refused = wholeIn(query.get('refused'))
  const change = query.get('change')
  const undo =
    change !== null && /^chg_\w{1,40}$/.test(change) && may('undoAdminChange')
      ? html`<form method="post" action="${visit.to('undo')}">
        ${hiddenFields({ change, back: visit.here, key: randomUUID() })}
        <button class="toast-undo">${words.say('action.undo')}</button>
      </form>`
      : false
  const rest = refused > 0 ? ` ${words.say('toast.refused', { count: refused })}` : ''
  return toast(text + rest, refused > 0 ? 'bad' : 'good', undo)
}

function toast(text: string, kind: 'good' | 'bad', undo: Html | false = false): Html {
  return html`<div class="toast ${kind}" data-toast><p role="status">${text}</p>${undo}</div>`
}

function wholeIn(text: string | null): number {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : 0
}
