// When a browser first paints a page. The tab is told where to go and asked for the time, and nothing else: Playwright follows every
// request of its pages, and the thread that paints has to report each.

import type { Browser, CDPSession } from 'playwright-core'

export interface Tab {
  // The first contentful paint of a page, in milliseconds since the navigation began.
  paint(url: string): Promise<number>
  // What pages have loaded is loaded anew, as after an update.
  emptyCache(): Promise<void>
  // Beside this one, with its cookies and its cache, in a process of its own.
  another(): Promise<Tab>
  // Closes those beside it, too.
  close(): Promise<void>
}

interface Cookie {
  name: string
  value: string
  url: string
}

// With an empty cache.
export async function openTab(browser: Browser, cookies: readonly Cookie[]): Promise<Tab> {
  const session = await browser.newBrowserCDPSession()
  const { browserContextId } = await session.send('Target.createBrowserContext')
  await session.send('Storage.setCookies', { cookies: [...cookies], browserContextId })
  return tabIn(session, browserContextId)
}

async function tabIn(session: CDPSession, browserContextId: string): Promise<Tab> {
  const { targetId } = await session.send('Target.createTarget', { url: 'about:blank', browserContextId })
  const { sessionId } = await session.send('Target.attachToTarget', { targetId })
  const { ask, event } = conversation(session, sessionId)
  await ask('Page.enable', {})
  const size = { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false }
  await ask('Emulation.setDeviceMetricsOverride', size)
  // Between two pages of the dashboard a browser would blend.
  await ask('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] })
  return {
    async paint(url) {
      const loaded = event('Page.loadEventFired')
      const { errorText } = (await ask('Page.navigate', { url })) as { errorText?: string }
      if (errorText !== undefined) throw new Error(`${url}: ${errorText}`)
      await loaded
      const { result } = (await ask('Runtime.evaluate', { expression: firstPaint, awaitPromise: true })) as {
        result: { value: number }
      }
      return result.value
    },
    emptyCache: async () => void (await ask('Network.clearBrowserCache', {})),
    another: () => tabIn(session, browserContextId),
    async close() {
      await session.send('Target.disposeBrowserContext', { browserContextId })
      await session.detach()
    },
  }
}

const firstPaint = `new Promise((done) =>
  new PerformanceObserver((list) =>
    list.getEntriesByName('first-contentful-paint').forEach((entry) => done(entry.startTime)),
  ).observe({ type: 'paint', buffered: true }),
)`

interface Message {
  id?: number
  method?: string
  result?: unknown
  error?: { message: string }
}

// With one tab: the protocol within the messages of its browser.
function conversation(session: CDPSession, sessionId: string) {
  let last = 0
  const waiting = new Map<number | string, (message: Message) => void>()
  session.on('Target.receivedMessageFromTarget', (received) => {
    if (received.sessionId !== sessionId) return
    const message = JSON.parse(received.message) as Message
    const key = message.id ?? message.method ?? ''
    waiting.get(key)?.(message)
    waiting.delete(key)
  })
  const answer = (key: number | string) => new Promise<Message>((resolve) => waiting.set(key, resolve))
  return {
    event: (method: string) => answer(method),
    async ask(method: string, params: object): Promise<unknown> {
      last += 1
      const answered = answer(last)
      await session.send('Target.sendMessageToTarget', {
        sessionId,
        message: JSON.stringify({ id: last, method, params }),
      })
      const { result, error } = await answered
      if (error) throw new Error(`${method}: ${error.message}`)
      return result
    },
  }
}
