// Requests to every row of the admin surface, made of its schemas: a good one broken in one place must be a 400 that names the
// place, a value that is drawn from the schema must have an answer that the row declares, and queries are judged alike.

import { goodAdminRequest } from '../harness/admin/world.ts'
import type { RowRequest } from '../harness/rows.ts'
import type { Answer } from '../harness/testServer.ts'
import { type AdminOperationId, adminOperationIds, adminOperations } from '../src/contract/admin/operations.ts'
import type { AdminOperation } from '../src/contract/admin/row.ts'
import type { TSchema } from '../src/contract/schema.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { type ProofTestServer, withAdminTestServer } from './adminserver.ts'
import type { Ground } from './place.ts'
import { pick } from './random.ts'
import { brokenFrom, goodValue, type Json } from './requests.ts'
import type { RunResult, RunTools } from './runs.ts'

// A good request is made anew so often: some have an effect only once.
const freshEvery = 20

export async function runAdminContract(
  ground: Ground,
  { requests }: { requests: number },
  tools: RunTools,
): Promise<RunResult> {
  return withAdminTestServer(ground, async (testServer) => {
    const asking = new AdminAsking(testServer, tools.random)
    for (const id of adminOperationIds) {
      let good: RowRequest | undefined
      for (let index = 0; index < requests; index += 1) {
        if (index % freshEvery === 0) good = await goodAdminRequest(testServer, id)
        await asking.ask(id, good ?? {})
        tools.tell(`admin: ${id}, ${index + 1} of ${requests}`)
      }
    }
    const failed = testServer.lines().filter(({ level }) => level === 'error')
    for (const line of failed.slice(0, 5))
      asking.violations.add(`an error was logged: ${JSON.stringify(line).slice(0, 500)}`)
    return { seen: Object.fromEntries(asking.seen), violations: [...asking.violations].slice(0, 50) }
  })
}

class AdminAsking {
  readonly testServer: ProofTestServer
  readonly random: () => number
  readonly violations = new Set<string>()
  readonly seen = new Map<string, number>([['adminOperations', adminOperationIds.length]])

  constructor(testServer: ProofTestServer, random: () => number) {
    this.testServer = testServer
    this.random = random
  }

  async ask(id: AdminOperationId, good: RowRequest): Promise<void> {
    const row: AdminOperation = adminOperations[id]
    if (row.body === null || this.random() < 0.1) return this.#askQuery(id, row, good)
    if (this.random() < 0.25) return this.#askDrawn(id, row.body, good)
    const broken = brokenFrom(row.body, (good.body ?? {}) as Json, strangers, this.random)
    if (!broken) return
    const answer = await this.#send(id, { ...good, body: broken.text }, true)
    this.#count(`admin, bad, ${broken.how}`)
    const what = `${id}, ${broken.how} at ${broken.place}: ${broken.text.slice(0, 300)}`
    if (answer?.status !== 400) return void this.violations.add(`${what} is answered ${answer?.status}`)
    const { issues } = answer.body.error as { issues: { path: string }[] }
    const isNamed = issues.some(
      ({ path }) => path === broken.place || broken.place.startsWith(`${path}/`) || path.startsWith(`${broken.place}/`),
    )
    if (!isNamed) this.violations.add(`${what} is refused at ${issues.map(({ path }) => path).join(' ')}`)
  }

  // What no schema expresses may refuse it, but only as the row declares.
  async #askDrawn(id: AdminOperationId, schema: TSchema, good: RowRequest): Promise<void> {
    const body = goodValue(schema, { idempotencyKey: () => newId('req') }, this.random)
    const drawn = { ...(body as object), idempotencyKey: newId('req') }
    const answer = await this.#send(id, { ...good, body: drawn }, false)
    this.#count(`admin, drawn: ${answer?.status}`)
  }

  async #askQuery(id: AdminOperationId, row: AdminOperation, good: RowRequest): Promise<void> {
    const names = Object.keys((row.query as { properties?: object } | undefined)?.properties ?? {})
    const bad = ['page=2', 'cursor=', 'cursor=x', 'a=1&a=2', '%00=1', 'fields[]=x', '__proto__=1']
    const own = names.flatMap((name) => [
      `${name}=%00`,
      `${name}=a&${name}=b&${name}=c`,
      `${name}=${'x'.repeat(3_000)}`,
    ])
    const isGood = this.random() < 0.3
    const query = isGood ? (good.query ?? '') : `?${pick(this.random, [...bad, ...own])}`
    const { body: _, ...rest } = good
    const request = row.body === null ? rest : { ...good, body: { ...good.body, idempotencyKey: newId('req') } }
    const answer = await this.#send(id, { ...request, query }, !isGood)
    this.#count(isGood ? `admin, read: ${answer?.status}` : 'admin, bad, query')
    // Three thousand characters may be a text to search for.
    if (!isGood && answer?.status !== 400)
      this.violations.add(`${id}${query.slice(0, 80)} is answered ${answer?.status}`)
  }

  // An answer that the row does not declare is thrown by the server.
  async #send(
    id: AdminOperationId,
    request: Omit<RowRequest, 'body'> & { body?: unknown },
    isBad: boolean,
  ): Promise<Answer | undefined> {
    try {
      const answer = await this.testServer.askAdmin(id, request)
      if (answer.status >= 500) this.violations.add(`${id} is answered ${answer.status}`)
      return answer
    } catch (error) {
      const sentence = `${id}${isBad ? ', broken' : ''}: ${String(error).slice(0, 600)} to ${JSON.stringify(request).slice(0, 400)}`
      this.violations.add(sentence)
      return undefined
    }
  }

  #count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1)
  }
}

// Members of answers, which no request has.
const strangers = ['data', 'meta', 'createdAt', 'merchantId', 'actor', 'written', 'undoneBy']
