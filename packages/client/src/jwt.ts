// JSON Web Tokens with ES256, as DPoP and client assertions need them.

export interface Jwk {
  kty: string
  crv: string
  x: string
  y: string
  d: string
  kid?: string | undefined
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const utf8 = new TextEncoder()

export async function newSigningKey(): Promise<Jwk> {
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const { kty, crv, x, y, d } = (await crypto.subtle.exportKey('jwk', privateKey)) as Jwk
  return { kty, crv, x, y, d }
}

export function signingKey({ kty, crv, x, y, d }: Jwk) {
  return crypto.subtle.importKey('jwk', { kty, crv, x, y, d }, algorithm, false, ['sign'])
}

type SigningKey = Awaited<ReturnType<typeof signingKey>>

// The members in the order of RFC 7638.
export const publicPart = ({ crv, kty, x, y }: Jwk) => ({ crv, kty, x, y })

export const thumbprint = (jwk: ReturnType<typeof publicPart>) => sha256(JSON.stringify(jwk))

export interface ProofFacts {
  method: string
  url: string
  nonce: string | undefined
  accessToken: string | undefined
}

export async function proofFor(key: Jwk, { method, url, nonce, accessToken }: ProofFacts): Promise<string> {
  const claims = {
    jti: random(),
    htm: method,
    htu: url.split('?')[0],
    iat: Math.floor(Date.now() / 1000),
    ...(nonce !== undefined && { nonce }),
    ...(accessToken !== undefined && { ath: await sha256(accessToken) }),
  }
  return signed({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicPart(key) }, claims, await signingKey(key))
}

export async function signed(header: object, claims: object, key: SigningKey): Promise<string> {
  const content = [header, claims].map((part) => base64url(utf8.encode(JSON.stringify(part)))).join('.')
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, utf8.encode(content))
  return `${content}.${base64url(new Uint8Array(signature))}`
}

export async function sha256(text: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(text))))
}

export const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ '+': '-', '/': '_' })[sign] ?? '')
}
