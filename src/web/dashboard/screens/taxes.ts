// Tax rates by country, region and class: one table, one save. A row without a country is left out.

import type { TaxEntry } from '../../../contract/entries.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { mapInSlices } from '../../../platform/kit/breath.ts'
import { keyField, type Problems, problemsOf } from '../form.ts'
import { button, emptyState, notice } from '../parts.ts'
import type { Posted, Screen, Sheet, Visit } from '../screen.ts'
import { sections, settingSections } from '../sections.ts'
import { baseField, baseIn, refuseUnless, saveShopPart } from '../shop.ts'
import { done } from '../toast.ts'

// As they are typed.
interface TaxRow {
  country: string
  region: string
  class: string
  rate: string
}

const newRows = 3
const rowsMax = 5_000
const columns = ['country', 'region', 'class', 'rate'] as const

export const taxes: Screen = {
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
    refuseUnless(posted, 'replaceAdminTaxes')
    const { words, to } = posted
    const rows = rowsIn(posted)
    const base = baseIn(posted, areEntries)
    const wrong = rows.findIndex((row) => rateOf(row.rate) === undefined)
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
    if (saved.kind === 'saved') return done(to('settings/taxes'), 'done.settings')
    if (saved.kind === 'conflict')
      return taxSheet(posted, { rows, base: normal(saved.current.taxes), theirs: saved.current.taxes.map(rowOf) })
    const fields = rows.flatMap((_, row) =>
      columns.map((name) => ({ name, label: '', kind: 'line' as const, pointer: `/taxes/${row}/${name}` })),
    )
    return taxSheet(posted, { rows, base, problems: problemsOf(words, saved.refusal, fields) })
  },
}

// Entries are only shown again in the form, so they need no closer look.
function areEntries(base: unknown): base is TaxEntry[] {
  return Array.isArray(base)
}

// The order and what is usual do not count.
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

function rowsIn({ form }: Posted): TaxRow[] {
  const [countries, regions, classes, rates] = columns.map((name) => form.getAll(name).slice(0, rowsMax))
  return (countries ?? [])
    .map((country, index) => ({
      country: country.trim().toUpperCase(),
      region: (regions?.[index] ?? '').trim().toUpperCase(),
      class: (classes?.[index] ?? '').trim() || 'standard',
      rate: (rates?.[index] ?? '').trim(),
    }))
    .filter(({ country, rate }) => country !== '' || rate !== '')
}

// Per cent with up to two places, as basis points.
export function rateOf(text: string): number | undefined {
  const parts = /^(\d{1,3})(?:[.,](\d{1,2}))?\s*%?$/.exec(text)
  return parts ? Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0')) : undefined
}

function entryOf({ country, region, class: taxClass, rate }: TaxRow): TaxEntry {
  return { country, ...(region !== '' && { region }), class: taxClass, rate: rateOf(rate) ?? 0 }
}

interface TaxState {
  rows: readonly TaxRow[]
  base: readonly TaxEntry[]
  problems?: Problems
  // What somebody else has saved meanwhile.
  theirs?: readonly TaxRow[]
}

async function taxSheet(visit: Visit, { rows, base, problems, theirs }: TaxState): Promise<Sheet> {
  const { words, to, may } = visit
  const nav = sections(visit, settingSections, 'taxes')
  const title = words.say('settings.title')
  if (!may('replaceAdminTaxes'))
    return {
      title,
      body: html`${nav}<div class="card flush">${rows.length === 0 ? emptyState({ title: words.say('taxes.empty') }) : await readTable(visit, rows)}</div>`,
    }
  return {
    title,
    status: theirs ? 409 : problems ? 400 : 200,
    body: html`${nav}
<p class="lead gap">${words.say('taxes.lead')}</p>
${theirs && html`<div class="gap">${notice('bad', words.say('twoVersions.table'), 'alert')}</div><div class="card flush gap"><header class="card-head"><h2>${words.say('twoVersions.theirs')}</h2><a href="${to('settings/taxes')}">${words.say('twoVersions.drop')}</a></header><div class="card-body">${await readTable(visit, theirs)}</div></div>`}
<form method="post" action="${to('settings/taxes')}">${keyField()}${baseField(base)}
${problems?.summary !== undefined && html`<div class="gap">${notice('bad', problems.summary, 'alert')}</div>`}
<div class="card flush">${theirs && html`<header class="card-head"><h2>${words.say('twoVersions.mine')}</h2></header>`}<div class="scroll"><table class="edit-table"><caption class="hidden">${words.say('settings.taxes')}</caption>
<thead><tr>${columns.map((name) => html`<th scope="col">${words.say(`taxes.${name}`)}</th>`)}</tr></thead>
<tbody>${await mapInSlices([...rows, ...Array<undefined>(newRows).fill(undefined)], (row, index) => rowCells(visit, row, index, problems))}</tbody></table></div>
<div class="list-foot">${button({ label: words.say(theirs ? 'twoVersions.saveMine' : 'action.save'), kind: 'first', shortcut: 'save' })}<span class="help">${words.say('taxes.remove')}</span></div></div></form>
<datalist id="countries">${countryCodes(visit)}</datalist>`,
  }
}

// Those that have a rate, and those nearby: a list of all would be longer than the page.
const usual = [
  'AT',
  'BE',
  'CH',
  'CZ',
  'DE',
  'DK',
  'ES',
  'FI',
  'FR',
  'GB',
  'IE',
  'IT',
  'NL',
  'NO',
  'PL',
  'PT',
  'SE',
  'US',
]

function countryCodes({ words }: Visit): Html {
  return html`${usual.map((code) => html`<option value="${code}">${words.country(code)}</option>`)}`
}

function rowCells({ words }: Visit, row: TaxRow | undefined, index: number, problems: Problems | undefined): Html {
  const named = row ? `${row.country} ${row.region} ${row.class}`.replaceAll(/ +/g, ' ') : words.say('taxes.newRow')
  const cell = (name: (typeof columns)[number], more: Html) => {
    const problem = row && problems?.at[`/taxes/${index}/${name}`]
    const id = `tax-${index}-${name}`
    return html`<td data-head="${words.say(`taxes.${name}`)}"><input name="${name}" value="${row?.[name]}" aria-label="${words.say(`taxes.${name}`)}, ${named}" autocomplete="off"${more}${problem !== undefined && html` aria-invalid="true" aria-describedby="${id}"`}>${problem !== undefined && html`<p class="wrong" id="${id}">${problem}</p>`}</td>`
  }
  return html`<tr>${cell('country', html` maxlength="2" list="countries" class="short"`)}${cell('region', html` maxlength="3" class="short"`)}${cell('class', html` maxlength="40" placeholder="standard"`)}${cell('rate', html` maxlength="7" inputmode="decimal" class="short"`)}</tr>`
}

async function readTable({ words }: Visit, rows: readonly TaxRow[]): Promise<Html> {
  return html`<table class="rows"><caption class="hidden">${words.say('settings.taxes')}</caption><thead><tr>${columns.map((name) => html`<th scope="col">${words.say(`taxes.${name}`)}</th>`)}</tr></thead>
<tbody>${await mapInSlices(rows, (row) => html`<tr><th scope="row">${countryName(words.country, row.country)}</th><td data-head="${words.say('taxes.region')}">${row.region || '–'}</td><td data-head="${words.say('taxes.class')}">${row.class}</td><td data-head="${words.say('taxes.rate')}">${row.rate} %</td></tr>`)}</tbody></table>`
}

function countryName(country: (code: string) => string, code: string): string {
  return /^[A-Z]{2}$/.test(code) ? country(code) : code
}
