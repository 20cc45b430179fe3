// Browser tabs that are reused: a new one for each test, with its empty cache, took 40 % of the processor time of the
// tests of pages.

import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'

export interface Tabs {
  // Provides a tab with these options for exclusive use.
  use<Result>(options: BrowserContextOptions, work: (tab: Tab) => Promise<Result>): Promise<Result>
}

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
        // A tab that a failed test used is discarded.
        if (isDone) {
          tab.removeAllListeners()
          context.removeAllListeners()
          await tab.unrouteAll()
          await context.clearCookies()
          // Ends the previous page, and with it any pending script or request.
          await tab.goto('about:blank')
          idle.set(key, tab)
        } else await context.close()
      }
    },
  }
}
