// Hosts of this machine, in the form in which a parsed URL has them.

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export function isLoopback({ hostname }: URL): boolean {
  return loopbackHosts.includes(hostname)
}

// Returns whether an address on which a server listens is a loopback address.
export function isLoopbackAddress(host: string): boolean {
  return host === '::1' || loopbackHosts.includes(host)
}
