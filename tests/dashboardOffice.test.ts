// Developers, Settings and Reports in a real browser: a sick webhook from Home to
// its replay, a viewer without a button that is refused, and a session that was ended elsewhere.

import assert from 'node:assert/strict'
import type { Browser, BrowserContext } from 'playwright-core'
import { failedDelivery } from '../harness/admin/developers.ts'
import type { AdminTestServer } from '../harness/admin/world.ts'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { openOrderTestServer } from '../harness/orders.ts'
import { anyEngine } from '../harness/storage.ts'
import { createSession } from '../src/domain/users/sessions.ts'

const { after, before, test } = browserSuite

let browser: Browser
before(async () => {
  browser = await launchBrowser()
})
after(() => browser.close())

anyEngine('developers and settings in a browser', (given) => {
  let testServer: AdminTestServer
  let sick: { endpointId: string; deliveryId: string }
  before(async () => {
    testServer = await openOrderTestServer(given)
    sick = await failedDelivery(testServer)
    await testServer.storage.write(
      (tx) => tx.sql`
        update webhook_endpoints set status = 'disabled', disabled_reason = 'failing' where id = ${sick.endpointId}
        returning id`,
    )
  })

  async function openAs(dashboardUser: DashboardUser): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    await context.addCookies([{ name: 'staff_session', value: dashboardUser.token, url: testServer.origin }])
    return context
  }

  test('the settings and reports of a viewer contain no forms, and no links to pages that are refused', async () => {
    const dashboardUser = await dashboardUserOf(testServer, { role: 'viewer' })
    const context = await openAs(dashboardUser)
    const tab = await context.newPage()
    for (const path of [
      'settings',
      'settings/taxes',
      'settings/shipping',
      'settings/payments',
      'settings/changes',
      'settings/transfers',
      'reports',
    ]) {
      const answer = await tab.goto(testServer.origin + dashboardUser.path(path))
      assert.equal(answer?.status(), 200, path)
      assert.equal(await tab.locator('main form[method=post]').count(), 0, path)
      const hrefs = await tab
        .locator('main a[href^="/admin/"]:not([download])')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
      for (const href of new Set(hrefs)) {
        const next = await context.request.get(testServer.origin + href)
        assert.equal(next.status(), 200, `${path} leads to ${href}`)
      }
    }
    await context.close()
  })

  test('a failing webhook is shown on Home and resumed, and a double click replays a failed delivery once', async () => {
    const dashboardUser = await dashboardUserOf(testServer)
    const context = await openAs(dashboardUser)
    const tab = await context.newPage()
    await tab.goto(testServer.origin + dashboardUser.path('home'))
    await tab.getByRole('link', { name: /Failing webhooks/ }).click()
    await tab.getByRole('link', { name: 'https://hooks.example.com/rows' }).first().click()
    await tab.getByText('calls failed for too long').waitFor()
    await tab.getByRole('button', { name: 'Resume' }).click()
    await tab.getByText('Resumed.').waitFor()
    await tab.getByRole('button', { name: 'Replay all failed' }).dblclick()
    await tab.getByText('1 delivery is sent again.').waitFor()
    const replays = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from webhook_deliveries where replay_of = ${sick.deliveryId}`,
    )
    assert.equal(replays.length, 1)
    await tab.goto(testServer.origin + dashboardUser.path('home'))
    assert.equal(await tab.getByRole('link', { name: /Failing webhooks/ }).count(), 0)
    await context.close()
  })

  test('after a person ended all other sessions, the next click in one of them opens the sign-in', async () => {
    const dashboardUser = await dashboardUserOf(testServer)
    const context = await openAs(dashboardUser)
    const tab = await context.newPage()
    await tab.goto(testServer.origin + dashboardUser.path('settings'))
    const input = {
      userId: dashboardUser.userId,
      passwordHash: 'x',
      userAgent: 'Chrome/1 Windows',
      hasSecondFactor: false,
    }
    const elsewhere = await testServer.storage.write((tx) => createSession(tx, input, testServer.clock.now))
    const other = await openAs({ ...dashboardUser, token: elsewhere?.token ?? '' })
    const account = await other.newPage()
    await account.goto(`${testServer.origin}/admin/account`)
    await account.getByRole('button', { name: 'End all others' }).click()
    await account.waitForLoadState()
    await tab.getByRole('link', { name: 'Taxes' }).click()
    await tab.waitForURL(/\/admin\/sign-in\?next=/)
    await account.goto(testServer.origin + dashboardUser.path('settings/taxes'))
    assert.equal(await account.getByRole('heading', { level: 1 }).textContent(), 'Settings')
    await other.close()
    await context.close()
  })
})
