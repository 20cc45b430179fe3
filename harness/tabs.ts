// Tabs of a browser that are used again: a new one for each test, and its empty cache, took 40 % of the processor time of the
// tests of pages.

import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'

export interface Tabs {
  // Hands over a tab with these options, which nobody else has meanwhile.
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
        // What a failed test leaves behind is thrown away.
        if (isDone) {
          tab.removeAllListeners()
          context.removeAllListeners()
          await tab.unrouteAll()
          await context.clearCookies()
          // The page that was there ends here, and with it whatever it would still have said or asked for.
          await tab.goto('about:blank')
          idle.set(key, tab)
        } else await context.close()
      }
    },
  }
}
