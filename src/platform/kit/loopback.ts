// Hosts of the same machine, as a parsed URL names them.

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export function isLoopback({ hostname }: URL): boolean {
  return loopbackHosts.includes(hostname)
}
