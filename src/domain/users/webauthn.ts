// The only file that imports the WebAuthn library, which is loaded with the first passkey. Checks what a browser sends, and stores
// nothing.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { loadOnce } from '../../platform/kit/late.ts'

const load = loadOnce(() => import('@simplewebauthn/server'))

const nameShown = 'Cartwright'
const timeoutMs = 5 * 60_000

// Passkeys belong to the host of our public origin.
export function passkeyHostOf(origin: string): string {
  return new URL(origin).hostname
}

export interface StoredPasskey {
  id: string
  publicKey: string
  counter: number
  transports: readonly string[]
}

export interface IssuedChallenge {
  origin: string
  challenge: string
}

export async function passkeyCreationOptions(
  { origin, challenge }: IssuedChallenge,
  user: { id: string; email: string; siteName?: string },
  known: readonly Pick<StoredPasskey, 'id' | 'transports'>[],
): Promise<object> {
  const { generateRegistrationOptions } = await load()
  return generateRegistrationOptions({
    rpName: user.siteName ?? nameShown,
    rpID: passkeyHostOf(origin),
    userName: user.email,
    userDisplayName: user.email,
    userID: Uint8Array.from(Buffer.from(user.id)),
    challenge: bytesOf(challenge),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    // The person unlocks the device by PIN, finger or face, so a passkey is both factors. The browser finds the passkey without a user
    // name.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

// Options for the passkeys of one person or, without a list, for any passkey of this origin.
export async function passkeyUseOptions(
  { origin, challenge }: IssuedChallenge,
  known: readonly Pick<StoredPasskey, 'id' | 'transports'>[] = [],
): Promise<object> {
  const { generateAuthenticationOptions } = await load()
  return generateAuthenticationOptions({
    rpID: passkeyHostOf(origin),
    challenge: bytesOf(challenge),
    timeout: timeoutMs,
    userVerification: 'required',
    allowCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
  })
}

// Returns undefined if the response is not valid.
export async function verifyCreatedPasskey(
  text: string,
  { origin, challenge }: IssuedChallenge,
): Promise<StoredPasskey | undefined> {
  const response = parsed(text)
  if (!response) return undefined
  const { verifyRegistrationResponse } = await load()
  const checked = await verifyRegistrationResponse({
    // The cast is safe because the library checks the members of the response.
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: passkeyHostOf(origin),
    requireUserVerification: true,
  }).catch(() => undefined)
  if (!checked?.verified) return undefined
  const { id, publicKey, counter, transports = [] } = checked.registrationInfo.credential
  if (id.length > idLengthMax) return undefined
  const known = transports.filter((name) => /^[a-z-]{1,20}$/.test(name)).slice(0, transportsMax)
  return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports: known }
}

// Returns the new counter. Undefined if the response is not from this passkey, or if its counter went backwards, which means that the
// passkey was copied.
export async function verifyPasskeyUse(
  text: string,
  { origin, challenge }: IssuedChallenge,
  { id, publicKey, counter }: StoredPasskey,
): Promise<number | undefined> {
  const response = parsed(text)
  if (!response) return undefined
  const { verifyAuthenticationResponse } = await load()
  const checked = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: passkeyHostOf(origin),
    credential: { id, publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64url')), counter },
    requireUserVerification: true,
  }).catch(() => undefined)
  return checked?.verified ? checked.authenticationInfo.newCounter : undefined
}

const idLengthMax = 1_400
const transportsMax = 10
const textLengthMax = 12_000

export interface ChallengeResponse {
  // Id of the passkey.
  id: string
  challenge: string
}

// Returns the ids that must be looked up before the response can be checked.
export function readChallengeResponse(text: string): ChallengeResponse | undefined {
  const response = parsed(text)
  const { id } = response ?? {}
  const data = (response?.response as { clientDataJSON?: unknown } | undefined)?.clientDataJSON
  if (typeof id !== 'string' || id.length > idLengthMax || typeof data !== 'string') return undefined
  try {
    const { challenge } = JSON.parse(Buffer.from(data, 'base64url').toString('utf8')) as { challenge?: unknown }
    return typeof challenge === 'string' && challenge.length <= 200 ? { id, challenge } : undefined
  } catch {
    return undefined
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  if (text.length > textLengthMax) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function bytesOf(challenge: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(challenge, 'base64url'))
}
