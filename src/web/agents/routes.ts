// The routes for agents. The code behind them is loaded with the first request, so a server without agents never loads it.

import { refusals } from '../../contract/refusals.ts'
import type { Incoming, Outgoing, Trace } from '../../platform/http/message.ts'
import { refusalAnswer } from '../../platform/http/refusal.ts'
import type { Route } from '../../platform/http/serve.ts'
import type { MountedSurface } from '../../platform/http/surfaces.ts'
import { loadOnce } from '../../platform/kit/late.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import type { Counts } from '../../platform/metrics/counts.ts'
import { acpError } from './acp/error.ts'
import type { AgentParts } from './context.ts'
import type { AdminMcpParts } from './mcp/admin.ts'

const surface: MountedSurface['surface'] = {
  name: 'agents',
  base: '/ucp',
  operations: {},
  errorBody: ({ code, message }) => ({ code, content: message }),
}

// For refusals before an operation is found, in the form of ACP.
const acpSurface: MountedSurface['surface'] = {
  ...surface,
  base: '/acp',
  errorBody: (facts) => acpError(facts),
}

// For refusals before an operation is found, in the form of MCP.
const mcpSurface: MountedSurface['surface'] = {
  ...surface,
  errorBody: ({ code, message, status }) => ({
    jsonrpc: '2.0',
    error: { code: status === 500 ? -32603 : -32000, message, data: { code } },
  }),
}

type Answering = (request: Incoming, trace: Trace) => Promise<Outgoing>

// A call is counted under the name of its operation, or as `none` if it has no operation: a profile, a list of tools, an unknown path.
function counted(calls: Counts, answer: Answering): Answering {
  return async (request, trace) => {
    const raise = (status: number) => {
      const path = pathOf(request)
      const protocol = path === '/api/v1/admin/mcp' ? 'mcp_admin' : protocolOf(path)
      const outcome = status < 400 ? 'answered' : status < 500 ? 'refused' : 'failed'
      calls.raise({ protocol, tool: trace.name === null || trace.name === routeName ? 'none' : trace.name, outcome })
    }
    try {
      const answered = await answer(request, trace)
      raise(answered.status)
      return answered
    } catch (error) {
      raise(error instanceof Refusal ? refusals[error.code].status : 500)
      throw error
    }
  }
}

const routeName = 'agents'

const pathOf = ({ raw }: Incoming): string => raw.url?.split('?', 1)[0] ?? ''

function protocolOf(path: string): string {
  if (path.startsWith('/acp/')) return 'acp'
  return path.endsWith('/mcp') ? 'mcp' : 'ucp'
}

const loadAdmin = loadOnce(() => import('./mcp/admin.ts'))

export function agentRoutes(parts: AgentParts, adminParts: AdminMcpParts): MountedSurface {
  const serve = loadOnce(async () => {
    const { createAgentServer } = await import('./serve.ts')
    return createAgentServer(parts)
  })
  const answer = counted(parts.calls, async (request, trace) => (await serve())(request, trace))
  const answerAdmin = counted(parts.calls, async (request, trace) => {
    const { answerAdminMcp } = await loadAdmin()
    return answerAdminMcp(adminParts, request, trace)
  })
  const routeOf = (pattern: string, methods: Route['methods'], by: Route['answer'], form = surface): Route => ({
    methods,
    pattern,
    name: routeName,
    kind: 'operation',
    isProbe: false,
    answer: by,
    refused: (refusal, request, requestId) =>
      refusalAnswer(pathOf(request).endsWith('/mcp') ? mcpSurface : form, refusal, requestId),
  })
  const routes = [
    routeOf('/ucp/*', ['GET', 'POST', 'PUT', 'DELETE'], answer),
    routeOf('/acp/*', ['GET', 'POST'], answer, acpSurface),
    ...['/.well-known/ucp', '/.well-known/ucp/:version', '/llms.txt', '/agents', '/agents/:shop'].map((path) =>
      routeOf(path, ['GET'], answer),
    ),
    routeOf('/api/v1/admin/mcp', ['GET', 'POST', 'DELETE'], answerAdmin),
  ]
  return {
    surface,
    routes,
    find: () => undefined,
    perform(id) {
      throw new Error(`agent routes cannot perform the operation ${id}`)
    },
  }
}
