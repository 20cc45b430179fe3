// The profile of a shop: which versions, services and capabilities it has, and how it can be paid. Pure.

import { capabilities, type Dialect, dialects, newest } from './negotiate.ts'

export interface ShownHandler {
  id: string
  name: string
  version: string
  instruments: readonly string[]
  config: object | undefined
  // The provider, and its name of the merchant's account where it makes tokens for it.
  psp: string
  delegatedTo: string | undefined
}

export interface ProfileFacts {
  base: string
  // Whether agents may pay; otherwise no orders are made here by them.
  mayBuy: boolean
  handlers: readonly ShownHandler[]
  // By which the shop signs.
  keys: readonly object[]
}

export function profileOf({ base, mayBuy, handlers, keys }: ProfileFacts, dialect: Dialect): object {
  const { version, keysMember } = dialect
  const site = `https://ucp.dev/${version}`
  const spec = `${site}/specification/overview`
  const older = dialects.filter((other) => other.version !== newest.version)
  return {
    ucp: {
      version,
      ...(version === newest.version && {
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
        Object.entries(capabilities)
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
      payment_handlers: handlersIn(handlers),
    },
    [keysMember]: keys,
  }
}

// By name, as profiles and checkouts have them.
export function handlersIn(handlers: readonly ShownHandler[]): object {
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

// The name of a handler of this server's own: its host, backwards. An address is not a name.
export function reversedHost(origin: string): string {
  const { hostname } = new URL(origin)
  return /^[a-z][a-z0-9.-]*$/.test(hostname) && hostname !== 'localhost'
    ? hostname.split('.').toReversed().join('.')
    : 'localhost'
}
