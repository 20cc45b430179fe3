// The pages of the dashboard with a shop of some size: 10,000 products, and one order that is copied as often as the largest of
// --sizes. Each page is asked by one person, one after the other, for its time and its weight; then a browser paints each, in turns
// with a page that is nearly empty.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { launchBrowser, noBrowser } from '../../harness/browser.ts'
import { dayAgo, repeatOrder, spreadSales } from '../history.ts'
import { openTab } from '../painting.ts'
import { command, type Running } from '../process.ts'
import { atMost, type Circumstances, type Findings, type Ratio, type Row, type Side } from '../row.ts'
import { makeShop, merchantSlug, openShop, type ShopData } from '../shop.ts'
import { buyOne, quantile, timed } from './admin.ts'
import { onPostgres } from './postgres.ts'

export const dashboardRows: readonly Row[] = [
  {
    name: 'dashboard',
    question: 'The pages of the dashboard, with 10,000 products',
    run: (circumstances) => runDashboard(circumstances, `sqlite:${join(circumstances.folder, 'dashboard.db')}`),
  },
  {
    name: 'dashboard-postgres',
    question: 'The same on PostgreSQL, with server and database on the same cores',
    run: (circumstances) => onPostgres('dashboard', (databaseUrl) => runDashboard(circumstances, databaseUrl)),
  },
]

const productCount = 10_000
const repetitions = 40
const paints = 15

async function runDashboard({ folder, rounds, sizes, say }: Circumstances, databaseUrl: string): Promise<Findings> {
  const orders = Math.max(...sizes)
  const shop = await makeShop({ folder, databaseUrl, imported: productCount })
  const before = await openShop(shop)
  const sessionId = await buyOne(before, shop)
  // Until the loops have indexed and counted the order, which its copies then are too.
  await pause(6_000)
  await before.stop()
  await repeatOrder(databaseUrl, sessionId, orders)
  await spreadSales(databaseUrl)
  const server = await openShop(shop)
  const person = await signIn(server, shop)
  const pages = await pagesOf(person)
  const measured = new Map<string, Measured>()
  for (let round = 0; round < rounds; round += 1)
    for (const [name, address] of Object.entries(pages)) {
      say(`  ${name}, round ${round + 1}`)
      // The first requests of a kind compile and load what they need.
      for (let warm = 0; warm < 5; warm += 1) await person.open(address)
      const known = measured.get(name) ?? { taken: [], cpuMs: [], gzipBytes: 0 }
      const cpuBefore = (await server.usage()).cpuUs
      for (let count = 0; count < repetitions; count += 1) known.taken.push(await timed(() => person.open(address)))
      known.cpuMs.push(((await server.usage()).cpuUs - cpuBefore) / 1_000 / repetitions)
      known.gzipBytes = gzipSync(await person.open(address)).length
      measured.set(name, known)
    }
  const assetBytes = await weighAssets(person, Object.values(pages))
  const painted = noBrowser === undefined ? await paint(person, pages) : []
  await server.stop()
  return {
    sides: [...measured].map(sideOf),
    ratios: [
      ...[...measured].flatMap(([name, one]) => judged(name, one)),
      { what: 'style and scripts of all pages, gzip', value: assetBytes / 1_024, bar: atMost(40), unit: 'KB' },
      ...painted,
    ],
    notes: [
      `${productCount.toLocaleString('en-US')} products, ${orders.toLocaleString('en-US')} orders (the largest of --sizes); one person, whole requests.`,
      'CPU is that of the server for one page, in the round with the least: a server that was just started is slower.',
      ...(noBrowser === undefined ? [] : [`The first paint was not measured: ${noBrowser}`]),
    ],
  }
}

interface Measured {
  taken: number[]
  // For one page, by round.
  cpuMs: number[]
  gzipBytes: number
}

function sideOf([name, { taken }]: [string, Measured]): Side {
  return { name, unit: 'page', runs: [{ p50Ms: quantile(taken, 0.5), p99Ms: quantile(taken, 0.99) }] }
}

function judged(name: string, { taken, cpuMs, gzipBytes }: Measured): Ratio[] {
  return [
    { what: `${name}, p50`, value: quantile(taken, 0.5), bar: atMost(15), unit: 'ms' },
    { what: `${name}, p95`, value: quantile(taken, 0.95), bar: atMost(40), unit: 'ms' },
    { what: `${name}, CPU`, value: Math.min(...cpuMs), bar: null, unit: 'ms' },
    { what: `${name}, gzip`, value: gzipBytes / 1_024, bar: atMost(30), unit: 'KB' },
  ]
}

interface Person {
  cookie: { name: string; value: string }
  origin: string
  // The text of a page, or of what belongs to it.
  open(path: string): Promise<string>
}

const email = 'owner@bench.example'

async function signIn(server: Running, { folder, settings }: ShopData): Promise<Person> {
  const { origin } = server
  const args = ['users', 'create', '--email', email, '--merchant', merchantSlug, '--json']
  const { password } = JSON.parse((await command(folder, args, settings)).out) as { password: string }
  const entered = await fetch(`${origin}/admin/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    // As the server names itself.
    headers: { origin: origin.replace('127.0.0.1', 'localhost') },
    body: new URLSearchParams({ email, password }),
  })
  const [, name = '', value = ''] = /(\w*staff_session)=([^;]+)/.exec(entered.headers.get('set-cookie') ?? '') ?? []
  if (value === '') throw new Error(`the sign-in was answered with ${entered.status}`)
  return {
    cookie: { name, value },
    origin,
    async open(path) {
      const response = await fetch(origin + path, { headers: { cookie: `${name}=${value}` } })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
      return text
    },
  }
}

// Every list, and one of each detail, by name.
async function pagesOf({ open }: Person): Promise<Record<string, string>> {
  const at = (path: string) => `/admin/${merchantSlug}/test/${path}`
  const firstLink = async (path: string, pattern: RegExp) => {
    const [link] = pattern.exec(await open(at(path))) ?? []
    if (link === undefined) throw new Error(`${path} has no link ${pattern}`)
    return link
  }
  const order = await firstLink('orders?view=all', /\/admin\/[\w/-]+\/orders\/ord_\w+/)
  const product = await firstLink('products', /\/admin\/[\w/-]+\/products\/prd_\w+/)
  const year = `from=${dayAgo(364)}&to=${dayAgo(0)}`
  return {
    home: at('home'),
    'orders to send': at('orders'),
    'all orders': at('orders?view=all'),
    'unpaid orders': at('orders?view=unpaid'),
    order,
    'refund of an order': `${order}/refund`,
    products: at('products'),
    'products by a word': at('products?q=500'),
    product,
    'stock and prices': at('stock'),
    'low stock': at('stock?stock=low'),
    categories: at('categories'),
    discounts: at('discounts'),
    'search for a name': at('search?q=Lovelace'),
    'report of 30 days': at('reports'),
    'report of a year by month': at(`reports?by=month&${year}`),
    settings: at('settings'),
    taxes: at('settings/taxes'),
    shipping: at('settings/shipping'),
    people: at('settings/people'),
    webhooks: at('developers'),
    deliveries: at('developers/deliveries'),
    keys: at('developers/keys'),
    changes: at('settings/changes'),
  }
}

// Each style and script that any of the pages names, once.
async function weighAssets({ open }: Person, pages: readonly string[]): Promise<number> {
  const names = new Set<string>()
  for (const page of pages)
    for (const [, name] of (await open(page)).matchAll(/(?:href|src)="([^"]+\.(?:css|js)[^"]*)"/g))
      names.add(name ?? '')
  const texts = await Promise.all([...names].map((name) => open(new URL(name, 'http://localhost').pathname)))
  if (texts.length === 0) throw new Error('the pages name no style and no script')
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0)
}

const paintBar = atMost(60)

// Each page comes with style and scripts in the cache, from the empty page: a browser draws the page that is left once more, on the
// thread that then draws the new one. Who opens the dashboard for the first time meets the sign-in page in a new tab with an empty
// cache, and who is signed in loads style and scripts anew after an update. The rest tells what other ways to come to the orders cost.
async function paint({ origin, cookie }: Person, pages: Readonly<Record<string, string>>): Promise<Ratio[]> {
  const bare = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end('<!doctype html><html lang="en"><title>Empty</title><p>Empty</p></html>')
  })
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
  const empty = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`
  const signIn = `${origin}/admin/sign-in`
  const orders = origin + (pages['orders to send'] ?? '')
  const browser = await launchBrowser()
  const open = () => openTab(browser, [{ ...cookie, url: origin }])
  const times = new Map<string, number[]>()
  const note = (what: string, ms: number) => times.set(what, [...(times.get(what) ?? []), ms])
  try {
    const dashboardUser = await open()
    // The first turn warms the browser up, and fills the cache of the tab.
    for (let turn = 0; turn <= paints; turn += 1) {
      if (turn === 1) times.clear()
      const fresh = await open()
      note('empty page in a new tab', await fresh.paint(empty))
      await fresh.close()
      const entrance = await open()
      note('sign-in page in a new tab, empty cache', await entrance.paint(signIn))
      await pause(fetchingAheadMs)
      note('orders to send, from the sign-in page', await entrance.paint(orders))
      await entrance.close()
      const tab = await open()
      note('orders to send in a new tab, empty cache', await tab.paint(orders))
      const second = await tab.another()
      note('orders to send in a new tab', await second.paint(orders))
      note('orders to send, from the same page', await second.paint(orders))
      await tab.paint(empty)
      await tab.emptyCache()
      note('orders to send, after an update', await tab.paint(orders))
      await tab.close()
      const fromEmpty = async (url: string) => {
        note('empty page', await dashboardUser.paint(empty))
        return dashboardUser.paint(url)
      }
      for (const [name, path] of Object.entries(pages)) note(name, await fromEmpty(origin + path))
      note('50 orders to send', await fromEmpty(`${orders}?rows=50`))
    }
  } finally {
    await browser.close()
    bare.close()
  }
  const judged = new Set([
    ...Object.keys(pages),
    'sign-in page in a new tab, empty cache',
    'orders to send, after an update',
    'orders to send in a new tab, empty cache',
  ])
  return [...times].map(([name, taken]) => {
    const isEmpty = name.startsWith('empty page')
    const compared = name.includes('new tab') ? 'empty page in a new tab' : 'empty page'
    const value = quantile(taken, 0.5) - (isEmpty ? 0 : quantile(times.get(compared) ?? [], 0.5))
    return {
      what: `first contentful paint, ${name}${isEmpty ? '' : ', above the empty page'}`,
      value,
      bar: judged.has(name) ? paintBar : null,
      unit: 'ms',
    }
  })
}

// The sign-in page fetches style and scripts of the dashboard while one types.
const fetchingAheadMs = 300
