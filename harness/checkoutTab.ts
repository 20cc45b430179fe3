// The checkout page in a real browser: opened, watched for anything that it must not do, and filled in.

import assert from 'node:assert/strict'
import type { BrowserContextOptions, Page as Tab } from 'playwright-core'
import { cards } from './checkout.ts'
import type { PageTestServer } from './pageShop.ts'
import type { Tabs } from './tabs.ts'

export interface VisitOptions extends BrowserContextOptions {
  // The test lets requests fail, which a browser reports on its console.
  hasFailures?: boolean
}

export type Visit = (path: string, look: (tab: Tab) => Promise<void>, options?: VisitOptions) => Promise<void>

export const desktop = { width: 1280, height: 900 }
export const telephone = { width: 390, height: 844 }

// Fails if the page wrote anything to the console, was refused something by its own policy, asked a third host, or told the
// shop its address.
export function visitsWith(tabs: Tabs, shop: () => PageTestServer): Visit {
  return async (path, look, { hasFailures = false, ...options } = {}) => {
    const { testServer, shopOrigin, referred } = shop()
    const context = { locale: 'en-GB', viewport: desktop, reducedMotion: 'reduce', ...options } as const
    await tabs.use(context, async (tab) => {
      const complaints: string[] = []
      // Until then it is the page of another visit.
      tab.once('framenavigated', () => complaints.splice(0))
      tab.on('console', (message) => {
        const isFailure = message.text().startsWith('Failed to load resource')
        if (!(hasFailures && isFailure)) complaints.push(message.text())
      })
      tab.on('pageerror', (error) => complaints.push(String(error)))
      tab.context().on('request', (request) => {
        const url = new URL(request.url())
        const isKnown = url.protocol === 'data:' || url.origin === testServer.origin || url.origin === shopOrigin
        if (!isKnown) complaints.push(`asked ${request.url()}`)
      })
      await goTo(tab, `${testServer.origin}${path}`)
      await look(tab)
      assert.deepEqual([...complaints, ...referred.splice(0)], [])
    })
  }
}

// Once more if the page of another visit, such as one that waits for the bank, went elsewhere by itself at this moment.
async function goTo(tab: Tab, url: string): Promise<void> {
  const go = () => tab.goto(url, { waitUntil: 'load' })
  await go().catch((error: unknown) => {
    if (!/ERR_ABORTED|interrupted by another navigation/.test(String(error))) throw error
    return go()
  })
}

// The server has everything that is on the page.
export const isSaved = (tab: Tab) => tab.locator('body[data-sync=""]').waitFor()

export async function fillDetails(tab: Tab): Promise<void> {
  await tab.locator('#country').selectOption('DE')
  await tab.locator('#region').waitFor({ state: 'detached' })
  await tab.locator('#email').fill('ada@example.com')
  await tab.locator('#name').fill('Ada Byron')
  await tab.locator('#line1').fill('Weg 12')
  await tab.locator('#postalCode').fill('04229')
  await tab.locator('#city').fill('Leipzig')
}

export async function fillCard(tab: Tab, number: string = cards.approved): Promise<void> {
  await tab.locator('#card-number').fill(number)
  await tab.locator('#card-expiry').fill('09/29')
  await tab.locator('#card-cvc').fill('123')
  await tab.locator('#card-name').fill('Ada Byron')
}

export const payButton = (tab: Tab) => tab.locator('#pay-button')
