// Routes requests by host. The public host serves everything. The host of a shop serves only the shop and what its shoppers need, such as
// their checkout, their orders and its pictures. If any shop has a host, other hosts are answered as not found. Only the Host header is
// read, which a proxy in front passes on; X-Forwarded-Host is ignored.

import type { IncomingMessage } from 'node:http'
import { refuse } from '../kit/refuse.ts'
import type { HostedRequest, Incoming } from './message.ts'
import type { FindRoute } from './router.ts'
import type { Route } from './serve.ts'

export interface ShopHosts {
  // Returns whether the host serves everything: the public host, an IP address, or a name in the local machine or network.
  isOurs(header: string | undefined): boolean
  // Returns `ours` if no shop has a host, so every host serves everything. Returns undefined if shops have hosts but this is not one of
  // them.
  find(header: string | undefined, path: string): Promise<HostedRequest | { location: string } | 'ours' | undefined>
}

// Path of the shop's pages at the public host.
const shopPath = ({ slug }: HostedRequest) => `/shops/${slug}`

// One route for all requests that are not at the public host. It looks up the host, and then passes the request to the route that answers
// it.
export function hostedRoute(hosts: ShopHosts, findRoute: FindRoute): Route {
  const led = new WeakMap<IncomingMessage, { route: Route; request: Incoming }>()
  return {
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    pattern: '*',
    name: 'shop host',
    kind: 'page',
    isProbe: false,
    async answer(request, trace, response) {
      const { raw } = request
      const { method = '', url = '' } = raw
      const shop = await hosts.find(raw.headers.host, url)
      if (!shop || !url.startsWith('/')) throw refuse('route_not_found')
      if (shop !== 'ours' && 'location' in shop) return movedTo(method, shop.location)
      const lead = shop === 'ours' ? leadOf(findRoute(method, url), request) : await leadOfShop(shop, request)
      if (!lead) throw refuse('route_not_found')
      led.set(raw, lead)
      trace.name = lead.route.name
      return lead.route.answer(lead.request, trace, response)
    },
    refused(refusal, request, requestId) {
      const lead = led.get(request.raw)
      return (lead?.route ?? fallback()).refused(refusal, lead?.request ?? request, requestId)
    },
  }

  // Pages that all shops share are tried first: no page of a shop has such a path.
  async function leadOfShop(shop: HostedRequest, given: Incoming): Promise<Lead | undefined> {
    const { method = '', url = '' } = given.raw
    const common = leadOf(findRoute(method, url), given)
    if (common?.route.isOfShop) {
      const request = { ...common.request, shop }
      return (await common.route.isOfShop(request, shop.merchantId)) ? { ...common, request } : undefined
    }
    const own = leadOf(findRoute(method, shopPath(shop) + url), given)
    return own && { ...own, request: { ...own.request, shop } }
  }

  // Refusals are shown like those of the shop's pages.
  function fallback(): Route {
    const found = findRoute('GET', '/shop')
    if (!found || found === 'bad path' || 'allowed' in found)
      throw new Error('hosts of shops are served, but the storefront has no route GET /shop')
    return found.route
  }
}

interface Lead {
  route: Route
  request: Incoming
}

function leadOf(found: ReturnType<FindRoute>, request: Incoming): Lead | undefined {
  if (!found || found === 'bad path' || 'allowed' in found) return undefined
  return { route: found.route, request: { ...request, path: found.path } }
}

// Redirects permanently to the main host of the shop.
function movedTo(method: string, location: string) {
  if (method !== 'GET' && method !== 'HEAD') throw refuse('route_not_found')
  return { status: 308, body: '', headers: { location, 'cache-control': 'public, max-age=3600' } }
}
