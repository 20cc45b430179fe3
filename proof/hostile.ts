// Abusive shoppers, in their own process: their cost must fall on the server and not on the caller that is measured.
// Each connection posts as fast as it is answered, from an address of its own.

import { Agent, request } from 'node:http'
import { newId } from '../src/platform/kit/ids.ts'
import { answerQuestions } from './talk.ts'

export interface Hostility {
  origin: string
  // The address they use.
  address: string
  connections: number
  // Secrets of open checkouts with carts of many lines, and of one that has ended.
  open: readonly string[]
  ended: string
  skuId: string
  total: number
}

export interface HostileReport {
  posts: number
  statuses: Readonly<Record<string, number>>
}

const declining = ['4000000000000002', '4000000000009995', '4000000000000069', '4000000000000127', '4100000000000019']

let isOn = false
let working: Promise<void>[] = []
let statuses: Record<string, number> = {}
// The version that the page last showed, by secret.
const versions = new Map<string, number>()

function post(agent: Agent, { origin, address }: Hostility, path: string, fields: Record<string, string>) {
  const body = new URLSearchParams(fields).toString()
  const { hostname, port } = new URL(origin)
  return new Promise<string>((resolve) => {
    const sent = request(
      {
        agent,
        hostname,
        port,
        path,
        method: 'POST',
        localAddress: address,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body)),
        },
      },
      (response) => {
        const status = String(response.statusCode)
        statuses[status] = (statuses[status] ?? 0) + 1
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () => resolve(text))
        response.on('error', () => resolve(''))
      },
    )
    sent.on('error', () => {
      statuses.cut = (statuses.cut ?? 0) + 1
      resolve('')
    })
    sent.end(body)
  })
}

async function harass(given: Hostility, index: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let turn = index; isOn; turn += 1) {
    const secret = given.open[index % given.open.length] ?? ''
    const version = String(versions.get(secret) ?? 1)
    const acts: [path: string, fields: Record<string, string>][] = [
      [`/c/${secret}/quantity`, { version, skuId: given.skuId, quantity: String(1 + (turn % 5)) }],
      [
        `/c/${secret}/pay`,
        {
          version,
          expectedTotal: String(given.total),
          attempt: newId('pay'),
          method: 'test:card',
          'card.number': declining[turn % declining.length] ?? '',
          'card.expiry': '12/40',
          'card.cvc': '123',
          'card.name': 'A',
        },
      ],
      [`/c/${given.ended}/again`, {}],
      [`/c/${secret}/code`, { version, code: `GUESS${turn}` }],
      [`/c/${secret}/details`, { version, email: `a${turn}@example.com`, name: 'A' }],
      [`/c/${newId('pay').padEnd(43, 'x').slice(0, 43)}/code`, { version, code: 'X' }],
      ['/oauth/interaction/nobody', { step: 'sign_in', email: 'a@example.com', password: `guess ${turn}` }],
      ['/oauth/token', { grant_type: 'authorization_code', code: `guess${turn}` }],
    ]
    const [path, fields] = acts[turn % acts.length] ?? ['/', {}]
    const text = await post(agent, given, path, fields)
    const [, seen] = /name="version" value="(\d+)"/.exec(text) ?? []
    if (seen !== undefined) versions.set(secret, Number(seen))
    // A change is answered with a redirect, and increments the version.
    else if (text === '') versions.set(secret, Number(version) + 1)
  }
  agent.destroy()
}

answerQuestions({
  begin: (given: Hostility) => {
    isOn = true
    statuses = {}
    working = Array.from({ length: given.connections }, (_, index) => harass(given, index))
  },
  end: async (): Promise<HostileReport> => {
    isOn = false
    await Promise.all(working)
    return { posts: Object.values(statuses).reduce((sum, count) => sum + count, 0), statuses }
  },
})
