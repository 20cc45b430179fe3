// E-mail addresses: which texts are one, and which of them are one mailbox. Pure.

import { domainToASCII } from 'node:url'
import { limits } from '../../contract/limits.ts'
import { patterns } from '../../contract/patterns.ts'

const form = new RegExp(patterns.email.source, 'u')

// The rule of the contract, for addresses that do not come through a schema.
export function isEmail(text: string): boolean {
  return text.length <= limits.emailLengthMax && form.test(text)
}

// Which addresses an e-mail is sent to. Narrower than the contract: what could be read as several addresses, as a name beside an
// address or as a further line of a header is refused, although a mail server might know a mailbox of that name.
const part = '[^\\s\\p{C}<>()\\[\\],;:\\\\"@]'
const plainForm = new RegExp(`^${part}{1,64}@${part}{1,255}$`, 'u')

export function isPlainAddress(text: string): boolean {
  return text.length <= limits.emailLengthMax && plainForm.test(text) && !/^\.|\.\.|\.@|@[.-]|[.-]$/.test(text)
}

// What a person typed or pasted into a field: full-width letters become plain ones; the invisible characters that
// documents put in, and spaces around, no-break ones too, fall away.
export function emailFromTyped(text: string): string {
  return withoutInvisible(text.normalize('NFKC')).trim()
}

// The same text for every spelling of one mailbox, to be compared or hashed, never to be written to. Letter case counts
// nowhere: no provider of mail tells two customers apart by it. Dots and +tags do count: what they mean differs between
// providers. Any text has an answer, so addresses that were stored under an older rule are found too.
export function mailboxOf(email: string): string {
  // Longer than any address, and normalising a long text is not free.
  const text = emailFromTyped(email.slice(0, 2 * limits.emailLengthMax))
  // Lower case can come apart (İ becomes two characters), so it is composed once more.
  const normal = text.toLowerCase().normalize('NFKC')
  const at = normal.lastIndexOf('@')
  if (at < 0) return normal
  return `${unquoted(normal.slice(0, at))}@${asciiDomain(normal.slice(at + 1))}`
}

// Without what follows a +, which most providers deliver to the mailbox before it. For counting what one person receives.
export function withoutTag(email: string): string {
  return email.replace(/^([^+@]+)\+[^@]*@/, '$1@')
}

// "ada"@example.com is ada@example.com (RFC 5321, 4.1.2).
function unquoted(local: string): string {
  const [, inside] = /^"([^"]*)"$/.exec(local) ?? []
  return inside?.replace(/\\(.)/g, '$1').trim() ?? local
}

// The root's dot says nothing, and an international name has one ASCII form (IDNA, UTS 46). A text that is not a name
// stays as it is: the mapping would read a number as an address and cut at a slash.
function asciiDomain(domain: string): string {
  const name = domain.replace(/[\s.。]+$/, '')
  const isName = /^[a-z0-9.\u0080-\u{10ffff}-]+$/u.test(name) && !/(^|[.。])\d+$/.test(name)
  return (isName && domainToASCII(name)) || name
}

function withoutInvisible(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
}
