// The hosts of a shop: which names can be one, how one is proved, and when it is looked for again. Pure.

import { isIP } from 'node:net'

// A name of the public DNS in lower case and ASCII, or undefined. No address, no port, no name of one network, nothing that a browser
// would read otherwise.
export function normalHost(text: string): string | undefined {
  const written = text.trim().toLowerCase().replace(/\.$/, '')
  if (written === '' || /[\s\p{Cc}\p{Cf}\\/?#@%:[\]]/u.test(written)) return undefined
  const host = URL.parse(`https://${written}`)?.hostname ?? ''
  const labels = host.split('.')
  const isName = labels.length >= 2 && labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))
  if (!isName || isIP(host) !== 0 || host.length > 253 || /^\d+$/.test(labels.at(-1) ?? '')) return undefined
  return host
}

// The name in a Host header, without port; '' where there is none.
export function hostIn(header: string | undefined): string {
  return (header ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

// Names by which everything is reached: an address, a name of this machine or of the operator's network.
export function isLocalName(host: string): boolean {
  const name = host.startsWith('[') ? host.slice(1, -1) : host
  return !name.includes('.') || isIP(name) !== 0 || /\.(?:localhost|local|internal)$/.test(name)
}

// Same scheme and port as the public address.
export function shopOriginFor(host: string, publicOrigin: string): string {
  const { protocol, port } = new URL(publicOrigin)
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`
}

export const proofPath = '/.well-known/cartwright-host'

export function proofRecord(host: string, proof: string): { name: string; value: string } {
  return { name: `_cartwright.${host}`, value: `cartwright-host=${proof}` }
}

const minute = 60_000
const givenUpMs = 7 * 24 * 60 * minute

// Soon at first, then after a quarter of the time that it has waited, at most every hour; for a week.
export function nextCheckAt(createdAt: number, now: number): number | null {
  const waited = now - createdAt
  if (waited >= givenUpMs) return null
  return now + Math.min(60 * minute, Math.max(minute, Math.round(waited / 4)))
}
