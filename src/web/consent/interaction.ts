// The pages of an installation: sign in, choose the shop, approve or decline. Decides which page is shown and what a form does;
// page/ draws them. A form is answered by a redirect, or by its page with the reason.

import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { scopes as knownScopes, type Scope } from '../../contract/words.ts'
import { type App, findApp } from '../../domain/oauth/apps.ts'
import { listMerchantsWithApp } from '../../domain/oauth/grants.ts'
import { install } from '../../domain/oauth/installing.ts'
import { paths, resourceOf } from '../../domain/oauth/metadata.ts'
import type { PasswordCost } from '../../domain/users/password.ts'
import { mayInstall } from '../../domain/users/roles.ts'
import { createCountedSignIn, type SignedIn, type Visitor } from '../../domain/users/signin.ts'
import { findUser, listMerchantsOf } from '../../domain/users/users.ts'
import { type CookieKind, cookieIn, setCookie } from '../../platform/html/cookies.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import { readForm } from '../../platform/html/form.ts'
import { isSameOrigin } from '../../platform/html/origin.ts'
import { redirect } from '../../platform/html/policy.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { isId } from '../../platform/kit/ids.ts'
import type { Log } from '../../platform/log/log.ts'
import type { Counts } from '../../platform/metrics/counts.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { passkeyBrowser } from '../signin/visit.ts'
import { consentPage } from './page/consent.ts'
import { errorPage, errorStatus } from './page/error.ts'
import { answerPage, headersFor } from './page/frame.ts'
import { codePage, signInPage } from './page/signin.ts'
import { type AppFace, type ConsentProblem, type ErrorKind, type SignInView, steps } from './page/views.ts'
import { type AuthorizationServer, type Interaction, type InteractionResult, secondFactor } from './provider.ts'

export interface InteractionParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  clock: () => Date
  server: AuthorizationServer
  log: Log
  passwordCost?: PasswordCost | undefined
  signIns?: Counts | undefined
}

// A request to an interaction of this browser and of an existing app.
interface Visit {
  request: Incoming
  response: ServerResponse
  interaction: Interaction
  app: App
}

export function createInteractions(parts: InteractionParts) {
  const { storage, rootSecret, publicOrigin, clock, server } = parts
  const door = createCountedSignIn(parts)

  async function answer(request: Incoming, response: ServerResponse, requestId: string): Promise<PageAnswer> {
    const isPost = request.raw.method === 'POST'
    if (isPost && !isSameOrigin(request.raw, publicOrigin())) return errorAnswer('foreign', requestId)
    const interaction = await server.findInteraction(request.raw, response)
    if (!interaction || interaction.uid !== request.path.uid) return errorAnswer('lost', requestId)
    const app = await storage.read((db) => findApp(db, interaction.clientId))
    if (!app || app.disabledAt !== null) return errorAnswer('lost', requestId)
    const visit: Visit = { request, response, interaction, app }
    if (!isPost) return show(visit, requestId)
    const form = await readForm(request.raw)
    if (typeof form === 'number') return errorAnswer('unreadable', requestId)
    const step = form.get('step')
    if (!stepsOf(interaction).some((known) => known === step)) return show(visit, requestId)
    if (form.get('decision') === 'decline') return goOn(visit, declined, requestId)
    if (step === steps.code) return enterCode(visit, form, requestId)
    if (step === steps.passkey) return usePasskey(visit, form, requestId)
    return step === steps.signIn ? signIn(visit, form, requestId) : decide(visit, form, requestId)
  }

  function show(visit: Visit, requestId: string): Promise<PageAnswer> | PageAnswer {
    if (visit.interaction.step === 'login') return showSignIn(visit)
    // No scope of ours was asked for, so there is nothing to approve.
    if (askedOf(visit.interaction).length === 0) return goOn(visit, nothingAsked, requestId)
    return showConsent(visit, requestId)
  }

  function showSignIn(visit: Visit, problem: SignInView['problem'] = null, email = ''): PageAnswer {
    const text = signInPage({ app: faceOf(visit), email, problem })
    return answerPage(problem === null ? 200 : signInStatuses[problem], text, visit.interaction.redirectUri, true)
  }

  async function signIn(visit: Visit, form: FormFields, requestId: string): Promise<PageAnswer> {
    const email = form.get('email') ?? ''
    const outcome = await door.byPassword({ email, password: form.get('password') ?? '' }, visitorOf(visit, requestId))
    if ('problem' in outcome) return showSignIn(visit, outcome.problem, email.slice(0, emailLengthMax))
    if ('pending' in outcome) return showCode(visit, outcome.pending)
    return signedIn(visit, outcome, requestId)
  }

  function showCode(visit: Visit, pending: string, problem: 'failed' | 'limited' | null = null): PageAnswer {
    const text = codePage({ app: faceOf(visit), pending, problem })
    return answerPage(problem === null ? 200 : signInStatuses[problem], text, visit.interaction.redirectUri)
  }

  async function enterCode(visit: Visit, form: FormFields, requestId: string): Promise<PageAnswer> {
    const pending = form.get('pending') ?? ''
    const outcome = await door.byCode({ pending, code: form.get('code') ?? '' }, visitorOf(visit, requestId))
    if (!('problem' in outcome)) return signedIn(visit, outcome, requestId)
    return outcome.problem === 'lost' ? showSignIn(visit) : showCode(visit, pending, outcome.problem)
  }

  async function usePasskey(visit: Visit, form: FormFields, requestId: string): Promise<PageAnswer> {
    const given = { response: form.get('response') ?? '', boundTo: passkeyBrowser(parts, visit) ?? '' }
    const outcome = await door.byPasskey(given, visitorOf(visit, requestId))
    return 'problem' in outcome ? showSignIn(visit, outcome.problem) : signedIn(visit, outcome, requestId)
  }

  function visitorOf({ request, interaction }: Visit, requestId: string): Visitor {
    const { address, raw } = request
    const device = cookieIn(raw.headers.cookie, deviceCookie, publicOrigin())
    return { address, device, requestId, purpose: `interaction ${interaction.uid}` }
  }

  function signedIn(visit: Visit, signed: SignedIn, requestId: string): Promise<PageAnswer> {
    const { user, device, hasSecondFactor } = signed
    const amr = hasSecondFactor ? [secondFactor] : []
    visit.response.appendHeader('set-cookie', setCookie(deviceCookie, device, publicOrigin()))
    return goOn(visit, { login: { accountId: user.id, remember: false, amr, ...signInTime(user) } }, requestId)
  }

  // If the clock was set back, a new password lies in the future: the sign-in must count as later than it.
  function signInTime({ sessionsFrom }: { sessionsFrom: number }): { ts?: number } {
    return sessionsFrom > clock().getTime() ? { ts: Math.ceil(sessionsFrom / 1000) } : {}
  }

  async function showConsent(visit: Visit, requestId: string, kept: FormState = {}): Promise<PageAnswer> {
    const { interaction, app } = visit
    const seen = await storage.read(async (db) => {
      const user = await findSignedIn(db, interaction)
      if (!user) return undefined
      const merchants = await listInstallable(db, user.id, interaction)
      const installed = await listMerchantsWithApp(
        db,
        app.id,
        merchants.map(({ id }) => id),
      )
      return { user, merchants, installed }
    })
    if (!seen) return errorAnswer('lost', requestId)
    if (seen.merchants.length === 0) return errorAnswer('no_shop', requestId)
    const asked = askedOf(interaction)
    const text = consentPage({
      app: faceOf(visit),
      email: seen.user.email,
      merchants: seen.merchants.map((merchant) => ({ ...merchant, isInstalled: seen.installed.includes(merchant.id) })),
      merchantId: kept.merchantId ?? null,
      scopes: asked,
      ticked: kept.ticked ?? asked,
      problem: kept.problem ?? null,
    })
    return answerPage(kept.problem ? 400 : 200, text, interaction.redirectUri)
  }

  // Undefined when the user is gone, disabled, or was signed out since this began.
  async function findSignedIn(db: Reader, { userId, signedInAt }: Interaction) {
    const user = userId === null ? undefined : await findUser(db, rootSecret, userId)
    return user && user.disabledAt === null && signedInAt > user.sessionsFrom ? user : undefined
  }

  // Those for which this person may install apps.
  async function listInstallable(db: Reader, userId: string, { hasSecondFactor }: Interaction) {
    const merchants = await listMerchantsOf(db, userId)
    return merchants.filter(
      ({ role, needsSecondFactor }) => mayInstall(role) && (hasSecondFactor || !needsSecondFactor),
    )
  }

  interface FormState {
    problem?: ConsentProblem
    merchantId?: string | null
    ticked?: readonly Scope[]
  }

  // The form only chooses among what was offered.
  async function decide(visit: Visit, form: FormFields, requestId: string): Promise<PageAnswer> {
    const { interaction, app } = visit
    const asked = askedOf(interaction)
    const submitted = form.getAll('scope')
    const ticked = asked.filter((scope) => submitted.includes(scope))
    const merchantId = form.get('merchant')
    if (form.get('decision') !== 'approve') return show(visit, requestId)
    if (merchantId === null || !isId('mer', merchantId))
      return showConsent(visit, requestId, { problem: 'merchant_missing', ticked })
    if (ticked.length === 0) return showConsent(visit, requestId, { problem: 'scope_missing', merchantId, ticked })
    const { userId, hasSecondFactor } = interaction
    if (userId === null || !(await storage.read((db) => findSignedIn(db, interaction))))
      return errorAnswer('lost', requestId)
    const grant = grantOf(interaction)
    const isInstalled = await storage.write((tx) =>
      install(
        tx,
        rootSecret,
        {
          grant,
          app,
          userId,
          hasSecondFactor,
          merchantId,
          resource: resourceOf(publicOrigin()),
          granted: ticked,
          rejected: asked.filter((scope) => !ticked.includes(scope)),
          rejectedWords: interaction.words,
        },
        clock().getTime(),
      ),
    )
    if (!isInstalled) return showConsent(visit, requestId, { problem: 'merchant_missing', ticked })
    return goOn(visit, { consent: { grantId: grant } }, requestId)
  }

  async function goOn(visit: Visit, result: InteractionResult, requestId: string): Promise<PageAnswer> {
    const location = await server.finishInteraction(visit.request.raw, visit.response, result)
    if (location === undefined) return errorAnswer('lost', requestId)
    return redirect(location, headersFor())
  }

  return answer
}

const nothingAsked = {
  error: 'access_denied',
  error_description: 'no scope that can be granted was asked for',
} as const
const declined = { error: 'access_denied', error_description: 'the merchant declined' } as const
const signInStatuses: Readonly<Record<NonNullable<SignInView['problem']>, number>> = {
  failed: 400,
  passkey: 400,
  limited: 429,
  busy: 503,
}

// Grants nothing: attempts of this browser are counted separately.
const deviceCookie: CookieKind = { name: 'as_device', path: paths.interaction, maxAgeSeconds: 180 * 24 * 3_600 }

const emailLengthMax = 600

// Which forms this interaction takes now.
function stepsOf({ step }: Interaction): readonly string[] {
  return step === 'login' ? [steps.signIn, steps.passkey, steps.code] : [steps.consent]
}

// In the order of the contract. The library has checked them against what the app may ask for.
function askedOf({ scopes }: Interaction): readonly Scope[] {
  return knownScopes.filter((scope) => scopes.includes(scope))
}

// The same for the same page, so a form that is sent twice approves once.
function grantOf({ uid }: Interaction): string {
  return createHash('sha256').update(`grant ${uid}`).digest('base64url')
}

function faceOf({ app, interaction }: Visit): AppFace {
  return { name: app.name, description: app.description, mode: app.mode, redirectUri: interaction.redirectUri }
}

function errorAnswer(kind: ErrorKind, requestId: string): PageAnswer {
  return answerPage(errorStatus(kind), errorPage({ kind, requestId }))
}
