// Passwords at rest: scrypt, with its cost written into the kept text, so that the cost can be raised for new passwords
// while old ones still open. Whoever tries a password for a user who does not exist waits just as long.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { randomBase62 } from '../kit/base62.ts'
import { refuse } from '../kit/refuse.ts'
import { isCommonPassword } from './commonpassword.ts'

export const passwordLengthMin = 10
export const passwordLengthMax = 200

// What is wrong with a password that someone wants to have, or nothing. The password is not repeated.
export function passwordProblem(password: string): string | undefined {
  const length = lengthOf(password)
  if (length < passwordLengthMin) return `must have at least ${passwordLengthMin} characters`
  if (length > passwordLengthMax) return `must have at most ${passwordLengthMax} characters`
  if (/\p{Cc}/u.test(password)) return 'must have no control characters'
  if (new Set(normal(password)).size < charactersMin) return `must have at least ${charactersMin} different characters`
  if (isCommonPassword(password)) return 'must not be one of those that are guessed first'
  return undefined
}

const charactersMin = 4

// 119 bits, in groups that can be read out.
export function makePassword(): string {
  return Array.from({ length: 4 }, () => randomBase62(5)).join('-')
}

export interface PasswordCost {
  // The binary logarithm of scrypt's N.
  ln: number
  r: number
  p: number
}

// 32 MiB and about 0.3 s of one thread (OWASP Password Storage: 2^15 with a parallelism of three).
const standardCost: PasswordCost = { ln: 15, r: 8, p: 3 }
const saltBytes = 16
const hashBytes = 32

export async function hashPassword(password: string, cost = standardCost): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await slowly(password, { ...cost, salt })
  return `scrypt$${cost.ln}$${cost.r}$${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

// Undefined stands for nobody, and costs the same time.
export async function isPassword(
  kept: string | undefined,
  password: string,
  { network = '', cost = standardCost }: { network?: string; cost?: PasswordCost | undefined } = {},
): Promise<boolean> {
  // Longer than any password can be: no, whoever it is for, and no work is done for it.
  if (lengthOf(password) > passwordLengthMax) return false
  const recipe = kept === undefined ? { ...nobody, ...cost } : recipeFrom(kept)
  const hash = await slowly(password, recipe, network)
  return timingSafeEqual(hash, recipe.hash) && kept !== undefined
}

// Whether the kept text was made at another cost than the present one.
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
  if (ln === undefined) throw new Error('a kept password has another form than we write')
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}

// One password can be typed in several sequences of code points (NIST SP 800-63B, 3.1.1.2).
function normal(password: string): string {
  return password.normalize('NFKC')
}

function lengthOf(password: string): number {
  // A text that is longer by far is not normalised just to be counted.
  return password.length > passwordLengthMax * 8 ? password.length : [...normal(password)].length
}

// The work is done by the threads of the pool, of which there are four for everybody. At most half of them are ours, and
// behind those a short line waits, in which one network has few places.
const atOnceMax = 2
const waitingMax = 32
const waitingOfNetworkMax = 4
let running = 0
const waiting: { network: string; begin: () => void }[] = []

async function slowly(password: string, { ln, r, p, salt }: Recipe, network = ''): Promise<Buffer> {
  if (running >= atOnceMax) {
    const isCrowd = network !== '' && waiting.filter((one) => one.network === network).length >= waitingOfNetworkMax
    if (isCrowd || waiting.length >= waitingMax) throw refuse('unavailable', { retryAfterMs: 1_000 })
    // The place is handed on, so that nobody can slip in between.
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
    // Node's own bound on memory is just below what this cost needs.
    scrypt(password, salt, hashBytes, { N, r, p, maxmem: 128 * N * r * 2 }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
}
