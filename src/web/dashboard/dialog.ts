// Dialogs: questions and short forms. A link with `isDialog` leads to a page of its own; with script (browser/dialogs.ts), that page's
// question is fetched and shown in a <dialog> above the present page. Its form posts normally, and a refusal shows the dialog's page.
//
//   linkButton({ label: 'Send', href: visit.to(`orders/${id}/send`), isDialog: true })
//   get: async (visit) => dialog({ title, back, body: form(visit, { …, cancel: back.href }) })

import { type Html, html } from '../../platform/html/html.ts'
import type { ScreenSheet } from './screen.ts'

export interface DialogParts {
  title: string
  // Target of *Cancel* and of the link above the title.
  back: { href: string; label: string }
  lead?: string | undefined
  body: Html
  status?: number
}

export function dialog({ title, back, lead, body, status = 200 }: DialogParts): ScreenSheet {
  return {
    title,
    back,
    status,
    width: 'narrow',
    body: html`<div class="card">
      <div class="card-body" data-dialog-body>${lead !== undefined && html`<p class="lead">${lead}</p>`}${body}</div>
    </div>`,
  }
}
