// Forms: from a list of fields to HTML, and from a posted form to the body of an operation.
//
//   const fields: Field[] = [
//     { name: 'carrier', label: 'Carrier', kind: 'line', lengthMax: 100 },
//     { name: 'amount', label: 'Amount', kind: 'money', currency: 'EUR' },
//   ]
//   renderForm(visit, { action, fields, values, problems, submit: 'Send' })   the form as HTML, with a new idempotency key
//   buildBody(words, fields, posted.form)       { body } for the operation, or { problems } if for example a text is not a number
//   readTypedValues(fields, posted.form)        the typed values, to render the form again
//   problemsFromRefusal(words, refusal, fields) the issues of a refusal, by the JSON pointer of their field
//   problemNote(problems, fields, words)        the list of problems, with links to the fields; part of `renderForm`
//   readKey(posted.form)                        the idempotency key: posting a form twice takes effect once
//
// The pointer of a field is `/name` by default. An empty field is omitted from the body, or null if `isNullable`.

import { randomUUID } from 'node:crypto'
import { type BrokenRule, type IssueCode, issue } from '../../contract/issues.ts'
import type { RefusalCode } from '../../contract/refusals.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import { type Html, type HtmlValue, html } from '../../platform/html/html.ts'
import { decimalAmount, parseDecimal } from '../../platform/kit/money.ts'
import type { Refusal } from '../../platform/kit/refuse.ts'
import { type ButtonKind, button, problemList } from './parts.ts'
import type { PostedScreen, ScreenVisit } from './screen.ts'
import type { DashboardWords, TextKey } from './words.ts'

export interface Field {
  name: string
  label: string
  // `secret`: the typed text is hidden, and not rendered again with the form. `password`: the person's own password, which a password
  // manager may fill in and store.
  kind: 'line' | 'text' | 'email' | 'url' | 'whole' | 'money' | 'choice' | 'check' | 'secret' | 'password'
  help?: string
  isRequired?: boolean
  isFirst?: boolean
  lengthMax?: number
  min?: number
  max?: number
  rows?: number
  // For kind `text`: HTML, edited in browser/rich.ts if scripts run.
  isRich?: boolean
  autocomplete?: string
  // For kind `money`.
  currency?: string
  // For kind `line`: lower-case letters and digits, joined by single hyphens.
  isWord?: boolean
  // For kind `choice`. The first option is selected by default.
  options?: readonly { value: string; label: string }[]
  // For kind `line`: existing values of other resources.
  suggestions?: readonly string[]
  // For kind `line`: the id of a list of suggestions that several fields share.
  listId?: string
  // Required if two forms of a page have the same field (default: `field-` and the name).
  id?: string
  // JSON pointer to the value in the body (default: `/name`).
  pointer?: string
  // Whether an empty field is sent as null, which removes the value.
  isNullable?: boolean
  // Whether the field takes half of the width, beside the next field.
  isHalf?: boolean
}

export type FieldValues = Readonly<Record<string, string>>

export interface Problems {
  // Rendered above the form.
  summary?: string | undefined
  // Keyed by the JSON pointer of the field.
  at: Readonly<Record<string, string>>
}

export interface FormParts {
  action: string
  fields: readonly Field[]
  values?: FieldValues
  problems?: Problems | undefined
  submit: string
  kind?: ButtonKind
  // Required if `more` contains fields for files.
  takesFiles?: true
  // Hidden fields that are sent with the form.
  hidden?: Readonly<Record<string, string | number>>
  // Where *Cancel* leads.
  cancel?: string
  // Fields in `before` and `more` that the list of problems may link to.
  drawn?: readonly LinkedField[]
  // Rendered between the fields and the buttons.
  more?: HtmlValue
  before?: HtmlValue
  // More buttons.
  actions?: HtmlValue
}

export function renderForm(visit: ScreenVisit, parts: FormParts): Html {
  const { action, fields, values = {}, problems, submit, kind = 'first', hidden = {}, cancel } = parts
  const { words } = visit
  return html`<form
    class="form"
    method="post"
    action="${action}"${parts.takesFiles && html` enctype="multipart/form-data"`}>
${keyField()}${hiddenFields(hidden)}
${problemNote(problems, [...(parts.drawn ?? []), ...fields], words)}
${parts.before}
${
  fields.length > 0 &&
  html`<div class="fields">${fields.map((one) => field(words, one, values[one.name], problems))}</div>`
}
${parts.more}
<div class="form-foot">
  ${button({ label: submit, kind, shortcut: 'save' })}
  ${parts.actions}
  ${cancel !== undefined && html`<a class="button plain" href="${cancel}" data-close>${words.say('action.cancel')}</a>`}</div>
</form>`
}

// The members of a field that the list of problems needs.
export type LinkedField = Pick<Field, 'name' | 'label' | 'id' | 'pointer'>

// Lists the problems above the form, which may be longer than the screen: in the order of the fields, with a link to each field.
export function problemNote(
  problems: Problems | undefined,
  fields: readonly LinkedField[],
  words: DashboardWords,
): Html | false {
  if (problems === undefined) return false
  const listed = fields.flatMap((one) => {
    const text = problems.at[pointerOf(one)]
    return text === undefined ? [] : [{ id: idOf(one), label: one.label, text }]
  })
  const { summary } = problems
  if (summary === undefined && listed.length === 0) return false
  // A summary that is missing, or that the list repeats, is replaced by a general one.
  const isListed = summary === undefined || listed.some(({ text }) => text === summary)
  return problemList(isListed ? words.say('form.problem') : summary, listed)
}

// Warns before the person leaves a form with typed values. A form that is rendered again counts as changed.
export function leaveWarning(visit: ScreenVisit | PostedScreen): Html {
  return html` data-guard${'form' in visit && html` data-typed="yes"`}`
}

// A new idempotency key. Every form that changes something needs one.
export function keyField(): Html {
  return hiddenFields({ key: randomUUID() })
}

// Without a valid key a new one is made, so posting that form twice takes effect twice.
export function readKey(posted: FormFields): string {
  const key = posted.get('key') ?? ''
  return /^[\w-]{8,64}$/.test(key) ? key : randomUUID()
}

// Browsers treat a required choice with the empty value as missing, even if that value has a meaning.
function hasEmptyChoice({ options = [] }: Field): boolean {
  return options.some(({ value }) => value === '')
}

// `value` is markup if the text is long and was escaped in slices.
export function field(
  words: DashboardWords,
  given: Field,
  value: string | Html = '',
  problems: Problems = { at: {} },
): Html {
  const { name, label, kind, help } = given
  const problem = problems.at[pointerOf(given)]
  const id = idOf(given)
  const isAsked = Object.keys(problems.at).length === 0
  const described = [help !== undefined && `${id}-help`, problem !== undefined && `${id}-problem`]
    .filter(Boolean)
    .join(' ')
  const state = html`${described !== '' && html` aria-describedby="${described}"`}
  ${problem !== undefined && html` aria-invalid="true"`}
  ${given.isFirst && isAsked && html` autofocus`}
  ${given.isRequired && !hasEmptyChoice(given) && html` required`}`
  const notes = html`${help !== undefined && html`<p class="help" id="${id}-help">${help}</p>`}
  ${problem !== undefined && html`<p class="wrong" id="${id}-problem">${problem}</p>`}`
  if (kind === 'check')
    return html`<div class="field whole">
      <label class="check">
        <input type="checkbox" id="${id}" name="${name}" value="on"${value === 'on' && html` checked`}${state}> ${label}
      </label>
      ${notes}
    </div>`
  return html`<div class="field${given.isHalf ? '' : ' whole'}">
    <label for="${id}">
      ${label}
      ${!given.isRequired && html` <span class="soft">${words.say('form.optional')}</span>`}
    </label>
${given.isRich && richTools(words, id)}${control(given, id, value, state)}${notes}</div>`
}

const richCommands = ['bold', 'italic', 'heading', 'subheading', 'text', 'list', 'numbers', 'link', 'source'] as const

// Hidden until browser/rich.ts shows them.
function richTools(words: DashboardWords, id: string): Html {
  return html`<div
    class="rich-tools"
    role="toolbar"
    aria-label="${words.say('rich.tools')}"
    aria-controls="${id}"
    data-rich-tools="${id}"
    data-ask="${words.say('rich.ask')}"
    hidden>
    ${richCommands.map(
      (name) =>
        html`<button type="button" class="button plain" data-command="${name}">${words.say(`rich.${name}`)}</button>`,
    )}
  </div>`
}

function control(given: Field, id: string, value: string | Html, state: Html): Html {
  const { name, kind, lengthMax, rows = 4, options = [], autocomplete = 'off', min, max } = given
  const bound = lengthMax !== undefined && html` maxlength="${lengthMax}"`
  if (kind === 'choice')
    return html`<select id="${id}" name="${name}"${state}>${options.map(
      (option) =>
        html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`,
    )}</select>`
  if (kind === 'text')
    return html`<textarea
      id="${id}"
      name="${name}"
      rows="${rows}"
      dir="auto"${given.isRich && html` data-rich`}${bound}${state}>${value}</textarea>`
  if (kind === 'money')
    return html`<span class="money">
      <input id="${id}" name="${name}" inputmode="decimal" autocomplete="off" dir="ltr" value="${value}"${state}>
      <span class="unit" aria-hidden="true">${given.currency}</span>
    </span>`
  if (kind === 'secret')
    return html`<input
      id="${id}"
      name="${name}"
      type="password"
      dir="ltr"
      class="mono"
      autocomplete="new-password"
      spellcheck="false"
      data-1p-ignore
      data-lpignore="true"${bound}${state}>`
  if (kind === 'password')
    return html`<input
      id="${id}"
      name="${name}"
      type="password"
      dir="ltr"
      autocomplete="${autocomplete}"
      spellcheck="false"${bound}${state}>`
  const type = kind === 'email' ? 'email' : kind === 'url' ? 'url' : kind === 'whole' ? 'number' : 'text'
  const { suggestions = [] } = given
  const listId = given.listId ?? `${id}-list`
  const known =
    suggestions.length > 0 &&
    html`<datalist id="${listId}">${suggestions.map((one) => html`<option value="${one}"></option>`)}</datalist>`
  return html`<input
    id="${id}"
    name="${name}"
    type="${type}"
    dir="auto"
    autocomplete="${autocomplete}"
    value="${value}"${bound}${min !== undefined && html` min="${min}"`}${max !== undefined && html` max="${max}"`}${
      (known !== false || given.listId !== undefined) && html` list="${listId}"`
    }${state}>
  ${known}`
}

function pointerOf({ pointer, name }: Pick<Field, 'pointer' | 'name'>): string {
  return pointer ?? `/${name}`
}

function idOf({ id, name }: Pick<Field, 'id' | 'name'>): string {
  return id ?? `field-${name}`
}

export const typedLengthMax = 60_000

// Returns the typed values, truncated to a maximum length.
export function readTypedValues(fields: readonly Field[], posted: FormFields): FieldValues {
  return Object.fromEntries(fields.map(({ name }) => [name, (posted.get(name) ?? '').slice(0, typedLengthMax)]))
}

// Formats an amount as it is typed into a field of kind `money`.
export function moneyText(amountMinor: number, currency: string): string {
  return decimalAmount(amountMinor, currency)
}

// Builds a body from the fields, with each value at the pointer of its field (one level deep or more). Problems are texts that do not fit
// their kind, values out of bounds, and empty required fields. If there are problems, no operation is called.
export function buildBody(
  words: DashboardWords,
  fields: readonly Field[],
  posted: FormFields,
): { body: Record<string, unknown> } | { problems: Problems } {
  const body: Record<string, unknown> = {}
  const at: Record<string, string> = {}
  for (const one of fields) {
    const text = textOf(one, posted)
    const value = parsed(one, text)
    const bound = brokenBound(one, value)
    if (text === '' && one.isRequired && !hasEmptyChoice(one)) at[pointerOf(one)] = words.say('form.required')
    else if (value === undefined && text !== '')
      at[pointerOf(one)] = words.say(one.kind === 'money' ? 'form.notMoney' : 'form.notNumber')
    else if (bound !== undefined) at[pointerOf(one)] = words.issue(bound)
    else if (value !== undefined) put(body, pointerOf(one), value)
    else if (one.isNullable) put(body, pointerOf(one), null)
  }
  return Object.keys(at).length === 0 ? { body } : { problems: { summary: words.say('form.problem'), at } }
}

function textOf({ kind, name }: Field, posted: FormFields): string {
  const text = (posted.get(name) ?? '').slice(0, typedLengthMax).toWellFormed()
  // Browsers send line breaks as CRLF.
  if (kind === 'text') return text.replaceAll('\r\n', '\n').trim()
  return text.replace(/\p{Cc}+/gu, ' ').trim()
}

function parsed({ kind, currency = '' }: Field, text: string): unknown {
  if (kind === 'check') return text === 'on'
  if (text === '') return undefined
  if (kind === 'whole') return /^-?\d{1,60}$/.test(text) ? Number(text) : undefined
  if (kind === 'money') return parseTypedAmount(text, currency)
  return text
}

// Returns the rule that the contract would report.
function brokenBound({ kind, min, max, lengthMax }: Field, value: unknown): BrokenRule | undefined {
  if (typeof value === 'string' && lengthMax !== undefined && value.length > lengthMax)
    return issue('too_long', { max: lengthMax })
  if (kind !== 'whole' || typeof value !== 'number') return undefined
  const isTooLow = min !== undefined && value < min
  const isTooHigh = max !== undefined && value > max
  if (!isTooLow && !isTooHigh) return undefined
  if (min !== undefined && max !== undefined) return issue('integer_out_of_range', { min, max })
  return isTooLow ? issue('integer_too_low', { min }) : issue('integer_too_high', { max: max ?? value })
}

// '12.50' and '12,50' are the same amount. Thousands separators are not accepted.
export function parseTypedAmount(text: string, currency: string): number | undefined {
  return parseDecimal(text.replace(/^0+(?=\d)/, '').replace(',', '.'), currency)
}

function put(body: Record<string, unknown>, pointer: string, value: unknown): void {
  const names = pointer.slice(1).split('/')
  let place = body
  for (const name of names.slice(0, -1)) {
    place[name] ??= {}
    place = place[name] as Record<string, unknown>
  }
  place[names.at(-1) ?? ''] = value
}

// An issue is shown at the field whose pointer is the longest prefix of the issue's path. Issues without a field are shown above the
// form.
export function problemsFromRefusal(words: DashboardWords, refusal: Refusal, fields: readonly Field[] = []): Problems {
  const issues = refusal.details.issues ?? []
  const at: Record<string, string> = {}
  const rest: string[] = []
  for (const { path, ...rule } of issues) {
    const near = fields.filter((one) => path === pointerOf(one) || path.startsWith(`${pointerOf(one)}/`))
    const [found] = near.sort((one, other) => pointerOf(other).length - pointerOf(one).length)
    if (found) at[pointerOf(found)] ??= issueText(words, rule, found)
    else rest.push(placedIssue(words, path, rule))
  }
  const takenName = (takenNames[refusal.code] ?? []).flatMap((name) => fields.find((one) => one.name === name) ?? [])[0]
  if (takenName) at[pointerOf(takenName)] ??= words.refusal(refusal)
  const isOnlyFields = issues.length > 0 && rest.length === 0
  const summary = isOnlyFields ? words.say('form.problem') : [words.refusal(refusal), ...rest].join(' ')
  return { summary, at }
}

// Names of fields that contain the value that must be unique. The first of them that the form has shows the problem.
const takenNames: Partial<Record<RefusalCode, readonly string[]>> = {
  product_exists: ['slug', 'name'],
  category_exists: ['slug', 'name'],
  maker_exists: ['slug', 'name'],
  page_exists: ['slug', 'title'],
  redirect_exists: ['from'],
  promotion_exists: ['code'],
  app_exists: ['name'],
  user_exists: ['email'],
  member_exists: ['email'],
}

const boundTexts: Partial<Record<IssueCode, TextKey>> = {
  integer_out_of_range: 'form.moneyBetween',
  integer_too_low: 'form.moneyAtLeast',
  integer_too_high: 'form.moneyAtMost',
}

// Rules that the contract reports as a pattern mismatch, by the kind of the field.
const patternRules: Partial<Record<Field['kind'], IssueCode>> = { url: 'not_a_web_address', email: 'not_an_email' }

// Bounds of amounts are in minor units and are formatted, because the field takes decimal amounts.
export function issueText(
  words: DashboardWords,
  rule: BrokenRule,
  { kind, currency, isWord }: Pick<Field, 'kind' | 'currency' | 'isWord'>,
): string {
  const known = isWord ? 'not_a_slug' : patternRules[kind]
  if (rule.code === 'pattern_mismatch' && known !== undefined) return words.issue({ ...rule, code: known })
  const { min: least, max: most } = rule.values
  if (rule.code === 'array_length' && kind === 'text' && typeof least === 'number' && typeof most === 'number')
    return words.say('form.lines', { min: least, max: most })
  const key = kind === 'money' ? boundTexts[rule.code] : undefined
  if (key === undefined || currency === undefined) return words.issue(rule)
  const { min, max } = rule.values
  const shown = (value: unknown) => (typeof value === 'number' ? words.money(value, currency) : '')
  return words.say(key, { min: shown(min), max: shown(max) })
}

// Prefixes the sentence with the last name in the path and the row: `/shipping/4/countries/0` is about countries, in row 5.
export function placedIssue(words: DashboardWords, path: string, rule: BrokenRule): string {
  const parts = path.split('/').slice(1)
  const name = parts.findLast((part) => !/^\d+$/.test(part))
  const row = parts.find((part) => /^\d{1,6}$/.test(part))
  const sentence = words.issue(rule)
  if (name === undefined) return sentence
  const known = words.sayKnown(`member.${name}`, name)
  const place = row === undefined ? known : words.say('form.inRow', { name: known, row: Number(row) + 1 })
  return `${place}: ${sentence}`
}
