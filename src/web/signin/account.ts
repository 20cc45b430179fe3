// Handlers for pages of a signed-in person outside a shop: the list of shops, the password confirmation, and the options for passkeys.

import { createChallenge, listPasskeys } from '../../domain/users/passkeys.ts'
import { confirmSession, isConfirmed, mayAct, type Session } from '../../domain/users/sessions.ts'
import type { SignInProblem } from '../../domain/users/signin.ts'
import { findUser, listMerchantsOf, type User, type UserMerchant } from '../../domain/users/users.ts'
import { passkeyCreationOptions, passkeyUseOptions } from '../../domain/users/webauthn.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { confirmSheet, homeSheet } from './page/account.ts'
import { answerSheet, signInHeaders } from './page/frame.ts'
import {
  challengeBinding,
  dashboardPathFrom,
  namePasskeyBrowser,
  passkeyBrowser,
  redirectToPath,
  type SignInPost,
  type SignInTools,
  type SignInVisit,
  signInPath,
  visitorFrom,
} from './visit.ts'

// A request of a signed-in person.
type Signed<Kind extends SignInVisit> = Kind & {
  session: Session
  user: User
  merchants: readonly UserMerchant[]
  // Whether one of the person's shops requires a second factor that this session lacks.
  isFactorMissing: boolean
}

const confirmPath = '/admin/confirm'
const statuses = { failed: 400, passkey: 400, limited: 429, busy: 503 } as const

export class AccountPages {
  readonly #tools: SignInTools

  constructor(tools: SignInTools) {
    this.#tools = tools
  }

  readonly showHome = this.#signedIn<SignInVisit>('/admin', (visit) => this.#home(visit))
  // Redirects to a shop, because the account is shown in the frame of a shop.
  readonly showAccount = this.#signedIn<SignInVisit>('/admin/account', async ({ merchants: [shop] }) =>
    redirectToPath(shop ? `/admin/${shop.slug}/account` : '/admin'),
  )
  readonly showConfirm = this.#signedIn<SignInVisit>(confirmPath, (visit) => this.#confirm(visit))
  readonly postConfirm = this.#signedIn<SignInPost>(confirmPath, (visit) => this.#tryConfirm(visit))

  // Redirects a visitor who is not signed in to the sign-in page, and to `path` afterwards.
  #signedIn<Kind extends SignInVisit>(path: string, answer: (visit: Signed<Kind>) => Promise<PageAnswer>) {
    return async (visit: Kind): Promise<PageAnswer> => {
      const { session } = visit
      const person = session && (await this.#tools.storage.read((db) => this.#findPerson(db, session)))
      if (!session || !person) return redirectToPath(signInPath(path))
      return answer({ ...visit, session, ...person })
    }
  }

  async #findPerson(db: Reader, session: Session) {
    const user = await findUser(db, this.#tools.rootSecret, session.userId)
    if (!user) return undefined
    const merchants = await listMerchantsOf(db, user.id)
    return { user, merchants, isFactorMissing: merchants.some((merchant) => !mayAct(session, merchant)) }
  }

  // Redirects a person with only one shop to that shop.
  async #home({ words, user, merchants }: Signed<SignInVisit>): Promise<PageAnswer> {
    const [shop, second] = merchants
    if (shop && !second) return redirectToPath(`/admin/${shop.slug}`)
    return answerSheet(200, homeSheet(words, { email: user.email, merchants }))
  }

  // Returns the options that a script requests before it calls the authenticator, as JSON rather than a page.
  async postOptions(visit: SignInPost): Promise<PageAnswer> {
    const { form, session, now } = visit
    const purpose = form.get('for')
    const person = session && (await this.#tools.storage.read((db) => this.#findPerson(db, session)))
    if (purpose === 'sign_in') {
      const browser = passkeyBrowser(this.#tools, visit) ?? namePasskeyBrowser(this.#tools, visit)
      const challenge = await this.#tools.storage.write((tx) => createChallenge(tx, browser, now))
      return jsonAnswer(200, await passkeyUseOptions({ origin: this.#tools.publicOrigin(), challenge }))
    }
    if (!session || !person || (purpose !== 'register' && purpose !== 'confirm')) return jsonAnswer(403, {})
    if (purpose === 'register' && !isConfirmed(session, now)) return jsonAnswer(403, {})
    const { user } = person
    const known = await this.#tools.storage.read((db) => listPasskeys(db, user.id))
    const challenge = await this.#tools.storage.write((tx) =>
      createChallenge(tx, challengeBinding(purpose, session), now),
    )
    const asked = { origin: this.#tools.publicOrigin(), challenge }
    return jsonAnswer(
      200,
      await (purpose === 'register' ? passkeyCreationOptions(asked, user, known) : passkeyUseOptions(asked, known)),
    )
  }

  async #confirm(
    { words, user, query, isFactorMissing }: Signed<SignInVisit>,
    {
      next = dashboardPathFrom(query.get('next')),
      problem = null,
    }: { next?: string; problem?: SignInProblem | 'passkey' | null } = {},
  ): Promise<PageAnswer> {
    const status = problem === null ? 200 : statuses[problem]
    const hasPasskey = (await this.#tools.storage.read((db) => listPasskeys(db, user.id))).length > 0
    const isPasskeyNeeded = isFactorMissing && hasPasskey
    return answerSheet(status, confirmSheet(words, { email: user.email, next, problem, hasPasskey, isPasskeyNeeded }))
  }

  async #tryConfirm(visit: Signed<SignInPost>): Promise<PageAnswer> {
    const { form, session, user, now } = visit
    const next = dashboardPathFrom(form.get('next'))
    const response = form.get('response')
    const visitor = visitorFrom(this.#tools, visit)
    if (response !== null) {
      const given = { response, boundTo: challengeBinding('confirm', session), userId: user.id }
      const outcome = await this.#tools.signIn.byPasskey(given, visitor)
      if ('problem' in outcome) return this.#confirm(visit, { next, problem: outcome.problem })
    } else {
      const outcome = await this.#tools.signIn.confirm(user.id, form.get('password') ?? '', visitor)
      if (outcome !== 'confirmed') return this.#confirm(visit, { next, problem: outcome })
    }
    await this.#tools.storage.write((tx) => confirmSession(tx, session, now, response !== null))
    return redirectToPath(next)
  }
}

function jsonAnswer(status: number, body: object): PageAnswer {
  return { status, body: JSON.stringify(body), headers: { ...signInHeaders, 'content-type': 'application/json' } }
}
