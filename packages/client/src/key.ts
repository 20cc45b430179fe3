// An API key as a credential. It is in the closure and in the header of requests to the server, nowhere else.

import { type Credential, methodsFrom, type TransportOptions } from './call.ts'

export interface ClientOptions extends TransportOptions {
  /**
   * An API key: `cwk_test_…` or `cwk_live_…` on a server, a publishable one (`cwp_…`) on a page. Left out, only what is open to anyone
   * can be called.
   */
  key?: string | undefined
  /** A live secret key in a browser belongs to anyone who opens its tools. Refused unless this is true. */
  dangerouslyAllowBrowser?: boolean | undefined
}

export function keyedMethods(
  table: Parameters<typeof methodsFrom>[0],
  { key, dangerouslyAllowBrowser = false, ...transport }: ClientOptions,
): unknown {
  if (key !== undefined && /[^\x21-\x7e]/.test(key)) throw new TypeError('key is not an API key')
  if (key?.startsWith('cwk_live_') && isBrowser() && !dangerouslyAllowBrowser)
    throw new TypeError(
      'A live key in a browser can be read by anyone. Use a publishable key (cwp_live_…), or call from your server.',
    )
  const credential: Credential | undefined = key ? { headers: () => ({ authorization: `Bearer ${key}` }) } : undefined
  return methodsFrom(table, transport, credential)
}

// A page, or a worker of one. Workers of edge runtimes have neither.
function isBrowser(): boolean {
  const scope = globalThis as { document?: unknown; importScripts?: unknown }
  return scope.document !== undefined || typeof scope.importScripts === 'function'
}
