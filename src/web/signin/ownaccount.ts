// A person's changes of their own account: name, language, password, second factor, passkeys, sessions, assistants. Independent of pages:
// the page has checked whether the person confirmed the password recently, and whether a second factor is missing.

import { listAssistantsOf, type OwnAssistant } from '../../domain/oauth/assistants.ts'
import { endInstallation } from '../../domain/oauth/installing.ts'
import {
  countRecoveryCodes,
  hasSecondFactor,
  makeTotpSecret,
  removeSecondFactor,
  replaceRecoveryCodes,
  setTotp,
} from '../../domain/users/factors.ts'
import {
  addPasskey,
  listPasskeys,
  namePasskey,
  type Passkey,
  removePasskey,
  useChallenge,
} from '../../domain/users/passkeys.ts'
import { qrModules } from '../../domain/users/qr.ts'
import { createSession, endSession, listSessions, type Session } from '../../domain/users/sessions.ts'
import { toBase32, totpUri } from '../../domain/users/totp.ts'
import { endSessionsFrom, setLanguage, setName, setPassword } from '../../domain/users/users.ts'
import { removeView, type SavedView, saveView } from '../../domain/users/views.ts'
import { readChallengeResponse, verifyCreatedPasskey } from '../../domain/users/webauthn.ts'
import { insertEntry } from '../../platform/audit/store.ts'
import { setCookie } from '../../platform/html/cookies.ts'
import { newId } from '../../platform/kit/ids.ts'
import { decryptByRootSecret, encryptByRootSecret } from '../../platform/secrets/secrets.ts'
import { hashNewPassword } from './entrance.ts'
import type { NewPasswordProblem } from './page/entry.ts'
import { challengeBinding, type SignInPageParts, sessionCookie } from './visit.ts'

export type OwnAccountTools = Pick<SignInPageParts, 'storage' | 'rootSecret' | 'publicOrigin' | 'log' | 'passwordCost'>

export interface AccountPerson {
  userId: string
  email: string
  session: Session
  now: number
}

export interface AccountView {
  hasSecondFactor: boolean
  recoveryCodes: number
  passkeys: readonly Passkey[]
  // Assistants that the person has approved.
  assistants: readonly OwnAssistant[]
  sessions: readonly Session[]
  sessionId: string
}

// An authenticator app during its setup. It is only stored after a first correct code.
export interface AuthenticatorSetup {
  // The key in groups of four characters, for typing.
  key: string
  uri: string
  // Modules of the QR code; undefined if the text is too long for one.
  modules: readonly (readonly boolean[])[] | undefined
  // The secret, encrypted for this person because the form contains it.
  sealed: string
}

export class OwnAccount {
  readonly #tools: OwnAccountTools
  readonly #person: AccountPerson

  constructor(tools: OwnAccountTools, person: AccountPerson) {
    this.#tools = tools
    this.#person = person
  }

  read(): Promise<AccountView> {
    const { userId, session, now } = this.#person
    return this.#tools.storage.read(async (db) => ({
      hasSecondFactor: await hasSecondFactor(db, userId),
      recoveryCodes: await countRecoveryCodes(db, userId),
      passkeys: await listPasskeys(db, userId),
      assistants: await listAssistantsOf(db, userId),
      sessions: await listSessions(db, userId, now),
      sessionId: session.id,
    }))
  }

  async hasPasskey(): Promise<boolean> {
    const { userId } = this.#person
    return (await this.#tools.storage.read((db) => listPasskeys(db, userId))).length > 0
  }

  // `name`: as typed. `language`: null for the language of the browser.
  setProfile({ name, language }: { name: string; language: string | null }): Promise<void> {
    const { storage, rootSecret } = this.#tools
    const { userId, now } = this.#person
    return storage.write(async (tx) => {
      await setName(tx, rootSecret, userId, name, now)
      await setLanguage(tx, userId, language, now)
    })
  }

  // Returns false if the person already has the maximum number of views.
  saveView(merchantId: string, view: SavedView): Promise<boolean> {
    const { userId } = this.#person
    return this.#tools.storage.write((tx) => saveView(tx, { merchantId, userId }, view))
  }

  removeView(merchantId: string, view: Omit<SavedView, 'query'>): Promise<void> {
    const { userId } = this.#person
    return this.#tools.storage.write((tx) => removeView(tx, { merchantId, userId }, view))
  }

  // Returns false if the person has no such session.
  endSession(id: string): Promise<boolean> {
    return this.#tools.storage.write((tx) => endSession(tx, this.#person.userId, id))
  }

  endOtherSessions(): Promise<void> {
    const { userId, session, now } = this.#person
    return this.#tools.storage.write((tx) => endSessionsFrom(tx, userId, now, session.id))
  }

  // Returns false if the person has no such assistant.
  endAssistant(installationId: string): Promise<boolean> {
    const { userId, now } = this.#person
    return this.#tools.storage.write(async (tx) => {
      const [assistant] = await listAssistantsOf(tx, userId, installationId || 'none')
      if (!assistant || !(await endInstallation(tx, assistant.id, now))) return false
      const { id, name, merchantId, mode } = assistant
      insertEntry(tx, {
        merchantId,
        mode,
        actor: { kind: 'person', id: userId },
        operation: 'endAdminInstallation',
        requestId: newId('req'),
        changes: [{ kind: 'retire', what: 'installation', id, name, members: [] }],
        undoes: null,
        at: now,
      })
      return true
    })
  }

  // Ends all sessions, and returns the cookie of a new one for this browser.
  async changePassword(
    typed: string,
    userAgent: string | undefined,
  ): Promise<{ problem: NewPasswordProblem } | { cookie: string | undefined }> {
    const { userId, session, now } = this.#person
    const password = await hashNewPassword(this.#tools, typed)
    if ('problem' in password) return password
    const { hash } = password
    const made = await this.#tools.storage.write(async (tx) => {
      await setPassword(tx, userId, hash, now)
      const isTwice = session.hasSecondFactor
      return createSession(tx, { userId, passwordHash: hash, userAgent, hasSecondFactor: isTwice }, now)
    })
    this.#note('password changed')
    return { cookie: made && setCookie(sessionCookie, made.token, this.#tools.publicOrigin()) }
  }

  newApp(): AuthenticatorSetup {
    return this.#appWith(makeTotpSecret())
  }

  #appWith(secret: Buffer): AuthenticatorSetup {
    const { userId, email } = this.#person
    const sealed = encryptByRootSecret(this.#tools.rootSecret, setUpPurpose, secret.toString('base64url'), userId)
    const uri = totpUri(secret, email, 'Cartwright')
    return { key: (toBase32(secret).match(/.{1,4}/g) ?? []).join(' '), uri, modules: qrModules(uri), sealed }
  }

  // Returns the recovery codes, which are shown once, or the setup of the same app if the code is wrong. Returns undefined if the secret
  // was not encrypted for this person.
  async setApp(
    sealed: string,
    typed: string,
  ): Promise<{ codes: string[] } | { again: AuthenticatorSetup } | undefined> {
    const { storage, rootSecret } = this.#tools
    const { userId, session, now } = this.#person
    const opened = decryptByRootSecret(rootSecret, setUpPurpose, sealed.slice(0, 500), userId)
    if (opened === undefined) return undefined
    const secret = Buffer.from(opened, 'base64url')
    const code = typed.slice(0, 20).normalize('NFKC').replaceAll(/\s/g, '')
    const codes = await storage.write((tx) =>
      setTotp(tx, rootSecret, { userId, secret, code, sessionId: session.id }, now),
    )
    if (!codes) return { again: this.#appWith(secret) }
    this.#note('second factor set up')
    return { codes }
  }

  async removeApp(): Promise<void> {
    await this.#tools.storage.write((tx) => removeSecondFactor(tx, this.#person.userId))
    this.#note('second factor removed')
  }

  // Returns undefined if the person has no second factor that the codes could replace.
  async replaceCodes(): Promise<string[] | undefined> {
    const { userId, now } = this.#person
    const codes = await this.#tools.storage.write(async (tx) =>
      (await hasSecondFactor(tx, userId)) ? replaceRecoveryCodes(tx, userId, now) : undefined,
    )
    if (codes) this.#note('recovery codes replaced')
    return codes
  }

  // Returns false if the passkey was created for another challenge, already exists, or would exceed the maximum. The challenge is used up
  // first, so a wrong response cannot be tried again.
  async addPasskey(response: string, name: string): Promise<boolean> {
    const { storage, publicOrigin } = this.#tools
    const { userId, session, now } = this.#person
    const challenge = readChallengeResponse(response)?.challenge ?? ''
    const isOurs = await storage.write((tx) => useChallenge(tx, challenge, challengeBinding('register', session), now))
    if (!isOurs) return false
    const passkey = await verifyCreatedPasskey(response, { origin: publicOrigin(), challenge })
    const input = passkey && { userId, sessionId: session.id, name, passkey }
    if (!input || !(await storage.write((tx) => addPasskey(tx, input, now)))) return false
    this.#note('passkey added')
    return true
  }

  namePasskey(id: string, name: string): Promise<void> {
    return this.#tools.storage.write((tx) => namePasskey(tx, this.#person.userId, id, name))
  }

  // Returns false if the person has no such passkey.
  async removePasskey(id: string): Promise<boolean> {
    const isRemoved = await this.#tools.storage.write((tx) => removePasskey(tx, this.#person.userId, id))
    if (isRemoved) this.#note('passkey removed')
    return isRemoved
  }

  #note(message: string): void {
    this.#tools.log.info(message, { userId: this.#person.userId })
  }
}

const setUpPurpose = 'second factor being set up'
