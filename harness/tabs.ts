// Browser tabs that are reused: a new one for each test, with its empty cache, took 40 % of the processor time of the
// tests of pages. A tab stays on its last page: going from one page of a server to the next costs 0.1 s of processor time,
// and 0.3 s by way of an empty one.

import { setTimeout } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'

export interface Tabs {
  // Provides a tab with these options for exclusive use, on whatever page it was left.
  use<Result>(options: BrowserContextOptions, work: (tab: Tab) => Promise<Result>): Promise<Result>
}

const closeMsMax = 5_000

export function keepTabs(browser: () => Browser, { timeoutMs }: { timeoutMs: number }): Tabs {
  const idle = new Map<string, Tab>()

  async function open(options: BrowserContextOptions): Promise<Tab> {
    const context = await browser().newContext(options)
    context.setDefaultTimeout(timeoutMs)
    return context.newPage()
  }

  return {
    async use(options, work) {
      const key = JSON.stringify(options)
      const tab = idle.get(key) ?? (await open(options))
      idle.delete(key)
      const context = tab.context()
      let isDone = false
      try {
        const result = await work(tab)
        isDone = true
        return result
      } finally {
        // A tab that a failed test used is discarded. One that hangs is not waited for: the browser ends it.
        if (isDone) {
          tab.removeAllListeners()
          // Not all: closing the context waits for a listener of Playwright's own.
          for (const name of ['request', 'response', 'console']) context.removeAllListeners(name)
          await tab.unrouteAll()
          await context.clearCookies()
          idle.set(key, tab)
        } else await Promise.race([context.close(), setTimeout(closeMsMax)])
      }
    },
  }
}
