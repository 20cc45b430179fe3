// Attempts to sign in, limited for all nodes by rows of the database: by network, by network and account, and by account.
// Nobody can lock the owner out by guessing: a browser in which the owner signed in before has a bucket of its own.

import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { createDatabaseKey } from '../access/databasekey.ts'
import { addressBucket, networkBucket } from '../access/throttle.ts'
import { deriveKeys, type RootSecret, readToken, signToken } from '../kit/secrets.ts'
import type { Storage } from '../storage/storage.ts'
import { giveBackSignIn, takeSignIn } from './signins.ts'
import { normalEmail } from './users.ts'

export interface Guess {
  email: string
  address: string
  // The cookie of a browser, as it was sent.
  device: string | undefined
}

export interface Attempt {
  // What the log may say of account and network: enough to see an attack, not enough to know whom.
  account: string
  network: string
  // False when there were too many.
  isAdmitted: boolean
  // Gives back what a right password has taken, so that only failures count.
  succeed(): Promise<void>
}

export interface Attempts {
  begin(guess: Guess): Promise<Attempt>
  // The value of the cookie for a browser in which somebody signed in to this account.
  deviceFor(email: string): Promise<string>
}

// How many at once, and then one in so many milliseconds.
interface Limit {
  burst: number
  everyMs: number
}

const limits = {
  // One host, or one IPv6 network of the smallest kind.
  address: { burst: 30, everyMs: 5_000 },
  // What a household or a small company is given.
  network: { burst: 60, everyMs: 2_500 },
  pair: { burst: 10, everyMs: 20_000 },
  // From anywhere (NIST SP 800-63B, 5.2.2 allows 100 failures).
  account: { burst: 100, everyMs: 900_000 },
  // Of one browser, at the account that was signed in to in it.
  device: { burst: 20, everyMs: 60_000 },
} as const satisfies Record<string, Limit>

export interface AttemptParts {
  storage: Storage
  rootSecret: RootSecret
  clock: () => Date
}

export function createAttempts({ storage, rootSecret, clock }: AttemptParts): Attempts {
  // Of the database, so that nodes count together while the root secret is rotated.
  const findKey = createDatabaseKey(rootSecret, 'sign-in')
  const deviceKeys = deriveKeys(rootSecret, 'signed-in device')
  const nowMs = () => clock().getTime()

  function isKnownDevice(device: string | undefined, account: string): boolean {
    return device !== undefined && deviceKeys.some((key) => readToken(key, device)?.startsWith(`${account} `) === true)
  }

  return {
    async begin({ email, address, device }) {
      const now = nowMs()
      const key = await storage.write((tx) => findKey(tx, now))
      const account = accountOf(key, email)
      const [host, network] = [addressBucket(address), networkBucket(address)]
      // In this order always, so that two transactions do not wait for each other.
      const buckets: [string, Limit][] = isKnownDevice(device, account)
        ? [[hashOf(key, `device ${device}`), limits.device]]
        : [
            [hashOf(key, `address ${host}`), limits.address],
            [hashOf(key, `network ${network}`), limits.network],
            [hashOf(key, `pair ${network} ${account}`), limits.pair],
            [hashOf(key, `account ${account}`), limits.account],
          ]
      const isAdmitted = await storage
        .write(async (tx) => {
          for (const [bucket, limit] of buckets) if (!(await takeSignIn(tx, bucket, limit, now))) throw new Limited()
          return true
        })
        .catch((error: unknown) => {
          // Rolled back: a refusal takes nothing from the other buckets.
          if (error instanceof Limited) return false
          throw error
        })
      return {
        account: account.slice(0, shownLength),
        network: hashOf(key, `network ${network}`).slice(0, shownLength),
        isAdmitted,
        succeed: () =>
          storage.write(async (tx) => {
            for (const [bucket, { everyMs }] of buckets) await giveBackSignIn(tx, bucket, everyMs)
          }),
      }
    },

    async deviceFor(email) {
      const key = await storage.write((tx) => findKey(tx, nowMs()))
      return signToken(deviceKeys[0], `${accountOf(key, email)} ${randomBytes(16).toString('base64url')}`)
    },
  }
}

class Limited extends Error {}

const shownLength = 12

function accountOf(key: KeyObject, email: string): string {
  return hashOf(key, `e-mail ${normalEmail(email)}`)
}

function hashOf(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
