// What a code for signing in allows: pure.

const minute = 60_000
const hour = 60 * minute

export const codeMs = 10 * minute
export const codeTriesMax = 5
// A shopper stays signed in for so long.
export const customerSessionMs = 30 * 24 * hour
// At a storefront of its own, whose scripts see the token.
export const openSessionMs = 7 * 24 * hour
// Rows older than this count for no limit, and are deleted.
export const codesStoredMs = 24 * hour

// A browser in which a mailbox was shown to be its owner's is known for it so long.
export const knownBrowserMs = 180 * 24 * hour
// The newest ones of a mailbox.
export const knownBrowsersMax = 20

export interface CodeCounts {
  requesterHour: number
  requesterDay: number
  mailboxDay: number
  networkHour: number
  shopHour: number
}

// The requester: a network that asks for codes of this mailbox, or a known browser. What others ask for takes nothing from a known browser,
// so they cannot keep the owner of a mailbox out, and one network cannot use up the mailbox, so its owner signs in at a new browser
// too. Of a mailbox: five guesses at each of so many codes a day are no way in. Of a network: many shoppers share one. Of a shop: what its
// mail server can bear, for known browsers and for others.
export const customerCodesMax: Readonly<CodeCounts> = {
  requesterHour: 5,
  requesterDay: 10,
  mailboxDay: 40,
  networkHour: 60,
  shopHour: 2_000,
}

const ofKnownBrowser = ['requesterHour', 'requesterDay', 'shopHour'] as const
const ofOthers = [...ofKnownBrowser, 'mailboxDay', 'networkHour'] as const

export function mayAskForCode(counts: CodeCounts, isKnownBrowser: boolean): boolean {
  return (isKnownBrowser ? ofKnownBrowser : ofOthers).every((name) => counts[name] < customerCodesMax[name])
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
