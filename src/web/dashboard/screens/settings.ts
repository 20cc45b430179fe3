// Settings of the shop itself: name, e-mail, time zone, design, links, and the seller.

import type { AdminShop, UpdateAdminShopRequest } from '../../../contract/admin/shop.ts'
import type { Static } from '../../../contract/schema.ts'
import { customerNamesRules, shippingTaxRules } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  field,
  keyField,
  type Problems,
  problemNote,
  problemsFromRefusal,
  readTypedValues,
  typedLengthMax,
} from '../form.ts'
import { button, renderCard, renderFacts } from '../parts.ts'
import type { PostedScreen, Screen, ScreenSheet, ScreenVisit } from '../screen.ts'
import { renderSections, settingSections } from '../sections.ts'
import { readShownPart, refuseUnlessAllowed, saveShopPart, shownPartField } from '../shop.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords, TextKey } from '../words.ts'

interface Group {
  title: TextKey
  lead?: TextKey
  fields: readonly Field[]
}

function groupsOf(words: DashboardWords): Group[] {
  const line = (name: string, more: Partial<Field> = {}): Field => ({
    name,
    label: words.say(`shop.${name}` as TextKey),
    kind: 'line',
    ...more,
  })
  const help = (name: string) => words.say(`shop.${name}Help` as TextKey)
  return [
    {
      title: 'shop.general',
      fields: [
        line('name', { lengthMax: 200, isRequired: true, isHalf: true }),
        line('supportEmail', { kind: 'email', lengthMax: 254, isHalf: true, help: help('supportEmail') }),
        line('timeZone', {
          kind: 'choice',
          isRequired: true,
          isHalf: true,
          help: help('timeZone'),
          options: timeZones().map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
        }),
        line('lowStockAt', {
          kind: 'whole',
          min: 0,
          max: 1_000_000,
          isRequired: true,
          isHalf: true,
          help: help('lowStockAt'),
        }),
        line('pricesIncludeTax', { kind: 'check', help: help('pricesIncludeTax') }),
        line('customerNames', {
          kind: 'choice',
          isRequired: true,
          help: help('customerNames'),
          options: customerNamesRules.map((rule) => ({ value: rule, label: words.say(`shop.customerNames.${rule}`) })),
        }),
        line('shippingTax', {
          kind: 'choice',
          help: help('shippingTax'),
          options: [
            { value: '', label: words.say('shop.shippingTax.law') },
            ...shippingTaxRules.map((rule) => ({ value: rule, label: words.say(`shop.shippingTax.${rule}`) })),
          ],
        }),
      ],
    },
    {
      title: 'shop.look',
      lead: 'shop.lookText',
      fields: [
        line('color', { isHalf: true, lengthMax: 7, help: help('color') }),
        line('logo', { isHalf: true, lengthMax: 2_000, help: help('logo') }),
      ],
    },
    {
      title: 'shop.links',
      lead: 'shop.linksText',
      fields: ['terms', 'privacy', 'refunds', 'imprint'].map((name) =>
        line(name, { kind: 'url', pointer: `/links/${name}`, lengthMax: 2_000, isHalf: true }),
      ),
    },
    {
      title: 'shop.search',
      lead: 'shop.searchText',
      fields: [line('synonyms', { kind: 'text', rows: 4, lengthMax: 50_000, help: help('synonyms') })],
    },
    {
      title: 'shop.legal',
      lead: 'shop.legalText',
      fields: [
        line('legalName', { pointer: '/legal/name', lengthMax: 200 }),
        line('address', { kind: 'text', pointer: '/legal/address', rows: 4, lengthMax: 1_300 }),
        line('street', { pointer: '/legal/street', lengthMax: 200, help: help('street') }),
        line('postalCode', { pointer: '/legal/postalCode', lengthMax: 20, isHalf: true }),
        line('city', { pointer: '/legal/city', lengthMax: 200, isHalf: true }),
        line('phone', { pointer: '/legal/phone', lengthMax: 40, isHalf: true }),
        line('taxNumber', { pointer: '/legal/taxNumber', lengthMax: 40, isHalf: true }),
        line('vatId', { pointer: '/legal/vatId', lengthMax: 40, isHalf: true }),
        line('registration', { pointer: '/legal/registration', lengthMax: 200, isHalf: true }),
      ],
    },
    {
      title: 'shop.invoices',
      lead: 'shop.invoicesText',
      fields: [
        line('numberFormat', {
          pointer: '/invoices/numberFormat',
          lengthMax: 40,
          isHalf: true,
          // The text shows the placeholder itself.
          help: words.say('shop.numberFormatHelp', { year: '{year}' }),
        }),
        line('creditNumberFormat', { pointer: '/invoices/creditNumberFormat', lengthMax: 40, isHalf: true }),
        line('smallBusiness', { kind: 'check', pointer: '/invoices/smallBusiness', help: help('smallBusiness') }),
      ],
    },
  ]
}

let zones: readonly string[] | undefined

function timeZones(): readonly string[] {
  zones ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
  return zones
}

function valuesOfShop({ shop, timeZone }: AdminShop): FieldValues {
  const { links = {}, legal, invoices = {} } = shop
  return {
    name: shop.name,
    supportEmail: shop.supportEmail ?? '',
    timeZone,
    lowStockAt: String(shop.lowStockAt ?? 5),
    pricesIncludeTax: shop.pricesIncludeTax === false ? '' : 'on',
    shippingTax: shop.shippingTax ?? '',
    customerNames: shop.customerNames ?? 'shown',
    color: shop.color ?? '',
    logo: shop.logo ?? '',
    terms: links.terms ?? '',
    privacy: links.privacy ?? '',
    refunds: links.refunds ?? '',
    imprint: links.imprint ?? '',
    synonyms: (shop.synonyms ?? []).map((group) => group.join(', ')).join('\n'),
    legalName: legal?.name ?? '',
    address: (legal?.address ?? []).join('\n'),
    vatId: legal?.vatId ?? '',
    registration: legal?.registration ?? '',
    street: legal?.street ?? '',
    postalCode: legal?.postalCode ?? '',
    city: legal?.city ?? '',
    phone: legal?.phone ?? '',
    taxNumber: legal?.taxNumber ?? '',
    numberFormat: invoices.numberFormat ?? '{year}-{number:6}',
    creditNumberFormat: invoices.creditNumberFormat ?? 'C{year}-{number:6}',
    smallBusiness: invoices.smallBusiness ? 'on' : '',
  }
}

export const settingsScreen: Screen = {
  path: 'settings',
  name: 'dashboard settings',
  place: 'settings',
  needs: 'getAdminShop',
  // Enough for two hundred groups of synonyms, which a form for an edit conflict contains up to four times.
  formBytesMax: 1_048_576,
  async get(visit) {
    const { data } = await visit.ask('getAdminShop')
    if (!visit.may('updateAdminShop')) return readSheet(visit, data)
    const values = valuesOfShop(data)
    return formSheet(visit, { values, base: values, shop: data })
  },
  async post(posted) {
    refuseUnlessAllowed(posted, 'updateAdminShop')
    const { words, to } = posted
    const fields = groupsOf(words).flatMap((group) => group.fields)
    const typed = pickedValues(posted, fields)
    const { data: shop } = await posted.ask('getAdminShop')
    const base = readShownPart(posted, areTexts)
    const asked = buildBody(words, fields, new URLSearchParams(typed))
    if ('problems' in asked) return formSheet(posted, { values: typed, base, shop, problems: asked.problems })
    const whole = bodyFor(asked.body)
    const { synonyms: _, ...others } = whole
    // The text form of synonyms may lose details, such as a comma within a phrase, so synonyms are only sent if the person changed them.
    const isKept = typed.synonyms === base.synonyms?.slice(0, typedLengthMax)
    const body = isKept ? others : whole
    const saved = await saveShopPart(posted, {
      partOf: valuesOfShop,
      wanted: typed,
      ask: ({ version }, key) => posted.ask('updateAdminShop', { body: { ...body, expectedVersion: version }, key }),
    })
    if (saved.kind === 'saved') return redirectWithToast(to('settings'), 'done.settings')
    if (saved.kind === 'conflict') return conflictSheet(posted, { mine: typed, base, current: saved.current })
    const problems = problemsFromRefusal(words, saved.refusal, fields)
    return formSheet(posted, { values: typed, base, shop, problems })
  },
}

function areTexts(base: unknown): base is FieldValues {
  return typeof base === 'object' && base !== null && Object.values(base).every((text) => typeof text === 'string')
}

// Empty fields remove their values.
function bodyFor(given: Record<string, unknown>): Omit<Static<typeof UpdateAdminShopRequest>, 'expectedVersion'> {
  const {
    legal,
    links = {},
    supportEmail = null,
    shippingTax = null,
    color = null,
    logo = null,
    synonyms,
    ...rest
  } = given as Static<typeof UpdateAdminShopRequest>
  const lines = partsOf(legal?.address, '\n')
  const { address: _, ...named } = legal ?? { name: '' }
  const hasLegal = legal !== undefined && legal !== null
  return {
    ...rest,
    supportEmail,
    shippingTax,
    color,
    logo,
    links,
    synonyms: partsOf(synonyms, '\n').map((group) => partsOf(group, betweenWords)),
    legal: hasLegal ? { ...named, name: named.name ?? '', ...(lines.length > 0 && { address: lines }) } : null,
  }
}

// Matches commas, except those within a number, such as 1,5 l.
const betweenWords = /(?<!\d),|,(?!\d)/

function partsOf(text: unknown, separator: string | RegExp): string[] {
  return String(text ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

interface FormState {
  values: FieldValues
  // Values that the page showed.
  base: FieldValues
  shop: AdminShop
  problems?: Problems
}

function formSheet(visit: ScreenVisit, { values, base, shop, problems }: FormState): ScreenSheet {
  const { words, to } = visit
  return {
    title: words.say('settings.title'),
    status: problems ? 400 : 200,
    body: html`${renderSections(visit, settingSections, 'shop')}
<form class="settings-form" method="post" action="${to('settings')}">${keyField()}${shownPartField(base)}
${problemNote(
  problems,
  groupsOf(words).flatMap(({ fields }) => fields),
  words,
)}
${groupsOf(words).map(
  ({ title, lead, fields }) => html`<section class="setting">
    <div class="setting-about"><h2>${words.say(title)}</h2>${lead && html`<p class="help">${words.say(lead)}</p>`}</div>
<div class="card">
  <div class="card-body">
    <div class="fields">${fields.map((one) => field(words, one, values[one.name], problems))}</div>
  </div></div></section>`,
)}
<section class="setting">
  <div class="setting-about"><h2>${words.say('shop.fixed')}</h2><p class="help">${words.say('shop.fixedText')}</p></div>
  <div class="card"><div class="card-body">${fixedFacts(visit, shop)}</div></div></section>
<div class="save-bar">${button({ label: words.say('action.save'), kind: 'first', shortcut: 'save' })}</div></form>`,
  }
}

function fixedFacts({ words }: ScreenVisit, { shop: { slug, currency, country } }: AdminShop): Html {
  return renderFacts([
    [words.say('shop.slug'), html`<code>${slug}</code>`],
    [words.say('shop.currency'), currency],
    [words.say('shop.country'), words.country(country)],
  ])
}

function readSheet(visit: ScreenVisit, data: AdminShop): ScreenSheet {
  const { words } = visit
  const values = valuesOfShop(data)
  return {
    title: words.say('settings.title'),
    body: html`${renderSections(visit, settingSections, 'shop')}
${groupsOf(words).map(({ title, fields }) =>
  renderCard({
    title: words.say(title),
    body: renderFacts(fields.map((one) => [one.label, shownValue(words, one, values[one.name] ?? '')])),
  }),
)}
${renderCard({ title: words.say('shop.fixed'), body: fixedFacts(visit, data) })}`,
  }
}

function shownValue(words: DashboardWords, { kind }: Field, value: string): Html | string {
  if (kind === 'check') return words.say(value === 'on' ? 'settings.yes' : 'settings.no')
  return value === '' ? html`<span class="soft">–</span>` : html`<span class="lines" dir="auto">${value}</span>`
}

// An edit conflict: another person has saved meanwhile. Each field in which they differ is shown twice, and the person chooses one value.

interface Conflict {
  mine: FieldValues
  base: FieldValues
  current: AdminShop
}

function conflictSheet(visit: ScreenVisit, { mine, base, current }: Conflict): ScreenSheet {
  const { words, to } = visit
  const theirs = valuesOfShop(current)
  const fields = groupsOf(words).flatMap((group) => group.fields)
  const differing = fields.filter(({ name }) => (mine[name] ?? '') !== (theirs[name] ?? ''))
  const choice = (one: Field, which: 'mine' | 'theirs', value: string, isChosen: boolean) =>
    html`<label class="pick-one">
      <input type="radio" name="pick.${one.name}" value="${which}"${isChosen && html` checked`}> <span>
        <span class="soft small">${words.say(which === 'mine' ? 'twoVersions.mine' : 'twoVersions.theirs')}</span>
        ${shownValue(words, one, value)}
      </span>
    </label>`
  return {
    title: words.say('twoVersions.title'),
    status: 409,
    width: 'narrow',
    back: { href: to('settings'), label: words.say('settings.title') },
    body: html`<div class="card"><div class="card-body"><p class="lead">${words.say('twoVersions.lead')}</p>
<form class="form" method="post" action="${to('settings')}">${keyField()}${shownPartField(theirs)}
${fields.map(
  ({ name }) => html`<input type="hidden" name="${name}" value="${mine[name]}">
  <input type="hidden" name="theirs.${name}" value="${theirs[name]}">`,
)}
${differing.map((one) => {
  // If only the other person changed a field, the other person's value is preselected.
  const isMine = mine[one.name] !== base[one.name]
  return html`<fieldset>
    <legend>${one.label}</legend>
    <div class="pick-from">
      ${choice(one, 'mine', mine[one.name] ?? '', isMine)}
      ${choice(one, 'theirs', theirs[one.name] ?? '', !isMine)}
    </div>
  </fieldset>`
})}
<div class="form-foot">
  ${button({ label: words.say('twoVersions.save'), kind: 'first', shortcut: 'save' })}
  <a class="button plain" href="${to('settings')}">${words.say('twoVersions.drop')}</a></div></form></div></div>`,
  }
}

function pickedValues({ form: sent }: PostedScreen, fields: readonly Field[]): FieldValues {
  const typed = readTypedValues(fields, sent)
  return Object.fromEntries(
    fields.map(({ name, kind }) => {
      const value = sent.get(`pick.${name}`) === 'theirs' ? (sent.get(`theirs.${name}`) ?? '') : (typed[name] ?? '')
      return [name, kind === 'text' ? value.replaceAll('\r\n', '\n') : value]
    }),
  )
}
