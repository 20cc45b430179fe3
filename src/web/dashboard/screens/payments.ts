// Ways to pay: those by hand, which are turned on here, and accounts at payment providers, which the operator connects.

import type { AdminShop } from '../../../contract/admin/shop.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
import { bodyOf, type Field, type FieldValues, form, type Problems, problemsOf, valuesOf } from '../form.ts'
import { card, facts, linkButton, notice, pill } from '../parts.ts'
import type { Screen, Sheet, Visit } from '../screen.ts'
import { sections, settingSections } from '../sections.ts'
import { baseField, saveShopPart } from '../shop.ts'
import { done } from '../toast.ts'

type Method = AdminShop['paymentMethods'][number]

export const payments: Screen = {
  path: 'settings/payments',
  name: 'dashboard payments',
  place: 'settings',
  needs: 'getAdminShop',
  async get(visit) {
    const { words, shop, mode } = visit
    const { data } = await visit.ask('getAdminShop')
    const canPay = data.paymentAccounts.length > 0 || data.paymentMethods.some(({ enabled }) => enabled)
    return {
      title: words.say('settings.title'),
      body: html`${sections(visit, settingSections, 'payments')}
${!canPay && html`<div class="gap">${notice('bad', words.say(mode === 'live' ? 'payments.noneLive' : 'payments.noneTest'))}</div>`}
${data.paymentMethods.map((method) => methodCard(visit, method))}
${card({
  title: words.say('payments.accounts'),
  body: html`${
    data.paymentAccounts.length === 0
      ? html`<p class="soft">${words.say(mode === 'live' ? 'payments.noAccount' : 'payments.noAccountTest')}</p>`
      : facts(
          data.paymentAccounts.map(({ provider, name, problems }) => [
            providerName(provider),
            html`${pill(words, 'method', problems.length > 0 ? 'failing' : 'enabled')} ${name}${problems.map(
              (problem) => html`<p class="help">${words.say(`payments.problem.${problem}`)}</p>`,
            )}`,
          ]),
        )
  }
<p class="help">${words.say('payments.accountsText')}</p><pre class="code" tabindex="0" aria-label="${words.say('payments.command')}">cartwright payments connect stripe --merchant ${shop.slug} --mode ${mode}</pre>`,
})}`,
    }
  },
}

function providerName(provider: string): string {
  return provider.charAt(0).toUpperCase() + provider.slice(1)
}

function methodCard(visit: Visit, { provider, enabled, instructions, termDays }: Method): Html {
  const { words, to, may, mode } = visit
  const form = `settings/payments/${provider}`
  const isMissing = provider === 'bank_transfer' && instructions === null && mode === 'live'
  return card({
    title: words.say(`method.${provider}`),
    aside: html`<span class="row-actions">${pill(words, 'method', enabled ? 'enabled' : 'off')}${may('updateAdminPaymentProvider') && html`${!enabled && linkButton({ label: words.say('payments.turnOn'), href: to(form, { turn: 'on' }), isDialog: true })}${linkButton({ label: words.say('payments.edit'), href: to(form), isDialog: true })}`}</span>`,
    body: html`${facts([
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

function fieldsOf({ words }: Visit): Field[] {
  return [
    { name: 'enabled', label: words.say('payments.offer'), kind: 'check' },
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

async function methodOf(visit: Visit): Promise<Method> {
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

function methodSheet(visit: Visit, { method, values, problems, theirs }: MethodState): Sheet {
  const { words, to } = visit
  const { provider, enabled, instructions, termDays } = method
  const back = { href: to('settings/payments'), label: words.say('settings.payments') }
  return dialog({
    title: words.say(`method.${provider}`),
    back,
    status: theirs ? 409 : problems ? 400 : 200,
    body: html`${
      theirs &&
      html`<div class="gap">${notice('bad', words.say('twoVersions.table'), 'alert')}</div><h2>${words.say('twoVersions.theirs')}</h2><div class="gap">${facts(
        [
          [words.say('payments.offer'), words.say(theirs.enabled ? 'settings.yes' : 'settings.no')],
          [words.say('payments.instructions'), theirs.instructions ?? '–'],
          [words.say('payments.term'), theirs.termDays ?? '–'],
        ],
      )}</div><h2>${words.say('twoVersions.mine')}</h2>`
    }${form(visit, {
      action: to(`settings/payments/${provider}`),
      fields: fieldsOf(visit),
      values: values ?? {
        // *Turn on* leads here with the box checked.
        enabled: enabled || visit.query.get('turn') === 'on' ? 'on' : '',
        instructions: instructions ?? '',
        termDays: termDays === null ? '' : String(termDays),
      },
      before: baseField({ enabled, instructions, termDays }),
      problems,
      submit: words.say(theirs ? 'twoVersions.saveMine' : 'action.save'),
      cancel: back.href,
    })}`,
  })
}

export const paymentMethod: Screen = {
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
    const fields = fieldsOf(posted)
    const method = await methodOf(posted)
    const values = valuesOf(fields, sent)
    const asked = bodyOf(words, fields, sent)
    if ('problems' in asked) return methodSheet(posted, { method, values, problems: asked.problems })
    const { enabled = false, instructions = null, termDays = null } = asked.body as Partial<Omit<Method, 'provider'>>
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
    if (saved.kind === 'saved') return done(to('settings/payments'), 'done.settings')
    if (saved.kind === 'conflict')
      return methodSheet(posted, { method: pick(saved.current) ?? method, values, theirs: pick(saved.current) })
    return methodSheet(posted, { method, values, problems: problemsOf(words, saved.refusal, fields) })
  },
}
