// The columns of a file from an unknown system: a row for each column, with its first values and a choice of its meaning.

import type { AdminFileColumn, AdminTransfer } from '../../contract/admin/transfers.ts'
import { type ColumnMeaning, columnMeanings } from '../../contract/words.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { keyField } from './form.ts'
import { button, renderCard, renderNotice } from './parts.ts'
import type { ScreenVisit } from './screen.ts'
import type { DashboardWords } from './words.ts'

interface AssignedColumn {
  column: string
  as: ColumnMeaning
}

// The columns of a refused post.
export interface TypedColumns {
  columns: readonly AssignedColumn[]
  problem: string
}

export function columnsCard(visit: ScreenVisit, data: AdminTransfer, typed: TypedColumns | undefined): Html | false {
  const { id, state, columns } = data
  const { words, to, may } = visit
  const isAsked = state === 'columns'
  if (columns === null || !(isAsked || state === 'ready') || !may('assignAdminTransferColumns')) return false
  const heads = {
    column: words.say('transfers.column'),
    samples: words.say('transfers.samples'),
    holds: words.say('transfers.holds'),
  }
  const chosen = new Map(typed?.columns.map(({ column, as }) => [column, as]))
  const meaningOf = ({ name, as }: AdminFileColumn) => (typed ? (chosen.get(name) ?? null) : as)
  const row = (column: AdminFileColumn, index: number) => html`<tr>
<th scope="row" class="main" id="column-${index}" dir="auto">${column.name}</th>
<td data-head="${heads.samples}" class="soft small" dir="auto">${column.samples.join(' · ')}</td>
<td data-head="${heads.holds}"><input type="hidden" name="column" value="${column.name}">
<select name="as" aria-labelledby="column-${index}">${meaningOptions(words, meaningOf(column))}</select></td>
</tr>`
  return renderCard({
    title: words.say('transfers.assign'),
    body: html`${typed && renderNotice('bad', typed.problem, 'alert')}
<p>${words.say('transfers.assignText')}</p>
<form class="form" method="post" action="${to(`settings/transfers/${id}/columns`)}">${keyField()}
<div class="scroll"><table class="rows"><caption class="hidden">${words.say('transfers.assign')}</caption>
<thead><tr>
<th scope="col">${heads.column}</th>
<th scope="col">${heads.samples}</th>
<th scope="col">${heads.holds}</th>
</tr></thead>
<tbody>${columns.map(row)}</tbody></table></div>
<div class="form-foot">${button({ label: words.say('transfers.compare'), ...(isAsked && { kind: 'first' as const }) })}</div>
</form>`,
  })
}

function meaningOptions(words: DashboardWords, chosen: ColumnMeaning | null): Html {
  const option = (meaning: ColumnMeaning) =>
    html`<option value="${meaning}"${meaning === chosen && html` selected`}>${words.say(`transfers.holds.${meaning}`)}</option>`
  return html`<option value="">${words.say('transfers.holds.nothing')}</option>${columnMeanings.map(option)}`
}

export function columnsIn(form: FormFields): AssignedColumn[] {
  const meanings = form.getAll('as')
  return form.getAll('column').flatMap((column, index) => {
    const as = columnMeanings.find((meaning) => meaning === meanings[index])
    return as === undefined ? [] : [{ column, as }]
  })
}

const needed: readonly ColumnMeaning[] = ['title', 'price']
const several: readonly ColumnMeaning[] = ['option', 'picture']

// Checks the columns before the operation is called, so problems can be reported in the words of the page.
export function columnsProblem(words: DashboardWords, columns: readonly AssignedColumn[]): string | undefined {
  const nameOf = (meaning: ColumnMeaning) => words.say(`transfers.holds.${meaning}`)
  const count = (meaning: ColumnMeaning) => columns.filter(({ as }) => as === meaning).length
  const missing = needed.find((meaning) => count(meaning) === 0)
  if (missing !== undefined) return words.say('transfers.assignMissing', { name: nameOf(missing) })
  const repeated = columnMeanings.find((meaning) => count(meaning) > 1 && !several.includes(meaning))
  if (repeated !== undefined) return words.say('transfers.assignTwice', { name: nameOf(repeated) })
  return count('option') > 3 ? words.say('transfers.assignOptions') : undefined
}
