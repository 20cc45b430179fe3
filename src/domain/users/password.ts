// Stores passwords with scrypt, with its cost in the stored text, so the cost can be raised for new passwords while old ones still work.
// Checking a password for a user who does not exist takes just as long.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { randomBase62 } from '../../platform/kit/base62.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { isCommonPassword } from './commonpassword.ts'

const passwordLengthMin = 10
export const passwordLengthMax = 200

export type PasswordFault = 'short' | 'long' | 'control' | 'few' | 'common'

// Returns what is wrong with a new password, or undefined.
export function passwordFault(password: string): PasswordFault | undefined {
  const length = lengthOf(password)
  if (length < passwordLengthMin) return 'short'
  if (length > passwordLengthMax) return 'long'
  if (/\p{Cc}/u.test(password)) return 'control'
  if (new Set(normal(password)).size < charactersMin) return 'few'
  return isCommonPassword(password) ? 'common' : undefined
}

// Returns what is wrong with a new password as a sentence, which does not repeat the password.
export function passwordProblem(password: string): string | undefined {
  const fault = passwordFault(password)
  return fault && faults[fault]
}

const charactersMin = 4

const faults: Readonly<Record<PasswordFault, string>> = {
  short: `must have at least ${passwordLengthMin} characters`,
  long: `must have at most ${passwordLengthMax} characters`,
  control: 'must have no control characters',
  few: `must have at least ${charactersMin} different characters`,
  common: 'must not be one of those that are guessed first',
}

// 119 bits, in groups that can be read aloud.
export function makePassword(): string {
  return Array.from({ length: 4 }, () => randomBase62(5)).join('-')
}

export interface PasswordCost {
  // The binary logarithm of scrypt's parameter N.
  ln: number
  r: number
  p: number
}

// 32 MiB and about 0.3 s of one thread (OWASP Password Storage: 2^15 with a parallelism of three).
const standardCost: PasswordCost = { ln: 15, r: 8, p: 3 }
// For passwords that are made here: 119 bits cannot be guessed, however fast a guess is. The first sign-in stores the password at the
// standard cost.
export const generatedPasswordCost: PasswordCost = { ln: 10, r: 8, p: 1 }
const saltBytes = 16
const hashBytes = 32

export async function hashPassword(password: string, cost = standardCost): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await slowly(password, { ...cost, salt })
  return `scrypt$${cost.ln}$${cost.r}$${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

// If there is no stored hash, returns false after the same time.
export async function isPassword(
  kept: string | undefined,
  password: string,
  { network = '', cost = standardCost }: { network?: string; cost?: PasswordCost | undefined } = {},
): Promise<boolean> {
  // Longer than any valid password, so it is refused without hashing.
  if (lengthOf(password) > passwordLengthMax) return false
  const recipe = kept === undefined ? { ...nobody, ...cost } : recipeFrom(kept)
  const hash = await slowly(password, recipe, network)
  return timingSafeEqual(hash, recipe.hash) && kept !== undefined
}

// Whether the stored hash was made with a different cost.
export function isOutdated(kept: string, cost = standardCost): boolean {
  const { ln, r, p } = recipeFrom(kept)
  return ln !== cost.ln || r !== cost.r || p !== cost.p
}

interface Recipe extends PasswordCost {
  salt: Buffer
}

const nobody = { salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) }

const keptForm = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/

function recipeFrom(kept: string): Recipe & { hash: Buffer } {
  const [, ln, r, p, salt = '', hash = ''] = keptForm.exec(kept) ?? []
  if (ln === undefined) throw new Error('a stored password has an unknown format')
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}

// The same password can be typed as different sequences of code points (NIST SP 800-63B, 3.1.1.2).
function normal(password: string): string {
  return password.normalize('NFKC')
}

function lengthOf(password: string): number {
  // A much longer text is not normalized only to count its characters.
  return password.length > passwordLengthMax * 8 ? password.length : [...normal(password)].length
}

// Hashing runs on the thread pool, which has four threads. At most half of them hash; further calls wait in a short queue, in which one
// network has few places.
const atOnceMax = 2
const waitingMax = 32
const waitingOfNetworkMax = 4
let running = 0
const waiting: { network: string; begin: () => void }[] = []

async function slowly(password: string, { ln, r, p, salt }: Recipe, network = ''): Promise<Buffer> {
  if (running >= atOnceMax) {
    const isCrowd = network !== '' && waiting.filter((one) => one.network === network).length >= waitingOfNetworkMax
    if (isCrowd || waiting.length >= waitingMax) throw refuse('unavailable', { retryAfterMs: 1_000 })
    // The place is passed to the next call in the queue, so a newer call cannot take it.
    await new Promise<void>((begin) => waiting.push({ network, begin }))
  } else running += 1
  try {
    return await derive(normal(password), { ln, r, p, salt })
  } finally {
    const next = waiting.shift()
    if (next) next.begin()
    else running -= 1
  }
}

function derive(password: string, { ln, r, p, salt }: Recipe): Promise<Buffer> {
  const N = 2 ** ln
  return new Promise((resolve, reject) => {
    // Node's default memory limit is just below what this cost needs.
    scrypt(password, salt, hashBytes, { N, r, p, maxmem: 128 * N * r * 2 }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
}
