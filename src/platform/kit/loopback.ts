// Hosts of the same machine, as a parsed URL names them.

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export function isLoopback({ hostname }: URL): boolean {
  return loopbackHosts.includes(hostname)
}

// As a server is given an address to listen on.
export function isLoopbackAddress(host: string): boolean {
  return host === '::1' || loopbackHosts.includes(host)
}
