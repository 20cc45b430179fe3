// Attackers of the forms and the imports, in their own process: their cost must fall on the server and not on the caller that is
// measured. Each connection goes on as fast as it is answered, from an address of its own.

import { randomUUID } from 'node:crypto'
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { answerQuestions } from './talk.ts'

export type Attack = 'forms' | 'answers not read' | 'product form' | 'imports'

export interface Attacking {
  attack: Attack
  origin: string
  publicUrl: string
  // The address they use.
  address: string
  connections: number
  // Where forms are posted to: a product of a shop that the cookie is of, and one of no shop.
  productPath: string
  cookie: string
  // May write the catalog.
  key: string
  // Of the sizes of files.
  scale: number
}

export interface AttackReport {
  statuses: Readonly<Record<string, number>>
}

const urlencoded = 'application/x-www-form-urlencoded'
const mib = 1_048_576

let isOn = false
let working: Promise<void>[] = []
let statuses: Record<string, number> = {}
const sockets = new Set<Socket>()

function count(status: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1
}

interface Sent {
  method: string
  path: string
  headers: OutgoingHttpHeaders
  body: string
}

function send(agent: Agent, { origin, address }: Attacking, { method, path, headers, body }: Sent): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    const length = { 'content-length': Buffer.byteLength(body) }
    const sent = request(
      { agent, hostname, port, path, method, localAddress: address, headers: { ...headers, ...length } },
      (response) => {
        count(String(response.statusCode))
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve(Buffer.concat(chunks).toString()))
        response.on('error', () => resolve(''))
      },
    )
    sent.on('error', () => {
      count('cut')
      resolve('')
    })
    sent.end(body)
  })
}

// Of strangers: fields, plus signs, quotes and parts, as many as were ever taken and as many as are taken now.
function strangersForms(): Omit<Sent, 'method'>[] {
  const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'
  const form = (body: string) => ({ path: '/admin/x/products/new', headers: { 'content-type': urlencoded }, body })
  const parts = (path: string, count: number) => ({
    path,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: `${part.repeat(count)}--x--\r\n`,
  })
  return [
    form('a&'.repeat(25_000)),
    form(`a=${'+'.repeat(4 * mib - 10)}`),
    form(`a=${'"'.repeat(4 * mib - 10)}`),
    form(`a=${'x'.repeat(160)}&`.repeat(25_000)),
    parts('/admin/x/pictures', 24_900),
    parts('/admin/x/settings/transfers/new', 24_900),
    form(`a=${'"'.repeat(65_000)}`),
    form('%ff=%ff&'.repeat(499)),
    parts('/admin/x/pictures', 490),
  ]
}

// Of a staff member: more variants than a product can have, and texts of special characters.
function productForms({ productPath }: Attacking): Omit<Sent, 'method'>[] {
  const headers = { 'content-type': urlencoded }
  const rows = Array.from({ length: 24_900 }, (_, at) => `sku.${at}.code=${at}`).join('&')
  return [
    { path: productPath, headers, body: rows },
    { path: productPath, headers, body: `name=x&description=${'%26'.repeat(1_300_000)}` },
  ]
}

async function postForms(given: Attacking, index: number, forms: readonly Omit<Sent, 'method'>[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let turn = index; isOn; turn += 1) {
    const form = forms[turn % forms.length]
    if (!form) break
    const headers = { ...form.headers, origin: given.publicUrl, cookie: given.cookie }
    await send(agent, given, { ...form, method: 'POST', headers })
  }
  agent.destroy()
}

// One after the other, and none of the answers is read.
async function postUnread({ origin, address, publicUrl }: Attacking): Promise<void> {
  const { hostname, port } = new URL(origin)
  const body = `a=${'"'.repeat(65_000)}`
  const head = `POST /admin/x/products/new HTTP/1.1\r\nhost: x\r\norigin: ${publicUrl}\r\ncontent-type: ${urlencoded}\r\n`
  while (isOn) {
    const socket = connect({ host: hostname, port: Number(port), localAddress: address })
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.pause()
    socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`, () => count('sent'))
    await pause(50)
  }
}

// Files that are cheap to send and dear to read.
function files(scale: number): string[] {
  const many = (text: string, count: number) => text.repeat(Math.ceil(count * scale))
  const header = 'Handle,Title,Body (HTML),Variant SKU,Variant Price,Image Src\n'
  const rows = (body: (at: number) => string, count: number) =>
    Array.from({ length: count }, (_, at) => `p${at},P${at},${body(at)},S${at},1.00,\n`).join('')
  return [
    header + rows(() => many('&', 900_000), 5),
    `<rss version="2.0"><channel>${many('<a/>', 2_000_000)}</channel></rss>`,
    `${header}${rows(() => 'x', 1)}${many(',,,,,\n', 2_300_000)}`,
    `<rss version="2.0"><channel>${many('<item></item>', 250_000)}</channel></rss>`,
    header + many('\n', 8_000_000),
    header + rows(() => many('<table><tr><td>', 60_000), 1),
    header + Array.from({ length: Math.ceil(150_000 * scale) }, (_, at) => `p,,,,,https://a.test/${at}.png\n`).join(''),
  ]
}

const pieceLength = 250_000

async function sendFiles(given: Attacking): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${given.key}`, 'content-type': 'application/json' }
  const ask = async (method: string, path: string, body: object) => {
    const sent = { method, path: `/api/v1/admin/transfers${path}`, headers, body: JSON.stringify(body) }
    const text = await send(agent, given, sent)
    return text === '' ? undefined : (JSON.parse(text) as { data?: { id: string; status: string } }).data
  }
  const all = files(given.scale)
  for (let turn = 0; isOn; turn += 1) {
    const text = all[turn % all.length] ?? ''
    const pieces = Math.ceil(text.length / pieceLength)
    const made = await ask('POST', '', { idempotencyKey: randomUUID(), kind: 'products', name: 'attack', pieces })
    for (let at = 0; made && at < pieces && isOn; at += 1) {
      const piece = text.slice(at * pieceLength, (at + 1) * pieceLength)
      await ask('PUT', `/${made.id}/pieces/${at + 1}`, { idempotencyKey: randomUUID(), text: piece })
    }
    for (let state = made?.status; made && isOn && (state === 'receiving' || state === 'planning'); ) {
      await pause(200)
      const shown = await send(agent, given, {
        method: 'GET',
        path: `/api/v1/admin/transfers/${made.id}`,
        headers: { authorization: headers.authorization },
        body: '',
      })
      state = shown === '' ? '' : ((JSON.parse(shown) as { data?: { status: string } }).data?.status ?? '')
    }
    if (made) await ask('DELETE', `/${made.id}`, { idempotencyKey: randomUUID() })
    else await pause(500)
  }
  agent.destroy()
}

function workOf(given: Attacking): Promise<void>[] {
  const each = (work: (index: number) => Promise<void>) =>
    Array.from({ length: given.connections }, (_, at) => work(at))
  if (given.attack === 'forms') {
    const forms = strangersForms()
    return each((index) => postForms({ ...given, cookie: '' }, index, forms))
  }
  if (given.attack === 'product form') {
    const forms = productForms(given)
    return each((index) => postForms(given, index, forms))
  }
  return given.attack === 'imports' ? [sendFiles(given)] : [postUnread(given)]
}

answerQuestions({
  begin: (given: Attacking) => {
    isOn = true
    statuses = {}
    working = workOf(given)
  },
  end: async (): Promise<AttackReport> => {
    isOn = false
    await Promise.all(working)
    for (const socket of sockets) socket.destroy()
    return { statuses }
  },
})
