// Rows that are moved, edited and removed with buttons, which also works on phones and without script. Pure, except for rendering.

import { type Html, type HtmlValue, html } from '../../platform/html/html.ts'
import { keyField } from './form.ts'
import { icon } from './icons.ts'
import type { ScreenVisit } from './screen.ts'

export interface OrderedRow {
  name: string
  note: HtmlValue
  editHref: string
}

interface OrderedRows {
  action: string
  version: number
  rows: readonly OrderedRow[]
}

export function orderedRows({ words }: ScreenVisit, { action, version, rows }: OrderedRows): Html {
  const act = (name: string, at: number, sign: Html, label: string, isOff = false) =>
    html`<button class="button plain" name="do" value="${name} ${at}"${isOff && html` disabled`}>
      ${sign}
      <span class="hidden">${label}</span>
    </button>`
  return html`<form method="post" action="${action}">
    ${keyField()}
    <input type="hidden" name="version" value="${version}">
    <ol class="ordered-rows">
      ${rows.map(
        ({ name, note, editHref }, at) =>
          html`<li>
          <div class="ordered-row">
            <a href="${editHref}" dir="auto">${name}</a>
            <span class="soft small" dir="auto">${note}</span>
          </div>
          <div class="row-actions">
            ${act('up', at, icon('up'), words.say('rows.up', { name }), at === 0)}
            ${act('down', at, icon('down'), words.say('rows.down', { name }), at === rows.length - 1)}
            ${act('remove', at, icon('close'), words.say('rows.remove', { name }))}
          </div>
        </li>`,
      )}
    </ol>
  </form>`
}

// Returns the list after the press of a row's button, or undefined for an unknown button.
export function rowsAfterPress<Row>(rows: readonly Row[], pressed: string): Row[] | undefined {
  const [, verb, number] = /^(up|down|remove) (\d{1,3})$/.exec(pressed) ?? []
  const at = Number(number)
  const row = rows[at]
  if (verb === undefined || row === undefined) return undefined
  const others = rows.toSpliced(at, 1)
  if (verb === 'remove') return others
  const place = verb === 'up' ? at - 1 : at + 1
  return place < 0 || place > others.length ? undefined : others.toSpliced(place, 0, row)
}
