// The ceiling: a bare Fastify route that answers the same bytes as our server, with as many headers, and does nothing
// else. The argument is a file with the answers; the last variable part of the path selects one.

import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

export interface CeilingPlan {
  method: 'GET' | 'PATCH'
  // In Fastify's syntax, with the variable part that selects the answer as `:key`.
  path: string
  headers: Readonly<Record<string, string>>
  answers: Readonly<Record<string, string>>
}

const plan = JSON.parse(await readFile(process.argv[2] as string, 'utf8')) as CeilingPlan
const answers = new Map(Object.entries(plan.answers))
const server = Fastify()
server.route({
  method: plan.method,
  url: plan.path,
  handler(request, reply) {
    const { key = '' } = request.params as { key?: string }
    return reply.headers(plan.headers).send(answers.get(key))
  },
})
await server.listen({ port: 0, host: '127.0.0.1' })
const { port } = server.server.address() as AddressInfo
process.stdout.write(`${JSON.stringify({ message: 'listening', port })}\n`)
process.on('SIGTERM', () => process.exit(0))
