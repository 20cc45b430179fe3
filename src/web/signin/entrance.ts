// Handlers for the pages before the sign-in: signing in and out, requesting a link, setting a password by a link, and joining a merchant.

import { setTimeout as pause } from 'node:timers/promises'
import {
  acceptInvitationAsNewUser,
  acceptInvitationAsUser,
  findInvitation,
  findReset,
  mailPasswordReset,
  resetPassword,
  type UsedInvitation,
} from '../../domain/users/invitations.ts'
import { hashPassword, passwordFault } from '../../domain/users/password.ts'
import { createSession, endSession } from '../../domain/users/sessions.ts'
import type { SignedIn } from '../../domain/users/signin.ts'
import { findUser } from '../../domain/users/users.ts'
import { readLineField } from '../../platform/html/form.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import { isMailOn } from '../../platform/outbox/emails.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import {
  codeSheet,
  forgottenSheet,
  invitationSheet,
  type NewPasswordProblem,
  resetSheet,
  type SignInView,
  signInSheet,
  signInSteps,
} from './page/entry.ts'
import { answerSheet, errorSheet } from './page/frame.ts'
import {
  clearSessionCookie,
  dashboardPathFrom,
  passkeyBrowser,
  redirectToPath,
  rememberDevice,
  type SignInPost,
  type SignInTools,
  type SignInVisit,
  setSessionCookie,
  visitorFrom,
} from './visit.ts'

const statuses = { failed: 400, passkey: 400, limited: 429, busy: 503 } as const
const emailLengthMax = 254
// More than the time that creating a link and queuing its e-mail takes.
const resetAnswerMs = 500

export class SignInEntrancePages {
  readonly #tools: SignInTools

  constructor(tools: SignInTools) {
    this.#tools = tools
  }

  showSignIn({ words, query }: SignInVisit, more: Partial<SignInView> = {}): PageAnswer {
    const view: SignInView = {
      email: '',
      next: dashboardPathFrom(query.get('next')),
      problem: null,
      isSet: query.has('set'),
      fetchedAhead: this.#tools.fetchedAhead,
      ...more,
    }
    return answerSheet(view.problem === null ? 200 : statuses[view.problem], signInSheet(words, view))
  }

  async postSignIn(visit: SignInPost): Promise<PageAnswer> {
    const { form, words } = visit
    const next = dashboardPathFrom(form.get('next'))
    if (form.get('step') === signInSteps.code) return this.#postCode(visit, next)
    if (form.get('step') === signInSteps.passkey) return this.#postPasskey(visit, next)
    const email = form.get('email') ?? ''
    const given = { email, password: form.get('password') ?? '' }
    const outcome = await this.#tools.signIn.byPassword(given, visitorFrom(this.#tools, visit))
    const shown = { email: email.slice(0, emailLengthMax), next, isSet: false }
    if ('problem' in outcome) return this.showSignIn(visit, { ...shown, problem: outcome.problem })
    if ('pending' in outcome)
      return answerSheet(200, codeSheet(words, { pending: outcome.pending, next, problem: null }))
    return this.#begin(visit, outcome, next)
  }

  async #postPasskey(visit: SignInPost, next: string): Promise<PageAnswer> {
    const boundTo = passkeyBrowser(this.#tools, visit) ?? ''
    const response = visit.form.get('response') ?? ''
    const outcome = await this.#tools.signIn.byPasskey({ response, boundTo }, visitorFrom(this.#tools, visit))
    if (!('problem' in outcome)) return this.#begin(visit, outcome, next)
    return this.showSignIn(visit, { next, isSet: false, problem: outcome.problem })
  }

  async #postCode(visit: SignInPost, next: string): Promise<PageAnswer> {
    const { form, words } = visit
    const pending = form.get('pending') ?? ''
    const outcome = await this.#tools.signIn.byCode(
      { pending, code: form.get('code') ?? '' },
      visitorFrom(this.#tools, visit),
    )
    if (!('problem' in outcome)) return this.#begin(visit, outcome, next)
    const { problem } = outcome
    if (problem === 'lost') return this.showSignIn(visit, { next, isSet: false })
    return answerSheet(statuses[problem], codeSheet(words, { pending, next, problem }))
  }

  // Always starts a new session, which prevents session fixation. The previous session ends.
  async #begin(visit: SignInVisit, { user, hasSecondFactor, device }: SignedIn, next: string): Promise<PageAnswer> {
    const userAgent = visit.request.raw.headers['user-agent']
    const made = await this.#tools.storage.write(async (tx) => {
      if (visit.session) await endSession(tx, visit.session.userId, visit.session.id)
      const input = { userId: user.id, passwordHash: user.passwordHash, userAgent, hasSecondFactor }
      return createSession(tx, input, visit.now)
    })
    if (!made) return this.showSignIn(visit, { next, isSet: false })
    setSessionCookie(this.#tools, visit, made.token)
    rememberDevice(this.#tools, visit, device)
    return redirectToPath(next)
  }

  async postSignOut(visit: SignInPost): Promise<PageAnswer> {
    const { session, form } = visit
    if (session) await this.#tools.storage.write((tx) => endSession(tx, session.userId, session.id))
    clearSessionCookie(this.#tools, visit)
    const next = dashboardPathFrom(form.get('next'))
    return redirectToPath(next === '/admin' ? '/admin/sign-in' : next)
  }

  async showForgotten({ words }: SignInVisit): Promise<PageAnswer> {
    const isOn = await this.#tools.storage.read(isMailOn)
    return answerSheet(200, forgottenSheet(words, isOn ? 'ask' : 'off'))
  }

  // The response and its time do not show whether an account exists.
  async postForgotten(visit: SignInPost): Promise<PageAnswer> {
    const { words, form, now } = visit
    if (!(await this.#tools.storage.read(isMailOn))) return answerSheet(200, forgottenSheet(words, 'off'))
    const email = readLineField(form, 'email')
    if (!(await this.#tools.signIn.admitsResetEmail(email, visitorFrom(this.#tools, visit))))
      return answerSheet(429, forgottenSheet(words, 'limited'))
    await Promise.all([
      this.#tools.storage.write((tx) =>
        mailPasswordReset(tx, this.#tools.rootSecret, { email, locale: words.language }, now),
      ),
      pause(resetAnswerMs),
    ])
    return answerSheet(200, forgottenSheet(words, 'sent'))
  }

  async showReset(visit: SignInVisit, problem: NewPasswordProblem | null = null): Promise<PageAnswer> {
    const { request, words, now } = visit
    const user = await this.#tools.storage.read(async (db) => {
      const reset = await findReset(db, request.path.token ?? '', now)
      return reset && findUser(db, this.#tools.rootSecret, reset.userId)
    })
    if (!user) return errorSheet(words, 'lost')
    return answerSheet(passwordProblemStatus(problem), resetSheet(words, { email: user.email, problem }))
  }

  async postReset(visit: SignInPost): Promise<PageAnswer> {
    const { request, requestId, words, now } = visit
    const token = request.path.token ?? ''
    if (!(await this.#tools.storage.read((db) => findReset(db, token, now)))) return errorSheet(words, 'lost')
    const password = await this.#newHash(visit)
    if ('problem' in password) return this.showReset(visit, password.problem)
    const done = await orRefused(
      this.#tools.storage.write((tx) =>
        resetPassword(tx, this.#tools.rootSecret, { token, passwordHash: password.hash }, now),
      ),
      ['invitation_not_found', 'person_of_others'],
    )
    if (!done) return errorSheet(words, 'lost')
    this.#tools.log.info('password reset', { requestId, userId: done.userId })
    clearSessionCookie(this.#tools, visit)
    return redirectToPath('/admin/sign-in?set')
  }

  async showInvitation(
    visit: SignInVisit,
    { problem = null, typedName = '' }: { problem?: NewPasswordProblem | null; typedName?: string } = {},
  ): Promise<PageAnswer> {
    const { request, words, session, query, now } = visit
    const token = request.path.token ?? ''
    const [invitation, user] = await this.#tools.storage.read(async (db) => [
      await findInvitation(db, this.#tools.rootSecret, token, now),
      session && (await findUser(db, this.#tools.rootSecret, session.userId)),
    ])
    if (!invitation) return errorSheet(words, 'lost')
    const { merchantName, role, email, userId } = invitation
    const state = userId === null ? 'new' : !user ? 'sign_in' : user.id === userId ? 'accept' : 'other'
    const mailed = query.get('mailed')
    const path = `/admin/invitations/${token}${mailed === null ? '' : `?mailed=${encodeURIComponent(mailed)}`}`
    const view = {
      merchantName,
      role,
      email,
      state,
      signedInAs: user?.email ?? null,
      path,
      typedName,
      problem,
    } as const
    return answerSheet(passwordProblemStatus(problem), invitationSheet(words, view))
  }

  async postInvitation(visit: SignInPost): Promise<PageAnswer> {
    const { request, requestId, words, session, query, now } = visit
    const token = request.path.token ?? ''
    const mailed = query.get('mailed')
    const invitation = await this.#tools.storage.read((db) => findInvitation(db, this.#tools.rootSecret, token, now))
    if (!invitation) return errorSheet(words, 'lost')
    const { merchantId } = invitation
    if (invitation.userId !== null) {
      const userId = invitation.userId
      if (session?.userId !== userId) return this.showInvitation(visit)
      const joined = await orRefused(
        this.#tools.storage.write((tx) =>
          acceptInvitationAsUser(tx, this.#tools.rootSecret, { token, mailed, userId }, now),
        ),
        ['invitation_not_found'],
      )
      if (!joined) return errorSheet(words, 'lost')
      this.#tools.log.info('invitation accepted', { requestId, userId, merchantId })
      return redirectToPath('/admin')
    }
    const password = await this.#newHash(visit)
    if ('problem' in password)
      return this.showInvitation(visit, { problem: password.problem, typedName: readLineField(visit.form, 'name') })
    const made = await orRefused(
      this.#tools.storage.write((tx) => this.#joinAsNew(tx, visit, { token, mailed, passwordHash: password.hash })),
      ['invitation_not_found', 'user_exists'],
    )
    if (!made) return this.showInvitation(visit)
    this.#tools.log.info('invitation accepted', { requestId, userId: made.userId, merchantId })
    setSessionCookie(this.#tools, visit, made.session.token)
    return redirectToPath('/admin')
  }

  // A person who has just set a password is not asked for it again. The session of another person in this browser ends.
  async #joinAsNew(
    tx: Tx,
    { form, request, session, now }: SignInPost,
    used: UsedInvitation & { passwordHash: string },
  ) {
    const { userId } = await acceptInvitationAsNewUser(
      tx,
      this.#tools.rootSecret,
      { ...used, name: readLineField(form, 'name') },
      now,
    )
    if (session) await endSession(tx, session.userId, session.id)
    const userAgent = request.raw.headers['user-agent']
    const input = { userId, passwordHash: used.passwordHash, userAgent, hasSecondFactor: false }
    const begun = await createSession(tx, input, now)
    if (!begun) throw new Error('the session of the created user could not be created')
    return { userId, session: begun }
  }

  async #newHash({ form }: SignInPost): Promise<{ hash: string } | { problem: NewPasswordProblem }> {
    return hashNewPassword(this.#tools, form.get('password') ?? '')
  }
}

export async function hashNewPassword(
  { passwordCost }: Pick<SignInTools, 'passwordCost'>,
  password: string,
): Promise<{ hash: string } | { problem: NewPasswordProblem }> {
  const fault = passwordFault(password)
  if (fault !== undefined) return { problem: fault }
  const hash = await orRefused(hashPassword(password, passwordCost), ['unavailable'])
  return hash === undefined ? { problem: 'busy' } : { hash }
}

export function passwordProblemStatus(problem: NewPasswordProblem | null): number {
  return problem === null ? 200 : problem === 'busy' ? 503 : 400
}

async function orRefused<Done>(work: Promise<Done>, codes: readonly Refusal['code'][]): Promise<Done | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && codes.includes(error.code)) return undefined
    throw error
  }
}
