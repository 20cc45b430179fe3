// The pages of people in a real browser: every state readable for everyone, in every language, on a desktop and on a phone.

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { type PageServer, servePages } from '../harness/pageServer.ts'
import { violations } from '../harness/readable.ts'
import { isWide } from '../harness/wide.ts'
import { rightsFor } from '../src/domain/users/roles.ts'
import { favicon } from '../src/platform/html/mark.ts'
import type { HtmlPage } from '../src/platform/http/pages.ts'
import { confirmSheet, homeSheet } from '../src/web/signin/page/account.ts'
import { passkeyScript, style } from '../src/web/signin/page/assets.ts'
import { codeSheet, forgottenSheet, invitationSheet, resetSheet, signInSheet } from '../src/web/signin/page/entry.ts'
import { answerSheet, errorSheet } from '../src/web/signin/page/frame.ts'
import { type SignInLanguage, type SignInWords, signInTexts, signInWordsIn } from '../src/web/signin/page/words.ts'

const long = 'a-person-with-a-very-long-address-indeed@a-rather-long-name-of-a-shop.example'
const odd = 'Äußerst-lange-Bezeichnung-ohne-eine-einzige-Lücke-die-auf-kein-Telefon-passt <script>alert(1)</script>'
const invitation = {
  merchantName: odd,
  role: 'staff',
  email: long,
  signedInAs: 'ada@bloom.example',
  path: `/admin/invitations/${'x'.repeat(43)}`,
  problem: null,
} as const
const merchants = [
  { id: 'mer_1', slug: 'alder-finch', name: 'Alder & Finch', ...rightsFor('owner'), needsSecondFactor: true },
  {
    id: 'mer_2',
    slug: 'a-rather-long-slug-of-a-shop-that-sells-everything',
    name: odd,
    ...rightsFor('viewer'),
    needsSecondFactor: false,
  },
  {
    id: 'mer_3',
    slug: 'north',
    name: 'متجر الشمال',
    ...rightsFor('custom', ['admin:orders']),
    needsSecondFactor: false,
  },
] as const
const states: Readonly<Record<string, (words: SignInWords) => string>> = {
  'sign-in': (words) => signInSheet(words, { email: '', next: '/admin', problem: null, isSet: false }),
  'sign-in-failed': (words) =>
    signInSheet(words, { email: '"><b>ada', next: '/admin', problem: 'failed', isSet: false }),
  'sign-in-set': (words) => signInSheet(words, { email: '', next: '/admin', problem: null, isSet: true }),
  code: (words) => codeSheet(words, { pending: 'x', next: '/admin', problem: null }),
  'code-failed': (words) => codeSheet(words, { pending: 'x', next: '/admin', problem: 'failed' }),
  forgotten: (words) => forgottenSheet(words, 'ask'),
  'forgotten-limited': (words) => forgottenSheet(words, 'limited'),
  'forgotten-sent': (words) => forgottenSheet(words, 'sent'),
  reset: (words) => resetSheet(words, { email: long, problem: null }),
  'reset-common': (words) => resetSheet(words, { email: long, problem: 'common' }),
  'invitation-new': (words) => invitationSheet(words, { ...invitation, state: 'new' }),
  'invitation-sign-in': (words) => invitationSheet(words, { ...invitation, state: 'sign_in', role: 'owner' }),
  'invitation-custom': (words) => invitationSheet(words, { ...invitation, state: 'new', role: 'custom' }),
  'invitation-accept': (words) => invitationSheet(words, { ...invitation, state: 'accept', role: 'viewer' }),
  'invitation-other': (words) => invitationSheet(words, { ...invitation, state: 'other' }),
  home: (words) => homeSheet(words, { email: long, merchants }),
  'home-none': (words) => homeSheet(words, { email: long, merchants: [] }),
  confirm: (words) =>
    confirmSheet(words, { email: long, next: '/admin', problem: null, hasPasskey: true, isPasskeyNeeded: false }),
  lost: (words) => String(errorSheet(words, 'lost').body),
}

const languages = Object.keys(signInTexts) as SignInLanguage[]
let browser: Browser
let server: PageServer

before(async () => {
  server = await servePages([
    style.page,
    passkeyScript.page,
    {
      path: '/favicon.svg',
      name: 'favicon',
      answer: async () => ({ status: 200, body: favicon, headers: { 'content-type': 'image/svg+xml' } }),
    },
    ...Object.entries(states).map(
      ([name, show]): HtmlPage => ({
        path: `/s/${name}/:language`,
        name,
        answer: async ({ path }) => answerSheet(200, show(signInWordsIn(path.language as SignInLanguage))),
      }),
    ),
  ])
})

browserSuite.before(async () => {
  browser = await launchBrowser()
})

browserSuite.after(() => browser.close())

after(async () => {
  await server.close()
})

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  telephone: { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
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
      tab.on('console', (message) => complaints.push(message.text()))
      tab.on('pageerror', (error) => complaints.push(String(error)))
      for (const [place, name] of Object.keys(states).entries()) {
        // The languages in turns, or all of them.
        for (const language of isWide ? languages : [languages[place % languages.length] ?? 'en']) {
          await tab.goto(`${server.origin}/s/${name}/${language}`)
          const what = `${name} ${language}`
          // Magnified it is the same page, and only its width can go wrong. On the others each state in turns, or on both.
          if (look !== 'magnified' && (isWide || (look === 'desktop') === (place % 2 === 0)))
            assert.deepEqual([what, await violations(tab, ['best-practice'])], [what, []])
          assert.equal(
            await tab.evaluate('document.documentElement.scrollWidth - innerWidth'),
            0,
            `${what} is too wide`,
          )
          assert.equal(await tab.locator('h1').count(), 1)
          assert.doesNotMatch((await tab.locator('body').textContent()) ?? '', /undefined|\[object|false|null|\{\w+\}/)
          if (pictures !== undefined) {
            mkdirSync(pictures, { recursive: true })
            await tab.screenshot({ path: join(pictures, `${look}-${name}-${language}.png`), fullPage: true })
          }
        }
      }
      assert.deepEqual(complaints, [])
      await context.close()
    })
  }
})

test('typed values and names are escaped, and a password is never sent back', () => {
  for (const [name, show] of Object.entries(states)) {
    const page = show(signInWordsIn('en'))
    assert.doesNotMatch(page, /<script>|<b>/i, name)
    assert.doesNotMatch(page, /<input[^>]*type="password"[^>]*value=/, name)
  }
})
