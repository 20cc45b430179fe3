// Limits on sign-in attempts, shared by all nodes through the database: by network, by network and account, and by account. Guessing by
// others cannot lock the owner out: a browser in which the owner signed in before has buckets of its own.

import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { addressBucket, networkBucket } from '../../platform/access/throttle.ts'
import { createDatabaseKey } from '../../platform/secrets/databasekey.ts'
import { deriveKeys, type RootSecret, signToken, verifyToken } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { returnSignInAttempt, takeSignInAttempt } from './signins.ts'
import { normalizeEmail } from './users.ts'

export interface SignInGuess {
  // What the attempt guesses. A code has six digits, so fewer guesses are allowed. A recovery code is too long to guess, so it has no
  // limit by account, and a person who only knows the password cannot lock the owner out. A password reset is not a guess, but each
  // request for an e-mail counts.
  kind?: 'password' | 'code' | 'recovery' | 'reset'
  email: string
  address: string
  // The browser's cookie, as it was sent.
  device: string | undefined
}

export interface SignInAttempt {
  // For the log: hashes that show an attack without identifying any person.
  account: string
  network: string
  // False if there were too many attempts.
  isAdmitted: boolean
  // Releases the attempts that a correct password, code or passkey has taken, so only failures count.
  succeed(): Promise<void>
}

export interface SignInAttempts {
  begin(guess: SignInGuess): Promise<SignInAttempt>
  // Returns the value of the cookie for a browser in which this account signed in. `hasSecondFactor`: the person has also entered a
  // correct code.
  deviceFor(email: string, hasSecondFactor: boolean): Promise<string>
}

// `burst` attempts immediately, then one every `everyMs`.
interface Limit {
  burst: number
  everyMs: number
}

const limits = {
  // A single host, or an IPv6 /64.
  address: { burst: 30, everyMs: 5_000 },
  // The addresses of a household or a small company: an IPv6 /48.
  network: { burst: 60, everyMs: 2_500 },
  pair: { burst: 10, everyMs: 20_000 },
  // Attempts from anywhere (NIST SP 800-63B, 5.2.2 allows 100 failures).
  account: { burst: 100, everyMs: 900_000 },
  // Three of a million codes are valid at a time, so the chance to guess one is 1 in 17,000 with the burst, and 1 in 3,500 for each
  // further day.
  code: { burst: 20, everyMs: 900_000 },
  reset: { burst: 3, everyMs: 1_200_000 },
  // Attempts of one browser, for the account that signed in with it.
  device: { burst: 20, everyMs: 60_000 },
  // Attempts at codes of one browser in which a correct code was entered before.
  codeDevice: { burst: 10, everyMs: 300_000 },
} as const satisfies Record<string, Limit>

export interface AttemptParts {
  storage: Storage
  rootSecret: RootSecret
  clock: () => Date
}

export function createAttempts({ storage, rootSecret, clock }: AttemptParts): SignInAttempts {
  // The key is stored in the database, so nodes share their counts while the root secret is rotated.
  const findKey = createDatabaseKey(rootSecret, 'sign-in')
  const deviceKeys = deriveKeys(rootSecret, 'signed-in device')
  const nowMs = () => clock().getTime()

  function isKnownDevice(device: string | undefined, account: string): boolean {
    return startsWith(device, `${account} `)
  }

  // A person who only knows the password could have signed in before the account had a second factor, so the browser must have entered a
  // code too.
  function isKnownTwice(device: string | undefined, account: string): boolean {
    return startsWith(device, `${account} ${twice}`)
  }

  function startsWith(device: string | undefined, beginning: string): boolean {
    return device !== undefined && deviceKeys.some((key) => verifyToken(key, device)?.startsWith(beginning) === true)
  }

  return {
    async begin({ kind = 'password', email, address, device }) {
      const now = nowMs()
      const key = await storage.write((tx) => findKey(tx, now))
      const account = accountOf(key, email)
      const counted = kind === 'password' ? account : `${kind} ${account}`
      const [host, network] = [addressBucket(address), networkBucket(address)]
      // Buckets are always updated in this order, so two transactions cannot deadlock.
      const buckets: [string, Limit][] =
        kind === 'password' && isKnownDevice(device, account)
          ? [[hashOf(key, `device ${device}`), limits.device]]
          : kind === 'code' && isKnownTwice(device, account)
            ? [[hashOf(key, `code device ${device}`), limits.codeDevice]]
            : [
                [hashOf(key, `address ${host}`), limits.address],
                [hashOf(key, `network ${network}`), limits.network],
                [hashOf(key, `pair ${network} ${counted}`), limits.pair],
                ...accountBucket(key, kind, counted),
              ]
      const isAdmitted = await storage
        .write(async (tx) => {
          for (const [bucket, limit] of buckets)
            if (!(await takeSignInAttempt(tx, bucket, limit, now))) throw new Limited()
          return true
        })
        .catch((error: unknown) => {
          // The transaction is rolled back: a refusal takes nothing from the other buckets.
          if (error instanceof Limited) return false
          throw error
        })
      return {
        account: account.slice(0, shownLength),
        network: hashOf(key, `network ${network}`).slice(0, shownLength),
        isAdmitted,
        succeed: () =>
          storage.write(async (tx) => {
            for (const [bucket, { everyMs }] of buckets) await returnSignInAttempt(tx, bucket, everyMs)
          }),
      }
    },

    async deviceFor(email, hasSecondFactor) {
      const key = await storage.write((tx) => findKey(tx, nowMs()))
      const name = `${hasSecondFactor ? twice : ''}${randomBytes(16).toString('base64url')}`
      return signToken(deviceKeys[0], `${accountOf(key, email)} ${name}`)
    },
  }
}

class Limited extends Error {}

const twice = 'twice '

function accountBucket(
  key: KeyObject,
  kind: Exclude<SignInGuess['kind'], undefined>,
  counted: string,
): [string, Limit][] {
  if (kind === 'recovery') return []
  return [[hashOf(key, `account ${counted}`), limits[kind === 'password' ? 'account' : kind]]]
}

const shownLength = 12

function accountOf(key: KeyObject, email: string): string {
  return hashOf(key, `e-mail ${normalizeEmail(email)}`)
}

function hashOf(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
