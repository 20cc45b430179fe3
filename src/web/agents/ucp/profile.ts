// The profile of a shop: its versions, services, capabilities and payment handlers. Pure.

import { newestUcpVersion, type UcpVersion, ucpCapabilities, ucpVersions } from './negotiate.ts'

export interface ShownHandler {
  id: string
  name: string
  version: string
  instruments: readonly string[]
  config: object | undefined
  // The payment provider, and its id of the merchant's account if platforms get tokens for that account.
  psp: string
  delegatedTo: string | undefined
}

export interface ProfileFacts {
  base: string
  // Whether agents may pay; otherwise they cannot place orders in this shop.
  mayBuy: boolean
  handlers: readonly ShownHandler[]
  // Public keys that verify the shop's signatures.
  keys: readonly object[]
}

export function buildProfile({ base, mayBuy, handlers, keys }: ProfileFacts, dialect: UcpVersion): object {
  const { version, keysMember } = dialect
  const site = `https://ucp.dev/${version}`
  const spec = `${site}/specification/overview`
  const older = ucpVersions.filter((other) => other.version !== newestUcpVersion.version)
  return {
    ucp: {
      version,
      ...(version === newestUcpVersion.version && {
        supported_versions: Object.fromEntries(
          older.map((other) => [other.version, `${base}/.well-known/ucp/${other.version}`]),
        ),
      }),
      services: {
        'dev.ucp.shopping': [
          { version, transport: 'rest', endpoint: base, schema: `${site}/services/shopping/rest.openapi.json`, spec },
          {
            version,
            transport: 'mcp',
            endpoint: `${base}/mcp`,
            schema: `${site}/services/shopping/mcp.openrpc.json`,
            spec,
          },
        ],
      },
      capabilities: Object.fromEntries(
        Object.entries(ucpCapabilities)
          .filter(([name]) => mayBuy || name !== 'dev.ucp.shopping.order')
          .map(([name, { schema, spec: page, extends: parents }]) => [
            name,
            [
              {
                version,
                spec: `${site}/specification/${page}`,
                schema: `${site}/schemas/shopping/${schema}.json`,
                ...(parents && { extends: parents.length === 1 ? parents[0] : parents }),
              },
            ],
          ]),
      ),
      payment_handlers: groupHandlersByName(handlers),
    },
    [keysMember]: keys,
  }
}

// Groups handlers by name, the form of profiles and checkouts.
export function groupHandlersByName(handlers: readonly ShownHandler[]): object {
  const known = byName.get(handlers) ?? grouped(handlers)
  byName.set(handlers, known)
  return known
}

// Cached by identity of the list: most requests share one list.
const byName = new WeakMap<readonly ShownHandler[], object>()

function grouped(handlers: readonly ShownHandler[]): object {
  return Object.fromEntries(
    Object.entries(Object.groupBy(handlers, ({ name }) => name)).map(([name, same = []]) => [
      name,
      same.map(({ id, version, instruments, config }) => ({
        id,
        version,
        available_instruments: instruments.map((type) => ({ type })),
        ...(config && { config }),
      })),
    ]),
  )
}

// Returns the prefix of the names of this server's own handlers: its host name, reversed. An IP address cannot be part of a name.
export function reversedHost(origin: string): string {
  const { hostname } = new URL(origin)
  return /^[a-z][a-z0-9.-]*$/.test(hostname) && hostname !== 'localhost'
    ? hostname.split('.').toReversed().join('.')
    : 'localhost'
}
