// The pages of the dashboard with a shop of some size: 10,000 products, and one order that is copied as often as the largest of
// --sizes. Each page is asked by one person, one after the other, for its time and its weight; then a browser paints the list of orders
// in turns with a page that is nearly empty.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { launchBrowser, noBrowser } from '../../harness/browser.ts'
import { dayAgo, repeatOrder, spreadSales } from '../history.ts'
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
  const painted =
    noBrowser === undefined ? await paint(person, pages['orders to send'] ?? '', pages.products ?? '') : null
  await server.stop()
  return {
    sides: [...measured].map(sideOf),
    ratios: [
      ...[...measured].flatMap(([name, one]) => judged(name, one)),
      { what: 'style and scripts of all pages, gzip', value: assetBytes / 1_024, bar: atMost(40), unit: 'KB' },
      ...(painted === null
        ? []
        : [
            ...paintRatios('first contentful paint of the sign-in page', painted.signIn, atMost(60)),
            ...paintRatios('first contentful paint of orders, coming from the sign-in page', painted.entered, null),
            ...paintRatios(
              'first contentful paint of orders, style and scripts in the cache',
              painted.again,
              atMost(60),
            ),
            ...paintRatios(
              'first contentful paint of products, style and scripts in the cache',
              painted.products,
              atMost(60),
            ),
            ...paintRatios('first contentful paint of 50 orders, style and scripts in the cache', painted.fifty, null),
            ...paintRatios('first contentful paint of orders, after leaving the same page', painted.after, null),
            ...paintRatios('first contentful paint of orders, empty cache', painted.first, atMost(60)),
          ]),
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
    changes: at('developers/changes'),
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

function paintRatios(what: string, { empty, page }: Paints, bar: Ratio['bar']): Ratio[] {
  const [emptyMs, pageMs] = [quantile(empty, 0.5), quantile(page, 0.5)]
  return [
    { what: `${what}, empty page`, value: emptyMs, bar: null, unit: 'ms' },
    { what, value: pageMs, bar: null, unit: 'ms' },
    { what: `${what}, the difference`, value: pageMs - emptyMs, bar, unit: 'ms' },
  ]
}

type Paints = Record<'empty' | 'page', number[]>

// In turns, each with a cache of its own: in a new tab with an empty cache; with style and scripts in the cache, coming from the
// empty page; and coming from the page itself. A browser draws the page that is left once more, on the thread that then draws the new
// one: after a list of orders that takes longer than after the empty page. Somebody who opens the dashboard for the first time meets
// the sign-in page with an empty cache, and the list once that page has fetched style and scripts.
async function paint({ origin, cookie }: Person, page: string, other: string): Promise<Record<Visit, Paints>> {
  const bare = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end('<!doctype html><html lang="en"><title>Empty</title><p>Empty</p></html>')
  })
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
  const empty = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`
  const browser = await launchBrowser()
  const times: Record<Visit, Paints> = {
    first: noPaints(),
    again: noPaints(),
    after: noPaints(),
    fifty: noPaints(),
    products: noPaints(),
    signIn: noPaints(),
    entered: noPaints(),
  }
  const open = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await context.addCookies([{ ...cookie, url: origin }])
    return context.newPage()
  }
  try {
    for (let turn = 0; turn <= paints; turn += 1)
      for (const [name, url] of [
        ['empty', empty],
        ['page', origin + page],
      ] as const) {
        const tab = await open()
        const first = await firstPaint(tab, url)
        await firstPaint(tab, empty)
        const painted = { first, again: await firstPaint(tab, url), after: await firstPaint(tab, url) }
        await firstPaint(tab, empty)
        const fifty = await firstPaint(tab, name === 'empty' ? empty : `${url}?rows=50`)
        await firstPaint(tab, empty)
        const products = await firstPaint(tab, name === 'empty' ? empty : origin + other)
        await tab.context().close()
        const entrance = await open()
        const signIn = await firstPaint(entrance, name === 'empty' ? empty : `${origin}/admin/sign-in`)
        await entrance.waitForLoadState('networkidle')
        const visited = { ...painted, fifty, products, signIn, entered: await firstPaint(entrance, url) }
        await entrance.context().close()
        // The first turn warms the browser up.
        if (turn > 0) for (const visit of visits) times[visit][name].push(visited[visit])
      }
  } finally {
    await browser.close()
    bare.close()
  }
  return times
}

const visits = ['first', 'again', 'after', 'fifty', 'products', 'signIn', 'entered'] as const
type Visit = (typeof visits)[number]

function noPaints(): Paints {
  return { empty: [], page: [] }
}

async function firstPaint(tab: Page, url: string): Promise<number> {
  await tab.goto(url)
  // The string is run in the page.
  return tab.evaluate<number>(
    `new Promise((done) => new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint').forEach((entry) => done(entry.startTime))).observe({ type: 'paint', buffered: true }))`,
  )
}
