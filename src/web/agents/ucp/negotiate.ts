// Versions and capabilities: those of this server, those listed in a platform's profile, and those common to both. Pure.

export interface UcpVersion {
  version: string
  // The member of a profile that contains its keys.
  keysMember: 'keys' | 'signing_keys'
}

// Newest first.
export const ucpVersions = [
  { version: '2026-08-25', keysMember: 'keys' },
  { version: '2026-04-08', keysMember: 'signing_keys' },
] as const satisfies readonly UcpVersion[]

export const newestUcpVersion: UcpVersion = ucpVersions[0]

const shopping = 'dev.ucp.shopping'

// Capabilities of this server, with the name of the schema file and the page of the specification. An extension names its parents.
export const ucpCapabilities: Readonly<Record<string, { schema: string; spec: string; extends?: readonly string[] }>> =
  {
    [`${shopping}.checkout`]: { schema: 'checkout', spec: 'shopping/checkout' },
    [`${shopping}.cart`]: { schema: 'cart', spec: 'shopping/cart' },
    [`${shopping}.order`]: { schema: 'order', spec: 'shopping/order' },
    [`${shopping}.catalog.search`]: { schema: 'catalog_search', spec: 'shopping/catalog/search' },
    [`${shopping}.catalog.lookup`]: { schema: 'catalog_lookup', spec: 'shopping/catalog/lookup' },
    [`${shopping}.discount`]: {
      schema: 'discount',
      spec: 'discount',
      extends: [`${shopping}.checkout`, `${shopping}.cart`],
    },
    [`${shopping}.fulfillment`]: { schema: 'fulfillment', spec: 'fulfillment', extends: [`${shopping}.checkout`] },
  }

export interface PlatformProfile {
  version: string
  // Versions of each capability in the profile.
  capabilities: ReadonlyMap<string, readonly string[]>
  // The first keys, reduced to the members that verifying a signature needs. An invalid key is detected when it is used.
  keys: readonly unknown[]
  // URL for calls about the platform's orders.
  webhookUrl: string | undefined
}

// Returns undefined if the value is not a profile.
export function readPlatformProfile(value: unknown): PlatformProfile | undefined {
  const ucp = membersOf(membersOf(value)?.ucp)
  if (!ucp || typeof ucp.version !== 'string') return undefined
  const named = membersOf(ucp.capabilities)
  const listed = Object.keys(ucpCapabilities).map((name): [string, string[]] => {
    const entries = named?.[name]
    const versions = (Array.isArray(entries) ? entries : []).map((entry: unknown) => membersOf(entry)?.version)
    return [name, ucpVersions.flatMap(({ version }) => (versions.includes(version) ? [version] : []))]
  })
  return {
    version: ucpVersions.find(({ version }) => version === ucp.version)?.version ?? 'another',
    capabilities: new Map(listed),
    keys: keysIn(value, ucp.version),
    webhookUrl: webhookUrlIn(ucp),
  }
}

function keysIn(value: unknown, version: string): readonly unknown[] {
  const dialect = ucpVersions.find((known) => known.version === version) ?? newestUcpVersion
  const keys = membersOf(value)?.[dialect.keysMember]
  return Array.isArray(keys) ? keys.slice(0, keysMax).map(keyView) : []
}

const keysMax = 100
const keyTextMax = 1_000
const operationsMax = 20

function keyView(key: unknown): object {
  const { key_ops: operations, ...members } = membersOf(key) ?? {}
  const texts = ['kid', 'kty', 'crv', 'x', 'y', 'use'].flatMap((name): [string, unknown][] => {
    const value = members[name]
    return typeof value === 'string' && value.length <= keyTextMax ? [[name, value]] : []
  })
  // A `key_ops` that is not a list, or lacks `verify`, means that the key must not verify signatures.
  const isFor = Array.isArray(operations) && operations.slice(0, operationsMax).includes('verify')
  return { ...Object.fromEntries(texts), ...(operations !== undefined && { key_ops: isFor ? ['verify'] : [] }) }
}

function webhookUrlIn({ version, capabilities: listed }: Readonly<Record<string, unknown>>): string | undefined {
  const entries = membersOf(listed)?.[`${shopping}.order`]
  const entry = (Array.isArray(entries) ? entries : []).map(membersOf).find((one) => one?.version === version)
  const url = membersOf(entry?.config)?.webhook_url
  return typeof url === 'string' && url.length <= urlLengthMax ? url : undefined
}

const urlLengthMax = 2_000

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  // The cast holds: the value is an object, not null and not an array.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

export type NegotiationResult =
  // `isActive`: whether both sides support the capability that the row belongs to.
  { dialect: UcpVersion; active: ReadonlySet<string>; isActive: boolean } | 'version_unsupported'

// A caller without a profile is treated as if it listed all capabilities of this server. If `isLenient` (in test mode, if anyone may
// pay), this also applies if the profile cannot be read, has an unknown version or lacks the requested capability.
export function negotiate(
  profile: PlatformProfile | undefined,
  { capability, isLenient }: { capability: string; isLenient: boolean },
): NegotiationResult {
  const dialect = profile ? ucpVersions.find(({ version }) => version === profile.version) : newestUcpVersion
  if (!dialect) return isLenient ? everything(newestUcpVersion) : 'version_unsupported'
  if (!profile) return everything(dialect)
  const active = activeFor(profile, dialect)
  if (!active.has(capability) && isLenient) return everything(dialect)
  return { dialect, active, isActive: active.has(capability) }
}

const allNames: ReadonlySet<string> = new Set(Object.keys(ucpCapabilities))

function everything(dialect: UcpVersion): NegotiationResult {
  return { dialect, active: allNames, isActive: true }
}

// Cached by profile: a profile has one version.
const activeOf = new WeakMap<PlatformProfile, ReadonlySet<string>>()

function activeFor(profile: PlatformProfile, dialect: UcpVersion): ReadonlySet<string> {
  const active = activeOf.get(profile) ?? bothHave(profile, dialect)
  activeOf.set(profile, active)
  return active
}

// Extensions are removed unless both sides support one of their parents.
function bothHave(profile: PlatformProfile, { version }: UcpVersion): ReadonlySet<string> {
  const listed = Object.keys(ucpCapabilities).filter((name) => profile.capabilities.get(name)?.includes(version))
  const both = new Set(listed)
  return new Set(listed.filter((name) => (ucpCapabilities[name]?.extends ?? [name]).some((parent) => both.has(parent))))
}

// Returns the capabilities that an answer names: that of the row, and its extensions.
export function capabilitiesIn(active: ReadonlySet<string>, { version }: UcpVersion, capability: string): object {
  const names = [...active].filter(
    (name) => name === capability || ucpCapabilities[name]?.extends?.includes(capability) === true,
  )
  return Object.fromEntries(names.map((name) => [name, [{ version }]]))
}
