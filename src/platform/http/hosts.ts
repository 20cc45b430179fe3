// Requests by the names of shops. Under the public name everything is answered; under that of a shop only the shop, and what its shoppers
// meet: their checkout, their orders, its pictures. A name that belongs to none is not found. The name is the Host header alone: a
// proxy in front passes it on, and X-Forwarded-Host is not read.

import type { IncomingMessage } from 'node:http'
import { refuse } from '../kit/refuse.ts'
import type { HostedRequest, Incoming } from './message.ts'
import type { FindRoute } from './router.ts'
import type { Route } from './serve.ts'

export interface ShopHosts {
  // Whether everything is answered under this name: the public one, an address, a name of this machine or network.
  isOurs(header: string | undefined): boolean
  // `ours`: no shop has a host, so every name is ours. Undefined: a name of no shop.
  find(header: string | undefined, path: string): Promise<HostedRequest | { location: string } | 'ours' | undefined>
}

// Below which the pages of a shop are found.
const shopPath = ({ slug }: HostedRequest) => `/shops/${slug}`

// One route for every request that comes by another name than ours: where it leads is known once the name was looked up.
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

  // Pages that shops have in common come before those of the shop: none of its own pages has such a path.
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

  // Refuses in the way of the shop's pages.
  function fallback(): Route {
    const found = findRoute('GET', '/shop')
    if (!found || found === 'bad path' || 'allowed' in found) throw new Error('there are hosts of shops and no shop')
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

// To the main host, for good.
function movedTo(method: string, location: string) {
  if (method !== 'GET' && method !== 'HEAD') throw refuse('route_not_found')
  return { status: 308, body: '', headers: { location, 'cache-control': 'public, max-age=3600' } }
}
