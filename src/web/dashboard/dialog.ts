// Dialogs: questions and short forms. A link with `isDialog` opens a page of its own. With script (browser/dialogs.ts), the contents of
// that page are fetched and shown in a <dialog> above the current page. The form is posted normally; a refusal shows the dialog's page.
//
//   linkButton({ label: 'Send', href: visit.to(`orders/${id}/send`), isDialog: true })
//   get: async (visit) => dialog({ title, back, body: renderForm(visit, { …, cancel: back.href }) })

import { type Html, html } from '../../platform/html/html.ts'
import type { ScreenSheet } from './screen.ts'

export interface DialogParts {
  title: string
  // Where *Cancel* and the link above the title lead.
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
