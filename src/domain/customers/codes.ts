// Limits of the codes with which shoppers sign in. Pure.

const minute = 60_000
const hour = 60 * minute

export const customerCodeMs = 10 * minute
export const customerCodeTriesMax = 5
// How long a shopper stays signed in.
export const customerSessionMs = 30 * 24 * hour
// How long a session lasts at a storefront of the shop, whose scripts can read the token.
export const storefrontSessionMs = 7 * 24 * hour
// Older codes count for no limit, and are deleted.
export const codesStoredMs = 24 * hour

// How long a browser is remembered in which a shopper proved to own a mailbox.
export const knownBrowserMs = 180 * 24 * hour
// Maximum number of browsers per mailbox; the newest are stored.
export const knownBrowsersMax = 20

export interface CodeCounts {
  requesterHour: number
  requesterDay: number
  mailboxDay: number
  networkHour: number
  shopHour: number
}

// Requester: a network that requests codes for this mailbox, or a known browser. For a known browser only its own requests count, so
// other requesters cannot lock out the owner of a mailbox. One network cannot use up the limit of the mailbox, so its owner can also sign
// in at a new browser. Mailbox: five guesses for each of this many codes a day are too few to break in. Network: many shoppers may share
// one network. Shop: the load that its mail server can bear, counted separately for known browsers and for others.
export const customerCodesMax: Readonly<CodeCounts> = {
  requesterHour: 5,
  requesterDay: 10,
  mailboxDay: 40,
  networkHour: 60,
  shopHour: 2_000,
}

const ofKnownBrowser = ['requesterHour', 'requesterDay', 'shopHour'] as const
const ofOthers = [...ofKnownBrowser, 'mailboxDay', 'networkHour'] as const

export function mayRequestCode(counts: CodeCounts, isKnownBrowser: boolean): boolean {
  return (isKnownBrowser ? ofKnownBrowser : ofOthers).every((name) => counts[name] < customerCodesMax[name])
}

export function isCodeOpen(
  { tries, usedAt, expiresAt }: { tries: number; usedAt: number | null; expiresAt: number },
  now: number,
): boolean {
  return usedAt === null && expiresAt > now && tries < customerCodeTriesMax
}

// Accepts a code as people type it: with a space in the middle, or full-width digits.
export function parseTypedCode(text: string): string | undefined {
  const digits = text.slice(0, 40).normalize('NFKC').replaceAll(/[\s-]/g, '')
  return /^\d{6}$/.test(digits) ? digits : undefined
}
