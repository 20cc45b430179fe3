// Discounts: codes with their state and uses, and the form for one discount.

import type { AdminPromotion, AdminPromotionListQuery } from '../../../contract/admin/catalog.ts'
import type { PromotionEntry } from '../../../contract/entries.ts'
import { type PromotionType, promotionStatuses, promotionTypes } from '../../../contract/words.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import type { Refusal } from '../../../platform/kit/refuse.ts'
import { type CategoryNode, listShopCategories } from '../catalog.ts'
import { renderFilters } from '../filters.ts'
import {
  type Field,
  field,
  issueText,
  keyField,
  type LinkedField,
  leaveWarning,
  moneyText,
  type Problems,
  parseTypedAmount,
  problemNote,
  readKey,
} from '../form.ts'
import { fromLocalTime, toLocalTime } from '../localtime.ts'
import { button, linkButton, renderCard, renderNotice, statusPill } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenResult, type ScreenVisit } from '../screen.ts'
import { copyField } from '../secret.ts'
import { hrefWith, renderTable, renderTabs } from '../table.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords, TextKey } from '../words.ts'
import { parsePercent } from './prices.ts'

export const discountsScreen: Screen = {
  path: 'discounts',
  name: 'dashboard discounts',
  place: 'discounts',
  needs: 'listAdminPromotions',
  async get(visit) {
    const { words, query, to, may } = visit
    const asked = Object.fromEntries(
      ['q', 'status'].flatMap((name) => {
        const value = query.get(name)?.trim()
        return value ? [[name, value]] : []
      }),
    ) as AdminPromotionListQuery
    const cursor = query.get('cursor') ?? undefined
    const { data, meta } = await visit.ask('listAdminPromotions', { query: asked, cursor })
    const add =
      may('createAdminPromotion') &&
      linkButton({ label: words.say('discounts.new'), href: to('discounts/new'), kind: 'first' })
    return {
      title: words.say('discounts.title'),
      actions: html`${add}`,
      body: html`<div class="toolbar">${renderTabs(
        visit,
        words.say('discounts.views'),
        [undefined, ...promotionStatuses.toReversed()].map((status) => ({
          label: words.say(status ? `state.promotion.${status}` : 'products.all'),
          query: { status },
        })),
        'chips',
      )}
${renderFilters(visit, ['status'], [{ name: 'q', label: words.say('discounts.find'), kind: 'line' }])}</div>
${renderTable(visit, {
  label: words.say('discounts.title'),
  columns: [
    {
      head: words.say('discounts.code'),
      cell: ({ promotion: { code, name } }) =>
        html`<span class="line-name">${code}</span><span class="soft small name-below" dir="auto">${name}</span>`,
      isMain: true,
    },
    { head: words.say('discounts.what'), cell: ({ promotion }) => whatOf(visit, promotion) },
    {
      head: words.say('products.status'),
      cell: ({ status }) => statusPill(words, 'promotion', status),
      isCorner: true,
    },
    {
      head: words.say('discounts.used'),
      cell: ({ used, promotion: { usageLimit } }) =>
        usageLimit == null
          ? words.number(used)
          : words.say('discounts.usedOf', { used: words.number(used), limit: words.number(usageLimit) }),
      align: 'end',
    },
    { head: words.say('discounts.valid'), cell: ({ promotion }) => validOf(visit, promotion), isMinor: true },
  ],
  rows: data,
  idOf: ({ id }) => id,
  hrefOf: ({ id }) => to(`discounts/${id}`),
  next: meta.next,
  empty:
    Object.keys(asked).length > 0
      ? {
          title: words.say('discounts.none'),
          action: linkButton({
            label: words.say('discounts.seeAll'),
            href: hrefWith(visit, { q: undefined, status: undefined, cursor: undefined }),
          }),
        }
      : { title: words.say('discounts.empty'), text: words.say('discounts.emptyText'), action: add },
})}`,
    }
  },
}

// A discount may have another currency than the shop.
function currencyOf({ shop }: ScreenVisit, entry: PromotionEntry | undefined): string {
  return entry?.currency ?? shop.currency
}

function whatOf(visit: ScreenVisit, entry: PromotionEntry): Html {
  const { words } = visit
  const { type, percentage, amount, minimumSubtotal } = entry
  const currency = currencyOf(visit, entry)
  const what =
    type === 'percentage'
      ? `${words.number((percentage ?? 0) / 100)} %`
      : type === 'fixed_amount'
        ? words.money(amount ?? 0, currency)
        : words.say('discounts.freeShipping')
  return html`${what}${
    minimumSubtotal != null &&
    minimumSubtotal > 0 &&
    html`<br><span class="soft small">${words.say('discounts.from', { amount: words.money(minimumSubtotal, currency) })}</span>`
  }`
}

function validOf({ words }: ScreenVisit, { startsAt, endsAt }: PromotionEntry): string {
  const [from, to] = [startsAt && words.moment(startsAt), endsAt && words.moment(endsAt)]
  if (from && to) return `${from} – ${to}`
  if (from) return words.say('discounts.validFrom', { date: from })
  return to ? words.say('discounts.validTo', { date: to }) : words.say('discounts.always')
}

export const newDiscountScreen: Screen = {
  path: 'discounts/new',
  name: 'dashboard new discount',
  place: 'discounts',
  needs: 'createAdminPromotion',
  get: (visit) => sheetOf(visit, { values: {} }),
  post: (posted) => save(posted),
}

export const discountScreen: Screen = {
  path: 'discounts/:promotionId',
  name: 'dashboard discount',
  place: 'discounts',
  needs: 'getAdminPromotion',
  async get(visit) {
    const present = await presentOf(visit)
    return sheetOf(visit, { present, values: valuesIn(visit, present.promotion) })
  },
  async post(posted) {
    const present = await presentOf(posted)
    const what = posted.form.get('do')
    if (what !== 'stop' && what !== 'start') return save(posted, present)
    const promotion = { ...present.promotion, disabled: what === 'stop' }
    return write(posted, present, promotion, what === 'stop' ? 'done.stopped' : 'done.started')
  },
}

async function presentOf(visit: ScreenVisit): Promise<AdminPromotion> {
  return (await visit.ask('getAdminPromotion', { path: { promotionId: visit.path.promotionId ?? '' } })).data
}

const lines = [
  'code',
  'name',
  'type',
  'percent',
  'amount',
  'minimum',
  'startsAt',
  'endsAt',
  'usageLimit',
  'customerLimit',
] as const
type Line = (typeof lines)[number]
type Values = Partial<Readonly<Record<Line | 'skus', string>>> & { categories?: readonly string[] }

function valuesIn(visit: ScreenVisit, entry: PromotionEntry): Values {
  const { shop } = visit
  const currency = currencyOf(visit, entry)
  const money = (amount: number | null | undefined) => (amount == null ? '' : moneyText(amount, currency))
  const local = (instant: string | null | undefined) => (instant ? toLocalTime(instant, shop.timeZone) : '')
  return {
    code: entry.code,
    name: entry.name,
    type: entry.type,
    percent: entry.percentage === undefined ? '' : String(entry.percentage / 100),
    amount: money(entry.amount),
    minimum: money(entry.minimumSubtotal),
    startsAt: local(entry.startsAt),
    endsAt: local(entry.endsAt),
    usageLimit: String(entry.usageLimit ?? ''),
    customerLimit: String(entry.customerLimit ?? ''),
    categories: entry.categories ?? [],
    skus: (entry.skus ?? []).join('\n'),
  }
}

function typedIn(form: FormFields): Values {
  const typed = lines.map((name) => [name, (form.get(name) ?? '').slice(0, 300).trim()] as const)
  return {
    ...Object.fromEntries(typed),
    skus: (form.get('skus') ?? '').slice(0, 25_000),
    categories: form.getAll('category').slice(0, 60),
  }
}

async function save(posted: PostedScreen, present?: AdminPromotion): Promise<ScreenResult> {
  const { words, form } = posted
  const values = typedIn(form)
  const at: Record<string, string> = {}
  const promotion = entryOf(posted, values, present?.promotion, at)
  if (Object.keys(at).length > 0)
    return sheetOf(posted, {
      present,
      values,
      seen: present && seenIn(form),
      problems: { summary: words.say('form.problem'), at },
    })
  return write(posted, present, promotion, 'done.saved', values)
}

async function write(
  posted: PostedScreen,
  present: AdminPromotion | undefined,
  promotion: PromotionEntry,
  text: 'done.saved' | 'done.stopped' | 'done.started',
  values: Values = valuesIn(posted, promotion),
): Promise<ScreenResult> {
  const { form, to } = posted
  const parts = { key: readKey(form) }
  const outcome = await catchRefusal(
    present
      ? posted.change('replaceAdminPromotion', {
          path: { promotionId: present.id },
          body: { expectedVersion: Number(form.get('version')), promotion },
          ...parts,
        })
      : posted.change('createAdminPromotion', { body: { promotion }, ...parts }),
    ['category_not_found', 'sku_not_found'],
  )
  if ('refusal' in outcome) {
    const { refusal } = outcome
    const problems = refusedAt(posted, refusal)
    if (!present) return sheetOf(posted, { values, problems })
    const seen = seenIn(form)
    if (refusal.code !== 'version_conflict') return sheetOf(posted, { present, values, seen, problems })
    const theirs = valuesIn(posted, present.promotion)
    return sheetOf(posted, { present, values: mergedValues(values, theirs, seen.base), problems, theirs })
  }
  const { answer, change } = outcome.reply
  return redirectWithToast(to(`discounts/${answer.data.id}`), text, present && { change })
}

// The version that this person opened. Saves are checked against it even after the form was rendered again.
interface Seen {
  version: string
  base: string
}

function seenIn(form: FormFields): Seen {
  return { version: form.get('version') ?? '', base: form.get('base') ?? '' }
}

const members = [...lines, 'skus', 'categories'] as const

const textOf = (values: Values, part: (typeof members)[number]) =>
  [values[part] ?? ''].flat().join('\n').replaceAll('\r', '')

function baseOf(values: Values): string {
  return JSON.stringify(members.map((part) => textOf(values, part)))
}

// Returns the typed values, with the other person's values for members that this person did not change. Without `base`, all typed values
// count as changed.
function mergedValues(typed: Values, theirs: Values, base: string): Values {
  const began = baseTexts(base)
  return Object.fromEntries(
    members.map((part, at) => [part, (textOf(typed, part) === began[at] ? theirs : typed)[part]]),
  )
}

function baseTexts(base: string): readonly unknown[] {
  try {
    const texts: unknown = JSON.parse(base)
    return Array.isArray(texts) ? texts : []
  } catch {
    return []
  }
}

// Values that cannot be parsed are reported in `at`, by the name of their field.
function entryOf(
  visit: ScreenVisit,
  values: Values,
  present: PromotionEntry | undefined,
  at: Record<string, string>,
): PromotionEntry {
  const { words, shop } = visit
  const currency = currencyOf(visit, present)
  const { percentage: _, amount: __, ...rest }: Partial<PromotionEntry> = present ?? {}
  const type = promotionTypes.find((one) => one === values.type) ?? 'percentage'
  const wrong = (name: Line, key: TextKey) => {
    at[`/${name}`] = words.say(key)
    return null
  }
  const money = (name: Line): number | null => {
    const text = values[name] ?? ''
    return text === '' ? null : (parseTypedAmount(text, currency) ?? wrong(name, 'form.notMoney'))
  }
  const whole = (name: Line): number | null => {
    const text = values[name] ?? ''
    if (text === '') return null
    return /^\d{1,10}$/.test(text) ? Number(text) : wrong(name, 'form.notNumber')
  }
  // The form has no seconds: an instant whose minute is unchanged keeps its seconds.
  const instant = (name: 'startsAt' | 'endsAt'): string | null => {
    const text = values[name] ?? ''
    const before = present?.[name]
    if (text === '') return null
    if (before && toLocalTime(before, shop.timeZone) === text) return before
    return fromLocalTime(text, shop.timeZone) ?? wrong(name, 'form.invalid')
  }
  const percentage = type === 'percentage' ? parsePercent(values.percent ?? '') : undefined
  if (type === 'percentage' && (percentage === undefined || percentage < 0)) wrong('percent', 'prices.notPercent')
  const amount = type === 'fixed_amount' ? money('amount') : null
  if (type === 'fixed_amount' && amount === null) at['/amount'] ??= words.say('form.required')
  for (const name of ['code', 'name'] as const)
    if (!values[name] && !(name === 'code' && present)) wrong(name, 'form.required')
  return {
    ...rest,
    code: present?.code ?? values.code ?? '',
    name: values.name ?? '',
    type,
    ...(percentage !== undefined && { percentage }),
    ...(amount !== null && { amount }),
    minimumSubtotal: money('minimum'),
    startsAt: instant('startsAt'),
    endsAt: instant('endsAt'),
    usageLimit: whole('usageLimit'),
    customerLimit: whole('customerLimit'),
    categories: [...(values.categories ?? [])],
    skus: [...new Set((values.skus ?? '').split(/[\n,]/).map((code) => code.trim()))].filter((code) => code !== ''),
  }
}

const pointers: Readonly<Record<string, string>> = { percentage: 'percent', minimumSubtotal: 'minimum' }

// Bounds of amounts are formatted in the currency of the shop.
function fieldOf(member: string, { currency }: ScreenVisit['shop']): Pick<Field, 'kind' | 'currency'> {
  return member === 'amount' || member === 'minimumSubtotal' ? { kind: 'money', currency } : { kind: 'line' }
}

function refusedAt({ words, shop }: ScreenVisit, refusal: Refusal): Problems {
  const text = words.refusal(refusal)
  if (refusal.code === 'promotion_exists') return { summary: text, at: { '/code': text } }
  if (refusal.code === 'sku_not_found') return { summary: text, at: { '/skus': text } }
  if (refusal.code === 'usage_limit_too_low') return { summary: text, at: { '/usageLimit': text } }
  const at: Record<string, string> = {}
  for (const { path, ...rule } of refusal.details.issues ?? []) {
    const [member = ''] = path.replace(/^\/promotion\//, '').split('/')
    at[`/${pointers[member] ?? member}`] ??=
      member === 'percentage' ? words.say('prices.notPercent') : issueText(words, rule, fieldOf(member, shop))
  }
  const shown = new Set(listedFields(words).map(({ name }) => `/${name}`))
  const rest = Object.entries(at).flatMap(([pointer, problem]) => (shown.has(pointer) ? [] : [problem]))
  return { summary: [text, ...rest].join(' '), at }
}

interface SheetParts {
  values: Values
  present?: AdminPromotion | undefined
  problems?: Problems | undefined
  // Default: the stored discount.
  seen?: Seen | undefined
  // Values that another person has saved meanwhile.
  theirs?: Values | undefined
}

async function sheetOf(visit: ScreenVisit, parts: SheetParts): Promise<ScreenResult> {
  const { words, to, may } = visit
  const { present, values, problems = { at: {} }, theirs } = parts
  const seen =
    parts.seen ?? (present && { version: String(present.version), base: baseOf(valuesIn(visit, present.promotion)) })
  const categories = await listShopCategories(visit)
  const mayChange = may(present ? 'replaceAdminPromotion' : 'createAdminPromotion')
  const inside = html`${problemNote(problems, listedFields(words), words)}
${
  theirs &&
  present &&
  renderNotice(
    'info',
    html`${words.say('conflict.now')} ${presentText(visit, present)}${differing(visit, values, theirs, categories)}`,
  )
}
<div class="columns"><div class="cards">${mainCard(visit, parts, problems)}${limitsCard(visit, values, problems)}</div>
<div class="cards">${present && (await linkCard(visit, present))}${scopeCard(visit, values, categories, problems)}</div></div>`
  return {
    title: present ? present.promotion.code : words.say('discounts.new'),
    back: { href: to('discounts'), label: words.say('discounts.title') },
    status: problems.summary === undefined ? 200 : theirs ? 409 : 400,
    ...(present && {
      badge: statusPill(words, 'promotion', present.status),
      actions: html`${mayChange && stopForm(visit, present)}`,
    }),
    body: mayChange
      ? html`<form
        class="form"
        method="post"
        action="${to(present ? `discounts/${present.id}` : 'discounts/new')}"${leaveWarning(visit)}>
        ${keyField()}
        ${seen && hiddenFields({ version: seen.version, base: seen.base })}
${inside}
<div class="form-foot sticky">
  ${button({ label: words.say('action.save'), kind: 'first', shortcut: 'save' })}
  <a class="button plain" href="${to('discounts')}">${words.say('action.cancel')}</a></div></form>`
      : html`<fieldset class="form" disabled>${inside}</fieldset>`,
  }
}

function listedFields(words: DashboardWords): LinkedField[] {
  const labels = {
    code: 'discounts.code',
    name: 'categories.name',
    type: 'discounts.what',
    percent: 'prices.percent',
    amount: 'discounts.amount',
    minimum: 'discounts.minimum',
    startsAt: 'discounts.startsAt',
    endsAt: 'discounts.endsAt',
    usageLimit: 'discounts.usageLimit',
    customerLimit: 'discounts.customerLimit',
    skus: 'discounts.skus',
  } as const satisfies Readonly<Record<string, TextKey>>
  return Object.entries(labels).map(([name, key]) => ({ name, label: words.say(key) }))
}

function presentText(visit: ScreenVisit, { promotion }: AdminPromotion): Html {
  return html`<strong dir="auto">${promotion.name}</strong>, ${whatOf(visit, promotion)}, ${validOf(visit, promotion)}`
}

// Lists differences between the two versions in members that `presentText` does not show.
function differing({ words }: ScreenVisit, mine: Values, theirs: Values, categories: readonly CategoryNode[]): Html {
  const nameOf = new Map(categories.map(({ category }) => [category.slug, category.name]))
  const labels = {
    minimum: 'discounts.minimum',
    usageLimit: 'discounts.usageLimit',
    customerLimit: 'discounts.customerLimit',
    categories: 'categories.title',
    skus: 'discounts.skus',
  } as const satisfies Partial<Record<(typeof members)[number], TextKey>>
  const both = (Object.keys(labels) as (keyof typeof labels)[]).filter(
    (part) => textOf(mine, part) !== textOf(theirs, part),
  )
  const shown = (part: keyof typeof labels) =>
    part === 'categories'
      ? (theirs.categories ?? []).map((slug) => nameOf.get(slug) ?? slug).join(', ')
      : textOf(theirs, part).replaceAll('\n', ', ')
  return html`${both.map((part) => html`<br>${words.say(labels[part])}: <strong dir="auto">${shown(part) || '–'}</strong>`)}`
}

function stopForm({ words, to }: ScreenVisit, { id, version, promotion: { disabled } }: AdminPromotion): Html {
  const what = disabled ? 'start' : 'stop'
  return html`<form method="post" action="${to(`discounts/${id}`)}">
    ${keyField()}
    ${hiddenFields({ version })}
    ${button({ label: words.say(`discounts.${what}`), name: 'do', value: what })}
  </form>`
}

function mainCard(visit: ScreenVisit, { present, values }: SheetParts, problems: Problems): Html {
  const { words } = visit
  const currency = currencyOf(visit, present?.promotion)
  const type = (values.type || 'percentage') as PromotionType
  const draw = (given: Field, value: string | undefined) => field(words, given, value, problems)
  const types = promotionTypes.map((value) => ({ value, label: words.say(`discounts.type.${value}`) }))
  return renderCard({
    body: html`<div class="fields">
${
  !present &&
  draw(
    {
      name: 'code',
      label: words.say('discounts.code'),
      kind: 'line',
      isRequired: true,
      isFirst: true,
      lengthMax: 64,
      help: words.say('discounts.codeHelp'),
    },
    values.code,
  )
}
${draw(
  {
    name: 'name',
    label: words.say('categories.name'),
    kind: 'line',
    isRequired: true,
    lengthMax: 200,
    help: words.say('discounts.nameHelp'),
  },
  values.name,
)}
${draw(
  { name: 'type', label: words.say('discounts.what'), kind: 'choice', isRequired: true, isHalf: true, options: types },
  type,
)}
<div class="only-percentage">
  ${draw({ name: 'percent', label: words.say('prices.percent'), kind: 'line', lengthMax: 6 }, values.percent)}</div>
<div class="only-fixed_amount">
  ${draw({ name: 'amount', label: words.say('discounts.amount'), kind: 'money', currency }, values.amount)}</div>
${draw(
  { name: 'minimum', label: words.say('discounts.minimum'), kind: 'money', currency, isHalf: true },
  values.minimum,
)}
</div>`,
  })
}

function limitsCard({ words, shop }: ScreenVisit, values: Values, problems: Problems): Html {
  const when = (name: 'startsAt' | 'endsAt') => {
    const problem = problems.at[`/${name}`]
    return html`<div class="field">
      <label for="field-${name}">
        ${words.say(`discounts.${name}`)} <span class="soft">${words.say('form.optional')}</span>
      </label>
      <input
        id="field-${name}"
        name="${name}"
        type="datetime-local"
        value="${values[name] ?? ''}"${
          problem !== undefined && html` aria-invalid="true" aria-describedby="field-${name}-problem"`
        }>
      ${problem !== undefined && html`<p class="wrong" id="field-${name}-problem">${problem}</p>`}
    </div>`
  }
  return renderCard({
    title: words.say('discounts.limits'),
    aside: html`<span class="soft">${words.say('discounts.zone', { zone: shop.timeZone })}</span>`,
    body: html`<div class="fields">${when('startsAt')}${when('endsAt')}
${field(
  words,
  { name: 'usageLimit', label: words.say('discounts.usageLimit'), kind: 'line', isHalf: true, lengthMax: 10 },
  values.usageLimit,
  problems,
)}
${field(
  words,
  { name: 'customerLimit', label: words.say('discounts.customerLimit'), kind: 'line', isHalf: true, lengthMax: 7 },
  values.customerLimit,
  problems,
)}</div>`,
  })
}

// Links to the online store of this server with the code. Merchants with a shop elsewhere keep the online store closed.
async function linkCard({ words, ask }: ScreenVisit, { used, promotion: { code } }: AdminPromotion): Promise<Html> {
  const { url, status } = (await ask('getAdminSite')).data
  const isLinked = url !== null && status === 'open'
  const text = isLinked ? `${url}/cart?code=${encodeURIComponent(code)}` : code
  return renderCard({
    body: html`${copyField({
      id: 'link',
      label: words.say(isLinked ? 'discounts.link' : 'discounts.code'),
      text,
      copy: words.say('discounts.copy'),
      copied: words.say('discounts.copied'),
    })}
<p class="help after">${words.say('discounts.usedSoFar', { count: used })}</p>`,
  })
}

function scopeCard(
  { words }: ScreenVisit,
  values: Values,
  categories: readonly CategoryNode[],
  problems: Problems,
): Html {
  return renderCard({
    title: words.say('discounts.scope'),
    body: html`<p class="help">${words.say('discounts.scopeHelp')}</p>
${
  categories.length > 0 &&
  html`<div class="checks after" role="group" aria-label="${words.say('categories.title')}">
    ${categories.map(
      ({ category: { slug, name }, depth }) => html`<label class="check depth-${depth}">
        <input type="checkbox" name="category" value="${slug}"${values.categories?.includes(slug) && html` checked`}> <span
          dir="auto">
          ${name}
        </span>
      </label>`,
    )}
  </div>`
}
<div class="fields after">
  ${field(
    words,
    { name: 'skus', label: words.say('discounts.skus'), kind: 'text', rows: 3, help: words.say('discounts.skusHelp') },
    values.skus,
    problems,
  )}</div>`,
  })
}
