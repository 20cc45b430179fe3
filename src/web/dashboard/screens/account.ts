// The person's own account: name and language, password, second factor, passkeys, sessions, assistants. Dangerous actions ask for the
// password again. A person without the second factor that a shop requires only sees how to set it up.

import { limits } from '../../../contract/limits.ts'
import { qrPath } from '../../../domain/users/qr.ts'
import { hiddenFields, readLineField } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import type { AccountView, AuthenticatorSetup } from '../../signin/ownaccount.ts'
import { confirmPathFor } from '../../signin/visit.ts'
import { postButton } from '../controls.ts'
import { dialog } from '../dialog.ts'
import { buildBody, type Field, field, type Problems, readTypedValues, renderForm } from '../form.ts'
import { button, linkButton, renderNotice } from '../parts.ts'
import {
  type PostedScreen,
  redirectTo,
  type Screen,
  type ScreenResult,
  type ScreenSheet,
  type ScreenVisit,
} from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import { type DashboardLanguage, dashboardTexts, type TextKey } from '../words.ts'

type Session = AccountView['sessions'][number]
type Passkey = AccountView['passkeys'][number]
type Assistant = AccountView['assistants'][number]

const ofAccount = { place: null, needs: null } as const
const backOf = ({ words, to }: ScreenVisit) => ({ href: to('account'), label: words.say('account.title') })

const account: Screen = {
  ...ofAccount,
  path: 'account',
  name: 'dashboard account',
  setsUpFactor: true,
  get: (visit) => accountSheet(visit),
  async post(posted) {
    if (posted.isFactorMissing) return redirectTo(posted.to('account'))
    const { form: sent, to, words } = posted
    const read = buildBody(words, profileFields(posted), sent)
    if ('problems' in read) return accountSheet(posted, read.problems)
    const language = languages.find((known) => known === sent.get('language')) ?? null
    await (await posted.account()).setProfile({ name: readLineField(sent, 'name'), language })
    return redirectWithToast(to('account'), 'done.saved')
  },
}

async function accountSheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenSheet> {
  const { words } = visit
  const own = await visit.account()
  if (visit.isFactorMissing) return missingSheet(visit, await own.hasPasskey())
  const view = await own.read()
  return {
    title: words.say('account.title'),
    status: problems ? 400 : 200,
    body: html`<div class="settings-form">${part(visit, 'you', profileForm(visit, problems))}
${part(visit, 'password', linkButton({ label: words.say('account.changePassword'), href: visit.to('account/password') }))}
${part(visit, 'factor', factorPart(visit, view))}
${part(visit, 'passkeys', passkeysPart(visit, view.passkeys))}
${part(visit, 'sessions', sessionsPart(visit, view))}
${view.assistants.length > 0 && part(visit, 'assistants', entries(view.assistants.map((one) => assistantEntry(visit, one))))}</div>`,
  }
}

// The cast holds: the object has only these keys.
const languages = Object.keys(dashboardTexts) as DashboardLanguage[]
const languageNames: Readonly<Record<DashboardLanguage, string>> = { en: 'English', de: 'Deutsch' }

function part(
  { words }: ScreenVisit,
  id: 'you' | 'password' | 'factor' | 'passkeys' | 'sessions' | 'assistants',
  body: Html,
) {
  return html`<section class="setting">
    <div class="setting-about">
      <h2>${words.say(`account.${id}`)}</h2>
      <p class="help">${words.say(`account.${id}Text`)}</p>
    </div>
<div class="card"><div class="card-body">${body}</div></div></section>`
}

function profileFields({ words }: ScreenVisit): Field[] {
  const choices = languages.map((value) => ({ value, label: languageNames[value] }))
  return [
    {
      name: 'name',
      // Not `field-name`, because the form of a passkey, which opens above this form, also has a name.
      id: 'own-name',
      label: words.say('account.name'),
      kind: 'line',
      lengthMax: limits.userNameLengthMax,
      autocomplete: 'name',
      isHalf: true,
    },
    {
      name: 'language',
      label: words.say('account.language'),
      kind: 'choice',
      help: words.say('account.languageHelp'),
      options: [{ value: '', label: words.say('account.language.browser') }, ...choices],
      isRequired: true,
      isHalf: true,
    },
  ]
}

function profileForm(visit: ScreenVisit, problems: Problems | undefined): Html {
  const { words, to, email, name, language } = visit
  const fields = profileFields(visit)
  return renderForm(visit, {
    action: to('account'),
    before: html`<p><span class="soft">${words.say('account.email')}:</span> <span dir="ltr">${email}</span></p>`,
    fields,
    values:
      'form' in visit
        ? readTypedValues(fields, (visit as PostedScreen).form)
        : { name: name ?? '', language: language ?? '' },
    problems,
    submit: words.say('action.save'),
    kind: 'second',
  })
}

function factorPart({ words, to }: ScreenVisit, { hasSecondFactor, recoveryCodes }: AccountView): Html {
  const link = (path: string, label: TextKey, isDialog = false) =>
    linkButton({ label: words.say(label), href: to(`account/${path}`), isDialog })
  if (!hasSecondFactor) return html`<p class="gap">${words.say('account.factorOff')}</p>${link('app', 'account.setUp')}`
  return html`<p class="gap">
    ${words.say('account.factorOn')} <span class="soft">
      ${words.say('account.codesLeft', { count: recoveryCodes })}
    </span>
  </p>
<div class="row-actions start">
  ${link('codes', 'account.newCodes', true)}
  ${link('app', 'account.setUpAgain')}
  ${link('app/off', 'account.turnOff', true)}</div>`
}

function entries(all: readonly Html[]): Html {
  return html`<ul class="own-entries">${all}</ul>`
}

function entry(name: Html, detail: Html, actions: Html | false): Html {
  return html`<li>
    <span class="stack"><span>${name}</span><span class="soft small">${detail}</span></span>
    ${actions && html`<span class="row-actions">${actions}</span>`}
  </li>`
}

function passkeysPart(visit: ScreenVisit, all: readonly Passkey[]): Html {
  const { words, to } = visit
  const add = linkButton({ label: words.say('account.addPasskey'), href: to('account/passkeys/new') })
  if (all.length === 0) return html`<p class="gap">${words.say('account.passkeysNone')}</p>${add}`
  return html`${entries(all.map((one) => passkeyEntry(visit, one)))}${add}`
}

function passkeyEntry({ words, to }: ScreenVisit, { id, name, createdAt, usedAt }: Passkey): Html {
  const link = (path: string, label: TextKey, isDanger = false) =>
    html`<a${isDanger && html` class="danger-link"`} href="${to(`account/passkeys/${id}${path}`)}" data-dialog>
      ${words.say(label)}
      <span class="hidden"> ${name}</span>
    </a>`
  const detail =
    usedAt === null
      ? words.say('account.added', { date: words.day(createdAt) })
      : words.say('account.used', { date: words.day(usedAt) })
  return entry(
    html`<span dir="auto">${name}</span>`,
    html`${detail}`,
    html`${link('', 'account.rename')}${link('/remove', 'account.remove', true)}`,
  )
}

function sessionsPart(visit: ScreenVisit, { sessions, sessionId }: AccountView): Html {
  const { words, to } = visit
  return html`${entries(sessions.map((one) => sessionEntry(visit, one, one.id === sessionId)))}
${sessions.length > 1 && postButton({ action: to('account/sessions'), label: words.say('account.endOthers') })}`
}

function sessionEntry({ words, to }: ScreenVisit, { id, browser, seenAt }: Session, isThis: boolean): Html {
  const name = html`${browser || words.say('account.unknown')}${isThis && html` <span class="soft">(${words.say('account.here')})</span>`}`
  const end = { action: to('account/sessions'), label: words.say('account.end'), hidden: { session: id } }
  return entry(name, html`${words.say('account.used', { date: words.moment(seenAt) })}`, !isThis && postButton(end))
}

function assistantEntry({ words, to }: ScreenVisit, assistant: Assistant): Html {
  const { id, name, mode, merchantName, createdAt, lastTokenAt } = assistant
  const when =
    lastTokenAt === null
      ? words.say('account.added', { date: words.day(createdAt) })
      : words.say('account.used', { date: words.day(lastTokenAt) })
  return entry(
    html`<span dir="auto">${name}</span>`,
    html`<span dir="auto">${merchantName}</span>${mode === 'test' && html` · ${words.say('account.testMode')}`} · ${when}`,
    postButton({ action: to('account/assistants'), label: words.say('account.end'), hidden: { assistant: id } }),
  )
}

// A person with a passkey must use it. Otherwise the password alone would suffice to set up another factor in its place.
function missingSheet(visit: ScreenVisit, hasPasskey: boolean): ScreenSheet {
  const { words, to } = visit
  return {
    title: words.say('account.missing'),
    width: 'narrow',
    body: html`<div class="card">
      <div class="card-body">
        <p class="lead gap">${words.say('account.missingLead')}</p>
        ${
          hasPasskey
            ? html`<p class="gap">${words.say('account.missingPasskey')}</p>
          ${linkButton({ label: words.say('account.usePasskey'), href: confirmPathFor(to('account')), kind: 'first' })}`
            : html`<div class="row-actions start">
            ${linkButton({ label: words.say('account.setUp'), href: to('account/app'), kind: 'first' })}
            ${linkButton({ label: words.say('account.addPasskey'), href: to('account/passkeys/new') })}
          </div>`
        }
      </div>
    </div>`,
  }
}

async function isPasskeyNeeded(visit: ScreenVisit): Promise<boolean> {
  return visit.isFactorMissing && (await (await visit.account()).hasPasskey())
}

function passwordSheet(visit: ScreenVisit, problems?: Problems): ScreenSheet {
  const { words, to, email } = visit
  const back = backOf(visit)
  const field: Field = {
    name: 'password',
    label: words.say('account.newPassword'),
    kind: 'password',
    help: words.say('account.passwordHelp'),
    autocomplete: 'new-password',
    lengthMax: 200,
    isRequired: true,
    isFirst: true,
  }
  return dialog({
    title: words.say('account.changePassword'),
    back,
    lead: words.say('account.passwordText'),
    status: problems ? 400 : 200,
    body: renderForm(visit, {
      action: to('account/password'),
      // Tells a password manager which account the password belongs to. Password managers ignore inputs of the type `hidden`.
      before: html`<input hidden type="text" name="username" autocomplete="username" value="${email}">`,
      fields: [field],
      problems,
      submit: words.say('account.changePassword'),
      cancel: back.href,
    }),
  })
}

const accountPassword: Screen = {
  ...ofAccount,
  path: 'account/password',
  name: 'dashboard password',
  asksAgain: true,
  takesSecrets: true,
  get: async (visit) => passwordSheet(visit),
  async post(posted) {
    const { words, form: sent, to, userAgent } = posted
    const changed = await (await posted.account()).changePassword(sent.get('password') ?? '', userAgent)
    if ('problem' in changed)
      return passwordSheet(posted, { at: { '/password': words.say(`account.password.${changed.problem}`) } })
    const answer = redirectWithToast(to('account'), 'done.password')
    if (changed.cookie === undefined) return answer
    return { ...answer, headers: { ...answer.headers, 'set-cookie': changed.cookie } }
  },
}

function appSheet(visit: ScreenVisit, { key, uri, modules, sealed }: AuthenticatorSetup, isWrong = false): ScreenSheet {
  const { words, to } = visit
  const back = backOf(visit)
  const problems = isWrong ? { at: { '/code': words.say('account.codeWrong') } } : undefined
  return {
    title: words.say('account.setUp'),
    back,
    status: isWrong ? 400 : 200,
    width: 'narrow',
    body: html`<div class="card"><div class="card-body"><p class="lead">${words.say('account.scanLead')}</p>
${modules && qrImage(words.say('account.picture'), modules)}
<p><span class="soft">${words.say('account.key')}:</span> <code dir="ltr">${key}</code></p>
<p class="gap"><a href="${uri}">${words.say('account.openApp')}</a></p>
${renderForm(visit, {
  action: to('account/app'),
  fields: [
    {
      name: 'code',
      label: words.say('account.code'),
      kind: 'line',
      autocomplete: 'one-time-code',
      lengthMax: 10,
      isRequired: true,
      isFirst: true,
    },
  ],
  hidden: { sealed },
  problems,
  submit: words.say('account.turnOn'),
  cancel: back.href,
})}</div></div>`,
  }
}

// Dark on light in both colour schemes, as scanners of QR codes expect.
function qrImage(label: string, modules: readonly (readonly boolean[])[]): Html {
  const { side, path } = qrPath(modules)
  return html`<svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="${label}">
<path class="qr-paper" d="M0 0h${side}v${side}h-${side}z"/><path class="qr-ink" d="${path}"/></svg>`
}

const accountApp: Screen = {
  ...ofAccount,
  path: 'account/app',
  name: 'dashboard second factor',
  asksAgain: true,
  setsUpFactor: true,
  async get(visit) {
    if (await isPasskeyNeeded(visit)) return redirectTo(visit.to('account'))
    return appSheet(visit, (await visit.account()).newApp())
  },
  async post(posted) {
    if (await isPasskeyNeeded(posted)) return redirectTo(posted.to('account'))
    const { form: sent, to } = posted
    const set = await (await posted.account()).setApp(sent.get('sealed') ?? '', sent.get('code') ?? '')
    if (!set) return redirectTo(to('account/app'))
    return 'again' in set ? appSheet(posted, set.again, true) : codesSheet(posted, set.codes)
  },
}

const accountAppOff: Screen = {
  ...ofAccount,
  path: 'account/app/off',
  name: 'dashboard second factor off',
  asksAgain: true,
  async get(visit) {
    const { words, to } = visit
    const back = backOf(visit)
    return dialog({
      title: words.say('account.turnOffTitle'),
      back,
      lead: words.say('account.turnOffLead'),
      body: renderForm(visit, {
        action: to('account/app/off'),
        fields: [],
        submit: words.say('account.turnOff'),
        kind: 'danger',
        cancel: back.href,
      }),
    })
  },
  async post(posted) {
    await (await posted.account()).removeApp()
    return redirectWithToast(posted.to('account'), 'done.factorOff')
  },
}

function codesSheet(visit: ScreenVisit, codes: readonly string[]): ScreenSheet {
  const { words, to } = visit
  const text = codes.join('\n')
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`
  return {
    title: words.say('account.codes'),
    width: 'narrow',
    body: html`<div class="card"><div class="card-body"><p class="lead gap">${words.say('account.codesLead')}</p>
<div class="field">
  <textarea
    id="codes"
    class="mono"
    rows="${codes.length}"
    readonly
    autocomplete="off"
    spellcheck="false"
    dir="ltr"
    aria-label="${words.say('account.codes')}">${text}</textarea></div>
<div class="form-foot">
  ${linkButton({ label: words.say('account.stored'), href: to('account'), kind: 'first' })}
  <button type="button" class="button second with-script" data-copy="codes" data-copied="${words.say('secret.copied')}">
    ${words.say('secret.copy')}
  </button>
  <a class="button second" download="cartwright-recovery-codes.txt" href="${file}">${words.say('account.download')}</a></div>
  </div></div>`,
  }
}

const accountCodes: Screen = {
  ...ofAccount,
  path: 'account/codes',
  name: 'dashboard recovery codes',
  asksAgain: true,
  async get(visit) {
    const { words, to } = visit
    const back = backOf(visit)
    return dialog({
      title: words.say('account.newCodes'),
      back,
      lead: words.say('account.newCodesLead'),
      body: renderForm(visit, {
        action: to('account/codes'),
        fields: [],
        submit: words.say('account.newCodes'),
        cancel: back.href,
      }),
    })
  },
  async post(posted) {
    const codes = await (await posted.account()).replaceCodes()
    return codes ? codesSheet(posted, codes) : redirectTo(posted.to('account'))
  },
}

function nameField({ words }: ScreenVisit): Field {
  return {
    name: 'name',
    label: words.say('account.passkeyName'),
    kind: 'line',
    help: words.say('account.passkeyNameHelp'),
    lengthMax: 60,
    isRequired: true,
    isFirst: true,
  }
}

// The script shows the form if the browser supports passkeys, and writes the authenticator's signed response into `response`.
function newPasskeySheet(visit: ScreenVisit, hasFailed = false): ScreenSheet {
  const { words, to } = visit
  const back = backOf(visit)
  const failed = words.say('account.passkeyFailed')
  return {
    title: words.say('account.addPasskey'),
    back,
    status: hasFailed ? 400 : 200,
    width: 'narrow',
    body: html`<div class="card"><div class="card-body"><p class="lead gap">${words.say('account.passkeyLead')}</p>
<p class="without-passkeys">${words.say('account.passkeyScript')}</p>
<form class="form" method="post" action="${to('account/passkeys/new')}" data-passkey="register" hidden>
  ${hiddenFields({ response: '' })}
${hasFailed && renderNotice('bad', failed, 'alert')}<p class="notice bad" data-problem role="alert" hidden>${failed}</p>
<div class="fields">${field(words, nameField(visit))}</div>
<div class="form-foot">
  ${button({ label: words.say('account.addPasskey'), kind: 'first' })}
  <a class="button plain" href="${back.href}">${words.say('action.cancel')}</a></div></form></div></div>`,
  }
}

const newPasskey: Screen = {
  ...ofAccount,
  path: 'account/passkeys/new',
  name: 'dashboard new passkey',
  asksAgain: true,
  setsUpFactor: true,
  async get(visit) {
    return (await isPasskeyNeeded(visit)) ? redirectTo(visit.to('account')) : newPasskeySheet(visit)
  },
  async post(posted) {
    const { form: sent, to } = posted
    if (await isPasskeyNeeded(posted)) return redirectTo(to('account'))
    const isAdded = await (await posted.account()).addPasskey(sent.get('response') ?? '', readLineField(sent, 'name'))
    return isAdded ? redirectWithToast(to('account'), 'done.passkeyAdded') : newPasskeySheet(posted, true)
  },
}

async function passkeyOf(visit: ScreenVisit): Promise<Passkey | undefined> {
  const { passkeys } = await (await visit.account()).read()
  return passkeys.find(({ id }) => id === visit.path.passkeyId)
}

const onePasskey: Screen = {
  ...ofAccount,
  path: 'account/passkeys/:passkeyId',
  name: 'dashboard passkey',
  asksAgain: true,
  get: (visit) => passkeySheet(visit),
  async post(posted) {
    const { path, form: sent, to, words } = posted
    const read = buildBody(words, [nameField(posted)], sent)
    if ('problems' in read) return passkeySheet(posted, read.problems)
    await (await posted.account()).namePasskey(path.passkeyId ?? '', readLineField(sent, 'name'))
    return redirectWithToast(to('account'), 'done.saved')
  },
}

async function passkeySheet(visit: ScreenVisit, problems?: Problems): Promise<ScreenResult> {
  const { words, to } = visit
  const passkey = await passkeyOf(visit)
  if (!passkey) return redirectTo(to('account'))
  const back = backOf(visit)
  const fields = [nameField(visit)]
  return dialog({
    title: words.say('account.rename'),
    back,
    status: problems ? 400 : 200,
    body: renderForm(visit, {
      action: to(`account/passkeys/${passkey.id}`),
      fields,
      values: 'form' in visit ? readTypedValues(fields, (visit as PostedScreen).form) : { name: passkey.name },
      problems,
      submit: words.say('action.save'),
      cancel: back.href,
    }),
  })
}

const passkeyRemoval: Screen = {
  ...ofAccount,
  path: 'account/passkeys/:passkeyId/remove',
  name: 'dashboard remove passkey',
  asksAgain: true,
  async get(visit) {
    const { words, to } = visit
    const passkey = await passkeyOf(visit)
    if (!passkey) return redirectTo(to('account'))
    const back = backOf(visit)
    return dialog({
      title: words.say('account.removePasskey'),
      back,
      lead: words.say('account.removePasskeyLead', { name: passkey.name }),
      body: renderForm(visit, {
        action: to(`account/passkeys/${passkey.id}/remove`),
        fields: [],
        submit: words.say('account.remove'),
        kind: 'danger',
        cancel: back.href,
      }),
    })
  },
  async post(posted) {
    const { path, to } = posted
    const isRemoved = await (await posted.account()).removePasskey(path.passkeyId ?? '')
    return isRemoved ? redirectWithToast(to('account'), 'done.removed') : redirectTo(to('account'))
  },
}

// Ending sessions and assistants needs no password, because it only removes access.

const ownSessions: Screen = {
  ...ofAccount,
  path: 'account/sessions',
  name: 'dashboard end session',
  async post(posted) {
    const { form: sent, to } = posted
    const own = await posted.account()
    const session = sent.get('session')
    if (session === null) await own.endOtherSessions()
    else await own.endSession(session)
    return redirectWithToast(to('account'), session === null ? 'done.sessionsEnded' : 'done.sessionEnded')
  },
}

const ownAssistants: Screen = {
  ...ofAccount,
  path: 'account/assistants',
  name: 'dashboard end assistant',
  async post(posted) {
    const { form: sent, to } = posted
    await (await posted.account()).endAssistant(sent.get('assistant') ?? '')
    return redirectWithToast(to('account'), 'done.assistantEnded')
  },
}

export const accountScreens: readonly Screen[] = [
  account,
  accountPassword,
  accountApp,
  accountAppOff,
  accountCodes,
  newPasskey,
  onePasskey,
  passkeyRemoval,
  ownSessions,
  ownAssistants,
]
