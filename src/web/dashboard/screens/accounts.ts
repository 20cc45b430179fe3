// Accounts at payment providers: connected with keys that are pasted here, checked at the provider, and disconnected. No page ever
// contains a key, not even one that was just sent.

import type { AdminPaymentAccount } from '../../../contract/admin/payments.ts'
import type { AdminShop } from '../../../contract/admin/shop.ts'
import type { Mode } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
import { type Field, type Problems, problemsFromRefusal, readKey, renderForm } from '../form.ts'
import { linkButton, renderCard, renderFacts, renderNotice, renderTime, statusPill } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'

// The names of the keys that each provider needs.
const providers = { stripe: ['publishableKey', 'secretKey'], mollie: ['key'] } as const
type Provider = keyof typeof providers
const providerIds = Object.keys(providers) as Provider[]

export function providerName(provider: string): string {
  return provider.charAt(0).toUpperCase() + provider.slice(1)
}

// One card for each provider that can be connected here, and for each account at any other provider.
export function accountCards(visit: ScreenVisit, { paymentAccounts }: AdminShop): Html {
  const others = paymentAccounts.filter(({ provider }) => !Object.hasOwn(providers, provider))
  return html`${providerIds.map((provider) => {
    const account = paymentAccounts.find((one) => one.provider === provider)
    return account ? accountCard(visit, account) : providerCard(visit, provider)
  })}${others.map((account) => accountCard(visit, account))}`
}

function providerCard({ words, to, may }: ScreenVisit, provider: Provider): Html {
  return renderCard({
    title: providerName(provider),
    aside: html`<span class="row-actions">${statusPill(words, 'method', 'off')}${
      may('connectAdminPaymentAccount') &&
      linkButton({
        label: words.say('accounts.connect'),
        href: to(`settings/payments/connect/${provider}`),
        isDialog: true,
      })
    }</span>`,
    body: html`<p class="soft">${words.say(`accounts.${provider}.text`)}</p>`,
  })
}

function accountCard({ words, to, may }: ScreenVisit, account: AdminPaymentAccount): Html {
  const { id, provider, problems, receivesNotices, createdAt } = account
  const at = `settings/payments/accounts/${id}`
  return renderCard({
    title: providerName(provider),
    aside: html`<span class="row-actions">
      ${statusPill(words, 'method', problems.length > 0 ? 'failing' : 'enabled')}
      ${may('checkAdminPaymentAccount') && linkButton({ label: words.say('accounts.check'), href: to(at) })}
      ${
        may('replaceAdminPaymentKeys') &&
        Object.hasOwn(providers, provider) &&
        linkButton({ label: words.say('accounts.keys'), href: to(`${at}/keys`), isDialog: true })
      }
      ${
        may('disconnectAdminPaymentAccount') &&
        linkButton({
          label: words.say('accounts.disconnect'),
          href: to(`${at}/disconnect`),
          isDialog: true,
          kind: 'plain',
        })
      }
    </span>`,
    body: html`${renderFacts([
      [words.say('accounts.account'), accountName(account)],
      [words.say('accounts.mode'), words.say(`accounts.mode.${account.mode}`)],
      [words.say('accounts.since'), renderTime(words, createdAt)],
    ])}
    ${problems.map((problem) => renderNotice('bad', words.say(`payments.problem.${problem}`)))}
    ${!receivesNotices && html`<p class="help">${words.say('accounts.noNotices')}</p>`}`,
  })
}

function accountName({ name, account }: AdminPaymentAccount): Html {
  return html`${name ?? account ?? '–'}${name !== null && account !== null && html` <span class="soft">${account}</span>`}`
}

function backTo({ words, to }: ScreenVisit) {
  return { href: to('settings/payments'), label: words.say('settings.payments') }
}

// Avoids the name `key`, which is that of the form's idempotency key.
function fieldOf(name: string): string {
  return `account-${name}`
}

function keyFields({ words }: ScreenVisit, provider: Provider): Field[] {
  return providers[provider].map((name, at) => ({
    name: fieldOf(name),
    label: words.say(`accounts.${provider}.${name}` as 'accounts.mollie.key'),
    help: words.say(`accounts.${provider}.${name}Help` as 'accounts.mollie.keyHelp'),
    kind: 'secret',
    pointer: `/keys/${name}`,
    lengthMax: 1_000,
    isRequired: true,
    isFirst: at === 0,
  }))
}

interface KeysForm {
  title: string
  lead: string
  action: string
  submit: string
  provider: Provider
  problems?: Problems
}

function keysSheet(visit: ScreenVisit, { title, lead, action, submit, provider, problems }: KeysForm): ScreenSheet {
  const back = backTo(visit)
  return dialog({
    title,
    back,
    lead,
    status: problems ? 400 : 200,
    body: html`${
      provider === 'stripe' &&
      html`<details class="gap">
        <summary>${visit.words.say('accounts.stripe.permissions')}</summary>
        <ul>${stripePermissions.map((one) => html`<li>${one}</li>`)}</ul>
      </details>`
    }
    ${renderForm(visit, {
      action,
      fields: keyFields(visit, provider),
      problems,
      submit,
      cancel: back.href,
    })}`,
  })
}

// Permissions, as Stripe's dashboard names them.
const stripePermissions = [
  'PaymentIntents: Write',
  'Charges and Refunds: Write',
  'Disputes: Read',
  'Events: Read',
  'Webhook Endpoints: Write',
  'Payment Method Domains: Write',
  'Accounts: Read',
]

function providerIn({ path }: ScreenVisit): Provider {
  const found = providerIds.find((provider) => provider === path.provider)
  if (!found) throw refuse('payment_provider_not_found')
  return found
}

function connectSheet(visit: ScreenVisit, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  const provider = providerIn(visit)
  return keysSheet(visit, {
    title: words.say('accounts.connectTitle', { provider: providerName(provider) }),
    lead: words.say(`accounts.${provider}.lead`),
    action: to(`settings/payments/connect/${provider}`),
    submit: words.say('accounts.connect'),
    provider,
    ...(problems && { problems }),
  })
}

// A missing key is sent as a space, so the operation refuses it.
function keysIn(posted: PostedScreen, provider: Provider): Record<string, string> {
  const names: readonly string[] = providers[provider]
  return Object.fromEntries(names.map((name) => [name, (posted.form.get(fieldOf(name)) ?? '').trim() || ' ']))
}

export const connectProviderScreen: Screen = {
  path: 'settings/payments/connect/:provider',
  name: 'dashboard connect payment account',
  place: 'settings',
  needs: 'connectAdminPaymentAccount',
  asksAgain: true,
  takesSecrets: true,
  async get(visit) {
    return connectSheet(visit)
  },
  async post(posted) {
    const { words, mode } = posted
    const provider = providerIn(posted)
    const keys = keysIn(posted, provider)
    const body = { provider, keys }
    const connect = (visit: ScreenVisit) =>
      catchRefusal(visit.ask('connectAdminPaymentAccount', { body, key: readKey(posted.form) }))
    // A key belongs to one mode. If it belongs to the other mode, the account is connected there.
    const inMode = (one: Mode) => (one === mode ? posted : posted.inMode(one))
    const first = await connect(posted)
    const other = 'refusal' in first ? otherMode(first.refusal.details.issues ?? [], mode) : undefined
    const outcome = other === undefined ? first : await connect(inMode(other))
    if (!('refusal' in outcome))
      return redirectWithToast(inMode(other ?? mode).to('settings/payments'), `done.connected.${other ?? mode}`)
    return connectSheet(posted, problemsFromRefusal(words, outcome.refusal, keyFields(posted, provider)))
  },
}

function otherMode(issues: readonly { code: string }[], mode: Mode): Mode | undefined {
  if (!issues.some(({ code }) => code === 'key_of_other_mode')) return undefined
  return mode === 'live' ? 'test' : 'live'
}

export const accountCheckScreen: Screen = {
  path: 'settings/payments/accounts/:accountId',
  name: 'dashboard check payment account',
  place: 'settings',
  needs: 'checkAdminPaymentAccount',
  async get(visit) {
    const { words, path, to } = visit
    const { data } = await visit.ask('checkAdminPaymentAccount', { path: { accountId: path.accountId ?? '' } })
    const back = backTo(visit)
    return {
      title: providerName(data.provider),
      back,
      width: 'narrow',
      badge: statusPill(
        words,
        'method',
        data.endedAt !== null ? 'off' : data.issues.length > 0 ? 'failing' : 'enabled',
      ),
      body: renderCard({
        body: html`${
          data.issues.length === 0
            ? renderNotice('info', words.say('accounts.works', { provider: providerName(data.provider) }))
            : data.issues.map((one) => renderNotice('bad', words.issue(one)))
        }
        ${renderFacts([
          [words.say('accounts.account'), accountName(data)],
          [words.say('accounts.mode'), words.say(`accounts.mode.${data.mode}`)],
          [words.say('accounts.since'), renderTime(words, data.createdAt)],
        ])}
        <div class="form-foot">
          ${linkButton({ label: words.say('accounts.checkAgain'), href: to(`settings/payments/accounts/${data.id}`) })}
        </div>`,
      }),
    }
  },
}

async function livingAccount(visit: ScreenVisit): Promise<AdminPaymentAccount> {
  const { data } = await visit.ask('getAdminShop')
  const found = data.paymentAccounts.find(({ id }) => id === visit.path.accountId)
  if (!found) throw refuse('payment_account_not_found')
  return found
}

async function newKeysSheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const { id, provider } = await livingAccount(visit)
  return keysSheet(visit, {
    title: words.say('accounts.keysTitle', { provider: providerName(provider) }),
    lead: words.say('accounts.keysLead'),
    action: to(`settings/payments/accounts/${id}/keys`),
    submit: words.say('accounts.keys'),
    provider: providerIn({ ...visit, path: { provider } }),
    ...(problems && { problems }),
  })
}

export const accountKeysScreen: Screen = {
  path: 'settings/payments/accounts/:accountId/keys',
  name: 'dashboard payment account keys',
  place: 'settings',
  needs: 'replaceAdminPaymentKeys',
  asksAgain: true,
  takesSecrets: true,
  get: (visit) => newKeysSheet(visit),
  async post(posted) {
    const { words, to, form: sent } = posted
    const { id, provider: name } = await livingAccount(posted)
    const provider = providerIn({ ...posted, path: { provider: name } })
    const keys = keysIn(posted, provider)
    const outcome = await catchRefusal(
      posted.ask('replaceAdminPaymentKeys', { path: { accountId: id }, body: { keys }, key: readKey(sent) }),
    )
    if (!('refusal' in outcome)) return redirectWithToast(to('settings/payments'), 'done.accountKeys')
    return newKeysSheet(posted, problemsFromRefusal(words, outcome.refusal, keyFields(posted, provider)))
  },
}

export const accountEndScreen: Screen = {
  path: 'settings/payments/accounts/:accountId/disconnect',
  name: 'dashboard disconnect payment account',
  place: 'settings',
  needs: 'disconnectAdminPaymentAccount',
  asksAgain: true,
  async get(visit) {
    const { words, to } = visit
    const { id, provider } = await livingAccount(visit)
    const back = backTo(visit)
    return dialog({
      title: words.say('accounts.disconnectTitle', { provider: providerName(provider) }),
      back,
      lead: words.say('accounts.disconnectText'),
      body: renderForm(visit, {
        action: to(`settings/payments/accounts/${id}/disconnect`),
        fields: [],
        submit: words.say('accounts.disconnect'),
        kind: 'danger',
        cancel: back.href,
      }),
    })
  },
  async post(posted) {
    const { words, to, path, form: sent } = posted
    const { data } = await posted.ask('disconnectAdminPaymentAccount', {
      path: { accountId: path.accountId ?? '' },
      body: {},
      key: readKey(sent),
    })
    if (data.leftover === null) return redirectWithToast(to('settings/payments'), 'done.disconnected')
    const back = backTo(posted)
    return dialog({
      title: words.say('done.disconnected'),
      back,
      body: html`${renderNotice('bad', words.issue(data.leftover))}
      <div class="form-foot">
        ${linkButton({ label: words.say('settings.payments'), href: back.href, kind: 'first' })}
      </div>`,
    })
  },
}
