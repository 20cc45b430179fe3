// Makers of products: the list, and the form for one maker and the responsible person in the EU.

import type { AdminMaker } from '../../../contract/admin/makers.ts'
import type { MakerEntry } from '../../../contract/entries.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { html } from '../../../platform/html/html.ts'
import { lacksResponsible } from '../../../platform/kit/duties.ts'
import type { Refusal } from '../../../platform/kit/refuse.ts'
import { slugify } from '../../../platform/kit/slug.ts'
import { listShopMakers, sectionTabs } from '../catalog.ts'
import { countryOptions } from '../countries.ts'
import { dialog } from '../dialog.ts'
import {
  type Field,
  type FieldValues,
  field,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
  typedLengthMax,
} from '../form.ts'
import { linkButton } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderTable } from '../table.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'

export const makersScreen: Screen = {
  path: 'makers',
  name: 'dashboard makers',
  place: 'products',
  needs: 'listAdminMakers',
  async get(visit) {
    const { words, to, may } = visit
    const rows = await listShopMakers(visit)
    const add =
      may('createAdminMaker') &&
      linkButton({ label: words.say('makers.new'), href: to('makers/new'), kind: 'first', isDialog: true })
    return {
      title: words.say('makers.title'),
      actions: html`${add}`,
      body: html`${sectionTabs(visit, 'makers')}
${renderTable(visit, {
  label: words.say('makers.title'),
  columns: [
    { head: words.say('makers.name'), cell: ({ maker }) => html`<span dir="auto">${maker.name}</span>`, isMain: true },
    { head: words.say('makers.country'), cell: ({ maker }) => words.country(maker.country) },
    {
      head: words.say('makers.responsible'),
      cell: ({ maker }) =>
        maker.responsible?.name ?? (lacksResponsible(maker) ? words.say('makers.lacksResponsible') : '–'),
    },
    {
      head: words.say('categories.products'),
      cell: ({ maker, productCount }) =>
        html`<a
    href="${to('products', { maker: maker.slug })}"
    aria-label="${words.say('categories.productsOf', { count: productCount })}">
    ${words.number(productCount)}
  </a>`,
      align: 'end',
    },
  ],
  rows,
  idOf: ({ id }) => id,
  ...(may('replaceAdminMaker') && { hrefOf: ({ id }: AdminMaker) => to(`makers/${id}`) }),
  empty: { title: words.say('makers.empty'), text: words.say('makers.emptyText'), action: add },
})}`,
    }
  },
}

// Fields of a party: the maker itself, or the responsible person at `/responsible`.
function partyFields({ words }: ScreenVisit, prefix: '' | 'responsible', isRequired: boolean): Field[] {
  const countries = [{ value: '', label: '' }, ...countryOptions(words)]
  const part = (name: string) => ({
    name: prefix === '' ? name : `${prefix}.${name}`,
    id: `field-${prefix}${name}`,
    pointer: prefix === '' ? `/${name}` : `/${prefix}/${name}`,
    isRequired,
  })
  return [
    { ...part('name'), label: words.say('makers.name'), kind: 'line', lengthMax: 200 },
    { ...part('address'), label: words.say('makers.address'), kind: 'text', rows: 3, lengthMax: 1_206 },
    { ...part('country'), label: words.say('makers.country'), kind: 'choice', options: countries, isHalf: true },
    {
      ...{ ...part('contact'), label: words.say('makers.contact'), kind: 'line', lengthMax: 254, isHalf: true },
      help: words.say('makers.contactHelp'),
    },
  ]
}

function fieldsOf(visit: ScreenVisit, own?: AdminMaker): { maker: Field[]; responsible: Field[]; all: Field[] } {
  const { words } = visit
  const slug: Field = {
    ...{ name: 'slug', label: words.say('makers.slug'), kind: 'line', lengthMax: 120 },
    help: words.say('makers.slugHelp'),
  }
  const maker = [...partyFields(visit, '', true), ...(own ? [] : [slug])]
  const responsible = partyFields(visit, 'responsible', false)
  return { maker, responsible, all: [...maker, ...responsible] }
}

// Members may be missing, which the operation reports.
function entryIn(sent: FormFields, own?: AdminMaker): MakerEntry {
  const line = (name: string) =>
    (sent.get(name) ?? '')
      .slice(0, typedLengthMax)
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
  const party = (prefix: string) => ({
    name: line(`${prefix}name`),
    address: (sent.get(`${prefix}address`) ?? '')
      .split('\n', 100)
      .map((text) =>
        text
          .slice(0, typedLengthMax)
          .toWellFormed()
          .replace(/\p{Cc}+/gu, ' ')
          .trim(),
      )
      .filter((text) => text !== ''),
    country: line(`${prefix}country`),
    contact: line(`${prefix}contact`),
  })
  const maker = party('')
  const responsible = party('responsible.')
  const isGiven = Object.values(responsible).some((value) => value.length > 0)
  return {
    slug: own?.maker.slug ?? (line('slug') || slugify(maker.name)),
    ...maker,
    responsible: isGiven ? responsible : null,
  }
}

function valuesIn({ maker }: AdminMaker): FieldValues {
  const party = (prefix: string, { name, address, country, contact }: Omit<MakerEntry, 'slug'>) => ({
    [`${prefix}name`]: name,
    [`${prefix}address`]: address.join('\n'),
    [`${prefix}country`]: country,
    [`${prefix}contact`]: contact,
  })
  return { ...party('', maker), ...(maker.responsible && party('responsible.', maker.responsible)) }
}

const back = ({ words, to }: ScreenVisit) => ({ href: to('makers'), label: words.say('makers.title') })

export const newMakerScreen: Screen = {
  path: 'makers/new',
  name: 'dashboard new maker',
  place: 'products',
  needs: 'createAdminMaker',
  get: async (visit) => sheetOf(visit, { values: { country: '' } }),
  async post(posted) {
    const { form: sent, to } = posted
    const body = { maker: entryIn(sent) }
    const outcome = await catchRefusal(posted.ask('createAdminMaker', { body, key: readKey(sent) }))
    if (!('refusal' in outcome)) return redirectWithToast(to('makers'), 'done.saved')
    return sheetOf(posted, againOf(posted, outcome.refusal))
  },
}

export const makerScreen: Screen = {
  path: 'makers/:makerId',
  name: 'dashboard maker',
  place: 'products',
  needs: 'replaceAdminMaker',
  async get(visit) {
    const own = await ownOf(visit)
    return own ? sheetOf(visit, { own, values: valuesIn(own) }) : lost(visit)
  },
  async post(posted) {
    const { form: sent, to, path } = posted
    const expectedVersion = Number(sent.get('version'))
    const makerId = path.makerId ?? ''
    if (sent.get('do') === 'remove') return remove(posted, makerId, expectedVersion)
    const own = await ownOf(posted)
    if (!own) return lost(posted)
    const body = { expectedVersion, maker: entryIn(sent, own) }
    const outcome = await catchRefusal(
      posted.change('replaceAdminMaker', { path: { makerId }, body, key: readKey(sent) }),
      ['maker_not_found'],
    )
    if (!('refusal' in outcome)) return redirectWithToast(to('makers'), 'done.saved', { change: outcome.reply.change })
    const isConflict = outcome.refusal.code === 'version_conflict'
    const seen = isConflict ? own : { ...own, version: expectedVersion }
    return sheetOf(posted, { ...againOf(posted, outcome.refusal, own), own: seen })
  },
}

async function ownOf(visit: ScreenVisit): Promise<AdminMaker | undefined> {
  return (await listShopMakers(visit)).find(({ id }) => id === visit.path.makerId)
}

function lost({ to }: ScreenVisit) {
  return redirectWithRefusal(to('makers'), { code: 'maker_not_found' })
}

interface SheetParts {
  own?: AdminMaker
  values: FieldValues
  problems?: Problems
  status?: number
}

// Adjusts the operation's pointers, which are below `/maker`, and merges those of an address, whose lines are one field.
function againOf(posted: PostedScreen, refusal: Refusal, own?: AdminMaker): SheetParts {
  const { all } = fieldsOf(posted, own)
  const issues = (refusal.details.issues ?? []).map((issue) => ({
    ...issue,
    path: issue.path.replace('/maker', '').replace(/\/address\/\d+$/, '/address'),
  }))
  const placed = Object.assign(Object.create(refusal), { details: { ...refusal.details, issues } })
  return {
    values: readTypedValues(all, posted.form),
    problems: problemsFromRefusal(posted.words, placed, all),
    status: refusal.code === 'invalid_request' ? 400 : 409,
  }
}

function sheetOf(visit: ScreenVisit, { own, values, problems, status }: SheetParts): ScreenSheet {
  const { words, to, may } = visit
  const { maker, responsible } = fieldsOf(visit, own)
  const action = own ? to(`makers/${own.id}`) : to('makers/new')
  return dialog({
    title: own ? own.maker.name : words.say('makers.new'),
    back: back(visit),
    ...(status !== undefined && { status }),
    body: html`${renderForm(visit, {
      action,
      hidden: own ? { version: own.version } : {},
      fields: maker,
      values,
      problems,
      more: html`<div role="group" aria-labelledby="responsible">
        <h2 id="responsible">${words.say('makers.responsible')}</h2>
        <p class="help">${words.say('makers.responsibleHelp')}</p>
<div class="fields after">${responsible.map((one) => field(words, one, values[one.name], problems))}</div></div>`,
      submit: words.say('action.save'),
      cancel: to('makers'),
    })}
${
  own &&
  may('removeAdminMaker') &&
  html`<div class="apart">
    ${renderForm(visit, {
      action,
      hidden: { version: own.version, do: 'remove' },
      fields: [],
      kind: 'plain',
      submit: words.say('makers.remove'),
    })}
    <p class="help">${words.say('makers.removeHelp')}</p>
  </div>`
}`,
  })
}

async function remove(posted: PostedScreen, makerId: string, expectedVersion: number) {
  const { form: sent, to } = posted
  const outcome = await catchRefusal(
    posted.change('removeAdminMaker', { path: { makerId }, body: { expectedVersion }, key: readKey(sent) }),
    ['maker_not_found'],
  )
  if ('refusal' in outcome) return redirectWithRefusal(to('makers'), outcome.refusal)
  return redirectWithToast(to('makers'), 'done.removed', { change: outcome.reply.change })
}
