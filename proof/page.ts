// The checkout page used at random: steppers, quantities, typing, autofill, other countries, delivery methods and the
// return key, while every request of the page is slow, some are lost, some are processed and their answer is lost, some
// get a 503, and the browser is briefly offline. Pay is pressed when nothing is pending, or right after a last change
// that has not reached the server. At the end of each seed, what the page showed at the press that paid, what the API
// returns, and what was charged must be the same, and everything that was typed must be there.

import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserContext, Page as Tab } from 'playwright-core'
import { launchBrowser } from '../harness/browser.ts'
import { decryptAddress } from '../src/domain/addresses/vault.ts'
import { findOrder } from '../src/domain/orders/store.ts'
import type { Reader } from '../src/platform/storage/storage.ts'
import { createCaller, crowd } from './caller.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick, seeded, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, startServer } from './servers.ts'
import { makeShop, product, type Shop, shopFile, standOf } from './shop.ts'
import { cards, openSession, readSession, type Session, sessionFrom } from './shopper.ts'

export const pageRun: ServerRun = {
  name: 'page',
  method:
    'random actions on the checkout page in a browser, with latency, lost requests, lost answers, 503s and offline moments; Pay pressed while changes are still being sent; judged by what the page showed at that press, the API, the order, its address and the payments',
  // `latencyMs` is the longest delay of a request; `only` repeats one seed that a violation names. A seed waits for 40
  // seconds and computes for 4: on two shared cores 12 tabs made 15 a minute (a thousand in about an hour), 16 tabs 17.
  numbers: { seeds: 1_000, tabs: 12, steps: 12, latencyMs: 2_000, only: 0 },
  short: { seeds: 12, tabs: 3, steps: 8, latencyMs: 150 },
  engines: ['sqlite'],
  runOn: (ground, { seeds = 0, tabs = 1, steps = 0, latencyMs = 0, only = 0 }, tools) =>
    runPage(ground, { seeds, tabs, steps, latencyMs, only }, tools),
}

export interface PageNumbers {
  seeds: number
  tabs: number
  steps: number
  latencyMs: number
  only: number
}

const codes = ['ONE', 'TWO', 'THREE'] as const
const prices = { ONE: 1_000, TWO: 350, THREE: 777 }

export async function runPage(ground: Ground, numbers: PageNumbers, tools: RunTools): Promise<RunResult> {
  const options = [
    { id: 'standard', label: 'Standard', amount: 490 },
    { id: 'express', label: 'Express', amount: 990 },
  ]
  const file = shopFile('page', {
    products: codes.map((code) => product(code, 1_000_000, { price: prices[code], isSent: true })),
    shipping: [
      { zone: 'home', countries: ['DE', 'AT'], options },
      {
        zone: 'away',
        countries: ['FR', 'GB', 'US'],
        options: options.map((one) => ({ ...one, amount: one.amount + 1_000 })),
      },
    ],
  })
  const shop = await makeShop(ground, [file])
  const server = await startServer(shop)
  const caller = createCaller(numbers.tabs)
  const browser = await launchBrowser()
  const violations = new Set<string>()
  const seen = {
    paid: 0,
    hasty: 0,
    presses: 0,
    fields: 0,
    requests: 0,
    requestsLost: 0,
    answersLost: 0,
    refused: 0,
    offline: 0,
  }
  const outcomes: Outcome[] = []
  let printed = 0
  const stand = standOf(shop)
  const seedsToRun =
    numbers.only > 0 ? [numbers.only] : Array.from({ length: numbers.seeds }, () => whole(tools.random, 1, 2 ** 31 - 1))
  const contexts: BrowserContext[] = []
  try {
    await crowd(seedsToRun, numbers.tabs, async (seed) => {
      const context =
        contexts.pop() ?? (await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 } }))
      const { random } = seeded(seed)
      const items = codes.map((code) => ({ skuId: shop.sku(code), quantity: whole(random, 1, 3) }))
      const session = sessionFrom(await openSession(caller, server.origin, stand, { items }))
      const hand = new Hand(context, server.origin, session, items, numbers, random, seen)
      try {
        outcomes.push({ seed, ...(await hand.run()) })
        seen.paid += 1
      } catch (error) {
        violations.add(`seed ${seed}: ${(error as Error).message.split('\n')[0]}; ${hand.trail()}`)
      }
      for (const sentence of hand.violations) violations.add(`seed ${seed}: ${sentence}; ${hand.trail()}`)
      // At once, because a long run may be interrupted.
      if (violations.size > printed) process.stdout.write(`  ${[...violations].slice(printed).join('\n  ')}\n`)
      printed = violations.size
      const { status, total } = await readSession(caller, server.origin, stand, session.id)
      const outcome = outcomes.find((one) => one.sessionId === session.id)
      if (outcome && (status !== 'completed' || total !== outcome.total))
        violations.add(`seed ${seed}: the page showed ${outcome.total}, the session is ${status} with ${total}`)
      await context.unrouteAll({ behavior: 'ignoreErrors' })
      contexts.push(context)
      tools.tell(`${outcomes.length} of ${seedsToRun.length} seeds, ${violations.size} violations`)
    })
    for (const line of defectsOf([server])) violations.add(line)
    await shop.withStorage(async (storage) => {
      for (const outcome of outcomes) {
        const found = await storage.read((db) => factsOf(db, shop, outcome.sessionId))
        for (const sentence of differences(outcome, found)) violations.add(`seed ${outcome.seed}: ${sentence}`)
      }
      for (const sentence of await findBroken(storage)) violations.add(sentence)
    })
    return { seen, violations: [...violations].slice(0, 50) }
  } finally {
    await browser.close()
    await server.end('SIGKILL')
    caller.close()
  }
}

// What the page showed at the press that paid.
interface Shown {
  total: number
  quantities: Readonly<Record<string, number>>
  fields: Readonly<Record<string, string>>
}

interface Outcome extends Shown {
  seed: number
  sessionId: string
}

interface Facts {
  charges: readonly number[]
  total: number | undefined
  quantities: Readonly<Record<string, number>>
  address: Readonly<Record<string, string>>
}

async function factsOf(db: Reader, { rootSecret }: Shop, sessionId: string): Promise<Facts> {
  const charges = await db.sql<{ amount: number }>`
    select amount from payments where checkout_session_id = ${sessionId} and status = 'succeeded'`
  const [row] = await db.sql<{ installationId: string; id: string }>`
    select installation_id as "installationId", id from orders where checkout_session_id = ${sessionId}`
  const order = row && (await findOrder(db, { installationId: row.installationId, orderId: row.id }))
  const lines = await db.sql<{ skuId: string; quantity: number }>`
    select sku_id as "skuId", quantity from order_lines where order_id = ${row?.id ?? ''}`
  const token = order?.address?.token
  const address =
    token === undefined || !row
      ? undefined
      : await decryptAddress(db, rootSecret, {
          installationId: row.installationId,
          ownerId: row.id,
          id: token,
          now: Date.now(),
        })
  return {
    charges: charges.map(({ amount }) => amount),
    total: order?.total,
    quantities: Object.fromEntries(lines.map(({ skuId, quantity }) => [skuId, quantity])),
    address: (address ?? {}) as Record<string, string>,
  }
}

function differences(shown: Outcome, facts: Facts): string[] {
  const said = (what: string, one: unknown, other: unknown) =>
    JSON.stringify(one) === JSON.stringify(other)
      ? []
      : [`${what}: shown ${JSON.stringify(one)}, there ${JSON.stringify(other)}`]
  const sorted = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const fields = Object.entries(shown.fields).filter(([name, value]) => name in facts.address || value !== '')
  return [
    ...said('charged', [shown.total], facts.charges),
    ...said('total of the order', shown.total, facts.total),
    ...said('quantities of the order', sorted(shown.quantities), sorted(facts.quantities)),
    ...fields
      .filter(([name]) => name !== 'email')
      .flatMap(([name, value]) => said(name, value, facts.address[name] ?? '')),
  ]
}

const values: Readonly<Record<string, readonly string[]>> = {
  email: ['ada@example.com', 'grace.hopper@example.com'],
  name: ['Ada Byron', 'Grace Hopper', 'Æthel Ñandú'],
  line1: ['Weg 12', '1 Main Street', 'Allee 7b'],
  line2: ['', 'Floor 3'],
  city: ['Leipzig', 'Springfield', 'Lyon'],
}
const postalCodes: Readonly<Record<string, readonly string[]>> = {
  DE: ['04229', '10115'],
  AT: ['1010', '8010'],
  FR: ['75001', '69001'],
  GB: ['SW1A 1AA', 'EC1A 1BB'],
  US: ['62701', '10001'],
}
const regions: readonly string[] = ['IL', 'NY', 'CA']
const countries = Object.keys(postalCodes)

const endMsMax = 60_000
const quietMsMax = 30_000
// Presses of Pay right after a change, in one seed.
const hastyMax = 3

class Hand {
  readonly context: BrowserContext
  readonly origin: string
  readonly session: Session
  readonly numbers: PageNumbers
  readonly random: () => number
  readonly seen: Record<string, number>
  readonly violations: string[] = []
  // What was chosen and typed, as the user remembers it.
  readonly quantities: Map<string, number>
  readonly fields = new Map<string, string>()
  readonly #steps: string[] = []
  #isRough = true
  // What was shown at the last press of Pay that had an effect, and at the one whose payment was sent last.
  #paid: Shown | undefined
  // A payment whose answer was lost may have been made: later changes are not part of its order.
  #isPaymentInDoubt = false

  constructor(
    context: BrowserContext,
    origin: string,
    session: Session,
    items: readonly { skuId: string; quantity: number }[],
    numbers: PageNumbers,
    random: () => number,
    seen: Record<string, number>,
  ) {
    this.context = context
    this.origin = origin
    this.session = session
    this.numbers = numbers
    this.random = random
    this.seen = seen
    this.quantities = new Map(items.map(({ skuId, quantity }) => [skuId, quantity]))
  }

  trail(): string {
    return this.#steps.join(', ')
  }

  async run(): Promise<Omit<Outcome, 'seed'>> {
    await this.#roughen()
    const tab = await this.context.newPage()
    tab.setDefaultTimeout(20_000)
    tab.on('pageerror', (error) => this.violations.push(`an error in the page: ${error.message}`))
    await tab.exposeFunction('tellPress', (seen: SeenAtPress) => {
      this.#judge(seen)
    })
    await tab.addInitScript(watchPay)
    try {
      await tab.goto(`${this.origin}/c/${this.session.secret}`)
      for (let step = 0; step < this.numbers.steps; step += 1) {
        await this.#step(tab)
        if (!tab.url().startsWith(this.origin)) throw new Error(`the page went to ${new URL(tab.url()).host}`)
        await pause(this.random() * this.numbers.latencyMs)
      }
      return { sessionId: this.session.id, ...(await this.#finish(tab)) }
    } catch (error) {
      this.#steps.push(String(await tab.evaluate(stateOfPage).catch(() => 'the page is gone')))
      throw error
    } finally {
      await this.context.setOffline(false)
      await tab.close()
    }
  }

  // Only requests of the script: a navigation is retried by the user when it fails.
  async #roughen(): Promise<void> {
    const { latencyMs } = this.numbers
    await this.context.route('http://localhost/**', (route) => route.fulfill({ body: 'The shop' }))
    await this.context.route(`${this.origin}/c/**`, async (route) => {
      if (route.request().resourceType() !== 'fetch') return route.continue()
      this.seen.requests = (this.seen.requests ?? 0) + 1
      const isPayment = route.request().url().endsWith('/pay')
      // Evaluated in the page, which waits for the result: a message from the page could arrive after the request.
      if (isPayment) this.#paid = shownIn(await route.request().frame().evaluate<SeenAtPress>('pressed'))
      const fate = this.#isRough ? this.random() : 1
      await pause(this.random() * latencyMs)
      try {
        if (fate < 0.06) return void (await this.#lose('requestsLost', () => route.abort('connectionreset')))
        if (fate < 0.12) {
          this.#isPaymentInDoubt ||= isPayment
          await route.fetch({ maxRedirects: 0 })
          return void (await this.#lose('answersLost', () => route.abort('connectionreset')))
        }
        if (fate < 0.15) return void (await this.#lose('refused', () => route.fulfill({ status: 503, body: '{}' })))
        await route.continue()
      } catch {
        // The page is gone.
      }
    })
  }

  async #lose(what: string, how: () => Promise<void>): Promise<void> {
    this.seen[what] = (this.seen[what] ?? 0) + 1
    await how()
  }

  async #step(tab: Tab): Promise<void> {
    const does = pick(this.random, [
      () => this.#press(tab),
      () => this.#press(tab),
      () => this.#press(tab),
      () => this.#type(tab),
      () => this.#type(tab),
      () => this.#type(tab),
      () => this.#quantity(tab),
      () => this.#autofill(tab),
      () => this.#country(tab),
      () => this.#option(tab),
      () => this.#offline(),
      () => this.#return(tab),
    ])
    await does()
  }

  async #press(tab: Tab): Promise<void> {
    const times = whole(this.random, 1, 6)
    for (let turn = 0; turn < times; turn += 1) {
      const skuId = pick(this.random, [...this.quantities.keys()])
      const before = this.quantities.get(skuId) ?? 1
      const by = before > 1 && this.random() < 0.4 ? -1 : 1
      await tab.locator(`#quantity-${skuId}-${by < 0 ? 'fewer' : 'more'}`).click()
      this.quantities.set(skuId, before + by)
      this.seen.presses = (this.seen.presses ?? 0) + 1
      if (this.random() < 0.5) await pause(this.random() * 500)
    }
    this.#steps.push(`${times} presses`)
  }

  // A number in a field that still has the focus becomes a change only when something else is pressed.
  async #quantity(tab: Tab, { isLeft = true } = {}): Promise<void> {
    const skuId = pick(this.random, [...this.quantities.keys()])
    const quantity = whole(this.random, 1, 12)
    await tab.locator(`#quantity-${skuId}`).fill(String(quantity))
    if (isLeft && this.random() < 0.5) await tab.locator(`#quantity-${skuId}`).press('Enter')
    else if (isLeft) await tab.locator(`#quantity-${skuId}`).blur()
    this.quantities.set(skuId, quantity)
    this.#steps.push(`quantity ${quantity}`)
  }

  async #type(tab: Tab, names = Object.keys(values)): Promise<void> {
    const name = pick(this.random, names)
    const value = pick(this.random, values[name] ?? [])
    const field = tab.locator(`#${name}`)
    const fold = tab.locator(`#${name}-fold > summary`)
    if (await fold.isVisible()) await fold.click()
    if (this.random() < 0.5) await field.fill(value)
    else {
      await field.fill('')
      // An answer that replaces the field may put the cursor back into it meanwhile.
      await field.focus()
      await tab.keyboard.type(value, { delay: this.random() * 30 })
    }
    this.#note({ [name]: value })
    this.#steps.push(`types ${name}`)
  }

  // All fields at once, as a browser fills them.
  async #autofill(tab: Tab): Promise<void> {
    const country = pick(this.random, countries)
    const given = {
      ...Object.fromEntries(Object.entries(values).map(([name, all]) => [name, pick(this.random, all)])),
      country,
      postalCode: pick(this.random, postalCodes[country] ?? ['']),
    }
    await tab.evaluate(`for (const field of document.querySelectorAll('#details input, #details select')) {
      const value = (${JSON.stringify(given)})[field.name]
      if (value === undefined) continue
      field.value = value
      for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
    }`)
    this.#note(given)
    this.#steps.push(`autofills ${country}`)
  }

  async #country(tab: Tab, country = pick(this.random, countries)): Promise<void> {
    await tab.locator('#country').selectOption(country)
    this.#note({ country })
    this.#steps.push(`chooses ${country}`)
  }

  // A country with the same fields, so its postal code can be typed before they are loaded.
  async #likeCountry(tab: Tab): Promise<void> {
    const country = pick(this.random, ['DE', 'AT', 'FR'])
    const postalCode = pick(this.random, postalCodes[country] ?? [''])
    await this.#country(tab, country)
    await tab.locator('#postalCode').fill(postalCode)
    this.#note({ postalCode })
  }

  async #option(tab: Tab): Promise<void> {
    const radios = tab.locator('#shipping input')
    const count = await radios.count()
    if (count === 0) return
    await radios.nth(whole(this.random, 0, count - 1)).check()
    this.#note({ option: (await tab.locator('#shipping input:checked').getAttribute('value')) ?? '' })
    this.#steps.push('chooses delivery')
  }

  async #offline(): Promise<void> {
    this.seen.offline = (this.seen.offline ?? 0) + 1
    await this.context.setOffline(true)
    this.#steps.push('goes offline')
    setTimeout(() => void this.context.setOffline(false).catch(() => {}), 100 + this.random() * 600)
  }

  async #return(tab: Tab): Promise<void> {
    const name = pick(this.random, ['email', 'name', 'city', 'line1'])
    await tab.locator(`#${name}`).press('Enter')
    this.#steps.push(`return in ${name}`)
  }

  #note(typed: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(typed)) this.fields.set(name, value)
    this.seen.fields = (this.seen.fields ?? 0) + Object.keys(typed).length
  }

  // Fills in what is missing, and pays, as often as it takes; the network stays unreliable for a while.
  async #finish(tab: Tab): Promise<Shown> {
    await this.context.setOffline(false)
    const country = this.fields.get('country') ?? (await tab.locator('#country').inputValue())
    // The page waits longer after each failure, so with a network that never improves the run would never end.
    const calm = setTimeout(() => {
      this.#isRough = false
    }, quietMsMax / 3)
    await this.#complete(tab, country).finally(() => clearTimeout(calm))
    const paying = performance.now()
    let hastyLeft = whole(this.random, 0, hastyMax)
    while (!tab.url().startsWith('http://localhost/')) {
      const tookMs = performance.now() - paying
      if (tookMs > endMsMax) throw new Error('did not come to an end')
      if (tookMs > endMsMax / 6) this.#isRough = false
      if (hastyLeft === 0) await this.#quiet(tab)
      if (!tab.url().startsWith(`${this.origin}/c/`)) break
      const button = tab.locator('#pay-button:enabled:not([aria-disabled])')
      if ((await button.count()) === 0) {
        await pause(50)
        continue
      }
      if (hastyLeft > 0 && !this.#isPaymentInDoubt) await this.#changeLate(tab)
      hastyLeft = Math.max(0, hastyLeft - 1)
      await button.click({ timeout: 2_000 }).catch(() => {})
      await pause(30)
    }
    if (!this.#paid) throw new Error('was paid without a press')
    return this.#paid
  }

  // A change directly followed by Pay: it is not sent yet, or has no answer.
  async #changeLate(tab: Tab): Promise<void> {
    const change = pick(this.random, [
      () => this.#press(tab),
      () => this.#quantity(tab),
      () => this.#quantity(tab, { isLeft: false }),
      () => this.#type(tab, ['name', 'line1', 'city']),
      () => this.#option(tab),
      () => this.#likeCountry(tab),
    ])
    try {
      await change()
    } catch (error) {
      // The previous press left the page in the middle of this step.
      if ((await tab.locator('#pay-button').count()) === 0) return
      throw error
    }
    // From before the page would send it by itself until its answer is about to arrive.
    await pause(this.random() * Math.max(500, this.numbers.latencyMs))
    this.seen.hasty = (this.seen.hasty ?? 0) + 1
    this.#steps.push('pays at once')
  }

  async #complete(tab: Tab, country: string): Promise<void> {
    // The fields of the country are there when no request is pending.
    await this.#quiet(tab)
    const wanted: Record<string, string> = { postalCode: pick(this.random, postalCodes[country] ?? ['']) }
    for (const name of ['email', 'name', 'line1', 'city'])
      if ((this.fields.get(name) ?? '') === '') wanted[name] = pick(this.random, values[name] ?? [])
    for (const [name, value] of Object.entries(wanted)) await tab.locator(`#${name}`).fill(value)
    this.#note(wanted)
    if (country === 'US') {
      const region = pick(this.random, regions)
      await tab.locator('select#region').selectOption(region)
      this.#note({ region })
    }
    await tab.locator('#details-save').click()
    // What was not sent before is sent first, one after the other, and some of it several times.
    await tab.locator('#card-number:enabled').waitFor({ timeout: quietMsMax + 20 * this.numbers.latencyMs })
    const card = { number: cards.approved, expiry: '12/40', cvc: '123', name: 'Ada Byron' }
    for (const [name, value] of Object.entries(card)) await tab.locator(`#card-${name}`).fill(value)
    this.#steps.push('pays')
  }

  async #quiet(tab: Tab): Promise<void> {
    await tab
      .locator('body:not([data-sync=busy])')
      .waitFor({ timeout: quietMsMax })
      .catch(() => {})
  }

  // What the page shows must be what was chosen and typed.
  #judge(seen: SeenAtPress): void {
    for (const [skuId, quantity] of this.quantities) {
      if (seen.quantities[skuId] !== quantity)
        this.violations.push(`wanted ${quantity} of ${skuId}, shown are ${seen.quantities[skuId] ?? 'none'}`)
    }
    for (const [name, value] of this.fields) {
      // A field of another country, or one that no longer exists.
      if (name === 'option' || (name === 'region' && seen.fields.country !== 'US')) continue
      if (name in seen.fields && seen.fields[name] !== value)
        this.violations.push(`typed ${value} as ${name}, shown is ${seen.fields[name]}`)
    }
    const option = this.fields.get('option')
    if (option !== undefined && option !== seen.option) this.violations.push(`chose ${option}, shown is ${seen.option}`)
  }
}

function shownIn({ words, quantities, fields }: SeenAtPress): Shown {
  return { total: Math.round(Number(words.replace(/[^\d.]/g, '')) * 100), quantities, fields }
}

interface SeenAtPress {
  words: string
  quantities: Record<string, number>
  fields: Record<string, string>
  option: string
}

// Runs in the page, for analysing a failure.
const stateOfPage = `JSON.stringify({
  path: location.pathname.split('/').slice(3).join('/'),
  ...document.body.dataset,
  said: [...document.querySelectorAll('.error, #problem, #connection-text')].filter((one) => one.offsetParent !== null).map((one) => one.innerText),
})`

// Runs in the page: reports what it shows at the moment Pay is pressed. A press while a payment is in progress does not
// count.
const watchPay = `addEventListener('submit', ({ target }) => {
  const button = document.querySelector('#pay-button')
  if (target.id !== 'pay' || button.hasAttribute('aria-disabled')) return
  tellPress(window.pressed = {
    words: button.innerText,
    quantities: Object.fromEntries([...document.querySelectorAll('.side input[name=quantity][type=number]')].map((one) => [one.id.slice(9), Number(one.value)])),
    fields: Object.fromEntries([...document.querySelectorAll('#details :is(input, select)[id]')].filter((one) => one.type !== 'radio').map((one) => [one.name, one.value])),
    option: document.querySelector('#shipping input:checked')?.value ?? '',
  })
}, true)`
