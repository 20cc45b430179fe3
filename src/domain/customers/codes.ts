// What a code for signing in allows: pure.

const minute = 60_000
const hour = 60 * minute

export const codeMs = 10 * minute
export const codeTriesMax = 5
// A shopper stays signed in for so long.
export const customerSessionMs = 30 * 24 * hour
// Rows older than this count for no limit, and are deleted.
export const codesStoredMs = 24 * hour

export interface CodeCounts {
  mailboxHour: number
  mailboxDay: number
  networkHour: number
  shopHour: number
}

// Of a mailbox: five guesses at each of so many codes are no way in. Of a network: many shoppers share one. Of a shop: what its mail server
// can bear.
export const customerCodesMax: Readonly<CodeCounts> = {
  mailboxHour: 5,
  mailboxDay: 15,
  networkHour: 60,
  shopHour: 2_000,
}

export function mayAskForCode(counts: CodeCounts): boolean {
  return (Object.keys(customerCodesMax) as (keyof CodeCounts)[]).every((name) => counts[name] < customerCodesMax[name])
}

export function isCodeOpen(
  { tries, usedAt, expiresAt }: { tries: number; usedAt: number | null; expiresAt: number },
  now: number,
): boolean {
  return usedAt === null && expiresAt > now && tries < codeTriesMax
}

// As people type it: with a space in the middle, or full-width digits.
export function codeFromTyped(text: string): string | undefined {
  const digits = text.slice(0, 40).normalize('NFKC').replaceAll(/[\s-]/g, '')
  return /^\d{6}$/.test(digits) ? digits : undefined
}
