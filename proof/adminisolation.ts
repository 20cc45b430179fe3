// Another merchant, and the same one in the other mode, send the good request of every row of the admin surface: the ids in it
// must be answered as ids that never were, byte for byte, in paths, queries and bodies, and nothing may change.

import { goodAdminRequest, isSharedByModes } from '../harness/admin/world.ts'
import type { RowRequest } from '../harness/rows.ts'
import type { Answer } from '../harness/testServer.ts'
import { type AdminOperationId, adminOperationIds, adminOperations } from '../src/contract/admin/operations.ts'
import type { AdminOperation } from '../src/contract/admin/row.ts'
import { shopOperationRows } from '../src/contract/admin/shop.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { dumpOf, type ProofTestServer, withAdminTestServer } from './adminserver.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools } from './runs.ts'

const idPattern = /\b([a-z]{3,4})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

export async function runAdminIsolation(
  ground: Ground,
  { rounds }: { rounds: number },
  tools: RunTools,
): Promise<RunResult> {
  return withAdminTestServer(ground, async (testServer) => {
    const run = new Isolation(testServer)
    for (let round = 0; round < rounds; round += 1)
      for (const id of adminOperationIds) {
        await run.probe(id)
        await run.refuseOthers(id)
        tools.tell(`admin: round ${round + 1} of ${rounds}, ${id}`)
      }
    await run.lists()
    if (run.seen.adminForeign === 0) run.violations.add('no admin operation takes an id')
    return { seen: { ...run.seen }, violations: [...run.violations].slice(0, 50) }
  })
}

class Isolation {
  readonly testServer: ProofTestServer
  readonly violations = new Set<string>()
  readonly seen = { adminOperations: adminOperationIds.length, adminForeign: 0, adminKeys: 0, adminLists: 0 }

  constructor(testServer: ProofTestServer) {
    this.testServer = testServer
  }

  async probe(id: AdminOperationId): Promise<void> {
    const { testServer } = this
    const strangers = [{ name: 'another merchant', key: testServer.keys.rivalAdmin }]
    // What both modes share is not foreign to either.
    if (!isSharedByModes(id) && !(id in shopOperationRows))
      strangers.push({ name: 'the other mode', key: testServer.liveKey })
    for (const { name, key } of strangers) {
      const request = withKey(await goodAdminRequest(testServer, id))
      const before = await dumpOf(testServer.storage)
      // What is stored nowhere is only a name that looks like an id.
      const ids = idsIn(request).filter((one) => before.includes(one))
      if (ids.length === 0) return
      const unknown = new Map(ids.map((one) => [one, newId(one.slice(0, one.indexOf('_')))]))
      const [foreign, random] = [
        await this.#send(id, request, key, ids),
        await this.#send(id, withKey(replaced(request, unknown)), key, [...unknown.values()]),
      ]
      this.seen.adminForeign += 1
      if (foreign !== random)
        this.violations.add(
          `${id} answers ids of ${name} ${foreign.slice(0, 300)}, and unknown ones ${random.slice(0, 300)}`,
        )
      if (before !== (await dumpOf(testServer.storage))) this.violations.add(`${id} by ${name} has changed something`)
      const { path } = adminOperations[id] as AdminOperation
      if (path.includes('{') && !foreign.startsWith('404 '))
        this.violations.add(`${id} answers ids of ${name} with ${foreign.slice(0, 100)}`)
      // Nothing of the request was used up by the stranger.
      const own = await testServer.askAdmin(id, request)
      if (own.status !== 200) this.violations.add(`${id} answers its owner ${own.status} after ${name} has asked`)
    }
  }

  // Wrong keys, none, and those without the scope.
  async refuseOthers(id: AdminOperationId): Promise<void> {
    const { testServer } = this
    const row = adminOperations[id] as AdminOperation
    const request = await goodAdminRequest(testServer, id)
    const before = await dumpOf(testServer.storage)
    const { admin } = testServer.keys
    const wrong = `${admin.slice(0, -1)}${admin.endsWith('a') ? 'b' : 'a'}`
    const kinds = [
      { name: 'a wrong key', key: wrong, status: 401 },
      { name: 'no key', key: null, status: 401 },
      { name: 'a key of the storefront', key: testServer.keys.full, status: 403 },
      ...(row.scope === 'admin:read' ? [] : [{ name: 'a viewer', key: testServer.viewerKey, status: 403 }]),
    ]
    for (const { name, key, status } of kinds) {
      const answer = await testServer.askAdmin(id, { ...request, key })
      this.seen.adminKeys += 1
      if (answer.status !== status) this.violations.add(`${id} by ${name} is answered ${answer.status}, not ${status}`)
    }
    if (before !== (await dumpOf(testServer.storage)))
      this.violations.add(`${id} by refused keys has changed something`)
  }

  // Lists show nothing of another merchant, and a link of one does not lead on for another.
  async lists(): Promise<void> {
    const { testServer } = this
    const ids = adminOperationIds.filter((id) => {
      const { method, path } = adminOperations[id] as AdminOperation
      return method === 'GET' && !path.includes('{')
    })
    // Enough for a second page.
    for (let count = 0; count < 60; count += 1) await goodAdminRequest(testServer, 'getAdminProduct')
    const answers = new Map<AdminOperationId, Answer>()
    for (const id of ids) answers.set(id, await testServer.askAdmin(id, await goodAdminRequest(testServer, id)))
    const own = new Set([...answers.values()].flatMap(({ text }) => text.match(idPattern) ?? []))
    own.add(testServer.merchantId)
    for (const answer of answers.values()) own.delete(answer.headers.get('x-request-id') ?? '')
    for (const [id, mine] of answers) {
      const request = await goodAdminRequest(testServer, id)
      const theirs = await testServer.askAdmin(id, { ...request, key: testServer.keys.rivalAdmin })
      this.seen.adminLists += 1
      const found = (theirs.text.match(idPattern) ?? []).find((one) => own.has(one))
      if (found !== undefined) this.violations.add(`${id} shows ${found}, which is of another merchant`)
      const next: unknown = mine.body.meta?.next
      if (typeof next !== 'string') continue
      const query = new URL(next, testServer.origin).search
      const [followed, stolen] = [
        await testServer.askAdmin(id, { query }),
        await testServer.askAdmin(id, { query, key: testServer.keys.rivalAdmin }),
      ]
      if (followed.status !== 200) this.violations.add(`${id} does not follow its own link: ${followed.status}`)
      if (stolen.status !== 400) this.violations.add(`${id} follows the link of another merchant: ${stolen.status}`)
    }
  }

  // Status and body, without what differs from request to request.
  async #send(id: AdminOperationId, request: RowRequest, key: string, ids: readonly string[]): Promise<string> {
    const { status, text, headers } = await this.testServer.askAdmin(id, { ...request, key })
    let plain = text.replaceAll(headers.get('x-request-id') ?? ' ', '')
    for (const [index, one] of ids.entries()) plain = plain.replaceAll(one, `<${index}>`)
    return `${status} ${plain}`
  }
}

function idsIn({ path = {}, query = '', body = {} }: RowRequest): string[] {
  const { idempotencyKey: _, ...rest } = body as { idempotencyKey?: string }
  return [...new Set(JSON.stringify([path, query, rest]).match(idPattern) ?? [])]
}

function replaced(request: RowRequest, by: ReadonlyMap<string, string>): RowRequest {
  let text = JSON.stringify(request)
  for (const [id, other] of by) text = text.replaceAll(id, other)
  return JSON.parse(text) as RowRequest
}

function withKey(request: RowRequest): RowRequest {
  return request.body ? { ...request, body: { ...request.body, idempotencyKey: newId('req') } } : request
}
