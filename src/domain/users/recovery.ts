// Recovery codes for a person who has lost their telephone. Pure, except for random numbers.

import { createHash, randomInt } from 'node:crypto'

export const recoveryCodesCount = 10

// Without letters and digits that are easily confused.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const groups = 4
const groupLength = 4

// 79 bits: too many for a brute-force search, even with the table of hashes.
export function makeRecoveryCodes(): string[] {
  const group = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: recoveryCodesCount }, () => Array.from({ length: groups }, group).join('-'))
}

// Returns the same hash for every way of typing the code.
export function recoveryHash(userId: string, code: string): string {
  const normal = code
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
  return createHash('sha256').update(`recovery code ${userId} ${normal}`).digest('base64url')
}
