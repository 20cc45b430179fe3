// Tables for the quantity of each line of an order or a return: one field for each line, with its problem.
//
//   const lines = items.map((item): QuantityLine => ({ item, most: left(item), preset: 0 }))
//   quantityFields(words, lines, asked)     fields that `buildBody` reads with the others of the form, and that problems link to
//   readQuantities(read.body)               the typed quantities, by the id of the SKU
//   nothingChosenProblem(words, lines)      the problem if all lines are 0
//   withExcessProblems(words, lines, …)     the problems of quantities out of bounds, after a refusal
//   quantityTable(words, lines, { … })      the table as HTML

import { issue } from '../../../contract/issues.ts'
import { limits } from '../../../contract/limits.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { type Html, type HtmlValue, html } from '../../../platform/html/html.ts'
import type { Field, Problems } from '../form.ts'
import type { DashboardWords, TextKey } from '../words.ts'
import { lineName } from './order.ts'

export interface QuantityLine {
  item: { skuId: string } & Parameters<typeof lineName>[0]
  // Current bounds. They are not checked when a form is read: a second press asks for the quantities of the first, after which fewer
  // units remain.
  least?: number
  most: number
  // Initial value of the field.
  preset: number
  // Rendered between the name and the field.
  note?: HtmlValue
  // Rendered below the name, beside the field.
  below?: Html
  hidden?: Html
}

export interface QuantityFieldNames {
  // `of` is for forms with other quantity fields.
  prefix: 'quantity' | 'of'
  label: TextKey
}

export const pointerOfQuantity = (skuId: string) => `/quantities/${skuId}`

export function quantityFields(
  words: DashboardWords,
  lines: readonly QuantityLine[],
  { prefix, label }: QuantityFieldNames,
): Field[] {
  return lines.map(({ item: { skuId, name } }) => ({
    name: `${prefix}-${skuId}`,
    label: words.say(label, { name }),
    kind: 'whole',
    min: 0,
    max: limits.quantityMax,
    pointer: pointerOfQuantity(skuId),
  }))
}

// Reads the quantities from a built body, which omits empty fields.
export function readQuantities(body: Readonly<Record<string, unknown>>): ReadonlyMap<string, number> {
  // The cast holds: `buildBody` stores whole numbers at these pointers.
  return new Map(Object.entries((body.quantities ?? {}) as Readonly<Record<string, number>>))
}

export function chosenQuantities(body: Readonly<Record<string, unknown>>): { skuId: string; quantity: number }[] {
  return [...readQuantities(body)].flatMap(([skuId, quantity]) => (quantity > 0 ? [{ skuId, quantity }] : []))
}

// Shown at the first line with a field.
export function nothingChosenProblem(words: DashboardWords, lines: readonly QuantityLine[]): Problems {
  const text = words.say('returns.nothing')
  const first = lines.find(({ most }) => most > 0)
  return { summary: text, at: first ? { [pointerOfQuantity(first.item.skuId)]: text } : {} }
}

// Adds a problem to each line with too few or too many units, because the refusal does not name the lines.
export function withExcessProblems(
  words: DashboardWords,
  lines: readonly QuantityLine[],
  quantities: ReadonlyMap<string, number>,
  problems: Problems,
): Problems {
  const excess = lines.flatMap(({ item: { skuId }, least: min = 0, most: max }) => {
    const quantity = quantities.get(skuId)
    if (quantity === undefined || (quantity >= min && quantity <= max)) return []
    return [[pointerOfQuantity(skuId), words.issue(issue('integer_out_of_range', { min, max }))] as const]
  })
  return { ...problems, at: { ...Object.fromEntries(excess), ...problems.at } }
}

interface TableParts {
  asked: QuantityFieldNames
  title: string
  // Whether the table's title is for screen readers only, because the card shows the title.
  isTitleHidden?: boolean
  sent: FormFields
  problems?: Problems | undefined
  more?: HtmlValue
}

export function quantityTable(words: DashboardWords, lines: readonly QuantityLine[], parts: TableParts): Html {
  const { asked, title, isTitleHidden, sent, problems, more } = parts
  const rows = html`<tbody>
    ${lines.map(
      (line) =>
        html`<tr>
        <th scope="row">${lineName(line.item)}${line.below}</th>
        ${quantityCells(words, line, asked, sent, problems)}
      </tr>`,
    )}
  </tbody>`
  if (isTitleHidden)
    return html`<div class="lines-form"><table><caption class="hidden">${title}</caption>${rows}</table>${more}</div>`
  return html`<fieldset class="lines-form"><legend>${title}</legend><table>${rows}</table>${more}</fieldset>`
}

function quantityCells(
  words: DashboardWords,
  { item: { skuId, name }, least = 0, most, preset, note, hidden }: QuantityLine,
  { prefix, label }: QuantityFieldNames,
  sent: FormFields,
  problems: Problems = { at: {} },
): Html {
  if (most <= 0) return html`<td class="end soft" colspan="2">${note}</td>`
  const field = `${prefix}-${skuId}`
  const problem = problems.at[pointerOfQuantity(skuId)]
  const state = problem !== undefined && html` aria-invalid="true" aria-describedby="field-${field}-problem"`
  return html`<td class="end soft">${note}</td>
  <td class="end">
    <input
      id="field-${field}"
      type="number"
      name="${field}"
      min="${least}"
      max="${most}"
      value="${(sent.get(field) ?? String(preset)).slice(0, 100)}"
      aria-label="${words.say(label, { name })}"${state}>
    ${problem !== undefined && html`<p class="wrong" id="field-${field}-problem">${problem}</p>`}${hidden}
  </td>`
}
