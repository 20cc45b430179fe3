// Saved views of a list, as links above the list, and the form that saves the current filters.

import { type SavedView, savedViewsMax } from '../../domain/users/views.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { chosenParameter, toastParameters } from './browser/names.ts'
import { button } from './parts.ts'
import type { ScreenVisit } from './screen.ts'

// Paths of the lists with saved views, below the shop.
export const viewLists = ['orders', 'products', 'stock', 'customers'] as const
export type ViewList = (typeof viewLists)[number]

export const viewNameLengthMax = 60
export const viewQueryLengthMax = 600

// Parameters that are not a part of a view.
const passing = new Set<string>([...toastParameters, chosenParameter, 'cursor', 'rows'])

// Sorts the parameters, so two URLs of the same view are equal.
export function viewQuery(query: URLSearchParams): string {
  return new URLSearchParams(
    [...query]
      .filter(([name, value]) => !passing.has(name) && value !== '')
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  ).toString()
}

// `plain`: parameters that, alone, do not make a view worth saving.
export function savedViews(visit: ScreenVisit, list: ViewList, plain: readonly string[] = ['sort']): Html | false {
  const { words, query, shop } = visit
  const here = viewQuery(query)
  const own = shop.views.filter((one) => one.list === list)
  const current = own.find((one) => one.query === here)
  const isNew = !current && [...new URLSearchParams(here).keys()].some((name) => !plain.includes(name))
  const mayAdd = isNew && shop.views.length < savedViewsMax && here.length <= viewQueryLengthMax
  if (own.length === 0 && !mayAdd) return false
  return html`<div class="views">
    ${own.length > 0 && viewLinks(visit, own, current)}
    ${current && removeForm(visit, current)}
    ${
      mayAdd &&
      html`<details class="save-view">
        <summary class="button plain">${words.say('views.save')}</summary>
        ${saveForm(visit, list, here)}
      </details>`
    }
  </div>`
}

function viewLinks({ words, to }: ScreenVisit, own: readonly SavedView[], current: SavedView | undefined): Html {
  return html`<nav class="chips" aria-label="${words.say('views.title')}">${own.map(
    (one) =>
      html`<a href="${to(one.list)}?${one.query}"${one === current && html` aria-current="page"`}><bdi>${one.name}</bdi></a>`,
  )}</nav>`
}

function saveForm({ words, to }: ScreenVisit, list: ViewList, query: string): Html {
  return html`<form method="post" action="${to('views')}">
    ${hiddenFields({ list, query })}
    <label>${words.say('views.name')} <input name="name" maxlength="${viewNameLengthMax}" required autocomplete="off"></label>
    ${button({ label: words.say('views.save'), name: 'do', value: 'save' })}
  </form>`
}

function removeForm({ words, to }: ScreenVisit, { list, name, query }: SavedView): Html {
  return html`<form method="post" action="${to('views')}">
    ${hiddenFields({ list, query, name })}
    ${button({ label: words.say('views.remove'), kind: 'plain', name: 'do', value: 'remove' })}
  </form>`
}
