// What the pages of one who is signed in do: the shops, the password, the second factor, the sessions. What is grave asks for the
// password again.

import type { Role } from '../../contract/words.ts'
import { listAssistantsOf } from '../../domain/oauth/assistants.ts'
import { endInstallation } from '../../domain/oauth/installing.ts'
import {
  countRecoveryCodes,
  hasSecondFactor,
  makeTotpSecret,
  removeSecondFactor,
  replaceRecoveryCodes,
  setTotp,
} from '../../domain/users/factors.ts'
import { secondFactorChange, setSecondFactorRequired } from '../../domain/users/members.ts'
import {
  addPasskey,
  createChallenge,
  listPasskeys,
  namePasskey,
  removePasskey,
  useChallenge,
} from '../../domain/users/passkeys.ts'
import { qrModules } from '../../domain/users/qr.ts'
import { scopesOfRole } from '../../domain/users/roles.ts'
import {
  confirmSession,
  createSession,
  endSession,
  isConfirmed,
  listSessions,
  mayAct,
  type Session,
} from '../../domain/users/sessions.ts'
import type { SignInProblem } from '../../domain/users/signin.ts'
import { toBase32, totpUri } from '../../domain/users/totp.ts'
import {
  endSessionsFrom,
  findUser,
  listMerchantsOf,
  setPassword,
  type User,
  type UserMerchant,
} from '../../domain/users/users.ts'
import { answeredIn, createdPasskey, optionsToCreate, optionsToUse } from '../../domain/users/webauthn.ts'
import { insertEntry } from '../../platform/audit/store.ts'
import { lineIn } from '../../platform/html/form.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { openByRoot, sealByRoot } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { hashOf, statusOf } from './entrance.ts'
import { accountSheet, actions, codesSheet, confirmSheet, homeSheet, totpSheet } from './page/account.ts'
import type { NewPasswordProblem } from './page/entry.ts'
import { answerSheet, signInHeaders } from './page/frame.ts'
import {
  confirmPathFor,
  goTo,
  namePasskeyBrowser,
  openSession,
  ownPath,
  type Posted,
  passkeyBrowser,
  type SignInTools,
  signInPath,
  type Visit,
  visitorOf,
} from './visit.ts'

// A visit of one who is signed in.
type Signed<Kind extends Visit> = Kind & {
  session: Session
  user: User
  merchants: readonly UserMerchant[]
  // A shop demands a second factor, and this session has none.
  isHeld: boolean
}

const accountPath = '/admin/account'
const confirmPath = '/admin/confirm'
const statuses = { failed: 400, passkey: 400, limited: 429, busy: 503 } as const

export function createAccountPages(tools: SignInTools) {
  const { storage, rootSecret, log, signIn, publicOrigin } = tools

  // Everyone else is asked to sign in first, and comes back to `path`.
  function signedIn<Kind extends Visit>(path: string, answer: (visit: Signed<Kind>) => Promise<PageAnswer>) {
    return async (visit: Kind): Promise<PageAnswer> => {
      const { session } = visit
      const person = session && (await storage.read((db) => findPerson(db, session)))
      if (!session || !person) return goTo(signInPath(path))
      // One of whom a second factor is demanded sets it up first.
      if (person.isHeld && path !== accountPath && path !== confirmPath) return goTo(accountPath)
      return answer({ ...visit, session, ...person })
    }
  }

  async function findPerson(db: Reader, session: Session) {
    const user = await findUser(db, rootSecret, session.userId)
    if (!user) return undefined
    const merchants = await listMerchantsOf(db, user.id)
    return { user, merchants, isHeld: merchants.some((merchant) => !mayAct(session, merchant)) }
  }

  // One who has one shop is led there.
  async function showHome({ words, user, merchants }: Signed<Visit>): Promise<PageAnswer> {
    const [shop, second] = merchants
    if (shop && !second) return goTo(`/admin/${shop.slug}`)
    return answerSheet(200, homeSheet(words, { email: user.email, merchants }))
  }

  async function showAccount(
    visit: Signed<Visit>,
    problem: NewPasswordProblem | 'passkey' | null = null,
  ): Promise<PageAnswer> {
    const view = await storage.read((db) => accountView(db, visit))
    return answerSheet(problem === 'passkey' ? 400 : statusOf(problem), accountSheet(visit.words, { ...view, problem }))
  }

  async function accountView(db: Reader, { user, session, merchants, isHeld, now }: Signed<Visit>) {
    return {
      email: user.email,
      isHeld,
      owned: merchants.filter(({ role }) => mayDemand(role)),
      hasSecondFactor: await hasSecondFactor(db, user.id),
      recoveryCodes: await countRecoveryCodes(db, user.id),
      passkeys: await listPasskeys(db, user.id),
      assistants: await listAssistantsOf(db, user.id),
      sessions: await listSessions(db, user.id, now),
      sessionId: session.id,
    }
  }

  async function postAccount(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, words, isHeld, now } = visit
    const action = form.get('do')
    const mayBeDone: readonly string[] = [actions.setUp, actions.turnOn, actions.addPasskey]
    if (isHeld && !mayBeDone.includes(action ?? '')) return goTo(accountPath)
    // Who has a passkey shows it: another factor set up by the password alone would replace it.
    if (isHeld && (await storage.read((db) => listPasskeys(db, user.id))).length > 0)
      return goTo(confirmPathFor(accountPath))
    if (action === actions.endAssistant) return endAssistant(visit)
    if (action === actions.end || action === actions.endOthers) {
      await storage.write(async (tx) => {
        if (action === actions.end) await endSession(tx, user.id, form.get('session') ?? '')
        else await endSessionsFrom(tx, user.id, now, session.id)
      })
      return goTo(accountPath)
    }
    if (!isConfirmed(session, now)) return goTo(confirmPathFor(accountPath))
    if (action === actions.password) return changePassword(visit)
    if (action === actions.addPasskey) return addNewPasskey(visit)
    if (action === actions.namePasskey || action === actions.removePasskey) {
      const id = form.get('passkey') ?? ''
      const isRemoved = action === actions.removePasskey
      await storage.write(async (tx) => {
        if (isRemoved) await removePasskey(tx, user.id, id)
        else await namePasskey(tx, user.id, id, lineIn(form, 'name'))
      })
      if (isRemoved) note(visit, 'passkey removed')
      return goTo(accountPath)
    }
    if (action === actions.demand || action === actions.release) return demand(visit, action === actions.demand)
    if (action === actions.setUp) return showTotp(visit, makeTotpSecret(), false)
    if (action === actions.turnOn) return turnOn(visit)
    if (action === actions.turnOff) {
      await storage.write((tx) => removeSecondFactor(tx, user.id))
      note(visit, 'second factor removed')
      return goTo(accountPath)
    }
    if (action !== actions.newCodes || !(await storage.read((db) => hasSecondFactor(db, user.id))))
      return goTo(accountPath)
    const codes = await storage.write((tx) => replaceRecoveryCodes(tx, user.id, now))
    note(visit, 'recovery codes replaced')
    return answerSheet(200, codesSheet(words, codes))
  }

  // The challenge is used up first, so an answer that is wrong cannot be tried again.
  async function addNewPasskey(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, now } = visit
    const response = form.get('response') ?? ''
    const challenge = answeredIn(response)?.challenge ?? ''
    const isOurs = await storage.write((tx) => useChallenge(tx, challenge, boundTo('register', session), now))
    const passkey = isOurs ? await createdPasskey(response, { origin: publicOrigin(), challenge }) : undefined
    const input = passkey && { userId: user.id, sessionId: session.id, name: lineIn(form, 'name'), passkey }
    if (!input || !(await storage.write((tx) => addPasskey(tx, input, now)))) return showAccount(visit, 'passkey')
    note(visit, 'passkey added')
    return goTo(accountPath)
  }

  // What a script asks for before it asks the device: JSON, and not a page.
  async function postOptions(visit: Posted): Promise<PageAnswer> {
    const { form, session, now } = visit
    const purpose = form.get('for')
    const person = session && (await storage.read((db) => findPerson(db, session)))
    if (purpose === 'sign_in') {
      const browser = passkeyBrowser(tools, visit) ?? namePasskeyBrowser(tools, visit)
      const challenge = await storage.write((tx) => createChallenge(tx, browser, now))
      return jsonAnswer(200, await optionsToUse({ origin: publicOrigin(), challenge }))
    }
    if (!session || !person || (purpose !== 'register' && purpose !== 'confirm')) return jsonAnswer(403, {})
    if (purpose === 'register' && !isConfirmed(session, now)) return jsonAnswer(403, {})
    const { user } = person
    const known = await storage.read((db) => listPasskeys(db, user.id))
    const challenge = await storage.write((tx) => createChallenge(tx, boundTo(purpose, session), now))
    const asked = { origin: publicOrigin(), challenge }
    return jsonAnswer(
      200,
      await (purpose === 'register' ? optionsToCreate(asked, user, known) : optionsToUse(asked, known)),
    )
  }

  // Without the password, as it only takes something away.
  async function endAssistant({ form, user, requestId, now }: Signed<Posted>): Promise<PageAnswer> {
    await storage.write(async (tx) => {
      const [assistant] = await listAssistantsOf(tx, user.id, form.get('assistant') || 'none')
      if (!assistant || !(await endInstallation(tx, assistant.id, now))) return
      const { id, name, merchantId, mode } = assistant
      insertEntry(tx, {
        merchantId,
        mode,
        actor: { kind: 'person', id: user.id },
        operation: 'endAdminInstallation',
        requestId,
        changes: [{ kind: 'retire', what: 'installation', id, name, members: [] }],
        undoes: null,
        at: now,
      })
    })
    return goTo(accountPath)
  }

  // By an owner, of everyone in the shop.
  async function demand(visit: Signed<Posted>, isRequired: boolean): Promise<PageAnswer> {
    const { form, user, merchants, requestId, now } = visit
    const merchant = merchants.find(({ id, role }) => id === form.get('shop') && mayDemand(role))
    if (!merchant) return goTo(accountPath)
    await storage.write(async (tx) => {
      if (!(await setSecondFactorRequired(tx, merchant.id, isRequired))) return
      insertEntry(tx, {
        merchantId: merchant.id,
        mode: null,
        actor: { kind: 'person', id: user.id },
        operation: 'updateAdminPeople',
        requestId,
        changes: [secondFactorChange(merchant.id, isRequired)],
        undoes: null,
        at: now,
      })
    })
    return goTo(accountPath)
  }

  // All sessions end, and this browser gets a new one.
  async function changePassword(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, request, now } = visit
    const password = await hashOf(tools, form.get('password') ?? '')
    if ('problem' in password) return showAccount(visit, password.problem)
    const { hash } = password
    const made = await storage.write(async (tx) => {
      await setPassword(tx, user.id, hash, now)
      const userAgent = request.raw.headers['user-agent']
      const { hasSecondFactor: isTwice } = session
      return createSession(tx, { userId: user.id, passwordHash: hash, userAgent, hasSecondFactor: isTwice }, now)
    })
    note(visit, 'password changed')
    if (made) openSession(tools, visit, made.token)
    return goTo(accountPath)
  }

  // Nothing is stored before a first code was right: the secret travels in the form, sealed for this person.
  function showTotp({ words, user }: Signed<Visit>, secret: Buffer, isWrong: boolean): PageAnswer {
    const sealed = sealByRoot(rootSecret, setUpPurpose, secret.toString('base64url'), user.id)
    const key = (toBase32(secret).match(/.{1,4}/g) ?? []).join(' ')
    const uri = totpUri(secret, user.email, 'Cartwright')
    const view = { key, uri, modules: qrModules(uri), sealed, isWrong }
    return answerSheet(isWrong ? 400 : 200, totpSheet(words, view))
  }

  async function turnOn(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, words, now } = visit
    const opened = openByRoot(rootSecret, setUpPurpose, (form.get('sealed') ?? '').slice(0, 500), user.id)
    if (opened === undefined) return goTo(accountPath)
    const secret = Buffer.from(opened, 'base64url')
    const code = (form.get('code') ?? '').slice(0, 20).normalize('NFKC').replaceAll(/\s/g, '')
    const codes = await storage.write((tx) =>
      setTotp(tx, rootSecret, { userId: user.id, secret, code, sessionId: session.id }, now),
    )
    if (!codes) return showTotp(visit, secret, true)
    note(visit, 'second factor set up')
    return answerSheet(200, codesSheet(words, codes))
  }

  function note({ requestId, user }: Signed<Visit>, message: string): void {
    log.info(message, { requestId, userId: user.id })
  }

  async function showConfirm(
    { words, user, query, isHeld }: Signed<Visit>,
    {
      next = ownPath(query.get('next')),
      problem = null,
    }: { next?: string; problem?: SignInProblem | 'passkey' | null } = {},
  ): Promise<PageAnswer> {
    const status = problem === null ? 200 : statuses[problem]
    const hasPasskey = (await storage.read((db) => listPasskeys(db, user.id))).length > 0
    const isPasskeyNeeded = isHeld && hasPasskey
    return answerSheet(status, confirmSheet(words, { email: user.email, next, problem, hasPasskey, isPasskeyNeeded }))
  }

  async function postConfirm(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, now } = visit
    const next = ownPath(form.get('next'))
    const response = form.get('response')
    const visitor = visitorOf(tools, visit)
    if (response !== null) {
      const given = { response, boundTo: boundTo('confirm', session), userId: user.id }
      const outcome = await signIn.byPasskey(given, visitor)
      if ('problem' in outcome) return showConfirm(visit, { next, problem: outcome.problem })
    } else {
      const outcome = await signIn.confirm(user.id, form.get('password') ?? '', visitor)
      if (outcome !== 'confirmed') return showConfirm(visit, { next, problem: outcome })
    }
    await storage.write((tx) => confirmSession(tx, session, now, response !== null))
    return goTo(next)
  }

  return {
    showHome: signedIn<Visit>('/admin', showHome),
    showAccount: signedIn<Visit>(accountPath, (visit) => showAccount(visit)),
    postAccount: signedIn<Posted>(accountPath, postAccount),
    showConfirm: signedIn<Visit>(confirmPath, async (visit) => showConfirm(visit)),
    postOptions,
    postConfirm: signedIn<Posted>(confirmPath, postConfirm),
  }
}

// A challenge for one purpose is not good for another.
function boundTo(purpose: 'register' | 'confirm', { id }: Session): string {
  return `${purpose} ${id}`
}

function jsonAnswer(status: number, body: object): PageAnswer {
  return { status, body: JSON.stringify(body), headers: { ...signInHeaders, 'content-type': 'application/json' } }
}

function mayDemand(role: Role): boolean {
  return scopesOfRole[role].includes('admin:people')
}

const setUpPurpose = 'second factor being set up'
