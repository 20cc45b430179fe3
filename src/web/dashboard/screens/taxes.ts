// Tax rates by country, region and class: one table that is saved as a whole. Rows without a country are omitted.

import type { TaxEntry } from '../../../contract/entries.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { htmlInSlices } from '../../../platform/html/slices.ts'
import { isCountry } from '../../../platform/kit/country.ts'
import { euCountries } from '../../../platform/kit/countryfacts.ts'
import { proposedRates, proposedTaxClasses, taxDataDay, taxDataSource } from '../../../platform/kit/taxdata.ts'
import { countryOptions, countrySelect } from '../countries.ts'
import { keyField, type LinkedField, type Problems, problemNote, problemsFromRefusal } from '../form.ts'
import { button, emptyState, renderNotice } from '../parts.ts'
import type { PostedScreen, Screen, ScreenSheet, ScreenVisit } from '../screen.ts'
import { renderSections, settingSections } from '../sections.ts'
import { readShownPart, refuseUnlessAllowed, saveShopPart, shownPartField } from '../shop.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'

// A row of the form, as typed.
interface TaxRow {
  country: string
  region: string
  class: string
  rate: string
}

const newRows = 3
const rowsMax = 5_000
// Maximum number of rows without a country that get a list of all countries when the form is rendered again. More such rows are not a
// typing mistake.
const listsMax = 20
const columns = ['country', 'region', 'class', 'rate'] as const

export const taxesScreen: Screen = {
  path: 'settings/taxes',
  name: 'dashboard taxes',
  place: 'settings',
  needs: 'getAdminShop',
  formBytesMax: 1_048_576,
  async get(visit) {
    const { data } = await visit.ask('getAdminShop')
    return taxSheet(visit, { rows: data.taxes.map(rowOf), base: normal(data.taxes) })
  },
  async post(posted) {
    refuseUnlessAllowed(posted, 'replaceAdminTaxes')
    const { words, to } = posted
    const rows = rowsIn(posted)
    const base = readShownPart(posted, areEntries)
    // The added rates are shown for review. The next press saves them.
    if (posted.form.get('fill') === 'eu') return taxSheet(posted, { rows: withEuRates(rows), base, isFilled: true })
    const wrong = rows.findIndex((row) => parseTaxRate(row.rate) === undefined)
    if (wrong >= 0)
      return taxSheet(posted, {
        rows,
        base,
        problems: { summary: words.say('form.problem'), at: { [`/taxes/${wrong}/rate`]: words.say('taxes.notRate') } },
      })
    const wanted = rows.map(entryOf)
    const saved = await saveShopPart(posted, {
      partOf: (shop) => normal(shop.taxes),
      wanted: normal(wanted),
      ask: ({ version }, key) =>
        posted.ask('replaceAdminTaxes', { body: { taxes: wanted, expectedVersion: version }, key }),
    })
    if (saved.kind === 'saved') return redirectWithToast(to('settings/taxes'), 'done.settings')
    if (saved.kind === 'conflict')
      return taxSheet(posted, { rows, base: normal(saved.current.taxes), theirs: saved.current.taxes.map(rowOf) })
    const named = (saved.refusal.details.issues ?? []).flatMap(({ path }) => cellAt(path) ?? [])
    const fields = named.map(({ name, pointer }) => ({
      name,
      label: '',
      kind: 'line' as const,
      pointer,
      isWord: name === 'class',
    }))
    return taxSheet(posted, { rows, base, problems: problemsFromRefusal(words, saved.refusal, fields) })
  },
}

// A rough check suffices, because the entries are only rendered in the form again.
function areEntries(base: unknown): base is TaxEntry[] {
  return Array.isArray(base)
}

// Normalizes entries for comparison: sorts them and fills in defaults.
function normal(entries: readonly TaxEntry[]): TaxEntry[] {
  return entries
    .map(({ country, region, class: taxClass = 'standard', rate }) => ({
      country,
      ...(region !== undefined && { region }),
      class: taxClass,
      rate,
    }))
    .sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
}

function sortKey({ country, region = '', class: taxClass = '' }: TaxEntry): string {
  return `${country} ${region} ${taxClass}`
}

function rowOf({ country, region = '', class: taxClass = 'standard', rate }: TaxEntry): TaxRow {
  return { country, region, class: taxClass, rate: String(rate / 100) }
}

function rowsIn({ form }: PostedScreen): TaxRow[] {
  const [countries, regions, classes, rates] = columns.map((name) => form.getAll(name).slice(0, rowsMax))
  const removed = new Set(form.getAll('remove'))
  return (countries ?? [])
    .map((country, index) => ({
      country: country.trim().toUpperCase(),
      region: (regions?.[index] ?? '').trim().toUpperCase(),
      class: (classes?.[index] ?? '').trim() || 'standard',
      rate: (rates?.[index] ?? '').trim(),
    }))
    .filter(({ country, rate }, index) => !removed.has(String(index)) && (country !== '' || rate !== ''))
}

// Adds a row for each EU country without a rate.
function withEuRates(rows: readonly TaxRow[]): TaxRow[] {
  const known = new Set(rows.map(({ country }) => country))
  return [
    ...rows,
    ...euCountries
      .filter((country) => !known.has(country))
      .flatMap(proposedRates)
      .map(rowOf),
  ]
}

// Converts a percentage with up to two decimals to basis points.
export function parseTaxRate(text: string): number | undefined {
  const parts = /^(\d{1,3})(?:[.,](\d{1,2}))?\s*%?$/.exec(text)
  return parts ? Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0')) : undefined
}

function entryOf({ country, region, class: taxClass, rate }: TaxRow): TaxEntry {
  return { country, ...(region !== '' && { region }), class: taxClass, rate: parseTaxRate(rate) ?? 0 }
}

interface TaxState {
  rows: readonly TaxRow[]
  base: readonly TaxEntry[]
  problems?: Problems
  // Rows that another person has saved meanwhile.
  theirs?: readonly TaxRow[]
  // Whether the rows include EU rates that were filled in but not saved.
  isFilled?: boolean
}

async function taxSheet(
  visit: ScreenVisit,
  { rows, base, problems, theirs, isFilled }: TaxState,
): Promise<ScreenSheet> {
  const { words, to, may } = visit
  const nav = renderSections(visit, settingSections, 'taxes')
  const title = words.say('settings.title')
  if (!may('replaceAdminTaxes'))
    return {
      title,
      body: html`${nav}
      <div class="card flush">
        ${rows.length === 0 ? emptyState({ title: words.say('taxes.empty') }) : await readTable(visit, rows)}
      </div>`,
    }
  const choices = countryOptions(words)
  const choosing = rows.filter(({ country }) => !isCountry(country)).slice(0, listsMax)
  const listed = new Set<TaxRow | undefined>([undefined, ...choosing])
  const cells = (row: TaxRow | undefined, index: number) =>
    rowCells(visit, { row, index, problems, choices: listed.has(row) ? choices : undefined })
  return {
    title,
    status: theirs ? 409 : problems ? 400 : 200,
    body: html`${nav}
<p class="lead gap">${words.say('taxes.lead')}</p>
${
  theirs &&
  html`<div class="gap">${renderNotice('bad', words.say('twoVersions.table'), 'alert')}</div>
  <div class="card flush gap">
    <header class="card-head">
      <h2>${words.say('twoVersions.theirs')}</h2>
      <a href="${to('settings/taxes')}">${words.say('twoVersions.drop')}</a>
    </header>
    <div class="card-body">${await readTable(visit, theirs)}</div>
  </div>`
}
<form method="post" action="${to('settings/taxes')}">${keyField()}${shownPartField(base)}
${problems && html`<div class="gap">${problemNote(problems, wrongCells(words, rows, problems), words)}</div>`}
${
  isFilled &&
  html`<div class="gap">
    ${renderNotice(
      'info',
      html`${words.say('taxes.filled')} ${words.say('guide.taxSource', {
        day: words.calendarDay(taxDataDay),
        source: taxDataSource,
      })}`,
      'alert',
    )}
  </div>`
}
<div class="card flush">
  ${theirs && html`<header class="card-head"><h2>${words.say('twoVersions.mine')}</h2></header>`}
  <div class="scroll"><table class="edit-table rates"><caption class="hidden">${words.say('settings.taxes')}</caption>
<thead>
  <tr>
    ${columns.map((name) => html`<th scope="col">${words.say(`taxes.${name}`)}</th>`)}
    <th scope="col">${words.say('taxes.removeRow')}</th>
  </tr></thead>
<tbody>${await htmlInSlices([...rows, ...Array<undefined>(newRows).fill(undefined)], cells)}</tbody></table></div>
<div class="list-foot">
  ${button({ label: words.say(theirs ? 'twoVersions.saveMine' : 'action.save'), kind: 'first', shortcut: 'save' })}
  ${button({ label: words.say('taxes.fillEu'), name: 'fill', value: 'eu', isUnchecked: true })}
  <span class="help">${words.say('taxes.fillHelp')}</span></div></div></form>
<datalist id="tax-classes">${proposedTaxClasses.map((one) => html`<option value="${one}"></option>`)}</datalist>`,
  }
}

function cellId(row: number, name: (typeof columns)[number]): string {
  return `tax-${row}-${name}`
}

// Returns the cell of an issue's path, which may also point into the cell.
function cellAt(path: string) {
  const [pointer = '', row, column] = /^\/taxes\/(\d+)\/(\w+)/.exec(path) ?? []
  const name = columns.find((one) => one === column)
  return name && { name, row: Number(row), pointer }
}

// Iterates over the problems, because there may be thousands of rows.
function wrongCells(words: DashboardWords, rows: readonly TaxRow[], { at }: Problems): LinkedField[] {
  return Object.keys(at)
    .flatMap((pointer) => cellAt(pointer) ?? [])
    .toSorted((one, other) => one.row - other.row || columns.indexOf(one.name) - columns.indexOf(other.name))
    .map(({ name, row, pointer }) => ({
      name,
      id: cellId(row, name),
      pointer,
      label: `${countryName(words.country, rows[row]?.country ?? '')}, ${words.say(`taxes.${name}`)}`,
    }))
}

interface TaxCells {
  row: TaxRow | undefined
  index: number
  problems: Problems | undefined
  // All countries, if the row offers a list of them.
  choices: ReturnType<typeof countryOptions> | undefined
}

// An existing rate shows its country; a new row has a list of all countries. Lists in all rows would be longer than the page, so few rows
// have one, and in the others the person types the country's code.
function rowCells({ words }: ScreenVisit, { row, index, problems, choices }: TaxCells): Html {
  const country = row ? countryName(words.country, row.country) : ''
  const named = row ? `${country} ${row.region} ${row.class}`.replaceAll(/ +/g, ' ') : words.say('taxes.newRow')
  const labelled = (name: (typeof columns)[number]) => `${words.say(`taxes.${name}`)}, ${named}`
  const noted = (name: (typeof columns)[number], control: (state: Html | false) => Html) => {
    const problem = row && problems?.at[`/taxes/${index}/${name}`]
    const id = cellId(index, name)
    const state = problem !== undefined && html` id="${id}" aria-invalid="true" aria-describedby="${id}-problem"`
    return html`<td data-head="${words.say(`taxes.${name}`)}">
      ${control(state)}
      ${problem !== undefined && html`<p class="wrong" id="${id}-problem">${problem}</p>`}
    </td>`
  }
  const input = (name: (typeof columns)[number], more: Html) =>
    noted(
      name,
      (state) =>
        html`<input name="${name}" value="${row?.[name]}" aria-label="${labelled(name)}" autocomplete="off"${more}${state}>`,
    )
  const place = () => {
    if (row && isCountry(row.country))
      return noted(
        'country',
        (state) => html`<span${state}>${country}</span><input type="hidden" name="country" value="${row.country}">`,
      )
    if (!choices) return input('country', html` maxlength="2" class="short"`)
    return noted('country', (state) =>
      countrySelect(choices, {
        name: 'country',
        label: labelled('country'),
        value: row?.country ?? '',
        more: html`${state}`,
      }),
    )
  }
  return html`<tr>
    ${place()}
    ${input('region', html` maxlength="3" class="short"`)}
    ${input('class', html` maxlength="40" placeholder="standard" list="tax-classes"`)}
    ${input('rate', html` maxlength="7" inputmode="decimal" class="short"`)}
    <td data-head="${words.say('taxes.removeRow')}">
      ${
        row &&
        html`<input
          type="checkbox"
          name="remove"
          value="${index}"
          aria-label="${words.say('taxes.removeRow')}, ${named}">`
      }
    </td>
  </tr>`
}

async function readTable({ words }: ScreenVisit, rows: readonly TaxRow[]): Promise<Html> {
  return html`<table class="rows">
    <caption class="hidden">${words.say('settings.taxes')}</caption>
    <thead><tr>${columns.map((name) => html`<th scope="col">${words.say(`taxes.${name}`)}</th>`)}</tr></thead>
<tbody>
  ${await htmlInSlices(
    rows,
    (row) => html`<tr>
      <th scope="row">${countryName(words.country, row.country)}</th>
      <td data-head="${words.say('taxes.region')}">${row.region || '–'}</td>
      <td data-head="${words.say('taxes.class')}">${row.class}</td>
      <td data-head="${words.say('taxes.rate')}">${row.rate} %</td>
    </tr>`,
  )}</tbody></table>`
}

function countryName(country: (code: string) => string, code: string): string {
  return /^[A-Z]{2}$/.test(code) ? country(code) : code
}
