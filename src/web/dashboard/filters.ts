// Filters of a list, as a form with the method GET: every state has a URL, without script too.
//
//   renderFilters(visit, ['view', 'sort'], [{ name: 'status', label: 'Status', options: [{ value, label }] }, …])
//
// `stays`: parameters of the current URL that are sent with the filters. The cursor is never sent.

import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { button } from './parts.ts'
import type { ScreenVisit } from './screen.ts'
import { hrefWith } from './table.ts'

export interface ListFilter {
  name: string
  label: string
  // Default: choice.
  kind?: 'choice' | 'day' | 'line'
  options?: readonly { value: string; label: string }[]
  // For kind `line`.
  suggestions?: readonly string[]
}

export function renderFilters(visit: ScreenVisit, stays: readonly string[], all: readonly ListFilter[]): Html {
  const { words, query, here } = visit
  const kept = stays.flatMap((name) => {
    const value = query.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const isSearch = all.every(({ kind }) => kind === 'line')
  const isSet = all.some(({ name }) => query.get(name))
  const none = Object.fromEntries([...all.map(({ name }) => name), 'cursor'].map((name) => [name, undefined]))
  return html`<form class="filters" method="get" action="${here.split('?')[0]}">
    ${hiddenFields(Object.fromEntries(kept))}
${all.map((filter) => html`<label>${filter.label}${control(visit, filter)}</label>`)}
${button({ label: words.say(isSearch ? 'search.submit' : 'orders.apply') })}
  ${isSet && html`<a class="button plain" href="${hrefWith(visit, none)}">${words.say('orders.clear')}</a>`}
</form>`
}

function control(
  { words, query }: ScreenVisit,
  { name, kind = 'choice', options = [], suggestions = [] }: ListFilter,
): Html {
  const value = query.get(name) ?? ''
  if (kind === 'day') return html`<input type="date" name="${name}" value="${value}">`
  if (kind === 'line') {
    const id = `${name}-list`
    const isListed = suggestions.length > 0
    return html`<input name="${name}" value="${value}" maxlength="100" autocomplete="off"${isListed && html` list="${id}"`}>${
      isListed &&
      html`<datalist id="${id}">${suggestions.map((one) => html`<option value="${one}"></option>`)}</datalist>`
    }`
  }
  return html`<select name="${name}"><option value="">${words.say('orders.any')}</option>${options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`,
  )}</select>`
}
