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

export class AccountPages {
  readonly #tools: SignInTools

  constructor(tools: SignInTools) {
    this.#tools = tools
  }

  readonly showHome = this.#signedIn<Visit>('/admin', (visit) => this.#home(visit))
  readonly showAccount = this.#signedIn<Visit>(accountPath, (visit) => this.#account(visit))
  readonly postAccount = this.#signedIn<Posted>(accountPath, (visit) => this.#act(visit))
  readonly showConfirm = this.#signedIn<Visit>(confirmPath, (visit) => this.#confirm(visit))
  readonly postConfirm = this.#signedIn<Posted>(confirmPath, (visit) => this.#tryConfirm(visit))

  // Everyone else is asked to sign in first, and comes back to `path`.
  #signedIn<Kind extends Visit>(path: string, answer: (visit: Signed<Kind>) => Promise<PageAnswer>) {
    return async (visit: Kind): Promise<PageAnswer> => {
      const { session } = visit
      const person = session && (await this.#tools.storage.read((db) => this.#findPerson(db, session)))
      if (!session || !person) return goTo(signInPath(path))
      // One of whom a second factor is demanded sets it up first.
      if (person.isHeld && path !== accountPath && path !== confirmPath) return goTo(accountPath)
      return answer({ ...visit, session, ...person })
    }
  }

  async #findPerson(db: Reader, session: Session) {
    const user = await findUser(db, this.#tools.rootSecret, session.userId)
    if (!user) return undefined
    const merchants = await listMerchantsOf(db, user.id)
    return { user, merchants, isHeld: merchants.some((merchant) => !mayAct(session, merchant)) }
  }

  // One who has one shop is led there.
  async #home({ words, user, merchants }: Signed<Visit>): Promise<PageAnswer> {
    const [shop, second] = merchants
    if (shop && !second) return goTo(`/admin/${shop.slug}`)
    return answerSheet(200, homeSheet(words, { email: user.email, merchants }))
  }

  async #account(visit: Signed<Visit>, problem: NewPasswordProblem | 'passkey' | null = null): Promise<PageAnswer> {
    const view = await this.#tools.storage.read((db) => this.#accountView(db, visit))
    return answerSheet(problem === 'passkey' ? 400 : statusOf(problem), accountSheet(visit.words, { ...view, problem }))
  }

  async #accountView(db: Reader, { user, session, merchants, isHeld, now }: Signed<Visit>) {
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

  async #act(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, isHeld, now } = visit
    const action = form.get('do') ?? ''
    if (isHeld && !actionsOfHeld.includes(action)) return goTo(accountPath)
    // Who has a passkey shows it: another factor set up by the password alone would replace it.
    if (isHeld && (await this.#tools.storage.read((db) => listPasskeys(db, user.id))).length > 0)
      return goTo(confirmPathFor(accountPath))
    if (action === actions.endAssistant) return this.#endAssistant(visit)
    if (action === actions.end || action === actions.endOthers) {
      await this.#tools.storage.write(async (tx) => {
        if (action === actions.end) await endSession(tx, user.id, form.get('session') ?? '')
        else await endSessionsFrom(tx, user.id, now, session.id)
      })
      return goTo(accountPath)
    }
    if (!isConfirmed(session, now)) return goTo(confirmPathFor(accountPath))
    return this.#graveActions.get(action)?.(visit) ?? goTo(accountPath)
  }

  // Those that ask for the password again.
  readonly #graveActions: ReadonlyMap<string, (visit: Signed<Posted>) => Promise<PageAnswer>> = new Map([
    [actions.password, (visit) => this.#changePassword(visit)],
    [actions.addPasskey, (visit) => this.#addNewPasskey(visit)],
    [actions.namePasskey, (visit) => this.#rename(visit)],
    [actions.removePasskey, (visit) => this.#remove(visit)],
    [actions.demand, (visit) => this.#demand(visit, true)],
    [actions.release, (visit) => this.#demand(visit, false)],
    [actions.setUp, async (visit) => this.#showTotp(visit, makeTotpSecret(), false)],
    [actions.turnOn, (visit) => this.#turnOn(visit)],
    [actions.turnOff, (visit) => this.#turnOff(visit)],
    [actions.newCodes, (visit) => this.#replaceCodes(visit)],
  ])

  async #rename({ form, user }: Signed<Posted>): Promise<PageAnswer> {
    const { storage } = this.#tools
    await storage.write((tx) => namePasskey(tx, user.id, form.get('passkey') ?? '', lineIn(form, 'name')))
    return goTo(accountPath)
  }

  async #remove(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, user } = visit
    await this.#tools.storage.write((tx) => removePasskey(tx, user.id, form.get('passkey') ?? ''))
    this.#note(visit, 'passkey removed')
    return goTo(accountPath)
  }

  async #turnOff(visit: Signed<Posted>): Promise<PageAnswer> {
    await this.#tools.storage.write((tx) => removeSecondFactor(tx, visit.user.id))
    this.#note(visit, 'second factor removed')
    return goTo(accountPath)
  }

  async #replaceCodes(visit: Signed<Posted>): Promise<PageAnswer> {
    const { user, words, now } = visit
    const { storage } = this.#tools
    if (!(await storage.read((db) => hasSecondFactor(db, user.id)))) return goTo(accountPath)
    const codes = await storage.write((tx) => replaceRecoveryCodes(tx, user.id, now))
    this.#note(visit, 'recovery codes replaced')
    return answerSheet(200, codesSheet(words, codes))
  }

  // The challenge is used up first, so an answer that is wrong cannot be tried again.
  async #addNewPasskey(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, now } = visit
    const response = form.get('response') ?? ''
    const challenge = answeredIn(response)?.challenge ?? ''
    const isOurs = await this.#tools.storage.write((tx) =>
      useChallenge(tx, challenge, boundTo('register', session), now),
    )
    const passkey = isOurs
      ? await createdPasskey(response, { origin: this.#tools.publicOrigin(), challenge })
      : undefined
    const input = passkey && { userId: user.id, sessionId: session.id, name: lineIn(form, 'name'), passkey }
    if (!input || !(await this.#tools.storage.write((tx) => addPasskey(tx, input, now))))
      return this.#account(visit, 'passkey')
    this.#note(visit, 'passkey added')
    return goTo(accountPath)
  }

  // What a script asks for before it asks the device: JSON, and not a page.
  async postOptions(visit: Posted): Promise<PageAnswer> {
    const { form, session, now } = visit
    const purpose = form.get('for')
    const person = session && (await this.#tools.storage.read((db) => this.#findPerson(db, session)))
    if (purpose === 'sign_in') {
      const browser = passkeyBrowser(this.#tools, visit) ?? namePasskeyBrowser(this.#tools, visit)
      const challenge = await this.#tools.storage.write((tx) => createChallenge(tx, browser, now))
      return jsonAnswer(200, await optionsToUse({ origin: this.#tools.publicOrigin(), challenge }))
    }
    if (!session || !person || (purpose !== 'register' && purpose !== 'confirm')) return jsonAnswer(403, {})
    if (purpose === 'register' && !isConfirmed(session, now)) return jsonAnswer(403, {})
    const { user } = person
    const known = await this.#tools.storage.read((db) => listPasskeys(db, user.id))
    const challenge = await this.#tools.storage.write((tx) => createChallenge(tx, boundTo(purpose, session), now))
    const asked = { origin: this.#tools.publicOrigin(), challenge }
    return jsonAnswer(
      200,
      await (purpose === 'register' ? optionsToCreate(asked, user, known) : optionsToUse(asked, known)),
    )
  }

  // Without the password, as it only takes something away.
  async #endAssistant({ form, user, requestId, now }: Signed<Posted>): Promise<PageAnswer> {
    await this.#tools.storage.write(async (tx) => {
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
  async #demand(visit: Signed<Posted>, isRequired: boolean): Promise<PageAnswer> {
    const { form, user, merchants, requestId, now } = visit
    const merchant = merchants.find(({ id, role }) => id === form.get('shop') && mayDemand(role))
    if (!merchant) return goTo(accountPath)
    await this.#tools.storage.write(async (tx) => {
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
  async #changePassword(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, request, now } = visit
    const password = await hashOf(this.#tools, form.get('password') ?? '')
    if ('problem' in password) return this.#account(visit, password.problem)
    const { hash } = password
    const made = await this.#tools.storage.write(async (tx) => {
      await setPassword(tx, user.id, hash, now)
      const userAgent = request.raw.headers['user-agent']
      const { hasSecondFactor: isTwice } = session
      return createSession(tx, { userId: user.id, passwordHash: hash, userAgent, hasSecondFactor: isTwice }, now)
    })
    this.#note(visit, 'password changed')
    if (made) openSession(this.#tools, visit, made.token)
    return goTo(accountPath)
  }

  // Nothing is stored before a first code was right: the secret travels in the form, sealed for this person.
  #showTotp({ words, user }: Signed<Visit>, secret: Buffer, isWrong: boolean): PageAnswer {
    const sealed = sealByRoot(this.#tools.rootSecret, setUpPurpose, secret.toString('base64url'), user.id)
    const key = (toBase32(secret).match(/.{1,4}/g) ?? []).join(' ')
    const uri = totpUri(secret, user.email, 'Cartwright')
    const view = { key, uri, modules: qrModules(uri), sealed, isWrong }
    return answerSheet(isWrong ? 400 : 200, totpSheet(words, view))
  }

  async #turnOn(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, words, now } = visit
    const opened = openByRoot(this.#tools.rootSecret, setUpPurpose, (form.get('sealed') ?? '').slice(0, 500), user.id)
    if (opened === undefined) return goTo(accountPath)
    const secret = Buffer.from(opened, 'base64url')
    const code = (form.get('code') ?? '').slice(0, 20).normalize('NFKC').replaceAll(/\s/g, '')
    const codes = await this.#tools.storage.write((tx) =>
      setTotp(tx, this.#tools.rootSecret, { userId: user.id, secret, code, sessionId: session.id }, now),
    )
    if (!codes) return this.#showTotp(visit, secret, true)
    this.#note(visit, 'second factor set up')
    return answerSheet(200, codesSheet(words, codes))
  }

  #note({ requestId, user }: Signed<Visit>, message: string): void {
    this.#tools.log.info(message, { requestId, userId: user.id })
  }

  async #confirm(
    { words, user, query, isHeld }: Signed<Visit>,
    {
      next = ownPath(query.get('next')),
      problem = null,
    }: { next?: string; problem?: SignInProblem | 'passkey' | null } = {},
  ): Promise<PageAnswer> {
    const status = problem === null ? 200 : statuses[problem]
    const hasPasskey = (await this.#tools.storage.read((db) => listPasskeys(db, user.id))).length > 0
    const isPasskeyNeeded = isHeld && hasPasskey
    return answerSheet(status, confirmSheet(words, { email: user.email, next, problem, hasPasskey, isPasskeyNeeded }))
  }

  async #tryConfirm(visit: Signed<Posted>): Promise<PageAnswer> {
    const { form, session, user, now } = visit
    const next = ownPath(form.get('next'))
    const response = form.get('response')
    const visitor = visitorOf(this.#tools, visit)
    if (response !== null) {
      const given = { response, boundTo: boundTo('confirm', session), userId: user.id }
      const outcome = await this.#tools.signIn.byPasskey(given, visitor)
      if ('problem' in outcome) return this.#confirm(visit, { next, problem: outcome.problem })
    } else {
      const outcome = await this.#tools.signIn.confirm(user.id, form.get('password') ?? '', visitor)
      if (outcome !== 'confirmed') return this.#confirm(visit, { next, problem: outcome })
    }
    await this.#tools.storage.write((tx) => confirmSession(tx, session, now, response !== null))
    return goTo(next)
  }
}

// What one does who has yet to set up a second factor.
const actionsOfHeld: readonly string[] = [actions.setUp, actions.turnOn, actions.addPasskey]

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
