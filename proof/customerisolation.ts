// Shoppers of one shop, of its other mode, of another shop and of another origin ask for each other's things. What is not theirs is answered
// like what never was, byte for byte except the request id, and nothing changes.

import { randomBytes } from 'node:crypto'
import { berlin } from '../harness/carts.ts'
import { signIn } from '../harness/openRequests.ts'
import { type Answer, testSecret } from '../harness/testServer.ts'
import {
  type OpenInterfaceOperation,
  type OperationId,
  operationIds,
  operations,
} from '../src/contract/open/operations.ts'
import { openInterfaceScopes, publishableScopes } from '../src/contract/words.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { createKey } from '../src/platform/access/keys.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { dumpOf, type ProofTestServer, withAdminTestServer } from './adminserver.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools } from './runs.ts'

// The operations of a shopper who is signed in.
export const customerOperations = operationIds.filter((id) => operations[id].caller === 'customer')

const here = 'https://shop.example'
const there = 'https://other.example'

interface Shopper {
  name: string
  key: string
  origin: string | undefined
  session: string
  addressId: string
}

export async function runCustomerIsolation(
  ground: Ground,
  { rounds }: { rounds: number },
  tools: RunTools,
): Promise<RunResult> {
  return withAdminTestServer(ground, async (testServer) => {
    const run = new CustomerIsolation(testServer)
    for (let round = 0; round < rounds; round += 1) {
      await run.round()
      tools.tell(`shoppers: round ${round + 1} of ${rounds}`)
    }
    if (run.seen.customerForeign === 0) run.violations.add('no shopper asked for anything')
    return { seen: { ...run.seen }, violations: [...run.violations].slice(0, 50) }
  })
}

class CustomerIsolation {
  readonly testServer: ProofTestServer
  readonly violations = new Set<string>()
  readonly seen = { customerOperations: customerOperations.length, customerForeign: 0 }

  constructor(testServer: ProofTestServer) {
    this.testServer = testServer
  }

  async round(): Promise<void> {
    // So many codes an hour are mailed to a network.
    this.testServer.clock.now += 3_600_000
    const shoppers = await this.#shoppers()
    const before = await dumpOf(this.testServer.storage)
    for (const own of shoppers)
      for (const other of shoppers.filter((one) => one !== own))
        for (const id of customerOperations) {
          await this.#probeSession(id, own, other)
          if (operations[id].path.includes('{')) await this.#probeAddress(id, own, other)
        }
    if (before !== (await dumpOf(this.testServer.storage)))
      this.violations.add('shoppers have changed things of others')
    for (const own of shoppers) await this.#ownStill(own)
  }

  async #shoppers(): Promise<Shopper[]> {
    const { storage, merchantId, clock, installationId, seller, keys } = this.testServer
    const email = 'ada@example.com'
    const keyFor = (owner: Parameters<typeof createKey>[2], origins?: readonly string[]) => {
      const scopes = origins ? publishableScopes : openInterfaceScopes
      const input = { name: 'proof', scopes, expiresAt: null, ...(origins && { origins }) }
      return storage.write(async (tx) => (await createKey(tx, testSecret, owner, input, clock.now)).key)
    }
    const installations = await storage.read((db) => listInstallations(db, merchantId))
    const live = installations.find(({ mode }) => mode === 'live')
    if (!live) throw new Error('the shop has no live installation')
    const page = await keyFor({ id: installationId, ...seller }, [here, there])
    const made = [
      { name: 'the shop', key: keys.full, email },
      { name: 'another shopper', key: keys.full, email: 'bob@example.com' },
      { name: 'a page of the shop', key: page, email, origin: here },
      { name: 'a page elsewhere', key: page, email, origin: there },
      { name: 'the other mode', key: await keyFor(live), email },
      { name: 'another shop', key: keys.rival, email },
    ]
    const shoppers: Shopper[] = []
    for (const { name, key, email: of, origin } of made) {
      const { 'customer-session': session = '' } = await signIn(this.testServer, {
        email: of,
        key,
        ...(origin && { origin }),
      })
      const shopper = { name, key, origin, session, addressId: '' }
      const body = { idempotencyKey: newId('req'), address: { ...berlin, line1: `Linden ${shoppers.length}` } }
      const { body: saved } = await this.#ask('addCustomerAddress', shopper, session, { body })
      shoppers.push({ ...shopper, addressId: saved.data.id })
    }
    return shoppers
  }

  // The session of another opens nothing for this key and origin, as one that never was.
  async #probeSession(id: OperationId, own: Shopper, other: Shopper): Promise<void> {
    // Two shoppers of one server have the same key.
    if (own.key === other.key && own.origin === other.origin) return
    const request = requestFor(id, other.addressId)
    const foreign = await this.#ask(id, own, other.session, request)
    const random = await this.#ask(id, own, randomBytes(32).toString('base64url'), request)
    this.#judge(`${id} by ${own.name} with the session of ${other.name}`, foreign, random)
    if (foreign.status !== 401) this.violations.add(`${id} takes the session of ${other.name} for ${own.name}`)
  }

  // The address of another is as one that never was. Pages of one shop share the book of a person.
  async #probeAddress(id: OperationId, own: Shopper, other: Shopper): Promise<void> {
    if (isSamePerson(own, other)) return
    const foreign = await this.#ask(id, own, own.session, requestFor(id, other.addressId))
    const random = await this.#ask(id, own, own.session, requestFor(id, newId('cad')))
    this.#judge(`${id} by ${own.name} of an address of ${other.name}`, foreign, random)
    if (foreign.status !== 404) this.violations.add(`${id} finds the address of ${other.name} for ${own.name}`)
  }

  #judge(what: string, foreign: Answer, random: Answer): void {
    this.seen.customerForeign += 1
    const [one, another] = [comparable(foreign), comparable(random)]
    if (one !== another)
      this.violations.add(`${what} is answered ${one.slice(0, 200)}, and one that never was ${another.slice(0, 200)}`)
  }

  async #ownStill(own: Shopper): Promise<void> {
    for (const id of customerOperations) {
      const { status } = await this.#ask(id, own, own.session, requestFor(id, own.addressId))
      // A page of the same shop may have removed it.
      const isGone = status === 404 && operations[id].path.includes('{')
      if (status !== 200 && !isGone) this.violations.add(`${id} answers ${own.name} ${status}`)
    }
  }

  #ask(id: OperationId, { key, origin }: Pick<Shopper, 'key' | 'origin'>, session: string, request: object) {
    const headers = { 'customer-session': session, ...(origin && { origin }) }
    return this.testServer.ask(id, { key, headers, ...request })
  }
}

function isSamePerson(own: Shopper, other: Shopper): boolean {
  const ofOne = ['the shop', 'a page of the shop', 'a page elsewhere']
  return ofOne.includes(own.name) && ofOne.includes(other.name)
}

function requestFor(id: OperationId, addressId: string): object {
  const { idempotency, path }: OpenInterfaceOperation = operations[id]
  const body = { idempotencyKey: newId('req'), ...(id !== 'removeCustomerAddress' && { address: berlin }) }
  return { ...(path.includes('{') && { path: { addressId } }), ...(idempotency === 'required' && { body }) }
}

function comparable({ status, headers, text }: Answer): string {
  const told = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date').sort()
  return JSON.stringify([status, told, text.replaceAll(headers.get('x-request-id') ?? ' ', '')])
}
