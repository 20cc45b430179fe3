// Reads the value of an Authorization header: `Bearer <credential>`, with the scheme in any case, or only the credential, since the
// contract does not require a scheme. Returns undefined for other schemes, and for text that could be two values.

const headerLengthMax = 256 // a key has 57 characters

// The characters of a token68 (RFC 9110, 11.2) except its padding, which no key contains.
const credential = /^[A-Za-z0-9._~+/-]+$/
const scheme = /^bearer +/i

export function readAuthorization(value: string | undefined): string | undefined {
  if (value === undefined || value.length > headerLengthMax) return undefined
  // With another scheme the text still contains a space, which no credential contains.
  const text = value.replace(scheme, '')
  return credential.test(text) ? text : undefined
}
