// The known carriers: their tracking links, and how to recognise them by a tracking number. Pure. A link contains only the tracking
// number: some carriers also accept a postal code, but then part of the address would get into e-mails and logs.

import { type CarrierName, carrierNames } from '../../contract/words.ts'

// `{}` is replaced by the tracking number.
const links: Readonly<Record<CarrierName, string>> = {
  DHL: 'https://www.dhl.com/global-en/home/tracking.html?submit=1&tracking-id={}',
  UPS: 'https://www.ups.com/track?tracknum={}',
  DPD: 'https://tracking.dpd.de/status/en_US/parcel/{}',
  GLS: 'https://gls-group.eu/track/{}',
  FedEx: 'https://www.fedex.com/fedextrack/?trknbr={}',
  'Royal Mail': 'https://www.royalmail.com/track-your-item#/tracking-results/{}',
  'La Poste': 'https://www.laposte.fr/outils/suivre-vos-envois?code={}',
  PostNL: 'https://jouw.postnl.nl/track-and-trace/{}',
  USPS: 'https://tools.usps.com/go/TrackConfirmAction?tLabels={}',
}

const aliases: readonly (readonly [string, CarrierName])[] = [
  ['DHL Express', 'DHL'],
  ['DHL Paket', 'DHL'],
  ['Deutsche Post', 'DHL'],
  ['Colissimo', 'La Poste'],
]

const byName: ReadonlyMap<string, CarrierName> = new Map(
  [...carrierNames.map((name) => [name, name] as const), ...aliases].map(([text, name]) => [plain(text), name]),
)

function plain(text: string): string {
  return text.toLowerCase().replace(/[\s-]/g, '')
}

// Returns null if the carrier is unknown, or the number does not look like a tracking number.
export function trackingLink(carrier: string | null, trackingNumber: string | null): string | null {
  const name = carrier === null ? undefined : byName.get(plain(carrier))
  const number = compactNumber(trackingNumber)
  if (name === undefined || !/^(?=.*\d)[A-Z0-9-]{8,40}$/i.test(number)) return null
  return links[name].replace('{}', number)
}

function compactNumber(trackingNumber: string | null): string {
  return trackingNumber?.replace(/\s/g, '') ?? ''
}

// Recognises a carrier only by a number with a check digit, or by a prefix that no other carrier uses. Numbers of 10 to 15 digits are
// used by several carriers.
export function carrierOfNumber(trackingNumber: string | null): CarrierName | null {
  const number = compactNumber(trackingNumber).toUpperCase()
  if (/^1Z[A-Z0-9]{15}\d$/.test(number)) return isUps(number) ? 'UPS' : null
  if (/^[A-Z]{2}\d{9}[A-Z]{2}$/.test(number)) return isS10(number) ? (posts.get(number.slice(-2)) ?? null) : null
  if (/^3S[A-Z]{4}\d{7,9}$/.test(number)) return 'PostNL'
  if (/^JJD\d{15,18}$/.test(number)) return 'DHL'
  if (/^00340434\d{12}$/.test(number)) return isMod10(number) ? 'DHL' : null
  if (/^9[2-5]\d{20}$/.test(number)) return isMod10(number) ? 'USPS' : null
  return null
}

// The carrier that issues UPU S10 numbers in each country.
const posts: ReadonlyMap<string, CarrierName> = new Map([
  ['DE', 'DHL'],
  ['FR', 'La Poste'],
  ['GB', 'Royal Mail'],
  ['NL', 'PostNL'],
  ['US', 'USPS'],
])

// Check digit of UPS: letters count as (code - 63) modulo 10, and every second character counts twice.
function isUps(number: string): boolean {
  const values = [...number.slice(2)].map((sign) => (/\d/.test(sign) ? Number(sign) : (sign.charCodeAt(0) - 63) % 10))
  const sum = values.slice(0, -1).reduce((total, value, index) => total + value * (index % 2 === 0 ? 1 : 2), 0)
  return (10 - (sum % 10)) % 10 === values.at(-1)
}

const s10Weights = [8, 6, 4, 2, 3, 5, 9, 7]

function isS10(number: string): boolean {
  const digits = [...number.slice(2, 11)].map(Number)
  const sum = s10Weights.reduce((total, weight, index) => total + weight * (digits[index] ?? 0), 0)
  const check = 11 - (sum % 11)
  return digits[8] === (check === 10 ? 0 : check === 11 ? 5 : check)
}

// Check digit of GS1: counted from the right, the check digit and every second digit after it count once, the others three times.
function isMod10(number: string): boolean {
  const digits = [...number].reverse().map(Number)
  return digits.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0
}
