// Many requests at once with one key, for each operation by which a shopper signs in, signs out or changes addresses: one effect, and the same
// bytes for all, at two servers of one database.

import { berlin } from '../harness/carts.ts'
import { signIn } from '../harness/openRequests.ts'
import { type Answer, testSecret } from '../harness/testServer.ts'
import { type OperationId, operationIds, operations } from '../src/contract/open/operations.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { decryptUserEmail, setMailSwitch } from '../src/platform/outbox/emails.ts'
import { dumpOf, type ProofTestServer, withAdminTestServer } from './adminserver.ts'
import { newEmail } from './aftersales.ts'
import type { Ground } from './place.ts'
import { pick } from './random.ts'
import type { RunResult, RunTools } from './runs.ts'

interface Input {
  path?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body: object
  // Another request that would also be valid.
  other: object
  otherPath?: Readonly<Record<string, string>>
}

// What one request adds to each of these tables.
interface Case {
  prepare(run: CustomerIdempotency): Promise<Input>
  adds: Readonly<Partial<Record<'customer_codes' | 'customer_sessions' | 'customer_addresses' | 'emails', number>>>
}

const cases: Readonly<Partial<Record<OperationId, Case>>> = {
  requestCustomerCode: {
    prepare: async () => ({ body: { email: newEmail() }, other: { email: newEmail() } }),
    adds: { customer_codes: 1, emails: 1 },
  },
  openCustomerSession: {
    async prepare(run) {
      const { browserToken, code } = await run.askCode()
      return { body: { browserToken, code }, other: { browserToken, code: code === '000000' ? '111111' : '000000' } }
    },
    adds: { customer_sessions: 1 },
  },
  endCustomerSession: {
    async prepare(run) {
      const { 'customer-session': token = '' } = await run.signedIn()
      return { body: { token }, other: { token: 'a'.repeat(43) } }
    },
    adds: { customer_sessions: -1 },
  },
  addCustomerAddress: {
    prepare: async (run) => ({ headers: await run.signedIn(), body: { address: berlin }, other: { address: potsdam } }),
    adds: { customer_addresses: 1 },
  },
  replaceCustomerAddress: {
    prepare: async (run) => ({ ...(await run.saved()), body: { address: potsdam }, other: { address: berlin } }),
    adds: {},
  },
  removeCustomerAddress: {
    prepare: async (run) => ({ ...(await run.saved()), body: {}, other: {}, otherPath: { addressId: newId('cad') } }),
    adds: { customer_addresses: -1 },
  },
}

const potsdam = { ...berlin, city: 'Potsdam', postalCode: '14467' }

// Each operation that changes something for a visitor or a shopper.
export const customerChanges = operationIds.filter((id) => {
  const { caller, idempotency } = operations[id]
  return (caller === 'visitor' || caller === 'customer') && idempotency === 'required'
})
export const repeatedByCustomers = Object.keys(cases)

export async function runCustomerIdempotency(
  ground: Ground,
  { keys, twins }: { keys: number; twins: number },
  tools: RunTools,
): Promise<RunResult> {
  return withAdminTestServer(ground, async (testServer) => {
    const run = new CustomerIdempotency([testServer, await testServer.another()], tools.random)
    await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
    for (let round = 0; round < keys; round += 1)
      for (const [id, one] of Object.entries(cases)) {
        await run.tryKey(id as OperationId, one, twins)
        tools.tell(`shoppers: ${round + 1} of ${keys} keys, ${id}`)
      }
    return { seen: { ...run.seen }, violations: [...run.violations].slice(0, 50) }
  })
}

class CustomerIdempotency {
  readonly servers: readonly ProofTestServer[]
  readonly random: () => number
  readonly violations = new Set<string>()
  readonly seen = { customerOperations: Object.keys(cases).length, customerRequests: 0 }

  constructor(servers: readonly ProofTestServer[], random: () => number) {
    this.servers = servers
    this.random = random
  }

  get #one(): ProofTestServer {
    return this.servers[0] as ProofTestServer
  }

  async tryKey(id: OperationId, { prepare, adds }: Case, twins: number): Promise<void> {
    const input = await prepare(this)
    const key = newId('req')
    const before = await this.#count()
    const answers = await Promise.all(Array.from({ length: twins }, () => this.#send(id, input, input.body, key)))
    this.seen.customerRequests += twins
    const what = `${id} with ${twins} twins`
    const bad = answers.find(({ status }) => status !== 200)
    if (bad) this.violations.add(`${what} answered ${bad.status} ${bad.text.slice(0, 200)} to one`)
    const texts = new Set(answers.map(({ text }) => text))
    if (texts.size !== 1) this.violations.add(`${what} gave ${texts.size} different answers`)
    const repeated = answers.filter(isRepeated).length
    if (repeated !== twins - 1) this.violations.add(`${what} repeated ${repeated} answers`)
    const after = await this.#count()
    for (const [table, rows] of Object.entries(after)) {
      const wanted = adds[table as keyof typeof adds] ?? 0
      const added = rows - (before[table] ?? 0)
      if (added !== wanted) this.violations.add(`${what} added ${added} rows to ${table}, not ${wanted}`)
    }
    const print = await dumpOf(this.#one.storage)
    const { path, otherPath = path } = input
    const otherwise = await this.#send(id, { ...input, ...(otherPath && { path: otherPath }) }, input.other, key)
    if (otherwise.body.error?.code !== 'idempotency_key_reused')
      this.violations.add(`${id} with another body and the same key answered ${otherwise.status}`)
    const again = await this.#send(id, input, input.body, key)
    if (!texts.has(again.text)) this.violations.add(`${id} has another answer later`)
    if (print !== (await dumpOf(this.#one.storage))) this.violations.add(`${id} changed something when it was repeated`)
    // The key of another shopper is another key; a visitor has none, so the same one would be the same request.
    if (operations[id].caller !== 'customer') return
    const theirs = await prepare(this)
    if (isRepeated(await this.#send(id, theirs, theirs.body, key)))
      this.violations.add(`${id} repeats its answer to another shopper`)
  }

  async askCode(): Promise<{ browserToken: string; code: string }> {
    // So many codes an hour are mailed to a network.
    for (const { clock } of this.servers) clock.now += 120_000
    const body = { idempotencyKey: newId('req'), email: newEmail() }
    const { browserToken } = (await this.#one.ask('requestCustomerCode', { body })).body.data
    const [mail] = await this.#one.storage.read(
      (db) => db.sql<{ id: string; sealed: string }>`
        select id, sealed from emails where kind = 'customer_code' order by created_at desc, id desc limit 1`,
    )
    const { code } = (mail && decryptUserEmail(testSecret, mail.id, mail.sealed)) ?? {}
    if (!code) throw new Error('no code was mailed')
    return { browserToken, code }
  }

  signedIn(): Promise<Record<string, string>> {
    for (const { clock } of this.servers) clock.now += 120_000
    return signIn(this.#one, { email: newEmail() })
  }

  async saved(): Promise<Pick<Input, 'path' | 'headers'>> {
    const headers = await this.signedIn()
    const body = { idempotencyKey: newId('req'), address: berlin }
    const { data } = (await this.#one.ask('addCustomerAddress', { headers, body })).body
    return { headers, path: { addressId: data.id } }
  }

  #send(id: OperationId, { path = {}, headers = {} }: Input, body: object, key: string): Promise<Answer> {
    const isInHeader = this.random() < 0.5
    return pick(this.random, this.servers).ask(id, {
      ...{ path, key: this.#one.keys.full },
      headers: { ...headers, ...(isInHeader && { 'idempotency-key': key }) },
      body: { ...body, ...(!isInHeader && { idempotencyKey: key }) },
    })
  }

  async #count(): Promise<Record<string, number>> {
    const [row] = await this.#one.storage.read(
      (db) => db.sql<Record<string, number>>`
        select (select count(*) from customer_codes) as "customer_codes",
          (select count(*) from customer_sessions) as "customer_sessions",
          (select count(*) from customer_addresses) as "customer_addresses", (select count(*) from emails) as "emails"`,
    )
    return row ?? {}
  }
}

function isRepeated({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true'
}
