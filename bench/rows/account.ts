// The pages of a shopper after the purchase: signing in, the account with its orders, the data as a file, the page of an order, the three steps
// of a return. Each is asked by one shopper, one request after the other, for the CPU time of the server.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { type MailServer, openMailServer } from '../../harness/mailserver.ts'
import { command, type Running } from '../process.ts'
import { buy } from '../purchase.ts'
import { atMost, type Circumstances, type Findings, type Row } from '../row.ts'
import { api, ask, makeShop, merchantSlug, openShop, type ShopData } from '../shop.ts'
import { quantile, timed } from './admin.ts'
import { onPostgres } from './postgres.ts'

export const accountRows: readonly Row[] = [
  {
    name: 'account',
    question: "The pages of a shopper's account, and of an order and its return",
    run: (circumstances) => runAccount(circumstances, `sqlite:${join(circumstances.folder, 'account.db')}`),
  },
  {
    name: 'account-postgres',
    question: 'The same on PostgreSQL, with server and database on the same cores',
    run: (circumstances) => onPostgres('account', (databaseUrl) => runAccount(circumstances, databaseUrl)),
  },
]

// As many as a page lists.
const orderCount = 100
const repetitions = 40
const email = 'ada@example.com'
// Not a page: every order is opened with its address.
const dataFile = 'data as a file'
const base = `/account/${merchantSlug}/test`

async function runAccount({ folder, rounds, say }: Circumstances, databaseUrl: string): Promise<Findings> {
  const mail = await openMailServer()
  const made = await makeShop({ folder, databaseUrl })
  const mailSettings = { CARTWRIGHT_MAIL_URL: mail.url, CARTWRIGHT_MAIL_FROM: 'shop@bench.example' }
  const shop = { ...made, settings: { ...made.settings, ...mailSettings } }
  const server = await openShop(shop)
  const orderPath = await buyMany(server, shop)
  const shopper = await signIn(server, mail)
  const taken = new Map<string, { ms: number[]; cpuMs: number[] }>()
  for (let round = 0; round < rounds; round += 1)
    for (const [name, open] of Object.entries(pagesOf(shopper, orderPath))) {
      say(`  ${name}, round ${round + 1}`)
      // The first requests of a kind compile and load what they need.
      for (let warm = 0; warm < 5; warm += 1) await open()
      const known = taken.get(name) ?? { ms: [], cpuMs: [] }
      const before = (await server.usage()).cpuUs
      for (let count = 0; count < repetitions; count += 1) known.ms.push(await timed(open))
      known.cpuMs.push(((await server.usage()).cpuUs - before) / 1_000 / repetitions)
      taken.set(name, known)
    }
  await server.stop()
  await mail.close()
  return {
    sides: [...taken].map(([name, { ms }]) => ({
      ...{ name, unit: 'page', runs: [{ p50Ms: quantile(ms, 0.5), p99Ms: quantile(ms, 0.99) }] },
    })),
    ratios: [...taken].map(([name, { cpuMs }]) => ({
      ...{ what: `${name}, CPU`, value: Math.min(...cpuMs), bar: name === dataFile ? null : atMost(15), unit: 'ms' },
    })),
    notes: [
      `A shopper with ${orderCount} orders; one request after the other.`,
      'CPU is that of the server for one page, in the round with the least: a server that was just started is slower.',
    ],
  }
}

// The last one is sent, so it can be returned. Answers with the path of its page.
async function buyMany(server: Running, shop: ShopData): Promise<string> {
  const pool = new Pool(server.origin, { connections: 1 })
  let sessionId = ''
  for (let count = 0; count < orderCount; count += 1) sessionId = await buy(pool, shop, count, email)
  await pool.close()
  const { data: session } = (await ask(server, shop.key, 'GET', `${api}/hosted/checkout/sessions/${sessionId}`)) as {
    data: { orderId: string }
  }
  const scopes = 'catalog:read,admin:read,admin:orders'
  const key = await command(
    shop.folder,
    ['keys', 'create', '--name', 'merchant', '--scopes', scopes, '--json'],
    shop.settings,
  )
  const { secret } = JSON.parse(key.out) as { secret: string }
  await ask(server, secret, 'POST', `/api/v1/admin/orders/${session.orderId}/fulfillments`, {})
  const { data: order } = (await ask(server, secret, 'GET', `${api}/storefront/orders/${session.orderId}`)) as {
    data: { statusUrl: string }
  }
  return new URL(order.statusUrl).pathname
}

interface Shopper {
  get(path: string): Promise<string>
  post(path: string, form: Readonly<Record<string, string>>): Promise<string>
}

async function signIn(server: Running, mail: MailServer): Promise<Shopper> {
  const cookies = new Map<string, string>()
  async function request(path: string, form?: Readonly<Record<string, string>>): Promise<string> {
    const response = await fetch(server.origin + path, {
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        // As the server names itself.
        ...(form && { origin: server.origin.replace('127.0.0.1', 'localhost') }),
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      cookies.set(name, value)
    }
    const text = await response.text()
    if (response.status >= 400) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
    return text
  }
  const shopper = { get: (path: string) => request(path), post: request }
  await shopper.post(`${base}/code`, { email })
  await shopper.post(`${base}/open`, { email, code: await codeIn(mail) })
  if (!(await shopper.get(base)).includes(email)) throw new Error('the shopper is not signed in')
  return shopper
}

async function codeIn({ emails }: MailServer): Promise<string> {
  for (let tries = 0; tries < 300; tries += 1) {
    for (const { text } of emails) {
      const [code] = /\b\d{3} ?\d{3}\b/.exec(text) ?? []
      if (code !== undefined && !text.includes('/o/')) return code
    }
    await pause(100)
  }
  throw new Error('no code was mailed')
}

function pagesOf({ get, post }: Shopper, orderPath: string): Record<string, () => Promise<string>> {
  const items = async () => /name="(quantity-[^"]+)"/.exec(await get(`${orderPath}/return`))?.[1] ?? ''
  let line: string | undefined
  const step = (to: string) => async () => {
    line ??= await items()
    return post(`${orderPath}/return`, { [line]: '1', reason: 'late', wish: 'refund', to })
  }
  return {
    [`account with ${orderCount} orders`]: () => get(base),
    [dataFile]: () => post(`${base}/data`, {}),
    'a new address': () => get(`${base}/address/new`),
    'before erasing': () => get(`${base}/erase`),
    'page of an order': () => get(orderPath),
    'return, items': () => get(`${orderPath}/return`),
    'return, reason': step('reason'),
    'return, check': step('check'),
  }
}
