// Error pages: what went wrong and what to do, in words for the merchant. Below, the protocol's code and sentence are for the developer
// of the app.

import { html } from '../../../platform/html/html.ts'
import { renderConsentFrame } from './frame.ts'
import type { ErrorKind, ErrorView } from './views.ts'

// biome-ignore format: a table is read by its rows
const errors: Readonly<Record<ErrorKind, { status: number; title: string; text: string }>> = {
  lost:       { status: 404, title: 'This page has expired',            text: 'It was already used, took too long, or was opened in another browser. Go back to the app and start again.' },
  foreign:    { status: 403, title: 'This form came from another site', text: 'It was not sent from our own page, so nothing was done. Go back to the app and start again.' },
  unreadable: { status: 400, title: 'The form could not be read',       text: 'Nothing was done. Go back and try again.' },
  request:    { status: 400, title: 'The app sent an invalid request',  text: 'Nothing was done, and there is nothing you can do here. Send the details below to the developers of the app.' },
  limited:    { status: 429, title: 'Too many requests',                text: 'Nothing was done. Wait a few seconds, then go back and try again.' },
  no_shop:    { status: 403, title: 'You have no shop here',            text: 'You are signed in, but your account does not own a shop, or the shop demands a second factor that you have not set up. Ask an owner of the shop.' },
  server:     { status: 500, title: 'Something went wrong',             text: 'The fault is ours. Nothing was done. Try again in a moment.' },
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
${cross}
<h1>${title}</h1>
<p class="lead">${text}</p>
${facts.length > 0 && html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${cut(value)}</dd></div>`)}</dl>`}
</div>`
  return renderConsentFrame(`${title} – Cartwright`, body)
}

const factLengthMax = 500

// The detail may contain text of any length that an app sent.
function cut(value = ''): string {
  return value.length <= factLengthMax ? value : `${value.slice(0, factLengthMax).toWellFormed()}…`
}

const cross = html`<svg class="icon" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true">
  <circle cx="24" cy="24" r="22"/>
  <path d="m17 17 14 14m0-14L17 31"/></svg>`
