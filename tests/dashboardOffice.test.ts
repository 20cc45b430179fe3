// Developers, Settings and Reports in a real browser: readable for everyone on a desk and on a telephone, a sick webhook from Home to
// its replay, a viewer without a button that is refused, and a session that was ended elsewhere.

import assert from 'node:assert/strict'
import type { Browser, BrowserContext } from 'playwright-core'
import { failedDelivery } from '../harness/admin/developers.ts'
import type { AdminHouse } from '../harness/admin/world.ts'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { type Desk, deskOf, frameParts } from '../harness/dashboard.ts'
import { openOrderHouse } from '../harness/orders.ts'
import { violations } from '../harness/readable.ts'
import { anyEngine } from '../harness/storage.ts'
import { isWide } from '../harness/wide.ts'
import { createSession } from '../src/domain/users/sessions.ts'
import { screens } from '../src/web/dashboard/screens.ts'

const { after, before, test } = browserSuite

let browser: Browser
before(async () => {
  browser = await launchBrowser()
})
after(() => browser.close())

anyEngine('developers and settings in a browser', (given) => {
  let house: AdminHouse
  let sick: { endpointId: string; deliveryId: string }
  before(async () => {
    house = await openOrderHouse(given)
    sick = await failedDelivery(house)
    await house.storage.write(
      (tx) => tx.sql`
        update webhook_endpoints set status = 'disabled', disabled_reason = 'failing' where id = ${sick.endpointId}
        returning id`,
    )
  })

  async function openAs(desk: Desk): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    await context.addCookies([{ name: 'staff_session', value: desk.token, url: house.origin }])
    return context
  }

  test('every page is readable on a desk in light and on a telephone in the dark, without scrolling sideways', async () => {
    const desk = await deskOf(house)
    const own = screens.filter(({ get, path }) => get && !path.endsWith('export'))
    const filled = own
      .filter(({ place }) => ['developers', 'settings', 'reports'].includes(place))
      .map(({ path }) => path.replace(':endpointId', sick.endpointId).replace(':deliveryId', sick.deliveryId))
      .map((path) => path.replace(':provider', 'bank_transfer').replace(':zone', 'home'))
      .map((path) => path.replace(':memberId', desk.userId))
      .filter((path) => !path.includes(':'))
    const found: string[] = []
    const context = await openAs(desk)
    const tab = await context.newPage()
    for (const [place, path] of filled.entries()) {
      const answer = await tab.goto(house.origin + desk.path(path))
      for (const [turn, [width, colorScheme]] of looks.entries()) {
        await tab.setViewportSize({ width, height: 800 })
        await tab.emulateMedia({ colorScheme })
        if (isWide) await tab.reload()
        const over = await tab.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        if (answer?.status() !== 200 || over > 0) found.push(`${path} ${width} ${answer?.status()} ${over}`)
        // Each page in turns on one of the two, or on both. What all have is looked at on the first of each.
        if (!isWide && place % 2 !== turn) continue
        const except = isWide || place < 2 ? [] : frameParts
        found.push(...(await violations(tab, [], except)).map((rule) => `${path} ${width} ${rule}`))
      }
    }
    await context.close()
    assert.deepEqual(found, [])
  })

  test('a viewer meets no button that is refused', async () => {
    const desk = await deskOf(house, { role: 'viewer' })
    const context = await openAs(desk)
    const tab = await context.newPage()
    for (const path of [
      'settings',
      'settings/taxes',
      'settings/shipping',
      'settings/payments',
      'developers',
      'reports',
    ]) {
      const answer = await tab.goto(house.origin + desk.path(path))
      assert.equal(answer?.status(), 200, path)
      assert.equal(await tab.locator('main form[method=post]').count(), 0, path)
      const hrefs = await tab
        .locator('main a[href^="/admin/"]:not([download])')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
      for (const href of new Set(hrefs)) {
        const next = await context.request.get(house.origin + href)
        assert.equal(next.status(), 200, `${path} leads to ${href}`)
      }
    }
    await context.close()
  })

  test('a sick webhook shows on Home, is resumed, and all failed calls are replayed, each once', async () => {
    const desk = await deskOf(house)
    const context = await openAs(desk)
    const tab = await context.newPage()
    await tab.goto(house.origin + desk.path('home'))
    await tab.getByRole('link', { name: /Failing webhooks/ }).click()
    await tab.getByRole('link', { name: 'https://hooks.example.com/rows' }).first().click()
    await tab.getByText('calls failed for too long').waitFor()
    await tab.getByRole('button', { name: 'Resume' }).click()
    await tab.getByText('Resumed.').waitFor()
    await tab.getByRole('button', { name: 'Replay all failed' }).dblclick()
    await tab.getByText('1 delivery is sent again.').waitFor()
    const replays = await house.storage.read(
      (db) => db.sql<{ id: string }>`select id from webhook_deliveries where replay_of = ${sick.deliveryId}`,
    )
    assert.equal(replays.length, 1)
    await tab.goto(house.origin + desk.path('home'))
    assert.equal(await tab.getByRole('link', { name: /Failing webhooks/ }).count(), 0)
    await context.close()
  })

  test('the owner ends a session in the list of sessions: the next click there asks to sign in', async () => {
    const desk = await deskOf(house)
    const context = await openAs(desk)
    const tab = await context.newPage()
    await tab.goto(house.origin + desk.path('settings'))
    const input = { userId: desk.userId, passwordHash: 'x', userAgent: 'Chrome/1 Windows', hasSecondFactor: false }
    const elsewhere = await house.storage.write((tx) => createSession(tx, input, house.clock.now))
    const other = await openAs({ ...desk, token: elsewhere?.token ?? '' })
    const account = await other.newPage()
    await account.goto(`${house.origin}/admin/account`)
    await account.getByRole('button', { name: 'End all others' }).click()
    await account.waitForLoadState()
    await tab.getByRole('link', { name: 'Taxes' }).click()
    await tab.waitForURL(/\/admin\/sign-in\?next=/)
    await account.goto(house.origin + desk.path('settings/taxes'))
    assert.equal(await account.getByRole('heading', { level: 1 }).textContent(), 'Settings')
    await other.close()
    await context.close()
  })
})

const looks = [
  [1280, 'light'],
  [360, 'dark'],
] as const
