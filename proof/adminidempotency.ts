// Many requests at once with one key, for each row of the admin surface that changes something: one effect, one entry in the
// list of changes, and the same bytes for all.

import { goodAdminRequest } from '../harness/admin/world.ts'
import type { RowRequest } from '../harness/rows.ts'
import type { Answer } from '../harness/testServer.ts'
import { type AdminOperationId, adminOperationIds, adminOperations } from '../src/contract/admin/operations.ts'
import type { AdminOperation } from '../src/contract/admin/row.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { dumpOf, type ProofTestServer, withAdminTestServer } from './adminserver.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools } from './runs.ts'

export async function runAdminIdempotency(
  ground: Ground,
  { keys, twins }: { keys: number; twins: number },
  tools: RunTools,
): Promise<RunResult> {
  const changing = adminOperationIds.filter((id) => rowOf(id).idempotency === 'required')
  return withAdminTestServer(ground, async (testServer) => {
    const violations = new Set<string>()
    const seen = { adminOperations: changing.length, adminRequests: 0, adminRepeated: 0 }
    for (let round = 0; round < keys; round += 1)
      for (const id of changing) {
        const { sentences, repeated } = await tryKey(testServer, id, twins)
        seen.adminRequests += twins
        seen.adminRepeated += repeated
        for (const sentence of sentences) violations.add(sentence)
        tools.tell(`admin: ${round + 1} of ${keys} keys, ${id}`)
      }
    return { seen, violations: [...violations].slice(0, 50) }
  })
}

function rowOf(id: AdminOperationId): AdminOperation {
  return adminOperations[id]
}

async function tryKey(testServer: ProofTestServer, id: AdminOperationId, twins: number) {
  const sentences: string[] = []
  const request = keyless(await goodAdminRequest(testServer, id))
  const key = newId('req')
  const entries = () => countEntries(testServer, id)
  const before = await entries()
  const inBody = { ...request, body: { ...request.body, idempotencyKey: key } }
  const inHeader = { ...request, headers: { 'idempotency-key': key } }
  const answers = await Promise.all(
    Array.from({ length: twins }, (_, index) => testServer.askAdmin(id, index % 2 === 0 ? inBody : inHeader)),
  )
  const what = `${id} with ${twins} twins`
  const bad = answers.find(({ status }) => status !== 200)
  if (bad) sentences.push(`${what} answered ${bad.status} ${bad.text.slice(0, 200)} to one`)
  const texts = new Set(answers.map(({ text }) => text))
  if (texts.size !== 1) sentences.push(`${what} gave ${texts.size} different answers`)
  const repeated = answers.filter(isRepeated).length
  if (repeated !== twins - 1) sentences.push(`${what} repeated ${repeated} answers`)
  const written = (await entries()) - before
  if (written !== 1) sentences.push(`${what} wrote ${written} entries`)

  const other = keyless(await goodAdminRequest(testServer, id))
  const print = await dumpOf(testServer.storage)
  const otherwise = await testServer.askAdmin(id, {
    ...other,
    path: { ...other.path },
    body: { ...other.body, idempotencyKey: key },
  })
  const isSame = JSON.stringify([other.path, other.body]) === JSON.stringify([request.path, request.body])
  if (!isSame && otherwise.body.error?.code !== 'idempotency_key_reused')
    sentences.push(`${id} with another request and the same key answered ${otherwise.status}`)
  const again = await testServer.askAdmin(id, inBody)
  if (!texts.has(again.text)) sentences.push(`${id} has another answer later`)
  if (print !== (await dumpOf(testServer.storage))) sentences.push(`${id} changed something when it was repeated`)
  // The key of another merchant is another key.
  const theirs = await testServer.askAdmin(id, { ...inBody, key: testServer.keys.rivalAdmin })
  if (isRepeated(theirs)) sentences.push(`${id} repeats its answer to another merchant`)
  return { sentences, repeated }
}

function keyless(request: RowRequest): RowRequest {
  const { idempotencyKey: _, ...body } = (request.body ?? {}) as { idempotencyKey?: string }
  return { ...request, body }
}

function isRepeated({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true'
}

async function countEntries({ storage, merchantId }: ProofTestServer, id: AdminOperationId): Promise<number> {
  const [row] = await storage.read(
    (db) => db.sql<{ n: number }>`
      select count(*) as n from audit_entries where merchant_id = ${merchantId} and operation = ${id}`,
  )
  return row?.n ?? 0
}
