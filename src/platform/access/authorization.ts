// Reads the value of an Authorization header: `Bearer <credential>`, the scheme in any case, or the bare credential, since
// the interface names no scheme. Every other scheme, and anything that could be two values, gives undefined.

const headerLengthMax = 256 // a key has 57 characters

// The characters of a token68 (RFC 9110, 11.2), without the padding that no key has.
const credential = /^[A-Za-z0-9._~+/-]+$/
const scheme = /^bearer +/i

export function readAuthorization(value: string | undefined): string | undefined {
  if (value === undefined || value.length > headerLengthMax) return undefined
  // A space, and with it every other scheme, is not a character of a credential.
  const text = value.replace(scheme, '')
  return credential.test(text) ? text : undefined
}
