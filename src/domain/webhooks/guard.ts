// Which receivers may be called. Others choose the URL of a webhook, which is called from inside our network, so every URL that is not
// certainly a public receiver is refused: when it is registered, and for each address before connecting.

import { BlockList, isIP } from 'node:net'
import { type BrokenRule, issue } from '../../contract/issues.ts'

export interface GuardOptions {
  // For development: also allows receivers on http, in private networks and on this machine.
  allowPrivate: boolean
}

export const urlLengthMax = 2_000

// Returns what is wrong with the URL of a receiver; undefined if it may be called. Never quotes the URL, which may contain credentials.
export function findTargetProblem(text: string, { allowPrivate }: GuardOptions): BrokenRule | undefined {
  if (text.length > urlLengthMax) return issue('target_too_long', { max: urlLengthMax })
  // A parser silently removes or converts these characters, so a person would see a different URL than the one that is called.
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text)) return issue('target_characters')
  const url = URL.parse(text)
  if (!url) return issue('target_unreadable')
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return issue('target_not_secure')
  if (!/^https?:\/\/[^/]/i.test(text)) return issue('target_host_unclear')
  // The parsed URL does not show an empty user name, so the text is checked.
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return issue('target_has_credentials')
  if (text.includes('#')) return issue('target_has_fragment')
  return hostProblem(url.hostname, { allowPrivate }) ?? portProblem(url, { allowPrivate })
}

// The parser has already converted 2130706433, 0x7f.1, 0177.0.0.1 and full-width digits to 127.0.0.1, so the parsed host is checked
// instead of the text.
function hostProblem(hostname: string, { allowPrivate }: GuardOptions): BrokenRule | undefined {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  if (isIP(address) !== 0)
    return isForbiddenAddress(address, { allowPrivate }) ? issue('target_private_address') : undefined
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  if (name.length > 253 || !name.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label)))
    return issue('target_host_invalid')
  return !allowPrivate && isPrivateName(name) ? issue('target_private_host') : undefined
}

// Endings of names that resolve only on one machine or in one network. Public names with private addresses are refused when they are
// resolved.
// biome-ignore format: a table reads best in one line
const privateEndings = [
  'localhost', 'localdomain', 'local', 'internal', 'intranet', 'private', 'lan', 'home', 'home.arpa', 'corp', 'onion',
]

function isPrivateName(name: string): boolean {
  return !name.includes('.') || privateEndings.some((ending) => `.${name}`.endsWith(`.${ending}`))
}

// Ports of services that run without a password in many networks, and that treat an HTTP request as commands or as that of an
// administrator: databases, caches, queues, remote shells, orchestrators. No webhook receivers listen there.
const forbiddenPorts: ReadonlySet<number> = new Set([
  1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4243, 5432, 5672, 5900, 5984, 5985, 5986, 6000, 6379,
  6443, 6667, 8200, 8500, 9042, 9092, 9200, 9300, 10250, 10255, 11211, 15672, 27017, 27018, 27019,
])

// Ports below 1024 belong to mail, file and login services, except the port of https.
function portProblem({ protocol, port }: URL, { allowPrivate }: GuardOptions): BrokenRule | undefined {
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  const isUsual = number === 443 || (allowPrivate && number === 80) || number >= 1024
  return isUsual && !forbiddenPorts.has(number) ? undefined : issue('target_port')
}

// Returns true for everything that is not certainly a public address, including text that is not an address. For IPv4 the special blocks
// are listed. IPv6 has many ways to embed an IPv4 address (NAT64, 6to4, Teredo, ISATAP, compatible), so only the block of public
// addresses is allowed, without the special blocks in it.
export function isForbiddenAddress(address: string, { allowPrivate }: GuardOptions): boolean {
  // Only link-local addresses have a zone (`%eth0`).
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0) return true
  if (family === 6 && !mappedAddresses.check(address, 'ipv6')) {
    if (metadata.check(address, 'ipv6')) return true
    if (allowPrivate && privateNetworks.check(address, 'ipv6')) return false
    return !publicV6.check(address, 'ipv6') || special.check(address, 'ipv6')
  }
  // The lists resolve mapped addresses: ::ffff:127.0.0.1 is checked as 127.0.0.1.
  const kind = family === 6 ? 'ipv6' : 'ipv4'
  if (metadata.check(address, kind)) return true
  if (allowPrivate && privateNetworks.check(address, kind)) return false
  return special.check(address, kind) || privateNetworks.check(address, kind)
}

const mappedAddresses = listOf('::ffff:0:0/96')
const publicV6 = listOf('2000::/3')

// Never allowed: these addresses are those of metadata services, which return the credentials of the machine.
const metadata = listOf(
  '169.254.0.0/16', // link-local; 169.254.169.254 of most clouds
  '168.63.129.16/32', // Azure; in the range of public addresses
  '100.100.100.200/32', // Alibaba Cloud
  '192.0.0.192/32', // Oracle Cloud
  'fe80::/10', // link-local
  'fd00:ec2::/32', // Amazon
  'fd20:ce::/32', // Google
)

const privateNetworks = listOf(
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
)

// IANA's registries of special-purpose addresses, without the private blocks above.
const special = listOf(
  '0.0.0.0/8', // this network; on Linux it connects to this machine
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels
  '192.88.99.0/24', // 6to4 relays
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '2001::/23', // protocol assignments, with Teredo, benchmarks and ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // formerly 6bone
  '3fff::/20', // documentation
)

function listOf(...blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [net = '', prefix] = block.split('/')
    list.addSubnet(net, Number(prefix), net.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
