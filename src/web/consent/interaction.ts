// The pages of an installation: sign in, choose the shop, approve or decline. Decides which page is shown and what a form does; the files
// in page/ render the pages. A form is answered with a redirect, or with its page and the reason.

import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { scopes as knownScopes, type Mode, modes, type Scope } from '../../contract/words.ts'
import { findApp, type OAuthApp } from '../../domain/oauth/apps.ts'
import { hashArtifactId } from '../../domain/oauth/artifacts.ts'
import {
  assistantScopes,
  assistantsOfPersonMax,
  type ClientDocument,
  countAssistantsOf,
  findAssistant,
  grantableScopes,
  saveAssistant,
} from '../../domain/oauth/assistants.ts'
import {
  countInstallations,
  listMerchantsWithApp,
  livingInstallationsMax,
  lockInstallationOfGrant,
  lockMerchantOfInstallations,
} from '../../domain/oauth/grants.ts'
import { type Approval, installApp } from '../../domain/oauth/installing.ts'
import { apiResourceId, assistantAudience, oauthPaths } from '../../domain/oauth/metadata.ts'
import type { PasswordCost } from '../../domain/users/password.ts'
import { mayGrantScopes, mayInstall } from '../../domain/users/roles.ts'
import { createCountedSignIn, type SignedIn, type Visitor } from '../../domain/users/signin.ts'
import { findUser, listMerchantsOf, type UserMerchant } from '../../domain/users/users.ts'
import { type CookieKind, findCookie, setCookie } from '../../platform/html/cookies.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import { readForm } from '../../platform/html/form.ts'
import { isSameOrigin } from '../../platform/html/origin.ts'
import { redirectAfterPost } from '../../platform/html/policy.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { isId } from '../../platform/kit/ids.ts'
import type { Log } from '../../platform/log/log.ts'
import type { Counts } from '../../platform/metrics/counts.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { passkeyBrowser } from '../signin/visit.ts'
import { consentPage } from './page/consent.ts'
import { errorPage, errorStatus } from './page/error.ts'
import { answerPage, consentHeaders } from './page/frame.ts'
import { codePage, signInPage } from './page/signin.ts'
import { type ConsentProblem, consentSteps, type ErrorKind, type RequestingApp, type SignInView } from './page/views.ts'
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

// A request to an interaction of this browser, for an existing app or assistant.
interface Visit {
  request: Incoming
  response: ServerResponse
  requestId: string
  interaction: Interaction
  client: OAuthApp | ClientDocument
}

export class Interactions {
  readonly #parts: InteractionParts
  readonly #signIns: ReturnType<typeof createCountedSignIn>

  constructor(parts: InteractionParts) {
    this.#parts = parts
    this.#signIns = createCountedSignIn(parts)
  }

  async answer(request: Incoming, response: ServerResponse, requestId: string): Promise<PageAnswer> {
    const isPost = request.raw.method === 'POST'
    if (isPost && !isSameOrigin(request.raw, this.#parts.publicOrigin())) return errorAnswer('foreign', requestId)
    const interaction = await this.#parts.server.findInteraction(request.raw, response)
    if (!interaction || interaction.uid !== request.path.uid) return errorAnswer('lost', requestId)
    const client = await this.#findClient(interaction)
    if (!client) return errorAnswer('lost', requestId)
    const visit: Visit = { request, response, requestId, interaction, client }
    if (!isPost) return this.#show(visit)
    const form = await readForm(request.raw)
    if (typeof form === 'number') return errorAnswer('unreadable', requestId)
    const step = form.get('step')
    if (!stepsOf(interaction).some((known) => known === step)) return this.#show(visit)
    if (form.get('decision') === 'decline') return this.#goOn(visit, declined)
    if (step === consentSteps.code) return this.#enterCode(visit, form)
    if (step === consentSteps.passkey) return this.#usePasskey(visit, form)
    return step === consentSteps.signIn ? this.#signIn(visit, form) : this.#decide(visit, form)
  }

  // Returns undefined if the app or assistant does not exist or is disabled.
  async #findClient({ clientId, document }: Interaction): Promise<OAuthApp | ClientDocument | undefined> {
    const isRegistered = isId('app', clientId)
    const app = await this.#parts.storage.read((db) =>
      isRegistered ? findApp(db, clientId) : findAssistant(db, clientId),
    )
    if (app && app.disabledAt !== null) return undefined
    return isRegistered ? app : (document ?? undefined)
  }

  #show(visit: Visit): Promise<PageAnswer> | PageAnswer {
    if (visit.interaction.step === 'login') return this.#showSignIn(visit)
    // Without a requested scope of this server's API there is nothing to approve.
    if (isApp(visit.client) && askedOf(visit.interaction).length === 0) return this.#goOn(visit, nothingAsked)
    return this.#showConsent(visit)
  }

  #showSignIn(visit: Visit, problem: SignInView['problem'] = null, email = ''): PageAnswer {
    const text = signInPage({ app: faceOf(visit), email, problem })
    return answerPage(problem === null ? 200 : signInStatuses[problem], text, visit.interaction.redirectUri, true)
  }

  async #signIn(visit: Visit, form: FormFields): Promise<PageAnswer> {
    const email = form.get('email') ?? ''
    const outcome = await this.#signIns.byPassword(
      { email, password: form.get('password') ?? '' },
      this.#visitorOf(visit),
    )
    if ('problem' in outcome) return this.#showSignIn(visit, outcome.problem, email.slice(0, emailLengthMax))
    if ('pending' in outcome) return this.#showCode(visit, outcome.pending)
    return this.#signedIn(visit, outcome)
  }

  #showCode(visit: Visit, pending: string, problem: 'failed' | 'limited' | null = null): PageAnswer {
    const text = codePage({ app: faceOf(visit), pending, problem })
    return answerPage(problem === null ? 200 : signInStatuses[problem], text, visit.interaction.redirectUri)
  }

  async #enterCode(visit: Visit, form: FormFields): Promise<PageAnswer> {
    const pending = form.get('pending') ?? ''
    const outcome = await this.#signIns.byCode({ pending, code: form.get('code') ?? '' }, this.#visitorOf(visit))
    if (!('problem' in outcome)) return this.#signedIn(visit, outcome)
    return outcome.problem === 'lost' ? this.#showSignIn(visit) : this.#showCode(visit, pending, outcome.problem)
  }

  async #usePasskey(visit: Visit, form: FormFields): Promise<PageAnswer> {
    const given = { response: form.get('response') ?? '', boundTo: passkeyBrowser(this.#parts, visit) ?? '' }
    const outcome = await this.#signIns.byPasskey(given, this.#visitorOf(visit))
    return 'problem' in outcome ? this.#showSignIn(visit, outcome.problem) : this.#signedIn(visit, outcome)
  }

  #visitorOf({ request, requestId, interaction }: Visit): Visitor {
    const { address, raw } = request
    const device = findCookie(raw.headers.cookie, deviceCookie, this.#parts.publicOrigin())
    return { address, device, requestId, purpose: `interaction ${interaction.uid}` }
  }

  #signedIn(visit: Visit, signed: SignedIn): Promise<PageAnswer> {
    const { user, device, hasSecondFactor } = signed
    const amr = hasSecondFactor ? [secondFactor] : []
    visit.response.appendHeader('set-cookie', setCookie(deviceCookie, device, this.#parts.publicOrigin()))
    return this.#goOn(visit, { login: { accountId: user.id, remember: false, amr, ...this.#signInTime(user) } })
  }

  // After the clock was set back, the time of a new password is in the future. The sign-in must have a later time.
  #signInTime({ sessionsFrom }: { sessionsFrom: number }): { ts?: number } {
    return sessionsFrom > this.#parts.clock().getTime() ? { ts: Math.ceil(sessionsFrom / 1000) } : {}
  }

  async #showConsent(visit: Visit, kept: FormState = {}): Promise<PageAnswer> {
    const { interaction, client } = visit
    const seen = await this.#parts.storage.read(async (db) => {
      const user = await this.#findSignedIn(db, interaction)
      if (!user) return undefined
      const offer = await this.#offerOf(db, user.id, visit)
      const app = isApp(client) ? client : await findAssistant(db, client.url)
      const ids = offer.merchants.map(({ id }) => id)
      return { user, offer, installed: app ? await listMerchantsWithApp(db, app.id, ids) : [] }
    })
    if (!seen) return errorAnswer('lost', visit.requestId)
    const { merchants, scopes } = seen.offer
    if (merchants.length === 0) return errorAnswer('no_shop', visit.requestId)
    const text = consentPage({
      app: faceOf(visit),
      email: seen.user.email,
      merchants: merchants.map((merchant) => ({ ...merchant, isInstalled: seen.installed.includes(merchant.id) })),
      merchantId: kept.merchantId ?? null,
      mode: kept.mode ?? null,
      scopes,
      ticked: kept.ticked ?? (isApp(client) ? scopes : readingAlone),
      problem: kept.problem ?? null,
    })
    return answerPage(kept.problem ? 400 : 200, text, interaction.redirectUri)
  }

  // Returns undefined if the user was deleted, disabled or signed out after this sign-in.
  async #findSignedIn(db: Reader, { userId, signedInAt }: Interaction) {
    const user = userId === null ? undefined : await findUser(db, this.#parts.rootSecret, userId)
    return user && user.disabledAt === null && signedInAt > user.sessionsFrom ? user : undefined
  }

  // Returns the shops for which this person can approve the client, and the scopes that can be granted: for an app those that it
  // requests, for an assistant those that the person has, since few assistants know what to request.
  async #offerOf(db: Reader, userId: string, { interaction, client }: Visit): Promise<Offer> {
    const all = await listMerchantsOf(db, userId)
    const mine = all.filter(({ needsSecondFactor }) => interaction.hasSecondFactor || !needsSecondFactor)
    if (isApp(client)) return { merchants: mine.filter(mayInstall), scopes: askedOf(interaction) }
    const grantable = new Set(mine.flatMap(({ scopes }) => grantableScopes(scopes)))
    return { merchants: mine, scopes: assistantScopes.filter((scope) => grantable.has(scope)) }
  }

  // Ignores choices that are not in the offer.
  async #decide(visit: Visit, form: FormFields): Promise<PageAnswer> {
    const { interaction, client } = visit
    const { userId } = interaction
    if (form.get('decision') !== 'approve') return this.#show(visit)
    const offer = await this.#parts.storage.read(async (db) => {
      const user = await this.#findSignedIn(db, interaction)
      return user && this.#offerOf(db, user.id, visit)
    })
    if (userId === null || !offer) return errorAnswer('lost', visit.requestId)
    const submitted = form.getAll('scope')
    const ticked = offer.scopes.filter((scope) => submitted.includes(scope))
    const mode = modes.find((one) => one === form.get('mode')) ?? null
    const named = form.get('merchant')
    const merchantId = named !== null && isId('mer', named) ? named : null
    const again = (problem: ConsentProblem) => this.#showConsent(visit, { problem, merchantId, ticked, mode })
    if (merchantId === null) return again('merchant_missing')
    if (!isApp(client) && mode === null) return again('mode_missing')
    if (ticked.length === 0) return again('scope_missing')
    const merchant = offer.merchants.find(({ id }) => id === merchantId)
    if (merchant && !mayGrantScopes(merchant, ticked)) return again('beyond_role')
    const grant = grantOf(interaction)
    const approval: Omit<Approval, 'app'> = {
      grant,
      userId,
      hasSecondFactor: interaction.hasSecondFactor,
      merchantId,
      resource: isApp(client)
        ? apiResourceId(this.#parts.publicOrigin())
        : assistantAudience(this.#parts.publicOrigin()),
      granted: ticked,
      rejected: isApp(client) ? offer.scopes.filter((scope) => !ticked.includes(scope)) : [],
      rejectedWords: isApp(client) ? interaction.words : [],
    }
    const { signedInAt } = interaction
    const outcome = await this.#parts.storage.write((tx) =>
      this.#installClient(tx, client, approval, { mode, signedInAt }),
    )
    if (outcome !== 'installed') return again(outcome)
    return this.#goOn(visit, { consent: { grantId: grant } }, isApp(client) ? undefined : ticked)
  }

  async #installClient(
    tx: Tx,
    client: OAuthApp | ClientDocument,
    approval: Omit<Approval, 'app'>,
    { mode, signedInAt }: { mode: Mode | null; signedInAt: number },
  ): Promise<'installed' | ConsentProblem> {
    const now = this.#parts.clock().getTime()
    if (isApp(client)) {
      const isInstalled = await installApp(tx, this.#parts.rootSecret, { ...approval, app: client }, now)
      return isInstalled ? 'installed' : 'merchant_missing'
    }
    if (mode === null) return 'mode_missing'
    const { merchantId, userId, grant } = approval
    await lockMerchantOfInstallations(tx, merchantId)
    // If the form was sent twice, the first post may have used the last free place.
    if (await lockInstallationOfGrant(tx, hashArtifactId(grant))) return 'installed'
    if ((await countAssistantsOf(tx, merchantId, userId)) >= assistantsOfPersonMax) return 'too_many_yours'
    if ((await countInstallations(tx, merchantId)) >= livingInstallationsMax) return 'too_many'
    const app = await saveAssistant(tx, client, now)
    const assistant = { clientUri: client.url, mode, signedInAt }
    const isInstalled = await installApp(tx, this.#parts.rootSecret, { ...approval, app, assistant }, now)
    return isInstalled ? 'installed' : 'merchant_missing'
  }

  async #goOn(visit: Visit, result: InteractionResult, granted?: readonly Scope[]): Promise<PageAnswer> {
    const location = await this.#parts.server.finishInteraction(visit.request.raw, visit.response, result, granted)
    if (location === undefined) return errorAnswer('lost', visit.requestId)
    return redirectAfterPost(location, consentHeaders())
  }
}

interface FormState {
  problem?: ConsentProblem
  merchantId?: string | null
  ticked?: readonly Scope[]
  mode?: Mode | null
}

interface Offer {
  merchants: readonly UserMerchant[]
  scopes: readonly Scope[]
}

const readingAlone: readonly Scope[] = ['admin:read']

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

// The cookie grants nothing: it lets sign-in attempts of this browser be counted separately.
const deviceCookie: CookieKind = { name: 'as_device', path: oauthPaths.interaction, maxAgeSeconds: 180 * 24 * 3_600 }

const emailLengthMax = 600

// Forms that the interaction currently accepts.
function stepsOf({ step }: Interaction): readonly string[] {
  return step === 'login' ? [consentSteps.signIn, consentSteps.passkey, consentSteps.code] : [consentSteps.consent]
}

// Returns the requested scopes in the order of the contract. The library has checked that the app may request them.
function askedOf({ scopes }: Interaction): readonly Scope[] {
  return knownScopes.filter((scope) => scopes.includes(scope))
}

// Derived from the interaction, so a form that is sent twice approves once.
function grantOf({ uid }: Interaction): string {
  return createHash('sha256').update(`grant ${uid}`).digest('base64url')
}

function isApp(client: OAuthApp | ClientDocument): client is OAuthApp {
  return 'id' in client
}

function faceOf({ client, interaction: { redirectUri } }: Visit): RequestingApp {
  if (isApp(client)) return { name: client.name, description: client.description, mode: client.mode, redirectUri }
  return { name: client.host, claimedName: client.name, description: '', mode: null, redirectUri }
}

function errorAnswer(kind: ErrorKind, requestId: string): PageAnswer {
  return answerPage(errorStatus(kind), errorPage({ kind, requestId }))
}
