// Holds a page in a browser against the rules by which everyone can read and use it (WCAG 2.2 AA, as far as axe can tell).

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page as Tab } from 'playwright-core'

// Sent to each page, so the form without comments: `axe.source` is more than twice as long.
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export interface SeenElsewhere {
  // Selectors of what was looked at on another page.
  except?: readonly string[]
  // Rules that other pages of the same kind are held against.
  without?: readonly string[]
}

// What breaks a rule, and where; nothing on a good page.
export async function violations(
  tab: Tab,
  more: readonly 'best-practice'[] = [],
  { except = [], without = [] }: SeenElsewhere = {},
): Promise<string[]> {
  // Playwright's own way compiles it anew for each page: V8 has no cache for what a page evaluates.
  const session = await tab.context().newCDPSession(tab)
  await session.send('Runtime.evaluate', { expression: source })
  await session.detach()
  const context = { exclude: except.map((selector) => [selector]) }
  const options = {
    runOnly: [...rules, ...more],
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    resultTypes: ['violations'],
  }
  const { violations: found } = await tab.evaluate<axe.AxeResults>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)})`,
  )
  return found.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 5).map(placeOf).join(' | ')}`)
}

function placeOf({ html }: axe.NodeResult): string {
  return html.slice(0, 200)
}

// What of a page's layout is wrong: a sideways scroll, what stands out of its card, and words, numbers and prices that are broken in their
// middle. A line may end after a hyphen of a word, but not of a number, and anywhere between the characters of Japanese, which has no spaces.
export function layoutFaults(tab: Tab): Promise<string[]> {
  return tab.evaluate<string[]>(`(() => {
    const found = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) found.push('scrolls sideways by ' + (scrollWidth - clientWidth))
    for (const card of document.querySelectorAll('.card')) {
      const { left, right } = card.getBoundingClientRect()
      for (const part of card.querySelectorAll('*')) {
        const box = part.getBoundingClientRect()
        if (part.children.length > 0 || box.width === 0 || (box.right <= right && box.left >= left)) continue
        if (part.checkVisibility() && !part.closest('.scroll, .hidden, svg, pre')) found.push('stands out: ' + part.tagName + ' ' + part.textContent.trim().slice(0, 40))
      }
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      for (const match of node.data.matchAll(/\\p{Sc}?\\d[\\d.,:\\-]*\\d|[[\\p{L}\\p{N}'’]--[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}]]{2,}/gv)) {
        if (match[0].length > 20 || node.parentElement.closest('pre')) continue
        range.setStart(node, match.index)
        range.setEnd(node, match.index + match[0].length)
        const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ bottom }) => Math.round(bottom)))
        if (lines.size > 1) found.push('broken: ' + match[0])
      }
    return found
  })()`)
}
