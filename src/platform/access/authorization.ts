// Reads the value of an Authorization header: `Bearer <credential>`, the scheme in any case, or the bare credential, since the contract
// names no scheme. Returns undefined for other schemes and for anything that could be two values.

const headerLengthMax = 256 // a key has 57 characters

// The characters of a token68 (RFC 9110, 11.2), without the padding, since no key has any.
const credential = /^[A-Za-z0-9._~+/-]+$/
const scheme = /^bearer +/i

export function readAuthorization(value: string | undefined): string | undefined {
  if (value === undefined || value.length > headerLengthMax) return undefined
  // A credential contains no space, so this also refuses every other scheme.
  const text = value.replace(scheme, '')
  return credential.test(text) ? text : undefined
}
