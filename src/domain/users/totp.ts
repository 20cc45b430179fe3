// Time-based one-time passwords (RFC 6238 on RFC 4226): six digits, 30 seconds, SHA-1, as every authenticator app expects. Pure.

import { createHmac } from 'node:crypto'

const stepMs = 30_000
const digits = 6
// The clock of a telephone may be one step off, and typing takes time (RFC 6238, 5.2).
const stepsOff = 1
// RFC 4226, 4: R6 recommends 160 bits.
export const totpSecretBytes = 20

export function totpCodeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 0xf
  const number = hash.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

export function totpStepAt(now: number): number {
  return Math.floor(now / stepMs)
}

// Returns the step that a code belongs to. Undefined for a wrong code, and for a step up to `lastStep`: a code works once.
export function totpStepOfCode(secret: Buffer, code: string, { now, lastStep }: { now: number; lastStep: number }) {
  const current = totpStepAt(now)
  for (let step = current - stepsOff; step <= current + stepsOff; step += 1)
    if (step > lastStep && totpCodeAt(secret, step) === code) return step
  return undefined
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

// RFC 4648, 6, without padding: the format in which authenticator apps read a secret.
export function toBase32(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

// The URI for an authenticator app, in the format of Google Authenticator, which all apps read.
export function totpUri(secret: Buffer, account: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
}
