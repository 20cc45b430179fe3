// Shipping zones: the list, prices for a buyer in a country, and one zone with its options.

import type { ShippingZoneEntry } from '../../../contract/entries.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { euCountries } from '../../../platform/kit/countryfacts.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { shippingOffersFor, zoneFor } from '../../../platform/kit/shipping.ts'
import { slugify } from '../../../platform/kit/slug.ts'
import { countryOptions } from '../countries.ts'
import { dialog } from '../dialog.ts'
import {
  type Field,
  keyField,
  type LinkedField,
  moneyText,
  type Problems,
  parseTypedAmount,
  problemNote,
  problemsFromRefusal,
  renderForm,
} from '../form.ts'
import { button, emptyState, linkButton, renderCard, renderFacts, renderNotice } from '../parts.ts'
import type { PostedScreen, Screen, ScreenSheet, ScreenVisit } from '../screen.ts'
import { renderSections, settingSections } from '../sections.ts'
import { readShownPart, saveShopPart, shownPartField } from '../shop.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import { countUpTo } from './itemrows.ts'

type Option = ShippingZoneEntry['options'][number]

export const shippingScreen: Screen = {
  path: 'settings/shipping',
  name: 'dashboard shipping',
  place: 'settings',
  needs: 'getAdminShop',
  async get(visit) {
    const { words, to, may } = visit
    const { data } = await visit.ask('getAdminShop')
    const add =
      may('replaceAdminShipping') &&
      linkButton({ label: words.say('shipping.new'), href: to('settings/shipping/new'), kind: 'first' })
    return {
      title: words.say('settings.title'),
      actions: data.shipping.length > 0 && add ? add : undefined,
      body: html`${renderSections(visit, settingSections, 'shipping')}
${
  data.shipping.length === 0
    ? html`<div class="card">
    ${emptyState({ title: words.say('shipping.empty'), text: words.say('shipping.emptyText'), action: add })}
  </div>`
    : html`<div class="columns"><div>${data.shipping.map((zone) => zoneCard(visit, zone))}</div>
<div>${quoteCard(visit, data.shipping, data.taxes)}</div></div>`
}`,
    }
  },
}

function zoneCard(visit: ScreenVisit, { zone, countries, options }: ShippingZoneEntry): Html {
  const { words, to, may, shop } = visit
  const money = (amount: number) => words.money(amount, shop.currency)
  return renderCard({
    title: zone,
    aside: may('replaceAdminShipping')
      ? html`<a href="${to(`settings/shipping/${zone}`)}">${words.say('shipping.edit')}<span class="hidden"> ${zone}</span></a>`
      : false,
    isFlush: true,
    body: html`<p class="card-text">${countryNames(visit, countries)}</p>
<table class="rows">
  <caption class="hidden">${words.say('shipping.optionsOf', { zone })}</caption>
  <thead>
    <tr>
      <th scope="col">${words.say('shipping.option')}</th>
      <th scope="col" class="end">${words.say('shipping.price')}</th>
      <th scope="col" class="end">${words.say('shipping.freeFrom')}</th>
    </tr>
  </thead>
<tbody>
  ${options.map(
    ({ label, amount, freeFrom, weightSteps = [] }) =>
      html`<tr>
      <th scope="row">
        ${label}
        ${
          weightSteps.length > 0 &&
          html`<span class="soft small block">
            ${weightSteps
              .map((step) => words.say('shipping.step', { grams: step.upToGrams, amount: money(step.amount) }))
              .join(' · ')}
          </span>`
        }
      </th>
      <td class="end" data-head="${words.say('shipping.price')}">
        ${weightSteps.length > 0 ? words.say('shipping.byWeight') : money(amount)}
      </td>
      <td class="end" data-head="${words.say('shipping.freeFrom')}">
        ${freeFrom === null || freeFrom === undefined ? '–' : money(freeFrom)}
      </td>
    </tr>`,
  )}</tbody></table>`,
  })
}

function countryNames({ words }: ScreenVisit, countries: readonly string[]): string {
  return countries.map((code) => (code === '*' ? words.say('shipping.rest') : words.country(code))).join(', ')
}

// A preview of the prices for a buyer in a country, by the rule that prices carts.

const sampleWeight = '1000'

function quoteCard(
  visit: ScreenVisit,
  zones: readonly ShippingZoneEntry[],
  taxes: readonly { country: string; region?: string; class?: string; rate: number }[],
): Html {
  const { words, query, shop, here } = visit
  const country = (query.get('country') ?? shop.country).trim().toUpperCase().slice(0, 2)
  const subtotalText = query.get('subtotal') ?? '50'
  const weightText = query.get('weight') ?? sampleWeight
  const subtotal = parseTypedAmount(subtotalText, shop.currency)
  const weightGrams = /^\d{1,7}$/.test(weightText) ? Number(weightText) : undefined
  const isCountry = /^[A-Z]{2}$/.test(country)
  const field = (name: string, value: string, more: Html) =>
    html`<div class="field">
      <label for="quote-${name}">${words.say(`shipping.quote.${name}` as 'shipping.quote.country')}</label>
      <input id="quote-${name}" name="${name}" value="${value}" autocomplete="off"${more}>
    </div>`
  return renderCard({
    title: words.say('shipping.quote'),
    id: 'quote',
    body: html`<form class="form" method="get" action="${here.split('?')[0]}#quote">
      <div class="fields">
        <div class="field whole">
          <label for="quote-country">${words.say('shipping.quote.country')}</label>
          <select id="quote-country" name="country">
            ${countryOptions(words).map(
              (option) => html`<option value="${option.value}"${option.value === country && html` selected`}>
                ${option.label}
              </option>`,
            )}
          </select>
        </div>
        ${field('subtotal', subtotalText, html` inputmode="decimal" maxlength="12"`)}
        ${field('weight', weightText, html` inputmode="numeric" maxlength="7"`)}
      </div>
<div class="form-foot">${button({ label: words.say('shipping.quote.show') })}</div></form>
<div class="quote-answer" role="status">
  ${
    !isCountry || subtotal === undefined || weightGrams === undefined
      ? renderNotice('bad', words.say('form.problem'))
      : quoteAnswer(visit, zones, taxes, { country, subtotal, weightGrams })
  }</div>`,
  })
}

interface Parcel {
  country: string
  subtotal: number
  weightGrams: number
}

function quoteAnswer(
  visit: ScreenVisit,
  zones: readonly ShippingZoneEntry[],
  taxes: Parameters<typeof quoteCard>[2],
  { country, ...parcel }: Parcel,
): Html {
  const { words, shop } = visit
  const zone = zoneFor(
    zones.map((entry) => ({
      ...entry,
      options: entry.options.map(({ freeFrom = null, weightSteps = [], ...option }) => ({
        ...option,
        freeFrom,
        weightSteps,
      })),
    })),
    country,
  )
  if (!zone) return renderNotice('bad', words.say('shipping.quote.none', { country: words.country(country) }))
  const offers = shippingOffersFor(zone, parcel)
  const rates = taxes.filter((tax) => tax.country === country && tax.region === undefined)
  return html`${
    offers.length === 0
      ? renderNotice('bad', words.say('shipping.quote.heavy'))
      : renderFacts(
          offers.map(({ label, amount }) => [
            label,
            html`<span class="strong">${amount === 0 ? words.say('shipping.free') : words.money(amount, shop.currency)}</span>`,
          ]),
        )
  }<p class="help">${words.say('shipping.quote.zone', { zone: zone.zone })} ${
    rates.length === 0
      ? words.say('shipping.quote.noTax')
      : words.say('shipping.quote.tax', {
          rates: rates.map(({ class: taxClass = 'standard', rate }) => `${rate / 100} % (${taxClass})`).join(', '),
        })
  }</p>`
}

interface TypedOption {
  id: string
  label: string
  amount: string
  freeFrom: string
  steps: readonly TypedStep[]
}

interface TypedStep {
  grams: string
  amount: string
}

interface TypedZone {
  zone: string
  countries: readonly string[]
  options: readonly TypedOption[]
}

const newOptions = 2
const optionsMax = 10
const newSteps = 2
const stepsMax = 20

function typedOf({ currency }: ScreenVisit['shop'], { zone, countries, options }: ShippingZoneEntry): TypedZone {
  return {
    zone,
    countries,
    options: options.map(({ id, label, amount, freeFrom, weightSteps = [] }) => ({
      id,
      label,
      amount: moneyText(amount, currency),
      freeFrom: freeFrom === null || freeFrom === undefined ? '' : moneyText(freeFrom, currency),
      steps: weightSteps.map((step) => ({
        grams: String(step.upToGrams),
        amount: moneyText(step.amount, currency),
      })),
    })),
  }
}

function typedIn({ form: sent }: PostedScreen, taken: ReadonlySet<string>): TypedZone {
  const all = (name: string) => sent.getAll(name).slice(0, optionsMax)
  const [ids, labels, amounts, free] = ['id', 'label', 'amount', 'freeFrom'].map(all)
  return {
    zone: wordOf(sent.get('zone') ?? ''),
    countries: countriesIn(sent, taken),
    options: (labels ?? [])
      .map((label, index) => ({
        id: ids?.[index] ?? '',
        label: label.trim(),
        amount: (amounts?.[index] ?? '').trim(),
        freeFrom: (free?.[index] ?? '').trim(),
        steps: stepRows(sent, index),
      }))
      .filter(({ label, amount, freeFrom, steps }) => [label, amount, freeFrom].some(Boolean) || steps.length > 0),
  }
}

// Zone names are slugs, so other text is converted to a slug.
function wordOf(typed: string): string {
  if (/^[a-z0-9]+([_-][a-z0-9]+)*$/.test(typed)) return typed
  return slugify(typed.trim()) || typed.trim()
}

// The box for all EU countries adds only those that no other zone has.
function countriesIn(sent: PostedScreen['form'], taken: ReadonlySet<string>): string[] {
  const chosen = sent.getAll('country').slice(0, 300)
  const group = sent.get('group') === 'eu' ? euCountries.filter((country) => !taken.has(country)) : []
  return [...new Set([...chosen, ...group])]
}

function stepRows(sent: PostedScreen['form'], option: number): TypedStep[] {
  const [grams, amounts] = ['grams', 'step'].map((name) => sent.getAll(`${name}-${option}`).slice(0, stepsMax))
  return (grams ?? [])
    .map((text, at) => ({ grams: text.trim(), amount: (amounts?.[at] ?? '').trim() }))
    .filter((step) => step.grams !== '' || step.amount !== '')
}

function entryOf(
  { words, shop: { currency } }: ScreenVisit,
  typed: TypedZone,
): { entry: ShippingZoneEntry } | { problems: Problems } {
  const at: Record<string, string> = {}
  const ids = new Set(typed.options.map(({ id }) => id))
  const options = typed.options.map(({ id, label, amount, freeFrom, steps }, index): Option => {
    const price = parseTypedAmount(amount, currency)
    const free = freeFrom === '' ? null : parseTypedAmount(freeFrom, currency)
    const weightSteps = stepsIn(steps, currency)
    if (label === '') at[`/options/${index}/label`] = words.say('form.required')
    if (price === undefined) at[`/options/${index}/amount`] = words.say('form.notMoney')
    if (free === undefined) at[`/options/${index}/freeFrom`] = words.say('form.notMoney')
    if (weightSteps === undefined) at[`/options/${index}/weightSteps`] = words.say('shipping.notSteps')
    return {
      id: id || idFor(label, ids),
      label,
      amount: price ?? 0,
      freeFrom: free ?? null,
      weightSteps: weightSteps ?? [],
    }
  })
  if (options.length === 0) at['/options/0/label'] = words.say('shipping.noOption')
  if (Object.keys(at).length > 0) return { problems: { summary: words.say('form.problem'), at } }
  return { entry: { zone: typed.zone, countries: [...typed.countries], options } }
}

function stepsIn(steps: readonly TypedStep[], currency: string): { upToGrams: number; amount: number }[] | undefined {
  const read = steps.map((step) => {
    const amount = parseTypedAmount(step.amount, currency)
    const isWeight = /^\d{1,8}$/.test(step.grams)
    return isWeight && amount !== undefined ? { upToGrams: Number(step.grams), amount } : undefined
  })
  return read.every((step) => step !== undefined) ? read : undefined
}

// Derives an id from the label. Carts store the id of their option.
function idFor(label: string, taken: Set<string>): string {
  const word =
    label
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 30)
      .replace(/-+$/, '') || 'option'
  let id = word
  for (let count = 2; taken.has(id); count++) id = `${word}-${count}`
  taken.add(id)
  return id
}

interface ZoneState {
  // '' for a new zone.
  name: string
  typed: TypedZone
  base: ShippingZoneEntry | null
  problems?: Problems
  theirs?: TypedZone | null
}

function zoneSheet(visit: ScreenVisit, { name, typed, base, problems, theirs }: ZoneState): ScreenSheet {
  const { words, to } = visit
  const action = to(`settings/shipping/${name === '' ? 'new' : name}`)
  const back = { href: to('settings/shipping'), label: words.say('settings.shipping') }
  const rows = [
    ...typed.options,
    ...Array<undefined>(Math.min(newOptions, optionsMax - typed.options.length)).fill(undefined),
  ]
  const problem: ProblemAt = (pointer, id) => problemAt(problems, pointer, id)
  const plain = (id: string, label: string, value: string, pointer: string, help: string, more: Html) => {
    const { state, note } = problem(pointer, `${id}-problem`)
    return html`<div class="field whole">
      <label for="field-${id}">${label}</label>
      <input id="field-${id}" name="${id}" value="${value}" autocomplete="off"${more}${state}>
      <p class="help">${help}</p>
      ${note}
    </div>`
  }
  return {
    title: name === '' ? words.say('shipping.newTitle') : words.say('shipping.zoneTitle', { zone: name }),
    back,
    status: theirs !== undefined ? 409 : problems ? 400 : 200,
    actions:
      name !== ''
        ? linkButton({
            label: words.say('shipping.remove'),
            href: to(`settings/shipping/${name}/remove`),
            kind: 'plain',
            isDialog: true,
          })
        : undefined,
    body: html`${theirs !== undefined && theirVersion(visit, theirs)}
<form class="form" method="post" action="${action}">${keyField()}${shownPartField(base)}
${problemNote(problems, linkedFields(words, typed), words)}
<div class="card"><div class="card-body"><div class="fields">
${
  name === ''
    ? plain(
        'zone',
        words.say('shipping.zone'),
        typed.zone,
        '/zone',
        words.say('shipping.zoneHelp'),
        html` maxlength="40" required autofocus`,
      )
    : html`<input type="hidden" name="zone" value="${name}">`
}
${countryBoxes(visit, typed.countries, problems)}</div></div></div>
<div class="card">
  <header class="card-head"><h2>${words.say('shipping.options')}</h2></header>
  <div class="card-body">
    <p class="help gap">${words.say('shipping.stepsHelp')}</p>
    ${rows.map((row, index) => optionFields(visit, row, index, problem))}
  </div></div>
<div class="form-foot">
  ${button({
    label: words.say(theirs !== undefined ? 'twoVersions.saveMine' : 'action.save'),
    kind: 'first',
    shortcut: 'save',
  })}
  <a class="button plain" href="${back.href}">${words.say('action.cancel')}</a></div></form>`,
  }
}

function linkedFields(words: DashboardWords, { options }: TypedZone): LinkedField[] {
  const cells = { label: 'option', amount: 'price', freeFrom: 'freeFrom', weightSteps: 'steps' } as const
  return [
    { name: 'zone', pointer: '/zone', label: words.say('shipping.zone') },
    { name: 'countries', pointer: '/countries', label: words.say('shipping.countries') },
    // If the zone has no options, problems link to the first empty one.
    ...countUpTo(Math.max(1, options.length)).flatMap((index) =>
      Object.entries(cells).map(([name, key]) => ({
        name,
        id: `option-${index}-${name}`,
        pointer: `/options/${index}/${name}`,
        label: `${words.say('shipping.optionNumber', { count: index + 1 })}: ${words.say(`shipping.${key}`)}`,
      })),
    ),
  ]
}

type ProblemAt = (pointer: string, id: string) => { state: Html | false; note: Html | false }

function problemAt(problems: Problems | undefined, pointer: string, id: string): ReturnType<ProblemAt> {
  const text = problems?.at[pointer]
  return {
    state: text !== undefined && html` aria-invalid="true" aria-describedby="${id}"`,
    note: text !== undefined && html`<p class="wrong" id="${id}">${text}</p>`,
  }
}

function optionFields(visit: ScreenVisit, row: TypedOption | undefined, index: number, problem: ProblemAt): Html {
  const { words, shop } = visit
  const label = words.say('shipping.optionNumber', { count: index + 1 })
  const cell = (field: 'label' | 'amount' | 'freeFrom', pointer: string, text: string) => {
    const id = `option-${index}-${field}`
    const { state, note } = problem(pointer, `${id}-problem`)
    return html`<div class="field">
      <label for="${id}">${text}</label>
      <input
        id="${id}"
        name="${field}"
        value="${row?.[field]}"
        autocomplete="off"${field !== 'label' && html` inputmode="decimal"`}${state}>
      ${note}
    </div>`
  }
  const steps = problem(`/options/${index}/weightSteps`, `option-${index}-steps-problem`)
  return html`<fieldset class="option">
    <legend>${row ? label : words.say('shipping.newOption')}</legend>
    <input type="hidden" name="id" value="${row?.id}">
<div class="option-fields">
  ${cell('label', `/options/${index}/label`, words.say('shipping.option'))}
  ${cell('amount', `/options/${index}/amount`, `${words.say('shipping.price')} (${shop.currency})`)}
  ${cell('freeFrom', `/options/${index}/freeFrom`, words.say('shipping.freeFrom'))}
<div class="field whole">${stepTable(visit, row?.steps ?? [], index, steps.state)}${steps.note}</div></div></fieldset>`
}

function theirVersion(visit: ScreenVisit, theirs: TypedZone | null): Html {
  const { words, to, shop } = visit
  return html`<div class="gap">${renderNotice('bad', words.say('twoVersions.table'), 'alert')}</div>${renderCard({
    title: words.say('twoVersions.theirs'),
    aside: html`<a href="${to('settings/shipping')}">${words.say('twoVersions.drop')}</a>`,
    body:
      theirs === null
        ? html`<p>${words.say('twoVersions.gone')}</p>`
        : renderFacts([
            [words.say('shipping.countries'), countryNames(visit, theirs.countries)],
            ...theirs.options.map(
              (row) =>
                [
                  row.label,
                  `${row.amount} ${shop.currency}${row.freeFrom === '' ? '' : `, ${words.say('shipping.freeFrom')} ${row.freeFrom}`}`,
                ] as const,
            ),
          ]),
  })}<h2 class="gap">${words.say('twoVersions.mine')}</h2>`
}

function stepTable(
  { words, shop }: ScreenVisit,
  steps: readonly TypedStep[],
  option: number,
  state: Html | false,
): Html {
  const rows = [...steps, ...Array<undefined>(Math.min(newSteps, stepsMax - steps.length)).fill(undefined)]
  const cell = (name: 'grams' | 'step', head: string, value: string | undefined, at: number) =>
    html`<td data-head="${head}">
      <input
        name="${name}-${option}"
        value="${value}"
        inputmode="decimal"
        autocomplete="off"
        class="short"
        aria-label="${head}, ${at + 1}"${state}>
    </td>`
  const [weight, price] = [words.say('shipping.stepGrams'), `${words.say('shipping.price')} (${shop.currency})`]
  return html`<details${steps.length > 0 && html` open`}>
    <summary id="option-${option}-weightSteps">${words.say('shipping.steps')}</summary>
    <table class="edit-table">
      <caption class="hidden">${words.say('shipping.steps')}</caption>
      <thead><tr><th scope="col">${weight}</th><th scope="col">${price}</th></tr></thead>
      <tbody>
        ${rows.map(
          (step, at) =>
            html`<tr>${cell('grams', weight, step?.grams, at)}${cell('step', price, step?.amount, at)}</tr>`,
        )}
      </tbody>
    </table>
  </details>`
}

// Renders a box for each country, those of the EU first, and one box for all EU countries.
function countryBoxes({ words }: ScreenVisit, chosen: readonly string[], problems: Problems | undefined): Html {
  const held = new Set(chosen)
  const problem = Object.entries(problems?.at ?? {}).find(([pointer]) => pointer.startsWith('/countries'))?.[1]
  const box = (value: string, label: string) =>
    html`<label class="check"><input type="checkbox" name="country" value="${value}"${held.has(value) && html` checked`}> ${label}</label>`
  const [eu, others] = [true, false].map((inEu) =>
    countryOptions(words).filter(({ value }) => euCountries.includes(value) === inEu),
  )
  const group = (title: string, options: readonly { value: string; label: string }[], more: Html | false) =>
    html`<details${options.some(({ value }) => held.has(value)) && html` open`}>
      <summary>${title}</summary>
      ${more}
      <div class="country-boxes">${options.map(({ value, label }) => box(value, label))}</div>
    </details>`
  return html`<fieldset class="field whole guide-zone" id="field-countries">
    <legend>${words.say('shipping.countries')}</legend>
    ${problem !== undefined && html`<p class="wrong">${problem}</p>`}
${group(
  words.say('shipping.groupEu'),
  eu ?? [],
  html`<label class="check"><input type="checkbox" name="group" value="eu"> ${words.say('shipping.allEu')}</label>`,
)}
${group(words.say('shipping.groupOthers'), others ?? [], false)}
${box('*', words.say('shipping.restBox'))}</fieldset>`
}

function normal(entry: ShippingZoneEntry | undefined): ShippingZoneEntry | null {
  if (!entry) return null
  const { zone, countries, options } = entry
  return {
    zone,
    countries,
    options: options.map(({ id, label, amount, freeFrom = null, weightSteps = [] }) => ({
      id,
      label,
      amount,
      freeFrom,
      weightSteps,
    })),
  }
}

// A rough check suffices, because the zone is only rendered in the form again. Null for a new zone.
function isZone(base: unknown): base is ShippingZoneEntry | null {
  return base === null || (typeof base === 'object' && 'zone' in base)
}

async function postZone(
  posted: PostedScreen,
  name: string,
): Promise<ReturnType<typeof redirectWithToast> | ScreenSheet> {
  const { words, to } = posted
  const { data } = await posted.ask('getAdminShop')
  const others = data.shipping.filter(({ zone }) => zone !== name)
  const typed = typedIn(posted, new Set(others.flatMap(({ countries }) => countries)))
  const base = readShownPart(posted, isZone)
  const read = entryOf(posted, typed)
  if ('problems' in read) return zoneSheet(posted, { name, typed, base, problems: read.problems })
  const { entry } = read
  let place = 0
  const saved = await saveShopPart(posted, {
    partOf: ({ shipping: zones }) => normal(zones.find(({ zone }) => zone === entry.zone)),
    wanted: normal(entry),
    ask({ shipping: zones, version }, key) {
      const found = zones.findIndex(({ zone }) => zone === entry.zone)
      place = found < 0 ? zones.length : found
      const next = found < 0 ? [...zones, entry] : zones.with(found, entry)
      return posted.ask('replaceAdminShipping', { body: { shipping: next, expectedVersion: version }, key })
    },
  })
  if (saved.kind === 'saved') return redirectWithToast(to('settings/shipping'), 'done.settings')
  if (saved.kind === 'conflict') {
    const present = normal(saved.current.shipping.find(({ zone }) => zone === entry.zone))
    return zoneSheet(posted, { name, typed, base: present, theirs: present && typedOf(posted.shop, present) })
  }
  const prefix = `/shipping/${place}`
  const { summary, at } = problemsFromRefusal(words, saved.refusal, askedFields(posted, typed, prefix))
  const own = Object.fromEntries(
    Object.entries(at).map(([pointer, text]) => [
      pointer.replace(prefix, '').replace(/(\/weightSteps)\/.*/, '$1'),
      text,
    ]),
  )
  return zoneSheet(posted, { name, typed, base, problems: { summary, at: own } })
}

// Returns fields with the pointers of the operation, so its issues can be assigned to them. Their other members decide the wording of an
// issue.
function askedFields({ shop: { currency } }: ScreenVisit, { options }: TypedZone, prefix: string): Field[] {
  const line = (name: string) => ({ name, label: '', kind: 'line', pointer: `${prefix}/${name}` }) as const
  const money = (name: string) => ({ ...line(name), kind: 'money', currency }) as const
  return [
    { ...line('zone'), isWord: true },
    line('countries'),
    ...options.flatMap(({ steps }, index) => {
      const below = `options/${index}`
      const amounts = steps.map((_, at) => money(`${below}/weightSteps/${at}/amount`))
      const asked = [line(`${below}/label`), money(`${below}/amount`), money(`${below}/freeFrom`)]
      return [...asked, line(`${below}/weightSteps`), ...amounts]
    }),
  ]
}

export const newShippingZoneScreen: Screen = {
  path: 'settings/shipping/new',
  name: 'dashboard new zone',
  place: 'settings',
  needs: 'replaceAdminShipping',
  get: async (visit) => zoneSheet(visit, { name: '', typed: { zone: '', countries: [], options: [] }, base: null }),
  post: (posted) => postZone(posted, ''),
}

async function zoneOf(visit: ScreenVisit): Promise<ShippingZoneEntry> {
  const { data } = await visit.ask('getAdminShop')
  const found = data.shipping.find(({ zone }) => zone === visit.path.zone)
  if (!found) throw refuse('route_not_found')
  return found
}

export const shippingZoneScreen: Screen = {
  path: 'settings/shipping/:zone',
  name: 'dashboard zone',
  place: 'settings',
  needs: 'replaceAdminShipping',
  async get(visit) {
    const found = await zoneOf(visit)
    return zoneSheet(visit, { name: found.zone, typed: typedOf(visit.shop, found), base: normal(found) })
  },
  post: (posted) => postZone(posted, posted.path.zone ?? ''),
}

export const removeShippingZoneScreen: Screen = {
  path: 'settings/shipping/:zone/remove',
  name: 'dashboard remove zone',
  place: 'settings',
  needs: 'replaceAdminShipping',
  async get(visit) {
    const { words, to } = visit
    const found = await zoneOf(visit)
    const back = { href: to(`settings/shipping/${found.zone}`), label: words.say('settings.shipping') }
    return dialog({
      title: words.say('shipping.removeTitle', { zone: found.zone }),
      back,
      lead: words.say('shipping.removeLead', { countries: countryNames(visit, found.countries.slice(0, 12)) }),
      body: renderForm(visit, {
        action: to(`settings/shipping/${found.zone}/remove`),
        fields: [],
        before: shownPartField(normal(found)),
        submit: words.say('shipping.remove'),
        kind: 'danger',
        cancel: back.href,
      }),
    })
  },
  async post(posted) {
    const { to, path } = posted
    const saved = await saveShopPart(posted, {
      partOf: ({ shipping: zones }) => normal(zones.find((one) => one.zone === path.zone)),
      wanted: null,
      ask: ({ shipping: zones, version }, key) =>
        posted.ask('replaceAdminShipping', {
          body: { shipping: zones.filter((one) => one.zone !== path.zone), expectedVersion: version },
          key,
        }),
    })
    if (saved.kind === 'refused') throw saved.refusal
    if (saved.kind === 'saved') return redirectWithToast(to('settings/shipping'), 'done.zoneRemoved')
    const present = saved.current.shipping.find((one) => one.zone === path.zone)
    const typed = present ? typedOf(posted.shop, present) : { zone: '', countries: [], options: [] }
    return zoneSheet(posted, {
      name: path.zone ?? '',
      typed,
      base: normal(present),
      problems: { summary: posted.words.say('twoVersions.table'), at: {} },
    })
  },
}
