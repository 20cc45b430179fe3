// Holds a page in a browser against the rules by which everyone can read and use it (WCAG 2.2 AA, as far as axe can tell).

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page as Tab } from 'playwright-core'

// Sent to each page, so the form without comments: `axe.source` is more than twice as long.
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

// What breaks a rule, and where; nothing on a good page. `except`: selectors of what was looked at on another page.
export async function violations(
  tab: Tab,
  more: readonly 'best-practice'[] = [],
  except: readonly string[] = [],
): Promise<string[]> {
  // Playwright's own way compiles it anew for each page: V8 has no cache for what a page evaluates.
  const session = await tab.context().newCDPSession(tab)
  await session.send('Runtime.evaluate', { expression: source })
  await session.detach()
  const { violations: found } = await tab.evaluate<axe.AxeResults>(
    `axe.run({ exclude: ${JSON.stringify(except.map((selector) => [selector]))} }, { runOnly: ${JSON.stringify([...rules, ...more])}, resultTypes: ['violations'] })`,
  )
  return found.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 5).map(placeOf).join(' | ')}`)
}

function placeOf({ html }: axe.NodeResult): string {
  return html.slice(0, 200)
}
