// The setup guide: a page for each step of a new shop. The steps call the same operations as the other pages.

import type { AdminShop } from '../../../contract/admin/shop.ts'
import type { ShippingZoneEntry } from '../../../contract/entries.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { currencyOfCountry, euCountries, proposedCurrencies } from '../../../platform/kit/countryfacts.ts'
import { slugify } from '../../../platform/kit/slug.ts'
import { proposedRates, taxDataDay, taxDataSource } from '../../../platform/kit/taxdata.ts'
import { countryOptions } from '../countries.ts'
import {
  buildBody,
  type Field,
  keyField,
  type Problems,
  problemNote,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import {
  goToNextStep,
  guideNav,
  guideStepSheet,
  guideSteps,
  isOptional,
  loadGuideProgress,
  nextGuideStep,
} from '../guide.ts'
import { button, linkButton, renderCard, renderNotice } from '../parts.ts'
import {
  catchRefusal,
  type PostedScreen,
  redirectTo,
  type Screen,
  type ScreenSheet,
  type ScreenVisit,
} from '../screen.ts'
import { draftPreview } from '../storedraft.ts'
import { accountCards } from './accounts.ts'
import { methodCards } from './payments.ts'
import { legalStepScreen } from './startLegal.ts'
import { parseTaxRate } from './taxes.ts'

export const guideStartScreen: Screen = {
  path: 'start',
  name: 'dashboard guide',
  place: 'home',
  needs: 'getAdminShop',
  async get(visit) {
    const progress = await loadGuideProgress(visit)
    const next = nextGuideStep(progress)
    if (next !== undefined) return redirectTo(visit.to(`start/${next}`))
    const { words, to } = visit
    return {
      title: words.say('guide.ready'),
      body: html`${guideNav(visit, progress, 'end')}
      ${renderCard({
        body: html`<p class="lead">${words.say('guide.readyText')}</p>
        <div class="form-foot">${linkButton({ label: words.say('guide.home'), href: to('home'), kind: 'first' })}</div>`,
      })}`,
    }
  },
}

const shopOf = async (visit: ScreenVisit): Promise<AdminShop> => (await visit.ask('getAdminShop')).data

function shopFields({ words }: ScreenVisit): Field[] {
  return [
    {
      name: 'name',
      label: words.say('shop.name'),
      kind: 'line',
      lengthMax: 200,
      isRequired: true,
      isHalf: true,
      isFirst: true,
    },
    {
      name: 'country',
      label: words.say('guide.country'),
      kind: 'choice',
      isRequired: true,
      isHalf: true,
      options: countryOptions(words),
    },
    {
      name: 'currency',
      label: words.say('guide.currency'),
      kind: 'choice',
      isRequired: true,
      isHalf: true,
      help: words.say('guide.currencyHelp'),
      options: [
        { value: '', label: words.say('guide.currencyOfCountry') },
        ...proposedCurrencies.map((value) => ({ value, label: value })),
      ],
    },
    {
      name: 'supportEmail',
      label: words.say('shop.supportEmail'),
      kind: 'email',
      lengthMax: 254,
      isHalf: true,
      help: words.say('shop.supportEmailHelp'),
    },
    {
      name: 'pricesIncludeTax',
      label: words.say('shop.pricesIncludeTax'),
      kind: 'check',
      help: words.say('shop.pricesIncludeTaxHelp'),
    },
    ...sellerFields(words),
  ]
}

function sellerFields(words: ScreenVisit['words']): Field[] {
  return [
    {
      name: 'legalName',
      label: words.say('shop.legalName'),
      kind: 'line',
      pointer: '/legal/name',
      lengthMax: 200,
      isRequired: true,
      help: words.say('guide.legalHelp'),
    },
    {
      name: 'address',
      label: words.say('shop.address'),
      kind: 'text',
      pointer: '/legal/address',
      rows: 4,
      lengthMax: 1_300,
      isRequired: true,
    },
    {
      name: 'vatId',
      label: words.say('shop.vatId'),
      kind: 'line',
      pointer: '/legal/vatId',
      lengthMax: 40,
      isHalf: true,
    },
    {
      name: 'registration',
      label: words.say('shop.registration'),
      kind: 'line',
      pointer: '/legal/registration',
      lengthMax: 200,
      isHalf: true,
    },
  ]
}

async function shopSheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { shop } = await shopOf(visit)
  const fields = shopFields(visit)
  const values =
    'form' in visit
      ? readTypedValues(fields, (visit as PostedScreen).form)
      : {
          name: shop.name,
          country: shop.country,
          currency: shop.currency === currencyOfCountry(shop.country) ? '' : shop.currency,
          supportEmail: shop.supportEmail ?? '',
          pricesIncludeTax: shop.pricesIncludeTax === false ? '' : 'on',
          legalName: shop.legal?.name ?? '',
          address: (shop.legal?.address ?? []).join('\n'),
          vatId: shop.legal?.vatId ?? '',
          registration: shop.legal?.registration ?? '',
        }
  const { words, to } = visit
  const body = renderCard({
    body: renderForm(visit, { action: to('start/shop'), fields, values, problems, submit: words.say('guide.save') }),
  })
  return guideStepSheet(visit, 'shop', body, problems)
}

const shopStep: Screen = {
  path: 'start/shop',
  name: 'dashboard guide shop',
  place: 'home',
  needs: 'updateAdminShop',
  get: (visit) => shopSheet(visit),
  async post(posted) {
    const { words } = posted
    const fields = shopFields(posted)
    const asked = buildBody(words, fields, posted.form)
    if ('problems' in asked) return shopSheet(posted, asked.problems)
    const { legal: typed, currency, ...body } = asked.body as unknown as ShopBody
    const { version, shop } = await shopOf(posted)
    const address = (typed?.address ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
    const legal = { ...shop.legal, ...typed, name: typed?.name ?? '', address }
    const outcome = await catchRefusal(
      posted.ask('updateAdminShop', {
        body: { ...body, currency: currency ?? currencyOfCountry(body.country), legal, expectedVersion: version },
        key: `${readKey(posted.form)}-${version}`,
      }),
    )
    if ('refusal' in outcome) return shopSheet(posted, problemsFromRefusal(words, outcome.refusal, fields))
    return goToNextStep(posted, 'shop')
  },
}

interface ShopBody {
  name: string
  country: string
  currency?: string
  supportEmail?: string
  pricesIncludeTax: boolean
  legal?: { name?: string; address?: string; vatId?: string; registration?: string }
}

// Taxes: all proposed rates are shown, and only ticked ones are saved.

async function taxSheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const { shop, taxes } = await shopOf(visit)
  const known = taxes.filter(({ country, region }) => country === shop.country && region === undefined)
  const proposed = proposedRates(shop.country)
  const rows = known.length > 0 ? known : proposed
  const others = taxes.length - known.length
  const typed = 'form' in visit ? (visit as PostedScreen).form : undefined
  const country = words.country(shop.country)
  const body = renderCard({
    title: words.say('guide.taxesOf', { country }),
    body: html`${problems?.summary !== undefined && renderNotice('bad', problems.summary, 'alert')}
${
  proposed.length > 0 &&
  html`<p class="help">
    ${words.say('guide.taxSource', { day: words.calendarDay(taxDataDay), source: taxDataSource })}
  </p>`
}
${rows.length === 0 && html`<p>${words.say('guide.taxNone', { country })}</p>`}
<form method="post" action="${to('start/taxes')}">${keyField()}
<table class="edit-table">
  <caption class="hidden">${words.say('settings.taxes')}</caption>
  <thead>
    <tr>
      <th scope="col">${words.say('guide.taxUse')}</th>
      <th scope="col">${words.say('taxes.class')}</th>
      <th scope="col">${words.say('taxes.rate')}</th>
    </tr>
  </thead>
<tbody>
  ${[...rows, ...(rows.length === 0 ? [{ country: shop.country, class: 'standard', rate: 0 }] : [])].map(
    ({ class: taxClass = 'standard', rate }, at) =>
      html`<tr>
      <td data-head="${words.say('guide.taxUse')}">
        <input
          type="checkbox"
          name="use"
          value="${taxClass}"
          aria-label="${words.say('guide.taxUse')}, ${taxClass}"${
            (typed ? typed.getAll('use').includes(taxClass) : known.length > 0 || at === 0) && html` checked`
          }>
      </td>
      <td data-head="${words.say('taxes.class')}">${words.sayKnown(`guide.class.${taxClass}`, taxClass)}</td>
      <td class="nowrap" data-head="${words.say('taxes.rate')}">
        <input
          name="rate-${taxClass}"
          class="short"
          inputmode="decimal"
          maxlength="7"
          value="${typed?.get(`rate-${taxClass}`) ?? String(rate / 100)}"
          aria-label="${words.say('taxes.rate')}, ${taxClass}"${wrongState(problems, `/rates/${taxClass}`, `rate-${taxClass}`)}> %
        ${wrongNote(problems, `/rates/${taxClass}`, `rate-${taxClass}`)}
      </td>
    </tr>`,
  )}</tbody></table>
${others > 0 && html`<p class="help">${words.say('guide.taxOthers', { count: others })}</p>`}
<label class="check gap">
  <input type="checkbox" name="confirmed" value="on" required> ${words.say('guide.taxConfirm')}</label>
<div class="form-foot">${button({ label: words.say('guide.save'), kind: 'first', shortcut: 'save' })}</div></form>`,
  })
  return guideStepSheet(visit, 'taxes', body, problems)
}

function wrongState(problems: Problems | undefined, pointer: string, name: string): Html | false {
  return problems?.at[pointer] !== undefined && html` aria-invalid="true" aria-describedby="field-${name}-problem"`
}

function wrongNote(problems: Problems | undefined, pointer: string, name: string): Html | false {
  const problem = problems?.at[pointer]
  return problem !== undefined && html`<p class="wrong" id="field-${name}-problem">${problem}</p>`
}

const taxStep: Screen = {
  path: 'start/taxes',
  name: 'dashboard guide taxes',
  place: 'home',
  needs: 'replaceAdminTaxes',
  get: (visit) => taxSheet(visit),
  async post(posted) {
    const { words, form: sent } = posted
    const used = sent.getAll('use').slice(0, 20)
    const rates = used.map((one) => ({ class: one, rate: parseTaxRate((sent.get(`rate-${one}`) ?? '').trim()) }))
    const wrong = [...sent].flatMap(([name, text]) =>
      name.startsWith('rate-') && parseTaxRate(text.trim()) === undefined ? [name.slice('rate-'.length)] : [],
    )
    if (wrong.length > 0) {
      const at = Object.fromEntries(wrong.map((one) => [`/rates/${one}`, words.say('taxes.notRate')]))
      return taxSheet(posted, { summary: words.say('form.problem'), at })
    }
    if (sent.get('confirmed') !== 'on' || rates.length === 0)
      return taxSheet(posted, { summary: words.say('guide.taxUnconfirmed'), at: {} })
    const { version, shop, taxes } = await shopOf(posted)
    const others = taxes.filter(({ country, region }) => country !== shop.country || region !== undefined)
    const own = rates.map(({ class: taxClass, rate = 0 }) => ({ country: shop.country, class: taxClass, rate }))
    const outcome = await catchRefusal(
      posted.ask('replaceAdminTaxes', {
        body: { taxes: [...others, ...own], expectedVersion: version },
        key: `${readKey(sent)}-${version}`,
      }),
    )
    if ('refusal' in outcome) return taxSheet(posted, problemsFromRefusal(words, outcome.refusal))
    return goToNextStep(posted, 'taxes')
  },
}

// Design: the online store itself is the preview.

async function lookSheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const [{ shop }, { data: site }] = await Promise.all([shopOf(visit), visit.inMode('live').ask('getAdminSite')])
  const preview = draftPreview(visit, site)
  const choice = renderCard({
    body: html`${problems?.summary !== undefined && renderNotice('bad', problems.summary, 'alert')}
${shop.logo && html`<p class="gap"><img class="guide-logo" src="${shop.logo}" alt="${words.say('guide.logo')}"></p>`}
<form class="form" method="post" action="${to('start/look')}" enctype="multipart/form-data">${keyField()}
<div class="fields">
  <div class="field">
    <label for="field-file">${words.say('guide.logo')} <span class="soft">${words.say('form.optional')}</span></label>
    <input
      id="field-file"
      type="file"
      name="file"
      accept="image/png,image/jpeg,image/webp,image/avif"
      aria-describedby="field-file-help">
    <p class="help" id="field-file-help">${words.say('guide.logoHelp')}</p>
  </div>
<div class="field">
  <label for="field-color">${words.say('shop.color')}</label>
  <input id="field-color" type="color" name="color" value="${shop.color ?? '#2c4c3e'}">
  <p class="help">${words.say('guide.colorHelp')}</p></div></div>
<div class="form-foot">
  ${button({ label: words.say('guide.save'), kind: 'first', shortcut: 'save' })}
  ${preview && button({ label: words.say('guide.lookTry'), kind: 'second', name: 'do', value: 'try' })}
</div></form>`,
  })
  const body = preview ? html`<div class="columns preview-columns"><div>${choice}</div>${preview}</div>` : choice
  return guideStepSheet(visit, 'look', body, problems)
}

const lookStep: Screen = {
  path: 'start/look',
  name: 'dashboard guide look',
  place: 'home',
  needs: 'updateAdminShop',
  filesBytesMax: 1_200_000,
  get: (visit) => lookSheet(visit),
  async post(posted) {
    const { words, form: sent, files } = posted
    const key = readKey(sent)
    const [file] = files.filter(({ length }) => length > 0)
    let logo: string | undefined
    if (file) {
      const content = file.toString('base64')
      const uploaded = await catchRefusal(posted.ask('uploadAdminPicture', { body: { content }, key: `${key}-logo` }))
      if ('refusal' in uploaded) return lookSheet(posted, problemsFromRefusal(words, uploaded.refusal))
      logo = uploaded.reply.data.url
    }
    const { version } = await shopOf(posted)
    const color = (sent.get('color') ?? '').trim()
    const outcome = await catchRefusal(
      posted.ask('updateAdminShop', {
        body: { color, ...(logo !== undefined && { logo }), expectedVersion: version },
        key: `${key}-${version}`,
      }),
    )
    if ('refusal' in outcome) return lookSheet(posted, problemsFromRefusal(words, outcome.refusal))
    return sent.get('do') === 'try' ? redirectTo(posted.to('start/look')) : goToNextStep(posted, 'look')
  },
}

// Products: the first product is typed here or imported from a file.

function productFields({ words, shop }: ScreenVisit): Field[] {
  return [
    {
      name: 'name',
      label: words.say('guide.productName'),
      kind: 'line',
      pointer: '/product/name',
      lengthMax: 200,
      isRequired: true,
      isFirst: true,
    },
    {
      name: 'summary',
      label: words.say('guide.productText'),
      kind: 'text',
      pointer: '/product/summary',
      rows: 3,
      lengthMax: 500,
    },
    {
      name: 'price',
      pointer: '/product/skus/0/price',
      label: words.say('guide.price'),
      kind: 'money',
      currency: shop.currency,
      isRequired: true,
      isHalf: true,
    },
    {
      name: 'stock',
      pointer: '/product/skus/0/stock',
      label: words.say('guide.stock'),
      kind: 'whole',
      min: 0,
      max: 1_000_000,
      isRequired: true,
      isHalf: true,
    },
  ]
}

async function productSheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const fields = productFields(visit)
  const values = 'form' in visit ? readTypedValues(fields, (visit as PostedScreen).form) : {}
  const body = html`<div class="columns even">
    ${renderCard({
      title: words.say('guide.productFirst'),
      body: renderForm(visit, {
        action: to('start/products'),
        fields,
        values,
        problems,
        submit: words.say('guide.productAdd'),
      }),
    })}
    ${renderCard({
      title: words.say('guide.productFile'),
      body: html`<p>${words.say('guide.productFileText')}</p>
      <div class="form-foot">
        ${linkButton({ label: words.say('transfers.import'), href: to('settings/transfers') })}
      </div>`,
    })}
  </div>`
  return guideStepSheet(visit, 'products', body, problems)
}

const productStep: Screen = {
  path: 'start/products',
  name: 'dashboard guide products',
  place: 'home',
  needs: 'createAdminProduct',
  get: (visit) => productSheet(visit),
  async post(posted) {
    const { words } = posted
    const fields = productFields(posted)
    const asked = buildBody(words, fields, posted.form)
    if ('problems' in asked) return productSheet(posted, asked.problems)
    // The cast holds: the pointers of the fields create these members.
    const { name, summary, skus } = asked.body.product as ProductBody
    const slug = slugify(name) || 'product'
    const product = {
      slug,
      name,
      ...(summary && { summary }),
      skus: [{ code: slug.toUpperCase().slice(0, 40), ...skus[0] }],
    }
    const outcome = await catchRefusal(
      posted.ask('createAdminProduct', { body: { product }, key: readKey(posted.form) }),
    )
    if ('refusal' in outcome) return productSheet(posted, problemsFromRefusal(words, outcome.refusal, fields))
    return goToNextStep(posted, 'products')
  },
}

interface ProductBody {
  name: string
  summary?: string
  skus: Readonly<Record<0, { price: number; stock: number }>>
}

// Delivery: zones proposed for the shop's country, each with a price.

interface ProposedZone {
  zone: string
  countries: string[]
}

function proposedZones(country: string): ProposedZone[] {
  const rest = euCountries.filter((one) => one !== country)
  return [
    { zone: 'home', countries: [country] },
    ...(euCountries.includes(country) ? [{ zone: 'eu', countries: rest }] : []),
    { zone: 'world', countries: ['*'] },
  ]
}

// Fields of selected zones have the pointers of the zones in the request. Texts typed for other zones are checked too.
function zoneFields({ words }: ScreenVisit, { country, currency }: AdminShop['shop'], used: readonly string[]) {
  const proposed = proposedZones(country)
  const taken = proposed.filter(({ zone }) => used.includes(zone))
  return proposed.map(({ zone, countries }) => {
    const place = taken.findIndex((one) => one.zone === zone)
    const below = place < 0 ? `/unused/${zone}` : `/shipping/${place}/options/0`
    const money = { kind: 'money', currency, isHalf: true } as const
    const fields: Field[] = [
      {
        ...{ ...money, name: `${zone}-amount`, pointer: `${below}/amount`, label: words.say('guide.deliveryPrice') },
        isRequired: place >= 0,
      },
      { ...money, name: `${zone}-free`, pointer: `${below}/freeFrom`, label: words.say('guide.deliveryFree') },
    ]
    return { zone, countries, fields }
  })
}

// The field lacks the attribute `required`, because the zone's checkbox decides whether a price is needed.
function zoneField({ name, label, currency, pointer = '' }: Field, value = '', problems?: Problems): Html {
  return html`<div class="field">
    <label for="field-${name}">${label}</label>
    <span class="money">
      <input
        id="field-${name}"
        name="${name}"
        inputmode="decimal"
        autocomplete="off"
        value="${value}"${wrongState(problems, pointer, name)}>
      <span class="unit" aria-hidden="true">${currency}</span>
    </span>
    ${wrongNote(problems, pointer, name)}
  </div>`
}

async function deliverySheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const { shop, shipping } = await shopOf(visit)
  if (shipping.length > 0) {
    const zones = shipping.map(
      ({ zone, options }) =>
        html`<li>${zone}: ${options.map(({ label, amount }) => `${label} ${words.money(amount, shop.currency)}`).join(', ')}</li>`,
    )
    const change = linkButton({ label: words.say('settings.shipping'), href: to('settings/shipping') })
    return guideStepSheet(
      visit,
      'delivery',
      renderCard({ body: html`<ul>${zones}</ul><div class="form-foot">${change}</div>` }),
    )
  }
  const typed = 'form' in visit ? (visit as PostedScreen).form : undefined
  const zones = zoneFields(visit, shop, typed?.getAll('zone') ?? [])
  const all = zones.flatMap(({ fields }) => fields)
  const values = typed ? readTypedValues(all, typed) : {}
  const body = renderCard({
    body: html`<form class="form" method="post" action="${to('start/delivery')}">${keyField()}
${problemNote(problems, all, words)}
${zones.map(({ zone, fields }, at) => {
  return html`<fieldset class="guide-zone">
    <legend>
      <label class="check">
        <input
          type="checkbox"
          name="zone"
          value="${zone}"${(typed ? typed.getAll('zone').includes(zone) : at === 0) && html` checked`}> ${
            zone === 'home' ? words.country(shop.country) : words.say(`guide.zone.${zone}` as 'guide.zone.eu')
          }
      </label>
    </legend>
    <div class="fields">
      ${fields.map((one) => zoneField(one, values[one.name], problems))}
    </div>
  </fieldset>`
})}
<div class="form-foot">${button({ label: words.say('guide.save'), kind: 'first', shortcut: 'save' })}</div></form>`,
  })
  return guideStepSheet(visit, 'delivery', body, problems)
}

interface TypedDelivery {
  options: Readonly<Record<0, { amount?: number; freeFrom?: number }>>
}

const deliveryStep: Screen = {
  path: 'start/delivery',
  name: 'dashboard guide delivery',
  place: 'home',
  needs: 'replaceAdminShipping',
  get: (visit) => deliverySheet(visit),
  async post(posted) {
    const { words, form: sent } = posted
    const { version, shop, shipping: present } = await shopOf(posted)
    if (present.length > 0) return goToNextStep(posted, 'delivery')
    const used = sent.getAll('zone').slice(0, 20)
    const zones = zoneFields(posted, shop, used)
    const fields = zones.flatMap((one) => one.fields)
    const read = buildBody(words, fields, sent)
    if ('problems' in read) return deliverySheet(posted, read.problems)
    const label = words.say('guide.deliveryLabel')
    // The cast holds: the pointers of the fields create these members.
    const typed = Object.values((read.body.shipping ?? {}) as Readonly<Record<number, TypedDelivery>>)
    const shipping: ShippingZoneEntry[] = zones
      .filter(({ zone }) => used.includes(zone))
      .map(({ zone, countries }, at) => {
        const { amount = 0, freeFrom = null } = typed[at]?.options[0] ?? {}
        return { zone, countries, options: [{ id: 'standard', label, amount, freeFrom }] }
      })
    if (shipping.length === 0) return deliverySheet(posted, { summary: words.say('guide.deliveryNone'), at: {} })
    const outcome = await catchRefusal(
      posted.ask('replaceAdminShipping', {
        body: { shipping, expectedVersion: version },
        key: `${readKey(sent)}-${version}`,
      }),
    )
    if ('refusal' in outcome) return deliverySheet(posted, problemsFromRefusal(words, outcome.refusal, fields))
    return goToNextStep(posted, 'delivery')
  },
}

// Payment: the cards of Settings, whose pages link back to Settings.

const paymentStep: Screen = {
  path: 'start/payment',
  name: 'dashboard guide payment',
  place: 'home',
  needs: 'getAdminShop',
  async get(visit) {
    const data = await shopOf(visit)
    return guideStepSheet(visit, 'payment', html`${accountCards(visit, data)}${methodCards(visit, data)}`)
  },
}

// Opening: a test purchase, then opening the shop. The step shows both modes, whichever is current.

async function openSheet(visit: ScreenVisit): Promise<ScreenSheet> {
  const { words, to } = visit
  const [progress, live, test, orders] = await Promise.all([
    loadGuideProgress(visit),
    visit.inMode('live').ask('getAdminSite'),
    visit.inMode('test').ask('getAdminSite'),
    visit.inMode('test').ask('listAdminOrders'),
  ])
  const missing = guideSteps.filter((step) => step !== 'open' && !progress[step] && !isOptional[step])
  const isOpen = live.data.status === 'open'
  const link = (label: string, href: string) => linkButton({ label, href, isNewTab: true })
  const opening = html`<p>${words.say('guide.openText')}</p>${
    missing.length > 0 &&
    renderNotice(
      'info',
      words.say('guide.openMissing', { steps: missing.map((step) => words.say(`guide.${step}`)).join(', ') }),
    )
  }
${
  visit.may('openAdminSite') &&
  renderForm(visit, {
    action: to('start/open'),
    fields: [],
    hidden: { version: live.data.version },
    submit: words.say('guide.openNow'),
    kind: missing.length > 0 ? 'second' : 'first',
  })
}`
  const body = html`${renderCard({
    title: words.say('guide.testTitle'),
    body: html`<p>${words.say('guide.testText')}</p>
    ${orders.data.length > 0 && html`<div class="gap">${renderNotice('info', words.say('guide.testDone'))}</div>`}
${
  test.data.url === null
    ? html`<p class="help">${words.say('guide.noUrl')}</p>`
    : html`<div class="form-foot">${link(words.say('guide.testShop'), test.data.url)}</div>`
}`,
  })}
  ${renderCard({
    title: words.say('guide.openTitle'),
    body: isOpen
      ? html`<p>${words.say('guide.isOpen')}</p>
    ${live.data.url !== null && html`<div class="form-foot">${link(words.say('guide.see'), live.data.url)}</div>`}`
      : opening,
  })}`
  return guideStepSheet(visit, 'open', body)
}

const openStep: Screen = {
  path: 'start/open',
  name: 'dashboard guide open',
  place: 'home',
  needs: 'openAdminSite',
  get: openSheet,
  async post(posted) {
    const version = Number(posted.form.get('version'))
    const expectedVersion = Number.isSafeInteger(version) && version > 0 ? version : 1
    const outcome = await catchRefusal(
      posted.inMode('live').ask('openAdminSite', { body: { expectedVersion }, key: readKey(posted.form) }),
    )
    // If another person has changed the store first, the page shows the current state.
    if ('refusal' in outcome) return openSheet(posted)
    return redirectTo(posted.to('start/open'))
  },
}

export const guideScreens: readonly Screen[] = [
  guideStartScreen,
  shopStep,
  taxStep,
  lookStep,
  productStep,
  deliveryStep,
  paymentStep,
  legalStepScreen,
  openStep,
]
