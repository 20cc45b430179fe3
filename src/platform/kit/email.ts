// E-mail addresses: which texts are valid addresses, and which addresses are the same mailbox. Pure.

import { domainToASCII } from 'node:url'
import { limits } from '../../contract/limits.ts'
import { patterns } from '../../contract/patterns.ts'

const form = new RegExp(patterns.email.source, 'u')

// The contract's rule, for addresses that no schema checks.
export function isEmail(text: string): boolean {
  return text.length <= limits.emailLengthMax && form.test(text)
}

// Addresses to which e-mails may be sent. Stricter than the contract: refuses text that could be read as several addresses, a name with
// an address, or another header line, even if a mail server could have such a mailbox.
const part = '[^\\s\\p{C}<>()\\[\\],;:\\\\"@]'
const plainForm = new RegExp(`^${part}{1,64}@${part}{1,255}$`, 'u')

export function isPlainAddress(text: string): boolean {
  return text.length <= limits.emailLengthMax && plainForm.test(text) && !/^\.|\.\.|\.@|@[.-]|[.-]$/.test(text)
}

// Normalizes an address as typed or pasted: replaces full-width letters, and removes invisible characters and surrounding spaces,
// including no-break spaces.
export function normalizeTypedEmail(text: string): string {
  return withoutInvisible(text.normalize('NFKC')).trim()
}

// Returns the same text for all spellings of a mailbox, to compare or hash, never to send to. Letter case is ignored: no mail provider
// distinguishes customers by it. Dots and +tags are preserved, since their meaning depends on the provider. Accepts any text, so
// addresses that were stored under an older rule are also found.
export function normalizeMailbox(email: string): string {
  // Longer than any address. The limit is needed because normalizing a long text is expensive.
  const text = normalizeTypedEmail(email.slice(0, 2 * limits.emailLengthMax))
  // Lower case may split a letter in two (İ), so the text is normalized again.
  const normal = text.toLowerCase().normalize('NFKC')
  const at = normal.lastIndexOf('@')
  if (at < 0) return normal
  return `${unquoted(normal.slice(0, at))}@${asciiDomain(normal.slice(at + 1))}`
}

// Removes the +tag, which most providers ignore when they deliver. Used to count how many e-mails a person receives.
export function withoutTag(email: string): string {
  return email.replace(/^([^+@]+)\+[^@]*@/, '$1@')
}

// "ada"@example.com is the same mailbox as ada@example.com (RFC 5321, 4.1.2).
function unquoted(local: string): string {
  const [, inside] = /^"([^"]*)"$/.exec(local) ?? []
  return inside?.replace(/\\(.)/g, '$1').trim() ?? local
}

// Removes a trailing dot, and converts an international domain name to ASCII (IDNA, UTS 46). Text that is not a host name is returned
// unchanged: the conversion would read a number as an IP address, and cut text at a slash.
function asciiDomain(domain: string): string {
  const name = domain.replace(/[\s.。]+$/, '')
  const isName = /^[a-z0-9.\u0080-\u{10ffff}-]+$/u.test(name) && !/(^|[.。])\d+$/.test(name)
  return (isName && domainToASCII(name)) || name
}

function withoutInvisible(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
}
