// The addresses for agents. Everything behind them is loaded with the first request: a server that no agent calls does without it.

import type { Incoming, Outgoing, Trace } from '../../platform/http/message.ts'
import { refusalAnswer } from '../../platform/http/refusal.ts'
import type { Route } from '../../platform/http/serve.ts'
import type { MountedSurface } from '../../platform/http/surfaces.ts'
import { late } from '../../platform/kit/late.ts'
import type { AgentParts } from './context.ts'

const surface: MountedSurface['surface'] = {
  name: 'agents',
  base: '/ucp',
  operations: {},
  errorBody: ({ code, message }) => ({ code, content: message }),
}

const patterns = ['/ucp/*', '/.well-known/ucp', '/.well-known/ucp/:version', '/llms.txt'] as const

export function agentRoutes(parts: AgentParts): MountedSurface {
  const serve = late(async () => {
    const { createAgentServer } = await import('./serve.ts')
    return createAgentServer(parts)
  })
  const answer = async (request: Incoming, trace: Trace): Promise<Outgoing> => (await serve())(request, trace)
  const routes = patterns.map(
    (pattern): Route => ({
      methods: pattern === '/ucp/*' ? ['GET', 'POST', 'PUT', 'DELETE'] : ['GET'],
      pattern,
      name: 'agents',
      kind: 'operation',
      isProbe: false,
      answer,
      refused: (refusal, _, requestId) => refusalAnswer(surface, refusal, requestId),
    }),
  )
  return {
    surface,
    routes,
    perform(id) {
      throw new Error(`agents have no operation ${id} to perform`)
    },
  }
}
