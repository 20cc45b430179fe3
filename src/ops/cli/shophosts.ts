// Finds the shop of a host when a request arrives, and serves the two pages about hosts: the proof of a host, and the page that a proxy
// asks before it requests a certificate.

import { hostFromHeader, isLocalName, normalizeHost, proofPath, shopOriginFor } from '../../domain/sites/hosts.ts'
import { findHostOwner, hasHosts, listProofs } from '../../domain/sites/hoststore.ts'
import type { ShopHosts } from '../../platform/http/hosts.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'
import { Lru } from '../../platform/kit/lru.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'

// Changes are signalled to all nodes. A node that missed the signal sees a change after this time.
const freshMs = 2_000
// Bounded, because clients choose the host names that they send.
const namesMax = 10_000

type Led = { merchantId: string; slug: string; origin: string; mainOrigin: string } | 'ours' | undefined

export function createShopHosts(storage: Storage, publicOrigin: () => string): ShopHosts & { forget(): void } {
  const known = new Lru<string, { led: Promise<Led>; until: number }>(namesMax)
  // Nearly all requests have the same Host header, so the last one is remembered.
  let lastOurs: { header: string; origin: string } | undefined

  function look(host: string): Promise<Led> {
    const now = Date.now()
    const cached = known.get(host)
    if (cached && cached.until > now) return cached.led
    const led = storage.read((db) => findLed(db, host, publicOrigin()))
    known.set(host, { led, until: now + freshMs })
    led.catch(() => known.delete(host))
    return led
  }

  return {
    forget: () => known.clear(),
    isOurs(header = '') {
      const origin = publicOrigin()
      if (lastOurs?.header === header && lastOurs.origin === origin) return true
      const host = hostFromHeader(header)
      const isOurs = isLocalName(host) || host === URL.parse(origin)?.hostname
      if (isOurs) lastOurs = { header, origin }
      return isOurs
    },
    async find(header, path) {
      if (path === proofPath) return 'ours'
      const led = await look(hostFromHeader(header))
      if (!led || led === 'ours' || led.origin === led.mainOrigin) return led
      return { location: `${led.mainOrigin}${path}` }
    },
  }
}

async function findLed(db: Reader, host: string, publicOrigin: string): Promise<Led> {
  const owner = await findHostOwner(db, host)
  if (!owner) return (await hasHosts(db)) ? undefined : 'ours'
  const { merchantId, slug, mainHost } = owner
  const origin = shopOriginFor(host, publicOrigin)
  return { merchantId, slug, origin, mainOrigin: shopOriginFor(mainHost, publicOrigin) }
}

export function shopHostPages(storage: Storage): HtmlPage[] {
  return [
    {
      path: proofPath,
      name: 'host proof',
      async answer({ raw }) {
        const proofs = await storage.read((db) => listProofs(db, hostFromHeader(raw.headers.host)))
        if (proofs.length === 0) throw refuse('route_not_found')
        return text(200, `${proofs.join('\n')}\n`)
      },
    },
    {
      path: '/hosts/allowed',
      name: 'host allowed',
      async answer({ raw }) {
        const domain = new URLSearchParams(raw.url?.split('?')[1]).get('domain') ?? ''
        const host = normalizeHost(domain)
        const owner = host === undefined ? undefined : await storage.read((db) => findHostOwner(db, host))
        if (!owner) throw refuse('route_not_found')
        return text(200, '')
      },
    },
  ]
}

function text(status: number, body: string) {
  return { status, body, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' } }
}
