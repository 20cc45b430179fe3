// Hosts of this machine, as a parsed URL spells them.

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export function isLoopback({ hostname }: URL): boolean {
  return loopbackHosts.includes(hostname)
}

// Whether an address for a server to listen on is a loopback address.
export function isLoopbackAddress(host: string): boolean {
  return host === '::1' || loopbackHosts.includes(host)
}
