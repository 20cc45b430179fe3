// Holds a page in a browser against the rules by which everyone can read and use it (WCAG 2.2 AA, as far as axe can tell).

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { CDPSession, Page as Tab } from 'playwright-core'

// Sent to each page, so the form without comments: `axe.source` is more than twice as long. Its few characters beyond ASCII are escaped,
// or each of its characters would take two bytes on the way, here and in the browser.
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8').replaceAll(
  /[^\0-\x7f]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
)
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
  await load(tab)
  const context = { exclude: except.map((selector) => [selector]) }
  const options = {
    runOnly: [...rules, ...more],
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    resultTypes: ['violations'],
  }
  // The page says in a few words what it found: the whole of axe's result has thousands of parts, and reading it took this process longer
  // than everything else that it does about a page.
  const run = `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)})`
  return tab.evaluate<string[]>(`${run}.then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ': ' + nodes.slice(0, 5).map(({ html }) => html.slice(0, 200)).join(' | ')))`)
}

const sessions = new WeakMap<Tab, Promise<CDPSession>>()

// Not in Playwright's own way, which compiles it anew for each page: V8 has no cache for what a page evaluates.
async function load(tab: Tab): Promise<void> {
  if (await tab.evaluate<boolean>(`typeof axe === 'object'`)) return
  const opening = sessions.get(tab) ?? tab.context().newCDPSession(tab)
  sessions.set(tab, opening)
  await (await opening).send('Runtime.evaluate', { expression: `${source};0` })
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
