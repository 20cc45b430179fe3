// E-mail addresses: which texts are valid addresses, and which of them are the same mailbox. Pure.

import { domainToASCII } from 'node:url'
import { limits } from '../../contract/limits.ts'
import { patterns } from '../../contract/patterns.ts'

const form = new RegExp(patterns.email.source, 'u')

// The rule of the contract, for addresses that are not checked by a schema.
export function isEmail(text: string): boolean {
  return text.length <= limits.emailLengthMax && form.test(text)
}

// Addresses to which e-mails are sent. Narrower than the contract: text that could be read as several addresses, as a name with an
// address or as a new header line is refused, although a mail server might have such a mailbox.
const part = '[^\\s\\p{C}<>()\\[\\],;:\\\\"@]'
const plainForm = new RegExp(`^${part}{1,64}@${part}{1,255}$`, 'u')

export function isPlainAddress(text: string): boolean {
  return text.length <= limits.emailLengthMax && plainForm.test(text) && !/^\.|\.\.|\.@|@[.-]|[.-]$/.test(text)
}

// Normalises an address that a person typed or pasted: full-width letters become plain ones; invisible characters from documents and
// surrounding spaces, including no-break ones, are removed.
export function normalizeTypedEmail(text: string): string {
  return withoutInvisible(text.normalize('NFKC')).trim()
}

// Returns the same text for every spelling of a mailbox, to be compared or hashed, never to be used as an address. Letter case is
// ignored: no mail provider distinguishes customers by it. Dots and +tags are kept, since their meaning differs between providers. Any
// text is accepted, so addresses that were stored under an older rule are found too.
export function normalizeMailbox(email: string): string {
  // Longer than any address, since normalising a long text is expensive.
  const text = normalizeTypedEmail(email.slice(0, 2 * limits.emailLengthMax))
  // Lower case may decompose a letter (İ becomes two characters), so the text is composed again.
  const normal = text.toLowerCase().normalize('NFKC')
  const at = normal.lastIndexOf('@')
  if (at < 0) return normal
  return `${unquoted(normal.slice(0, at))}@${asciiDomain(normal.slice(at + 1))}`
}

// Removes the tag after a +, which most providers ignore for delivery. Used to count what a person receives.
export function withoutTag(email: string): string {
  return email.replace(/^([^+@]+)\+[^@]*@/, '$1@')
}

// "ada"@example.com equals ada@example.com (RFC 5321, 4.1.2).
function unquoted(local: string): string {
  const [, inside] = /^"([^"]*)"$/.exec(local) ?? []
  return inside?.replace(/\\(.)/g, '$1').trim() ?? local
}

// Removes the dot of the root, and converts an international name to its ASCII form (IDNA, UTS 46). Text that is not a host name is
// returned unchanged: the conversion would read a number as an IP address and cut at a slash.
function asciiDomain(domain: string): string {
  const name = domain.replace(/[\s.。]+$/, '')
  const isName = /^[a-z0-9.\u0080-\u{10ffff}-]+$/u.test(name) && !/(^|[.。])\d+$/.test(name)
  return (isName && domainToASCII(name)) || name
}

function withoutInvisible(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
}
