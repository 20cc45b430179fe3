// Mounts an API surface on the server: each of its operations becomes a route, and can also be performed without HTTP.

import type { Operation, Surface } from '../../contract/surface.ts'
import type { Principal } from '../access/principal.ts'
import type { Refusal } from '../kit/refuse.ts'
import { createOperationCaller, type OperationCall } from './asked.ts'
import { type Callable, type CallParts, createCallReader } from './call.ts'
import { createChecks } from './checks.ts'
import { matchesIfNoneMatch } from './conditional.ts'
import type { Gate } from './gates.ts'
import type { Handlers } from './handler.ts'
import { type Incoming, jsonType, type Outgoing, type Trace } from './message.ts'
import { type AnyHandler, createPerform, type PerformedAnswer, type PerformParts } from './perform.ts'
import { preflightRoutes } from './preflight.ts'
import { refusalAnswer } from './refusal.ts'
import type { Route } from './serve.ts'

export type SurfaceParts = CallParts & PerformParts

export interface Mount<Rows extends Readonly<Record<string, Operation>>, Callers> {
  surface: Surface<Rows>
  handlers: Handlers<Rows, Callers>
  // Gates by the `caller` of the operations.
  gates: { readonly [Kind in keyof Callers]: Callers[Kind] extends Principal ? Gate<Callers[Kind]> : never }
}

export interface MountedSurface {
  surface: Surface
  routes: readonly Route[]
  perform(id: string, asked: OperationCall): Promise<PerformedAnswer>
  // Returns the operation at a path, for callers inside the process.
  find(method: string, path: string): { id: string; path: Readonly<Record<string, string>> } | undefined
}

export function mountSurface<Rows extends Readonly<Record<string, Operation>>, Callers>(
  parts: SurfaceParts,
  { surface, handlers, gates }: Mount<Rows, Callers>,
): MountedSurface {
  const readCall = createCallReader(parts)
  const perform = createPerform(parts)
  const performAsked = createOperationCaller(parts, perform)
  const callables = new Map(
    Object.entries(surface.operations).map(([id, operation]): [string, Callable] => {
      // The casts hold: the types were checked by `Mount`. From here on, all handlers have the common type.
      const handler = handlers[id] as unknown as AnyHandler
      const gate = (gates as Readonly<Record<string, Gate>>)[operation.caller] ?? null
      if (!gate && operation.caller !== 'anyone')
        throw new Error(`the operation ${id} has no gate for the caller ${operation.caller}`)
      return [id, { id, operation, handler, gate, checks: createChecks(operation) }]
    }),
  )

  async function answer(callable: Callable, request: Incoming, trace: Trace): Promise<Outgoing> {
    const { call, headers } = await readCall(callable, request, trace)
    const { status, body, headers: own, isReplayed } = await perform(callable, call)
    const sent: Record<string, string> = { ...usualHeaders(callable), ...own, ...headers }
    if (isReplayed) sent['idempotency-replayed'] = 'true'
    return orNotModified({ status, body, headers: sent, ...compressing(callable) }, request)
  }

  const routeOf = (callable: Callable): Route => ({
    methods: [callable.operation.method],
    pattern: callable.operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    name: callable.id,
    kind: 'operation',
    isProbe: false,
    answer: (request, trace) => answer(callable, request, trace),
    refused(refusal: Refusal, _, requestId) {
      const refused = refusalAnswer(surface, refusal, requestId)
      return { ...refused, headers: { ...openly(callable), ...refused.headers } }
    },
  })

  return {
    surface,
    routes: [
      ...[...callables.values()].map(routeOf),
      ...preflightRoutes(Object.values(surface.operations), {
        throttle: parts.throttles.byVisitor,
        isKnownOrigin: parts.isKnownOrigin,
        clock: parts.clock,
        refused: (refusal, _, requestId) => refusalAnswer(surface, refusal, requestId),
      }),
    ],
    async perform(id, asked) {
      const callable = callables.get(id)
      if (!callable) throw new Error(`the surface ${surface.name} has no operation ${id}`)
      return performAsked(callable, asked)
    },
    find: finderOf(surface),
  }
}

// No proxy or cache may store a response, unless its handler allows it.
const privately = { 'content-type': jsonType, 'cache-control': 'no-store' }

// A page of any origin may read the responses and refusals of operations without a credential.
const toAll = { 'access-control-allow-origin': '*' }
const nothing = {}

function openly({ operation }: Callable): Readonly<Record<string, string>> {
  return operation.caller === 'anyone' ? toAll : nothing
}

const openlyPrivately = { ...privately, ...toAll }

function usualHeaders({ operation }: Callable): Readonly<Record<string, string>> {
  return operation.caller === 'anyone' ? openlyPrivately : privately
}

const fast = { compress: 'fast' } as const

// Responses that anyone may read, and those of the catalog, contain no secret.
function compressing({ operation: { caller, isCatalog } }: Callable): Pick<Outgoing, 'compress'> {
  return caller === 'anyone' || isCatalog ? fast : nothing
}

// Answers 304 if the client already has this representation.
function orNotModified(outgoing: Outgoing, { raw }: Incoming): Outgoing {
  const { etag } = outgoing.headers
  return etag !== undefined && matchesIfNoneMatch(raw, etag) ? { ...outgoing, status: 304, body: '' } : outgoing
}

const finders = new WeakMap<Surface, MountedSurface['find']>()

// Apps of the same surface in one process share it: splitting some hundred paths was an eighth of the time to create an app.
function finderOf(surface: Surface): MountedSurface['find'] {
  const finder = finders.get(surface) ?? createFinder(surface)
  finders.set(surface, finder)
  return finder
}

// Few operations share a method and a number of path segments, so they are tried one after the other.
function createFinder({ operations }: Surface): MountedSurface['find'] {
  const rows = Object.entries(operations).map(([id, { method, path }]) => ({ id, method, parts: path.split('/') }))
  const byShape = Map.groupBy(rows, ({ method, parts }) => `${method} ${parts.length}`)
  return (method, path) => {
    const given = path.split('/')
    for (const { id, parts } of byShape.get(`${method} ${given.length}`) ?? []) {
      if (!parts.every((part, at) => part.startsWith('{') || part === given[at])) continue
      const named = parts.flatMap((part, at): [string, string][] =>
        part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(given[at] ?? '')]] : [],
      )
      return { id, path: Object.fromEntries(named) }
    }
    return undefined
  }
}
