// The addresses for agents. Everything behind them is loaded with the first request: a server that no agent calls does without it.

import type { Incoming, Outgoing, Trace } from '../../platform/http/message.ts'
import { refusalAnswer } from '../../platform/http/refusal.ts'
import type { Route } from '../../platform/http/serve.ts'
import type { MountedSurface } from '../../platform/http/surfaces.ts'
import { late } from '../../platform/kit/late.ts'
import type { AgentParts } from './context.ts'
import type { AdminMcpParts } from './mcp/admin.ts'

const surface: MountedSurface['surface'] = {
  name: 'agents',
  base: '/ucp',
  operations: {},
  errorBody: ({ code, message }) => ({ code, content: message }),
}

const loadAdmin = late(() => import('./mcp/admin.ts'))

export function agentRoutes(parts: AgentParts, adminParts: AdminMcpParts): MountedSurface {
  const serve = late(async () => {
    const { createAgentServer } = await import('./serve.ts')
    return createAgentServer(parts)
  })
  const answer = async (request: Incoming, trace: Trace): Promise<Outgoing> => (await serve())(request, trace)
  const answerAdmin = async (request: Incoming, trace: Trace): Promise<Outgoing> => {
    const { answerAdminMcp } = await loadAdmin()
    return answerAdminMcp(adminParts, request, trace)
  }
  const routeOf = (pattern: string, methods: Route['methods'], by: Route['answer']): Route => ({
    methods,
    pattern,
    name: 'agents',
    kind: 'operation',
    isProbe: false,
    answer: by,
    refused: (refusal, _, requestId) => refusalAnswer(surface, refusal, requestId),
  })
  const routes = [
    routeOf('/ucp/*', ['GET', 'POST', 'PUT', 'DELETE'], answer),
    ...['/.well-known/ucp', '/.well-known/ucp/:version', '/llms.txt'].map((path) => routeOf(path, ['GET'], answer)),
    routeOf('/api/v1/admin/mcp', ['GET', 'POST', 'DELETE'], answerAdmin),
  ]
  return {
    surface,
    routes,
    find: () => undefined,
    perform(id) {
      throw new Error(`agents have no operation ${id} to perform`)
    },
  }
}
