// Small parts of pages.
//
//   statusPill(words, 'payment', 'paid')     a state in its colour, with the text `state.payment.paid`
//   renderTime(words, instant)               a day, with the exact time in its title
//   button({ label, … }), linkButton({ … })  buttons, and links with the same look
//   renderCard({ title, body })              a section of a page
//   renderFacts([[label, value], …])         a list of names and values

import { type Html, type HtmlValue, html } from '../../platform/html/html.ts'
import { type IconName, icon } from './icons.ts'
import type { DashboardWords } from './words.ts'

type Tone = 'good' | 'wait' | 'bad' | 'busy' | 'quiet'

// Colours of states (default: quiet).
const tones: Readonly<Record<string, Tone>> = {
  paid: 'good',
  fulfilled: 'good',
  completed: 'good',
  succeeded: 'good',
  published: 'good',
  active: 'good',
  open: 'good',
  won: 'good',
  lost: 'bad',
  main: 'good',
  proved: 'good',
  waiting: 'wait',
  enabled: 'good',
  healthy: 'good',
  done: 'good',
  accepted: 'good',
  missing: 'bad',
  by_hand: 'wait',
  in_stock: 'good',
  pending: 'wait',
  unfulfilled: 'wait',
  partially_fulfilled: 'wait',
  partially_refunded: 'wait',
  processing: 'wait',
  retrying: 'wait',
  low_stock: 'wait',
  scheduled: 'wait',
  paused: 'wait',
  invited: 'wait',
  expiring: 'wait',
  ready: 'wait',
  requested: 'wait',
  approved: 'busy',
  received: 'busy',
  refused: 'bad',
  placed: 'busy',
  refunding: 'busy',
  sending: 'busy',
  receiving: 'busy',
  planning: 'busy',
  writing: 'busy',
  failed: 'bad',
  declined: 'bad',
  blocked: 'bad',
  failing: 'bad',
  disabled: 'bad',
  out_of_stock: 'bad',
}

// `kind`: the group of texts, as in `state.{kind}.{state}`.
export function statusPill(words: DashboardWords, kind: string, state: string): Html {
  return html`<span class="pill ${tones[state] ?? 'quiet'}">${words.sayKnown(`state.${kind}.${state}`, state.replaceAll('_', ' '))}</span>`
}

export function renderTime(words: DashboardWords, instant: string | number): Html {
  const at = new Date(instant)
  return html`<time datetime="${at.toISOString()}" title="${words.moment(at)}">${words.day(at)}</time>`
}

export function exactTime(words: DashboardWords, instant: string | number): Html {
  const at = new Date(instant)
  return html`<time datetime="${at.toISOString()}">${words.moment(at)}</time>`
}

// Prevents line breaks after the hyphens of numbers and codes, such as `T-1002-R1`.
export function unbrokenWords(text: string): HtmlValue {
  const parts = text.split(/((?<=^|[\s(,“„])[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+)/u)
  if (parts.length === 1) return text
  return parts.map((part, at) =>
    at % 2 === 1 && /\p{N}/u.test(part) && part.length <= wholeLengthMax
      ? html`<span class="nowrap">${part}</span>`
      : part,
  )
}

const wholeLengthMax = 20

// `first`: the main action of a page. `danger`: an action that cannot be undone.
export type ButtonKind = 'first' | 'second' | 'danger' | 'plain'

export interface ButtonParts {
  label: string
  kind?: ButtonKind
  icon?: IconName
  // Parameter and value sent with the form.
  name?: string
  value?: string
  // Id of the form that the button sends, if it is another form of the page.
  form?: string
  // URL that the form is sent to instead of its action.
  action?: string
  method?: 'get' | 'post'
  // Whether the result opens in a new tab.
  isNewTab?: boolean
  // Whether the form is sent even if a required field is empty.
  isUnchecked?: boolean
  // The key that presses the button (browser/keys.ts).
  shortcut?: string
}

export function button(parts: ButtonParts): Html {
  const { label, kind = 'second', name, value, form, action, method, isNewTab, isUnchecked, shortcut } = parts
  return html`<button
    class="button ${kind}"${name !== undefined && html` name="${name}" value="${value}"`}${
      form !== undefined && html` form="${form}"`
    }${action !== undefined && html` formaction="${action}"`}${method !== undefined && html` formmethod="${method}"`}${
      isNewTab && html` formtarget="_blank"`
    }${isUnchecked && html` formnovalidate`}${shortcut !== undefined && html` data-key="${shortcut}"`}>
    ${parts.icon && icon(parts.icon)}
    ${label}
  </button>`
}

export interface LinkParts {
  label: string
  href: string
  kind?: ButtonKind
  icon?: IconName
  // Whether the link opens in a dialog if scripts run (dialog.ts).
  isDialog?: boolean
  shortcut?: string
  isNewTab?: boolean
}

export function linkButton({
  label,
  href,
  kind = 'second',
  icon: sign,
  isDialog,
  shortcut,
  isNewTab,
}: LinkParts): Html {
  return html`<a
    class="button ${kind}"
    href="${href}"${isDialog && html` data-dialog`}${shortcut !== undefined && html` data-key="${shortcut}"`}${
      isNewTab && html` target="_blank" rel="noopener"`
    }>
    ${sign && icon(sign)}
    ${label}
  </a>`
}

export interface CardParts {
  title?: string
  // Rendered beside the title.
  aside?: Html | false | undefined
  body: Html
  // Whether the body is a table or list that extends to the edges.
  isFlush?: boolean
  id?: string
}

export function renderCard({ title, aside, body, isFlush, id }: CardParts): Html {
  return html`<section class="card${isFlush ? ' flush' : ''}"${id !== undefined && html` id="${id}"`}>
${title !== undefined && html`<header class="card-head"><h2>${title}</h2>${aside}</header>`}
<div class="card-body">${body}</div>
</section>`
}

export function renderFacts(rows: readonly (readonly [label: HtmlValue, value: HtmlValue] | false)[]): Html {
  return html`<dl class="facts">${rows.map((row) => row && html`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>`)}</dl>`
}

// The server stops counting open tasks at this number.
const countMax = 1_000

export function countText(words: DashboardWords, count: number): string {
  return count >= countMax ? `${words.number(countMax)}+` : words.number(count)
}

export interface EmptyParts {
  title: string
  text?: string
  action?: Html | false | undefined
}

// Says what will be on an empty page, with the button for the first step.
export function emptyState({ title, text, action }: EmptyParts): Html {
  return html`<div class="empty">
    <p class="empty-title">${title}</p>
    ${text !== undefined && html`<p>${text}</p>`}
    ${action && html`<p class="empty-action">${action}</p>`}
  </div>`
}

// Says how many pasted cells did not fit into a sheet, once browser/sheet.ts has counted them.
export function pasteNote(text: string): Html {
  return html`<span class="wrong paste-note" role="alert" data-left-out data-text="${text}"></span>`
}

export function renderNotice(kind: 'bad' | 'info', text: HtmlValue, role: 'alert' | 'note' = 'note'): Html {
  return html`<p class="notice ${kind}" role="${role}">${text}</p>`
}

const problemsListed = 20

// The problems of a form, with a link to each field. The first link has the focus when the page opens.
export function problemList(summary: string, problems: readonly { id: string; label: string; text: string }[]): Html {
  if (problems.length === 0) return renderNotice('bad', summary, 'alert')
  return html`<div class="notice bad" role="alert"><p>${summary}</p>
<ul>${problems
    .slice(0, problemsListed)
    .map(
      ({ id, label, text }, at) =>
        html`<li><a href="#${id}"${at === 0 && html` autofocus`}><bdi>${label}</bdi>: ${text}</a></li>`,
    )}${problems.length > problemsListed && html`<li>…</li>`}</ul></div>`
}
