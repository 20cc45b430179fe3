// Payment methods: accounts at payment providers, and methods without a provider, which are turned on here.

import type { AdminShop } from '../../../contract/admin/shop.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { isPossibleIban } from '../../../platform/kit/iban.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  type Problems,
  problemsFromRefusal,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { linkToGuide } from '../guide.ts'
import { linkButton, renderCard, renderFacts, renderNotice, statusPill } from '../parts.ts'
import type { Screen, ScreenSheet, ScreenVisit } from '../screen.ts'
import { renderSections, settingSections } from '../sections.ts'
import { saveShopPart, shownPartField } from '../shop.ts'
import { redirectWithToast } from '../toast.ts'
import { accountCards } from './accounts.ts'

type Method = AdminShop['paymentMethods'][number]

export const paymentsScreen: Screen = {
  path: 'settings/payments',
  name: 'dashboard payments',
  place: 'settings',
  needs: 'getAdminShop',
  async get(visit) {
    const { words, mode } = visit
    const { data } = await visit.ask('getAdminShop')
    const canPay = data.paymentAccounts.length > 0 || data.paymentMethods.some(({ enabled }) => enabled)
    return {
      title: words.say('settings.title'),
      actions: await linkToGuide(visit),
      body: html`${renderSections(visit, settingSections, 'payments')}
${
  !canPay &&
  html`<div class="gap">${renderNotice('bad', words.say(mode === 'live' ? 'payments.noneLive' : 'payments.noneTest'))}</div>`
}
<h2 class="group">${words.say('payments.accounts')}</h2>
${
  data.paymentAccounts.length === 0 &&
  html`<p class="soft gap">${words.say(mode === 'live' ? 'payments.noAccount' : 'payments.noAccountTest')}</p>`
}
${accountCards(visit, data)}
<h2 class="group">${words.say('payments.byHand')}</h2>
${methodCards(visit, data)}`,
    }
  },
}

export function methodCards(visit: ScreenVisit, { paymentMethods }: AdminShop): Html {
  return html`${paymentMethods.map((method) => methodCard(visit, method))}`
}

function methodCard(visit: ScreenVisit, { provider, enabled, instructions, termDays }: Method): Html {
  const { words, to, may, mode } = visit
  const form = `settings/payments/${provider}`
  const isMissing = provider === 'bank_transfer' && instructions === null && mode === 'live'
  return renderCard({
    title: words.say(`method.${provider}`),
    aside: html`<span class="row-actions">${statusPill(words, 'method', enabled ? 'enabled' : 'off')}${
      may('updateAdminPaymentProvider') &&
      html`${
        !enabled && linkButton({ label: words.say('payments.turnOn'), href: to(form, { turn: 'on' }), isDialog: true })
      }${linkButton({ label: words.say('payments.edit'), href: to(form), isDialog: true })}`
    }</span>`,
    body: html`${renderFacts([
      [
        words.say('payments.instructions'),
        instructions === null
          ? html`<span class="soft">–</span>`
          : html`<span class="lines" dir="auto">${instructions}</span>`,
      ],
      [
        words.say('payments.term'),
        termDays === null ? words.say('payments.noTerm') : words.say('payments.termDays', { count: termDays }),
      ],
    ])}${isMissing && html`<p class="help">${words.say('payments.missing')}</p>`}`,
  })
}

// Fields for a bank account, which are shown instead of the instructions as long as there are none.
function bankFields({ words }: ScreenVisit): Field[] {
  return [
    { name: 'holder', label: words.say('payments.holder'), kind: 'line', lengthMax: 100, isHalf: true },
    { name: 'bank', label: words.say('payments.bank'), kind: 'line', lengthMax: 100, isHalf: true },
    { name: 'iban', label: words.say('payments.iban'), kind: 'line', lengthMax: 60, isHalf: true },
    { name: 'bic', label: words.say('payments.bic'), kind: 'line', lengthMax: 11, isHalf: true },
  ]
}

function asksForBank({ provider, instructions }: Method): boolean {
  return provider === 'bank_transfer' && instructions === null
}

// Builds instructions from the bank fields, as lines that are the same in every language.
function bankLines(sent: FormFields): string {
  const [holder, bank, iban, bic] = ['holder', 'bank', 'iban', 'bic'].map((name) =>
    (sent.get(name) ?? '').slice(0, 100).replace(/\s+/g, ' ').trim(),
  )
  return [holder, bank, iban && `IBAN ${iban}`, bic && `BIC ${bic}`].filter(Boolean).join('\n')
}

function fieldsOf(visit: ScreenVisit, method: Method): Field[] {
  const { words } = visit
  return [
    { name: 'enabled', label: words.say('payments.offer'), kind: 'check' },
    ...(asksForBank(method) ? bankFields(visit) : []),
    {
      name: 'instructions',
      label: words.say('payments.instructions'),
      kind: 'text',
      help: words.say('payments.instructionsHelp'),
      rows: 5,
      lengthMax: 2_000,
      isNullable: true,
    },
    {
      name: 'termDays',
      label: words.say('payments.term'),
      kind: 'whole',
      help: words.say('payments.termHelp'),
      min: 1,
      max: 365,
      isNullable: true,
    },
  ]
}

async function methodOf(visit: ScreenVisit): Promise<Method> {
  const { data } = await visit.ask('getAdminShop')
  const found = data.paymentMethods.find(({ provider }) => provider === visit.path.provider)
  if (!found) throw refuse('payment_provider_not_found')
  return found
}

interface MethodState {
  method: Method
  values?: FieldValues
  problems?: Problems
  theirs?: Method | undefined
}

function methodSheet(visit: ScreenVisit, { method, values, problems, theirs }: MethodState): ScreenSheet {
  const { words, to } = visit
  const { provider, enabled, instructions, termDays } = method
  const back = { href: to('settings/payments'), label: words.say('settings.payments') }
  return dialog({
    title: words.say(`method.${provider}`),
    back,
    status: theirs ? 409 : problems ? 400 : 200,
    body: html`${
      theirs &&
      html`<div class="gap">${renderNotice('bad', words.say('twoVersions.table'), 'alert')}</div>
      <h2>${words.say('twoVersions.theirs')}</h2>
      <div class="gap">
        ${renderFacts([
          [words.say('payments.offer'), words.say(theirs.enabled ? 'settings.yes' : 'settings.no')],
          [words.say('payments.instructions'), theirs.instructions ?? '–'],
          [words.say('payments.term'), theirs.termDays ?? '–'],
        ])}
      </div>
      <h2>${words.say('twoVersions.mine')}</h2>`
    }
    ${renderForm(visit, {
      action: to(`settings/payments/${provider}`),
      fields: fieldsOf(visit, method),
      values: values ?? {
        // *Turn on* links to this page with the box ticked.
        enabled: enabled || visit.query.get('turn') === 'on' ? 'on' : '',
        instructions: instructions ?? '',
        termDays: termDays === null ? '' : String(termDays),
      },
      before: shownPartField({ enabled, instructions, termDays }),
      problems,
      submit: words.say(theirs ? 'twoVersions.saveMine' : 'action.save'),
      cancel: back.href,
    })}`,
  })
}

export const paymentMethodScreen: Screen = {
  path: 'settings/payments/:provider',
  name: 'dashboard payment method',
  place: 'settings',
  needs: 'updateAdminPaymentProvider',
  asksAgain: true,
  async get(visit) {
    return methodSheet(visit, { method: await methodOf(visit) })
  },
  async post(posted) {
    const { words, to, path, form: sent } = posted
    const method = await methodOf(posted)
    const fields = fieldsOf(posted, method)
    const values = readTypedValues(fields, sent)
    const asked = buildBody(words, fields, sent)
    if ('problems' in asked) return methodSheet(posted, { method, values, problems: asked.problems })
    const { enabled = false, instructions: typed = null, termDays = null } = asked.body as Partial<Method>
    const account = asksForBank(method) ? bankLines(sent) : ''
    const iban = (sent.get('iban') ?? '').trim()
    if (account !== '' && iban !== '' && !isPossibleIban(iban)) {
      const problems = { summary: words.say('form.problem'), at: { '/iban': words.say('payments.notIban') } }
      return methodSheet(posted, { method, values, problems })
    }
    const instructions = [account, typed].filter(Boolean).join('\n\n') || null
    const wanted = { enabled, instructions, termDays }
    const pick = (shop: AdminShop) => shop.paymentMethods.find(({ provider }) => provider === path.provider)
    const saved = await saveShopPart(posted, {
      partOf(shop) {
        const found = pick(shop)
        return {
          enabled: found?.enabled ?? false,
          instructions: found?.instructions ?? null,
          termDays: found?.termDays ?? null,
        }
      },
      wanted,
      ask: ({ version }, key) =>
        posted.ask('updateAdminPaymentProvider', {
          path: { provider: method.provider },
          body: { ...wanted, expectedVersion: version },
          key,
        }),
    })
    if (saved.kind === 'saved') return redirectWithToast(to('settings/payments'), 'done.settings')
    if (saved.kind === 'conflict')
      return methodSheet(posted, { method: pick(saved.current) ?? method, values, theirs: pick(saved.current) })
    return methodSheet(posted, { method, values, problems: problemsFromRefusal(words, saved.refusal, fields) })
  },
}
