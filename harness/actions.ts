// Scripts of pages are deferred, and a test sees a page before they run: its click would do what it does without script, and its key
// nothing. Here every action of a test waits for the page's scripts.

import type { Keyboard, Locator, Page as Tab } from 'playwright-core'

const actions = [
  'check',
  'click',
  'dblclick',
  'dispatchEvent',
  'fill',
  'focus',
  'hover',
  'press',
  'selectOption',
  'setChecked',
  'setInputFiles',
  'uncheck',
] as const
const keys = ['down', 'insertText', 'press', 'type'] as const satisfies (keyof Keyboard)[]

type Action = (...given: unknown[]) => Promise<unknown>

const isPatched = new WeakSet<object>()

export function actWhenLoaded(tab: Tab): void {
  wrap<Locator>(Object.getPrototypeOf(tab.locator('html')), actions, (locator) => loaded(locator))
  wrap<Tab>(Object.getPrototypeOf(tab), actions, (one, selector) => loaded(one.locator(String(selector)).first()))
  wrap<Keyboard>(tab.keyboard, keys, () => tab.waitForLoadState())
}

// The element first: it may be of a page that is still to come.
async function loaded(locator: Locator): Promise<void> {
  await locator.waitFor({ state: 'attached' })
  await locator.page().waitForLoadState()
}

function wrap<Owner extends object>(
  owner: Owner,
  names: readonly string[],
  ready: (self: Owner, first: unknown) => Promise<void>,
): void {
  if (isPatched.has(owner)) return
  isPatched.add(owner)
  const methods = owner as Record<string, Action | undefined>
  for (const name of names) {
    const act = methods[name]
    if (act === undefined) throw new Error(`Playwright has no ${name}`)
    methods[name] = async function (this: Owner, ...given) {
      await ready(this, given[0])
      return act.apply(this, given)
    }
  }
}
