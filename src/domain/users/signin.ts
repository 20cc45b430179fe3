// Signs people in, for both the dashboard and the authorization pages: e-mail and password, then a code if the person has a second
// factor. This file only decides; the pages show the result. Nothing is stored between the two steps: the first step returns a signed
// note.

import { createHash } from 'node:crypto'
import { networkBucket } from '../../platform/access/throttle.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import type { Log } from '../../platform/log/log.ts'
import type { Counts } from '../../platform/metrics/counts.ts'
import { deriveKeys, isEqualSecret, type RootSecret, signToken, verifyToken } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { createAttempts } from './attempts.ts'
import { hasSecondFactor, isTotpCode, useSecondFactorCode } from './factors.ts'
import { findPasskey, recordPasskeyUse, useChallenge } from './passkeys.ts'
import type { PasswordCost } from './password.ts'
import { authenticate, findUser, findUserForSignIn, type UserForSignIn } from './users.ts'
import { type ChallengeResponse, readChallengeResponse, verifyPasskeyUse } from './webauthn.ts'

export interface SignInParts {
  storage: Storage
  rootSecret: RootSecret
  clock: () => Date
  log: Log
  passwordCost?: PasswordCost | undefined
  publicOrigin: () => string
  // Counters of sign-ins by method and outcome.
  signIns?: Counts | undefined
}

export interface Visitor {
  address: string
  // The cookie of a browser in which a user signed in before, as it was sent.
  device: string | undefined
  requestId: string
  // The purpose for which the note of the first step is valid: one OAuth interaction, or the sign-in of the dashboard.
  purpose: string
}

// `failed` is the same for an unknown e-mail, a wrong password and a disabled user.
export type SignInProblem = 'failed' | 'limited' | 'busy'
// `lost`: the note has expired, or the password was changed since.
export type CodeProblem = 'failed' | 'limited' | 'lost'

export interface SignedIn {
  user: Pick<UserForSignIn, 'id' | 'sessionsFrom' | 'passwordHash'>
  hasSecondFactor: boolean
  // The value of the cookie that marks this browser as known from now on.
  device: string
}

export type PasswordOutcome = { problem: SignInProblem } | { pending: string } | SignedIn
export type CodeOutcome = { problem: CodeProblem } | SignedIn

export interface SignIn {
  byPassword(given: { email: string; password: string }, visitor: Visitor): Promise<PasswordOutcome>
  byCode(given: { pending: string; code: string }, visitor: Visitor): Promise<CodeOutcome>
  // Checks the user's password again before a sensitive action.
  confirm(userId: string, password: string, visitor: Visitor): Promise<'confirmed' | SignInProblem>
  // Signs in by the response of a passkey to the challenge for `boundTo`; a passkey is both factors. With `userId`, accepts only a
  // passkey of that person.
  byPasskey(
    given: { response: string; boundTo: string; userId?: string },
    visitor: Visitor,
  ): Promise<{ problem: 'passkey' | 'limited' } | SignedIn>
  // Returns false if too many e-mails were requested.
  admitsResetEmail(email: string, visitor: Visitor): Promise<boolean>
}

const pendingMs = 10 * 60_000
// Longer than any address or password.
const emailLengthMax = 600
const passwordLengthMax = 1_000

export function createCountedSignIn(parts: SignInParts): SignIn {
  const { signIns } = parts
  const signIn = createSignIn(parts)
  if (!signIns) return signIn
  const counted = <Outcome extends object>(method: string, outcome: Outcome): Outcome => {
    if ('problem' in outcome) signIns.raise({ method, outcome: String(outcome.problem) })
    else if (!('pending' in outcome)) signIns.raise({ method, outcome: 'signed_in' })
    return outcome
  }
  return {
    ...signIn,
    byPassword: async (given, visitor) => counted('password', await signIn.byPassword(given, visitor)),
    byCode: async (given, visitor) => counted('code', await signIn.byCode(given, visitor)),
    byPasskey: async (given, visitor) => counted('passkey', await signIn.byPasskey(given, visitor)),
  }
}

function createSignIn({ storage, rootSecret, clock, log, passwordCost, publicOrigin }: SignInParts): SignIn {
  const attempts = createAttempts({ storage, rootSecret, clock })
  const keys = deriveKeys(rootSecret, 'half signed in')
  const nowMs = () => clock().getTime()

  async function check(given: { email: string; password: string }, visitor: Visitor) {
    const email = given.email.slice(0, emailLengthMax)
    const { address, device, requestId } = visitor
    const attempt = await attempts.begin({ email, address, device })
    const { account, network } = attempt
    if (!attempt.isAdmitted) {
      log.warn('sign-in refused by the rate limit', { requestId, account, network })
      return 'limited'
    }
    const options = { network: networkBucket(address), cost: passwordCost }
    const password = given.password.slice(0, passwordLengthMax)
    const user = await authenticate(storage, rootSecret, email, password, options).catch(asBusy)
    if (user === 'busy') return 'busy'
    if (!user) {
      log.warn('sign-in failed', { requestId, account, network })
      return 'failed'
    }
    await attempt.succeed()
    return { user, account, network }
  }

  async function signedIn(user: UserForSignIn, email: string, isTwice: boolean): Promise<SignedIn> {
    return { user, hasSecondFactor: isTwice, device: await attempts.deviceFor(email, isTwice) }
  }

  // The challenge is used up first, so a wrong response cannot be tried again.
  async function usePasskey({ id, challenge }: ChallengeResponse, response: string, boundTo: string) {
    const now = nowMs()
    const origin = publicOrigin()
    if (!(await storage.write((tx) => useChallenge(tx, challenge, boundTo, now)))) return undefined
    const passkey = await storage.read((db) => findPasskey(db, id))
    const counter = passkey && (await verifyPasskeyUse(response, { origin, challenge }, passkey))
    if (!passkey || counter === undefined) return undefined
    return storage.write(async (tx) => {
      if (!(await recordPasskeyUse(tx, passkey, counter, now))) return undefined
      const email = (await findUser(tx, rootSecret, passkey.userId))?.email
      const user = email === undefined ? undefined : await findUserForSignIn(tx, rootSecret, email)
      return user && email !== undefined && user.disabledAt === null ? { ...user, email } : undefined
    })
  }

  return {
    async byPassword(given, visitor) {
      const checked = await check(given, visitor)
      if (typeof checked === 'string') return { problem: checked }
      const { user, account, network } = checked
      if (await storage.read((db) => hasSecondFactor(db, user.id)))
        return { pending: signToken(keys[0], noteFor(user, visitor.purpose, nowMs() + pendingMs)) }
      log.info('signed in', { requestId: visitor.requestId, account, network, userId: user.id })
      return signedIn(user, given.email, false)
    },

    async byCode({ pending, code }, visitor) {
      const note = keys.map((key) => verifyToken(key, pending)).find((text) => text !== undefined)
      const [userId = '', expiresAt = ''] = note?.split(' ') ?? []
      const now = nowMs()
      const found = await storage.read(async (db) => {
        const email = (await findUser(db, rootSecret, userId))?.email
        const user = email === undefined ? undefined : await findUserForSignIn(db, rootSecret, email)
        return email !== undefined && user ? { email, user } : undefined
      })
      if (!found || note === undefined || found.user.disabledAt !== null || Number(expiresAt) <= now)
        return { problem: 'lost' }
      const { user, email } = found
      if (!isEqualSecret(note, noteFor(user, visitor.purpose, Number(expiresAt)))) return { problem: 'lost' }
      const { address, device, requestId } = visitor
      const kind = isTotpCode(code) ? 'code' : 'recovery'
      const attempt = await attempts.begin({ kind, email, address, device })
      const { account, network } = attempt
      if (!attempt.isAdmitted) {
        log.warn('second factor refused by the rate limit', { requestId, account, network, userId })
        return { problem: 'limited' }
      }
      if (!(await storage.write((tx) => useSecondFactorCode(tx, rootSecret, user.id, code, now)))) {
        log.warn('second factor failed', { requestId, account, network, userId })
        return { problem: 'failed' }
      }
      await attempt.succeed()
      log.info('signed in', { requestId, account, network, userId, secondFactor: true })
      return signedIn(user, email, true)
    },

    async confirm(userId, password, visitor) {
      const user = await storage.read((db) => findUser(db, rootSecret, userId))
      if (!user) return 'failed'
      const checked = await check({ email: user.email, password }, visitor)
      return typeof checked === 'string' ? checked : 'confirmed'
    },

    async byPasskey({ response, boundTo, userId }, visitor) {
      const { address, device, requestId } = visitor
      const answered = readChallengeResponse(response)
      const name = `passkey ${answered?.id ?? ''}`
      const attempt = await attempts.begin({ kind: 'recovery', email: name.slice(0, emailLengthMax), address, device })
      const { network } = attempt
      if (!attempt.isAdmitted) {
        log.warn('sign-in by passkey refused by the rate limit', { requestId, network })
        return { problem: 'limited' }
      }
      const used = answered && (await usePasskey(answered, response, boundTo))
      if (!used || (userId !== undefined && used.id !== userId)) {
        log.warn('sign-in by passkey failed', { requestId, network })
        return { problem: 'passkey' }
      }
      await attempt.succeed()
      log.info('signed in', { requestId, network, userId: used.id, passkey: true })
      return signedIn(used, used.email, true)
    },

    async admitsResetEmail(email, { address, device }) {
      const attempt = await attempts.begin({ kind: 'reset', email: email.slice(0, emailLengthMax), address, device })
      return attempt.isAdmitted
    },
  }
}

// A valid note proves that its holder has entered this password of this user, for this purpose.
function noteFor({ id, passwordHash, sessionsFrom }: UserForSignIn, purpose: string, expiresAt: number): string {
  const proof = createHash('sha256').update(`${passwordHash} ${sessionsFrom} ${purpose}`).digest('base64url')
  return `${id} ${expiresAt} ${proof}`
}

function asBusy(error: unknown): 'busy' {
  if (error instanceof Refusal && error.code === 'unavailable') return 'busy'
  throw error
}
