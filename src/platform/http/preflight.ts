// Answers the CORS preflight that a browser sends before a page of another origin calls an operation (Fetch Standard, CORS-preflight
// request).

import type { Operation } from '../../contract/surface.ts'
import { addressBucket, type Throttle } from '../access/throttle.ts'
import { refuse } from '../kit/refuse.ts'
import type { Outgoing } from './message.ts'
import type { Route } from './serve.ts'

export interface PreflightParts {
  throttle: Throttle | null
  isKnownOrigin: (origin: string, now: number) => Promise<boolean>
  clock: () => Date
  refused: Route['refused']
}

// Returns one route for each path that pages of other origins may call.
export function preflightRoutes(rows: readonly Operation[], parts: PreflightParts): Route[] {
  const paths = Map.groupBy(
    rows.filter(({ forPages }) => forPages),
    ({ path }) => path,
  )
  return [...paths].map(([path, operations]) => preflightRoute(path, operations, parts))
}

function preflightRoute(
  path: string,
  operations: readonly Operation[],
  { throttle, isKnownOrigin, clock, refused }: PreflightParts,
): Route {
  const methods = operations.map(({ method }) => method)
  const isOfCustomer = operations.some(({ caller }) => caller === 'customer')
  return {
    methods: ['OPTIONS'],
    pattern: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    name: 'preflight',
    kind: 'operation',
    isProbe: false,
    async answer({ raw, address }, trace): Promise<Outgoing> {
      const { origin } = raw.headers
      const allow = [...methods.flatMap(withHead), 'OPTIONS'].join(', ')
      // The caller is not a browser: it gets the list of methods, as for any other path.
      if (origin === undefined || raw.headers['access-control-request-method'] === undefined)
        return { status: 204, body: '', headers: { allow } }
      const now = clock().getTime()
      const waitMs = throttle?.take(addressBucket(address), now)
      if (waitMs) throw refuse('rate_limited', { retryAfterMs: waitMs })
      if (!(await isKnownOrigin(origin, now)))
        throw refuse('scope_missing', {
          message: 'The origin of this page is not among the origins of a publishable key.',
        })
      trace.pageOrigin = origin
      return {
        status: 204,
        body: '',
        headers: {
          allow,
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': `authorization, content-type, idempotency-key${isOfCustomer ? ', customer-session' : ''}`,
          // Harmless: calls with a revoked key fail even if the preflight is cached.
          'access-control-max-age': '600',
          'cache-control': 'no-store',
        },
      }
    },
    refused,
  }
}

function withHead(method: Operation['method']): string[] {
  return method === 'GET' ? [method, 'HEAD'] : [method]
}
