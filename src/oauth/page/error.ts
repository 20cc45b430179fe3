// The pages that lead no further: what went wrong and what to do, in words for the merchant, with the protocol's own words
// below for whoever builds the app. And the page for anything else there is to say.

import { type Html, html } from '../../pages/html.ts'
import { framed } from './frame.ts'
import type { ErrorKind, ErrorView, MessageView } from './views.ts'

// biome-ignore format: a table is read by its rows
const errors: Readonly<Record<ErrorKind, { status: number; title: string; text: string }>> = {
  lost:       { status: 404, title: 'This page is over',             text: 'It was used already, or took too long, or was opened in another browser. Go back to the app and start again.' },
  foreign:    { status: 403, title: 'That did not come from here',   text: 'The form was not sent from our own page, so nothing was done. Go back to the app and start again.' },
  unreadable: { status: 400, title: 'That could not be read',        text: 'Nothing was done. Go back and try again.' },
  request:    { status: 400, title: 'The app asked in a wrong way',  text: 'Nothing was done, and there is nothing that you could do here. Tell the people who make the app what stands below.' },
  limited:    { status: 429, title: 'Too many requests',             text: 'Nothing was done. Wait a few seconds, then go back and try again.' },
  no_shop:    { status: 403, title: 'You have no shop here',         text: 'You are signed in, but you may not act for any shop. Ask whoever runs this server to add yours.' },
  server:     { status: 500, title: 'Something went wrong',          text: 'It is our fault and not yours. Nothing was done. Try again in a moment.' },
}

export function errorStatus(kind: ErrorKind): number {
  return errors[kind].status
}

export function errorPage({ kind, code, detail, requestId }: ErrorView): string {
  const { title, text } = errors[kind]
  const facts = [
    ['Error', code],
    ['Detail', detail],
    ['Request', requestId],
  ].filter(([, value]) => value !== undefined && value !== '')
  const body = html`<div class="state">
${icons.cross}
<h1>${title}</h1>
<p class="lead">${text}</p>
${facts.length > 0 && html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${cut(value)}</dd></div>`)}</dl>`}
</div>`
  return framed(`${title} – Cartwright`, body)
}

export function messagePage({ tone, title, text, link }: MessageView): string {
  const body = html`<div class="state">
${tone === 'good' ? icons.check : icons.plain}
<h1>${title}</h1>
<p class="lead">${text}</p>
${link && html`<a class="first" href="${link.href}">${link.text}</a>`}
</div>`
  return framed(`${title} – Cartwright`, body)
}

const factLengthMax = 500

// What an app sent may be repeated in the detail, at any length.
function cut(value = ''): string {
  return value.length <= factLengthMax ? value : `${value.slice(0, factLengthMax).toWellFormed()}…`
}

const icons: Readonly<Record<'check' | 'plain' | 'cross', Html>> = {
  check: html`<svg class="icon good" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true"><circle cx="24" cy="24" r="22"/><path d="m15 24.5 6.5 6.5L34 18"/></svg>`,
  plain: html`<svg class="icon" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true"><circle cx="24" cy="24" r="22"/><path d="M24 13v2m0 6v14"/></svg>`,
  cross: html`<svg class="icon" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true"><circle cx="24" cy="24" r="22"/><path d="m17 17 14 14m0-14L17 31"/></svg>`,
}
