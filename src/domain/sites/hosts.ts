// The hosts of a shop: which names are allowed, how a host is proved, and when it is checked again. Pure.

import { isIP } from 'node:net'

// Returns a name of the public DNS in lower case and ASCII, or undefined. Refuses IP addresses, ports, names of a local network, and
// texts that browsers parse differently.
export function normalizeHost(text: string): string | undefined {
  const written = text.trim().toLowerCase().replace(/\.$/, '')
  if (written === '' || /[\s\p{Cc}\p{Cf}\\/?#@%:[\]]/u.test(written)) return undefined
  const host = URL.parse(`https://${written}`)?.hostname ?? ''
  const labels = host.split('.')
  const isName = labels.length >= 2 && labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))
  if (!isName || isIP(host) !== 0 || host.length > 253 || /^\d+$/.test(labels.at(-1) ?? '')) return undefined
  return host
}

// Returns the name in a Host header, without port; '' if there is no header.
export function hostFromHeader(header: string | undefined): string {
  return (header ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

// Names that belong to no shop and reach the whole server: an IP address, or a name of this machine or of the operator's network.
export function isLocalName(host: string): boolean {
  const name = host.startsWith('[') ? host.slice(1, -1) : host
  return !name.includes('.') || isIP(name) !== 0 || /\.(?:localhost|local|internal)$/.test(name)
}

// Uses the scheme and port of the public origin.
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

// Returns when to check next: soon at first, then after a quarter of the time since the host was added, but after an hour at most.
// Returns null after a week.
export function nextCheckAt(createdAt: number, now: number): number | null {
  const waited = now - createdAt
  if (waited >= givenUpMs) return null
  return now + Math.min(60 * minute, Math.max(minute, Math.round(waited / 4)))
}
