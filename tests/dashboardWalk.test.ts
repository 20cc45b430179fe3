// A walk over the dashboard from link to link. Every page and form with the ids of another shop is answered as if these had never been, and
// what is typed wrong is said at its field.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { idPattern, type SeenPage, shapeOf, walkDashboard } from '../harness/dashboardPages.ts'
import type { Scriptless, TypedField } from '../harness/scriptless.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import type { TestServer } from '../harness/testServer.ts'
import { issueSentences } from '../src/contract/issues.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { screens } from '../src/web/dashboard/screens.ts'

type Wrong = readonly [what: string, text: string]

// Texts that no field of the kind takes.
function wrongTextsFor({ kind, lengthMax }: TypedField): readonly Wrong[] {
  const long: Wrong = ['too long', 'x'.repeat(lengthMax === Infinity ? 30_000 : lengthMax + 1)]
  const letters: Wrong = ['letters', 'abc']
  const negative: Wrong = ['negative', '-1']
  if (kind === 'whole') return [letters, negative, ['a fraction', '1.5'], ['huge', '99999999999']]
  if (kind === 'amount') return [letters, negative, ['huge', '9'.repeat(13)]]
  if (kind === 'email') return [['no address', 'nobody'], long]
  if (kind === 'url') return [['no address', 'ftp://x y'], long]
  return kind === 'text' ? [long, ['control characters', 'a\u0001b']] : [long]
}

// Their values are not used as the forms stand, may be anything, or are made into something that is allowed.
const unjudged: readonly RegExp[] = [
  // Only used together with something that the form does not have yet.
  /^stock reason /,
  /^store\/menus\/\S+ link(?:Address|Label) /,
  /^discounts\/\S+ amount /,
  /^developers\/keys\/new origins /,
  /^products\/\S+ allPrice huge/,
  /^products\/\S+ image\.\d+\.position /,
  // Lines in a field of several rows: control characters become spaces.
  /^makers\/new (?:responsible\.)?address control/,
  /^products\/\S+ (?:summary|seoDescription) control/,
  // Formatted text is made safe, without them.
  /^store\/pages\/new bodyHtml control/,
  // Other options make other variants first, which are shown to be filled in.
  /^products\/\S+ option\./,
  // A browser may hold the name of the person beside the password.
  /^account\/password username /,
  // Needs a device, and a file.
  /^account\/passkeys\/new /,
  /^products\/:prd\/picture alt /,
  // More than is due may have come.
  /^orders\/:ord\/pay amount huge/,
  // There is no form of it to draw again; it is cut to what its field takes.
  /^views name /,
]

const samples: Readonly<Record<TypedField['kind'], string>> = {
  ...{ line: 'Sample', text: 'Sample', email: 'sample@shop.example', url: 'https://shop.example/' },
  ...{ whole: '1', amount: '1' },
}

// What a form lacks before the operation looks at the other fields.
const begun: readonly (readonly [place: RegExp, value: string])[] = [
  [/^products\/\S+ guaranteeYears$/, '3'],
  [/^products\/new sku\.0\.code$/, 'SAMPLE'],
  [/^products\/new sku\.0\.price$/, '5'],
  [/^(?:drafts|orders|returns)\S+ product-0$/, 'CARD'],
  [/^drafts\/\S+ shippingLabel$/, 'Post'],
  [/^discounts\/new percent$/, '10'],
  [/^store\/pages\/new slug$/, 'sample'],
  [/^makers\/new (?:responsible\.)?(?:name|address)$/, 'Sample'],
  [/^makers\/new (?:responsible\.)?country$/, 'DE'],
  [/^makers\/new (?:responsible\.)?contact$/, 'sample@shop.example'],
  [/^settings legalName$/, 'Sample'],
  [/^settings\/shipping\/new (?:label|amount)$/, '5'],
  [/^orders\/:ord\/return quantity-/, '1'],
]

function begunValue(place: string, value: string, field: TypedField | undefined): string {
  if (value !== '' && value !== '0') return value
  return begun.find(([one]) => one.test(place))?.[1] ?? (field?.isRequired ? samples[field.kind] : value)
}

const apiSentences = Object.values(issueSentences).map((text) => (text.split(/[{[]/)[0] ?? '').trim())

function isForPeople(text: string): boolean {
  if (!/^\p{Lu}.*[.!?-]$/su.test(text) || /[_{}]|(?:^|\s)\/\w+\//.test(text)) return false
  const words = text.toLowerCase()
  return !apiSentences.some((one) => /^(?:must|is|has) /.test(one) && words.startsWith(one))
}

// What is wrong with the answer to a form with this field wrong, or undefined.
function faultOf(page: Scriptless, { name }: TypedField): string | undefined {
  const wrong = page.invalid()
  if (wrong.some((one) => one.name === name)) {
    const other = wrong.find(({ text }) => !isForPeople(text))
    return other && `not a sentence for people: ${other.text}`
  }
  if (wrong.length > 0) return `said at ${wrong.map((one) => one.name).join()}`
  const alerts = page.alerts().filter((text) => text !== '')
  return alerts.length > 0 ? `not at a field: ${alerts.join(' ').slice(0, 120)}` : `taken: ${page.status} ${page.path}`
}

eachEngine('all screens of the dashboard', (given) => {
  let testServer: TestServer
  let dashboardUser: DashboardUser
  let pages: readonly SeenPage[]

  before(async () => {
    ;({ testServer, dashboardUser, pages } = await walkDashboard(given))
  })

  test('every screen with a GET route was visited', () => {
    const shapes = new Set(pages.map(({ path }) => shapeOf(path)))
    const missed = screens
      .filter(({ get, path }) => get && !path.endsWith('export'))
      .map(({ path }) => dashboardUser.path(path))
      .filter((path) => {
        const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
        return ![...shapes].some((shape) => pattern.test(shape))
      })
    assert.deepEqual(missed, [])
  })

  test('no required select begins with an empty option', () => {
    const blocked = pages.filter(({ html }) => /<select[^>]* required[^>]*>\s*<option value=""/.test(html))
    assert.deepEqual(
      blocked.map(({ path }) => path),
      [],
    )
  })

  test('the list of changes has readable labels, and contains no member names, ids or minor units', () => {
    const { html = '' } = pages.find(({ path }) => path === dashboardUser.path('settings/changes')) ?? {}
    const names = [...html.matchAll(/<dt>([^<]*)</g)].map(([, name = '']) => name)
    assert.ok(names.includes('Discount') && names.includes('Reason'), names.join())
    assert.deepEqual(
      names.filter((name) => /^[a-z]/.test(name)),
      [],
    )
    assert.doesNotMatch(html.replaceAll(/<[^>]*>/g, ' '), /sku_|→\s+to\s+333\b/)
  })

  test('pages and forms with ids of another shop get the same response as with unknown ids, and change nothing', async () => {
    const merchantId = await rivalId()
    const rival = await dashboardUserOf(testServer, { slug: 'rival', merchantId })
    const there = (text: string) => text.replaceAll(dashboardUser.path(''), rival.path(''))
    // Each id has one that never was.
    const others = new Map<string, string>()
    const never = (text: string) =>
      text.replaceAll(idPattern, (id, prefix: string) => {
        const other = others.get(id) ?? newId(prefix as Parameters<typeof newId>[0])
        others.set(id, other)
        return other
      })
    const before = await rowsOf()
    const found: string[] = []
    const ask = async (path: string, form?: URLSearchParams) => {
      const answer = await fetch(testServer.origin + path, {
        redirect: 'manual',
        headers: { ...rival.headers, 'accept-language': 'en-GB' },
        ...(form && { method: 'POST', body: form }),
      })
      const text = `${answer.headers.get('location') ?? ''} ${await answer.text()}`
      return `${answer.status} ${text.replaceAll(idPattern, ':id').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':key')}`
    }
    const compare = async (name: string, ...asked: readonly (() => Promise<string>)[]) => {
      const [foreign = '', unknown = ''] = [await asked[0]?.(), await asked[1]?.()]
      if (foreign !== unknown) found.push(`${name}: ${foreign.slice(0, 80)} | ${unknown.slice(0, 80)}`)
      return foreign
    }
    let forms = 0
    const sent = new Set<string>()
    for (const page of pages) {
      const path = there(page.path)
      if (page.path.match(idPattern)) {
        const answer = await compare(
          path,
          () => ask(path),
          () => ask(never(path)),
        )
        if (!/^404 |^303 \S+failed=\w+_not_found /.test(answer)) found.push(`${path}: ${answer.slice(0, 60)}`)
      }
      for (const { action, method, fields } of page.forms) {
        const text = `${action} ${JSON.stringify(fields)}`
        if (method !== 'post' || !text.match(idPattern) || !action.startsWith(dashboardUser.path(''))) continue
        const shape = shapeOf(action)
        if (sent.has(shape)) continue
        sent.add(shape)
        forms += 1
        // Of a choice between none and some, the id is tried.
        const isNoneOfSome = ([name, value]: readonly [string, string]) =>
          value === '' && fields.some(([other, id]) => other === name && id.match(idPattern))
        const tried = fields.filter((one) => !isNoneOfSome(one))
        const filled = (change: (text: string) => string) =>
          new URLSearchParams(
            tried.map(([name, value]): [string, string] => [name, name === 'key' ? newId('req') : change(value)]),
          )
        await compare(
          `post ${shape}`,
          () => ask(there(action), filled(there)),
          () =>
            ask(
              never(there(action)),
              filled((value) => never(there(value))),
            ),
        )
      }
    }
    assert.deepEqual(found, [])
    assert.ok(forms > 20, `${forms} forms`)
    assert.deepEqual(await rowsOf(), before)
  })

  if (isOnce(given))
    test('an invalid value in any field is reported at that field, in plain words', async () => {
      const { page } = dashboardUser
      const found: string[] = []
      const seen = new Set<string>()
      for (const { action, method, sent, typed, isMultipart } of pages.flatMap(({ forms }) => forms)) {
        if (method !== 'post' || !action.startsWith(dashboardUser.path(''))) continue
        const placeOf = (name: string) =>
          `${shapeOf(action).slice(dashboardUser.path('').length)} ${name.replaceAll(idPattern, ':$1')}`
        for (const field of typed) {
          const place = placeOf(field.name)
          const shape = place.replaceAll(/\d+/g, 'N')
          if (seen.has(shape)) continue
          seen.add(shape)
          for (const [what, text] of wrongTextsFor(field)) {
            if (unjudged.some((one) => one.test(`${place} ${what}`))) continue
            const at = sent.findIndex(([name]) => name === field.name)
            const body = isMultipart ? new FormData() : new URLSearchParams()
            for (const [index, [name, value]] of sent.entries()) {
              const asked = typed.find((one) => one.name === name)
              if (name === 'key') body.append(name, newId('req'))
              else body.append(name, index === at ? text : begunValue(placeOf(name), value, asked))
            }
            await page.post(action, body)
            const fault = faultOf(page, field)
            if (fault) found.push(`${place} ${what}: ${fault}`)
          }
        }
      }
      assert.deepEqual(found, [])
      assert.ok(seen.size > 150, `${seen.size} fields`)
    })

  async function rivalId(): Promise<string> {
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from merchants where slug = 'rival'`,
    )
    return row?.id ?? ''
  }

  // What the first shop has, as far as a form could reach it.
  async function rowsOf() {
    const own = testServer.merchantId
    return testServer.storage.read(async (db) => ({
      products: await db.sql`select * from products where merchant_id = ${own} order by id`,
      skus: await db.sql`select * from skus where merchant_id = ${own} order by id`,
      stock: await db.sql`select * from stock where merchant_id = ${own} order by sku_id, mode`,
      categories: await db.sql`select * from categories where merchant_id = ${own} order by id`,
      promotions: await db.sql`select * from promotions where merchant_id = ${own} order by id`,
      orders: await db.sql`select * from orders where merchant_id = ${own} order by id`,
      notes: await db.sql`select * from order_notes order by id`,
      fulfillments: await db.sql`select * from fulfillments order by id`,
      returns: await db.sql`select * from returns where merchant_id = ${own} order by id`,
      drafts: await db.sql`select * from drafts where merchant_id = ${own} order by id`,
      customers: await db.sql`select * from customers where merchant_id = ${own} order by id`,
      withdrawals: await db.sql`select * from withdrawals where merchant_id = ${own} order by id`,
      refunds: await db.sql`select * from refunds where merchant_id = ${own} order by id`,
      endpoints: await db.sql`select * from webhook_endpoints order by id`,
      deliveries: await db.sql`select id, status, replay_of from webhook_deliveries order by id`,
      members: await db.sql`select * from user_merchants where merchant_id = ${own} order by user_id`,
      invitations: await db.sql`select * from invitations where merchant_id = ${own} order by id`,
      transfers: await db.sql`select * from transfers where merchant_id = ${own} order by id`,
      changes: await db.sql`select id, undoes from audit_entries where merchant_id = ${own} order by id`,
    }))
  }
})
