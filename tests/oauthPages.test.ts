// The pages on which a merchant approves an app, in a real browser: every state readable for everyone, on a desktop and on a
// telephone, and forms that say what was chosen, without script and only to where the policy of the page allows.

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { type PageServer, servePages } from '../harness/pageServer.ts'
import { violations } from '../harness/readable.ts'
import { isWide } from '../harness/wide.ts'
import { type OpenInterfaceOperation, operations } from '../src/contract/open/operations.ts'
import { adminScopes, openInterfaceScopes as scopes } from '../src/contract/words.ts'
import { favicon } from '../src/platform/html/mark.ts'
import type { HtmlPage, PageAnswer } from '../src/platform/http/pages.ts'
import { style } from '../src/web/consent/page/assets.ts'
import { consentPage } from '../src/web/consent/page/consent.ts'
import { errorPage, errorStatus } from '../src/web/consent/page/error.ts'
import { answerPage } from '../src/web/consent/page/frame.ts'
import { signInPage, signOutPage } from '../src/web/consent/page/signin.ts'
import type { ConsentView, RequestingApp } from '../src/web/consent/page/views.ts'
import { alwaysAllowed, scopeWords } from '../src/web/consent/page/words.ts'
import { passkeyScript } from '../src/web/signin/page/assets.ts'

const app: RequestingApp = {
  name: 'Parcel Pigeon',
  description: 'Prints labels and tells shoppers where their parcel is.',
  mode: 'live',
  redirectUri: 'https://pigeon.example/callback?from=cartwright',
}

const long: RequestingApp = {
  name: 'Äußerst-lange-Bezeichnung-ohne-eine-einzige-Lücke-die-auf-kein-Telefon-passt <script>alert(1)</script>',
  description: 'وصف باللغة العربية',
  mode: 'test',
  redirectUri: 'http://127.0.0.1:4020/callback',
}

const consent: ConsentView = {
  app,
  email: 'ada@alder-finch.example',
  merchants: [{ id: 'mer_1', slug: 'alder-finch', name: 'Alder & Finch' }],
  merchantId: null,
  mode: null,
  scopes: ['catalog:read', 'checkout:quote'],
  ticked: ['catalog:read', 'checkout:quote'],
  problem: null,
}

const many: ConsentView = {
  app: long,
  email: 'a-person-with-a-very-long-address-indeed@a-rather-long-name-of-a-shop.example',
  merchants: [
    { id: 'mer_1', slug: 'alder-finch', name: 'Alder & Finch', isInstalled: true },
    { id: 'mer_2', slug: 'a-rather-long-slug-of-a-shop-that-sells-everything', name: '"Everything" <b>& more</b>' },
    { id: 'mer_3', slug: 'north', name: 'متجر الشمال' },
  ],
  merchantId: 'mer_2',
  mode: null,
  scopes,
  ticked: ['webhooks:read'],
  problem: null,
}

const states: Readonly<Record<string, () => PageAnswer>> = {
  'sign-in': () => answerPage(200, signInPage({ app, email: '', problem: null }), app.redirectUri, true),
  'sign-in-failed': () =>
    answerPage(200, signInPage({ app: long, email: '"><b>ada', problem: 'failed' }), long.redirectUri, true),
  'sign-in-limited': () =>
    answerPage(429, signInPage({ app, email: 'ada@alder-finch.example', problem: 'limited' }), undefined, true),
  'sign-out': () => answerPage(200, signOutPage({ action: '/oauth/session/end/confirm', fields: { xsrf: 'x' } })),
  consent: () => answerPage(200, consentPage(consent), app.redirectUri),
  'consent-many': () => answerPage(200, consentPage(many), long.redirectUri),
  'consent-admin': () =>
    answerPage(200, consentPage({ ...consent, scopes: adminScopes, ticked: adminScopes }), app.redirectUri),
  'consent-no-shop-chosen': () =>
    answerPage(200, consentPage({ ...many, merchantId: null, problem: 'merchant_missing' }), long.redirectUri),
  'consent-nothing-ticked': () =>
    answerPage(200, consentPage({ ...consent, ticked: [], problem: 'scope_missing' }), app.redirectUri),
  'error-lost': () => answerPage(errorStatus('lost'), errorPage({ kind: 'lost' })),
  'error-request': () =>
    answerPage(
      errorStatus('request'),
      errorPage({
        kind: 'request',
        code: 'invalid_redirect_uri',
        detail: `<i>${'long'.repeat(500)}`,
        requestId: 'req_1',
      }),
    ),
}

let browser: Browser
let server: PageServer
let callback: PageServer
const posted: URLSearchParams[] = []

before(async () => {
  const html = (body: string): PageAnswer => ({ status: 200, body, headers: { 'content-type': 'text/html' } })
  callback = await servePages([
    {
      path: '/callback',
      name: 'callback',
      answer: async () => html('<!doctype html><title>App</title>Back in the app'),
    },
    {
      path: '/framing',
      name: 'framing',
      answer: async () => html(`<!doctype html><title>App</title><iframe src="${server.origin}/s/consent"></iframe>`),
    },
  ])
  server = await servePages([
    style.page,
    passkeyScript.page,
    {
      path: '/favicon.svg',
      name: 'favicon',
      answer: async () => ({ status: 200, body: favicon, headers: { 'content-type': 'image/svg+xml' } }),
    },
    ...Object.entries(states).map(
      ([name, answer]): HtmlPage => ({ path: `/s/${name}`, name, answer: async () => answer() }),
    ),
    takesForm('/flow', () => callback.origin),
    // A page whose policy names another place than the one the server would send the browser to.
    takesForm('/astray', () => 'https://pigeon.example'),
  ])
})

browserSuite.before(async () => {
  browser = await launchBrowser()
})

browserSuite.after(() => browser.close())

after(async () => {
  await server.close()
  await callback.close()
})

// Sign-in, then consent, at one address, as the authorization server does it.
function takesForm(path: string, leadsTo: () => string): HtmlPage {
  return {
    path,
    name: path,
    methods: ['GET', 'POST'],
    async answer({ raw }) {
      const face = { ...app, redirectUri: `${leadsTo()}/callback` }
      if (raw.method === 'GET')
        return answerPage(200, signInPage({ app: face, email: '', problem: null }), face.redirectUri, true)
      const form = new URLSearchParams(await textOf(raw))
      posted.push(form)
      if (form.has('decision')) return { status: 303, body: '', headers: { location: `${callback.origin}/callback` } }
      return answerPage(200, consentPage({ ...many, app: face, merchantId: null, ticked: scopes }), face.redirectUri)
    },
  }
}

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  telephone: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  // What a page of 1280 pixels has at 400 %.
  magnified: { viewport: { width: 320, height: 256 }, colorScheme: 'light' },
}

// Set to a folder, this leaves pictures there to look at.
const pictures = process.env.PAGE_PICTURES

browserSuite.describe('every state of the pages is accessible', { concurrency: true }, () => {
  for (const [look, options] of Object.entries(looks)) {
    test(`in the ${look} view`, async () => {
      const context = await browser.newContext(options)
      const tab = await context.newPage()
      const complaints: string[] = []
      tab.on('console', (message) => {
        // The status of a page is told there too, and is meant.
        if (!message.text().includes('the server responded with a status')) complaints.push(message.text())
      })
      tab.on('pageerror', (error) => complaints.push(String(error)))
      context.on('request', (request) => {
        if (new URL(request.url()).origin !== server.origin) complaints.push(`asked ${request.url()}`)
      })
      for (const [place, name] of Object.keys(states).entries()) {
        const response = await tab.goto(`${server.origin}/s/${name}`)
        assert.deepEqual([name, response?.status()], [name, states[name]?.().status])
        // Magnified it is the same page, and only its width can go wrong. On the others each state in turns, or on both.
        if (look !== 'magnified' && (isWide || (look === 'desktop') === (place % 2 === 0)))
          assert.deepEqual([name, await violations(tab, ['best-practice'])], [name, []])
        assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, `${name} is too wide`)
        assert.equal(await tab.locator('h1').count(), 1)
        assert.doesNotMatch((await tab.locator('body').textContent()) ?? '', /undefined|\[object|false|null/)
        if (pictures !== undefined) {
          mkdirSync(pictures, { recursive: true })
          await tab.screenshot({ path: join(pictures, `${look}-${name}.png`), fullPage: true })
        }
      }
      assert.deepEqual(complaints, [])
      await context.close()
    })
  }
})

describe('the forms', () => {
  async function visit(path: string, look: (tab: Tab) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } })
    context.setDefaultTimeout(60_000)
    posted.length = 0
    try {
      const tab = await context.newPage()
      await tab.goto(`${server.origin}${path}`)
      await look(tab)
    } finally {
      await context.close()
    }
  }

  async function signIn(tab: Tab): Promise<void> {
    await tab.getByLabel('E-mail').fill('ada@alder-finch.example')
    await tab.getByLabel('Password').fill(' pass word ')
    await tab.getByLabel('Password').press('Enter')
    await tab.getByRole('heading', { name: 'Connect Parcel Pigeon to your shop?' }).waitFor()
  }

  const fields = () => posted.map((form) => [...form])

  browserSuite.test('without script a user signs in, chooses, unticks, approves and returns to the app', async () => {
    await visit('/flow', async (tab) => {
      await signIn(tab)
      await tab.getByRole('radio', { name: 'Alder & Finch' }).check()
      await tab.getByRole('checkbox', { name: 'Resend webhooks' }).uncheck()
      await tab.getByRole('button', { name: 'Approve' }).click()
      await tab.waitForURL(`${callback.origin}/callback`)
    })
    assert.deepEqual(fields(), [
      [
        ['step', 'sign_in'],
        ['email', 'ada@alder-finch.example'],
        ['password', ' pass word '],
      ],
      [
        ['step', 'consent'],
        ['merchant', 'mer_1'],
        ['scope', 'catalog:read'],
        ['scope', 'checkout:quote'],
        ['scope', 'webhooks:read'],
        ['decision', 'approve'],
      ],
    ])
  })

  browserSuite.test('the browser requires the choice of a shop for approving, but not for declining', async () => {
    await visit('/flow', async (tab) => {
      await signIn(tab)
      await tab.getByRole('button', { name: 'Approve' }).click()
      assert.equal(posted.length, 1)
      await tab.getByRole('button', { name: 'Decline' }).click()
      await tab.waitForURL(`${callback.origin}/callback`)
      assert.equal(posted[1]?.get('decision'), 'decline')
      assert.equal(posted[1]?.has('merchant'), false)
    })
  })

  browserSuite.test('the sign-in can be cancelled without typing anything', async () => {
    await visit('/flow', async (tab) => {
      await tab.getByRole('button', { name: 'Cancel' }).click()
      await tab.waitForURL(`${callback.origin}/callback`)
      assert.deepEqual(posted[0]?.get('decision'), 'decline')
    })
  })

  browserSuite.test('a form can only lead to us and to the requesting app', async () => {
    await visit('/astray', async (tab) => {
      const refused = tab.waitForEvent('console', (message) => message.text().includes('form-action'))
      await tab.getByRole('button', { name: 'Cancel' }).click()
      await refused
      assert.equal(tab.url(), `${server.origin}/astray`)
    })
  })

  browserSuite.test('the pages cannot be framed', async () => {
    const context = await browser.newContext()
    const tab = await context.newPage()
    const refused = tab.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await tab.goto(`${callback.origin}/framing`)
    await refused
    await context.close()
  })
})

describe('the texts of the pages', () => {
  test('the description of each scope lists every operation that the scope allows, and no others', () => {
    const opened = (scope: string | null) =>
      Object.entries(operations as Readonly<Record<string, OpenInterfaceOperation>>)
        .filter(([, row]) => row.caller === 'key' && row.scope === scope)
        .map(([id]) => id)
        .sort()
    for (const scope of scopes) {
      const said = scopeWords[scope].points.flatMap((point) => point.operations)
      assert.deepEqual([scope, [...said].sort()], [scope, opened(scope)])
    }
    assert.deepEqual([...alwaysAllowed.operations].sort(), opened(null))
  })

  test('names and typed values are escaped, and a password is never sent back', () => {
    const pages = [
      signInPage({ app: long, email: '"><script>', problem: 'failed' }),
      consentPage(many),
      errorPage({ kind: 'request', code: '<script>', detail: '"><script>' }),
    ]
    const ours = /<script src="\/admin\/passkey\.js\?v=[\w-]+" defer><\/script>/
    for (const page of pages) assert.doesNotMatch(page.replace(ours, ''), /<script/i)
    assert.doesNotMatch(pages[0] ?? '', /<input[^>]*type="password"[^>]*value=/)
  })

  test('every page has a strict content security policy and is not cached', () => {
    const { headers } = answerPage(200, '', 'https://pigeon.example/callback')
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self' https://pigeon.example; base-uri 'none'; frame-ancestors 'none'",
    )
    assert.match(
      answerPage(200, '', undefined, true).headers['content-security-policy'] ?? '',
      /; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri/,
    )
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-frame-options'], 'DENY')
    for (const odd of ['', 'not a url', 'javascript:alert(1)', 'data:text/html,x', 'https://a.example;script-src *']) {
      const policy = answerPage(200, '', odd).headers['content-security-policy'] ?? ''
      assert.match(policy, /form-action 'self'(?: https:\/\/[a-z.]+)?; base-uri/, odd)
    }
  })
})
