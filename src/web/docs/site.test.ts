import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { clientMethodNames } from '../../contract/methods.ts'
import { openInterfaceDocument } from '../../contract/open/document.ts'
import { operationIds, operations } from '../../contract/open/operations.ts'
import { openApiDocument } from '../../contract/openapi.ts'
import { openInterfaceRefusalCodes } from '../../contract/refusals.ts'
import { eventKinds } from '../../contract/words.ts'
import { checkReadiness, probePages } from '../../platform/http/probes.ts'
import { createMetrics } from '../../platform/metrics/metrics.ts'
import { curlFor, jsonCode } from './example.ts'
import { sitePages } from './pages.ts'
import { renderProse } from './prose.ts'
import { refusalCodesOf } from './reference.ts'
import type { StartPageShop } from './start.ts'

const origin = 'https://shop.example.com'

function site(shops: readonly StartPageShop[] | null = [], demo = false) {
  const pages = sitePages({
    origin: () => origin,
    version: '1.2.3',
    engine: 'postgres',
    listShops: async () => shops,
    demo: () => demo,
  })
  return async (path: string, headers: Record<string, string> = {}) => {
    const plain = path.split('?')[0] ?? ''
    const [, folder = '', group = ''] = /^(\/docs(?:\/admin)?)\/([^/]+)$/.exec(plain) ?? []
    const page = pages.find((known) => known.path === plain) ?? pages.find((known) => known.path === `${folder}/:group`)
    assert(page, path)
    const raw = { headers, url: path } as unknown as IncomingMessage
    const answer = await page.answer({ raw, path: { group }, address: '127.0.0.1', receive: (read) => read() })
    return { ...answer, text: String(answer.body) }
  }
}

const shops: StartPageShop[] = [{ slug: 'hearth', name: 'Hearth & <Hollow>', productSlug: 'oak-bowl' }]
const { text: overview } = await site()('/docs')
const groups = [
  ...new Set([...overview.matchAll(/ href="(\/docs\/(?!admin)[a-z-]+)(?=["#])/g)].map(([, path = '']) => path)),
]
const parts = new Map(
  await Promise.all(['/docs', ...groups].map(async (path) => [path, (await site()(path)).text] as const)),
)
const reference = groups.map((path) => parts.get(path)).join('')
const document = openApiDocument(openInterfaceDocument, { version: '0' }) as { components: { schemas: object } }

const idsOn = (page: string) => [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)

// Returns the elements that are not closed, or the first end tag that closes no open element. Void elements are ignored.
function unclosed(page: string): string[] {
  const open: string[] = []
  for (const [, end, name = '', rest = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:[^"'>]|"[^"]*"|'[^']*')*)>/gi)) {
    if (/^(meta|link|input|br|hr|img|wbr)$/.test(name) || rest.endsWith('/')) continue
    if (!end) open.push(name)
    else if (open.pop() !== name) return [`</${name}>`]
  }
  return open
}

describe('the reference', () => {
  test('has a different anchor for every operation, event, schema and code', () => {
    const ids = idsOn(reference)
    const wanted = [
      ...operationIds,
      ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
      ...eventKinds.flatMap((kind) => [`event-${kind}`, `example-${kind}`]),
    ]
    assert.deepEqual(
      wanted.filter((id) => !ids.includes(id)),
      [],
    )
    const known = idsOn(overview)
    const errors = openInterfaceRefusalCodes.map((code) => `error-${code}`)
    // The reference was one page once. The overview still has these anchors, at links to the new places.
    const moved = [...operationIds, ...eventKinds.map((kind) => `event-${kind}`), 'schema-Cart', 'events', 'schemas']
    assert.deepEqual(
      [...errors, ...moved].filter((id) => !known.includes(id) && !known.includes(`tag-${id}`)),
      [],
    )
    for (const [path, page] of parts) {
      const own = idsOn(page)
      assert.equal(new Set(own).size, own.length, `an anchor is twice on ${path}`)
    }
  })

  test('has no broken links, and headings in order', () => {
    let count = 0
    for (const [here, page] of parts) {
      for (const [, path, id] of page.matchAll(/ href="((?:\/docs(?:\/[a-z-]+)?)?)#([^"]*)"/g)) {
        count += 1
        assert(idsOn(parts.get(path || here) ?? '').includes(id), `${here} leads to ${path}#${id}`)
      }
      const main = page.slice(page.indexOf('<main'))
      const levels = [...main.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level))
      assert.equal(levels[0], 1, here)
      for (const [index, level] of levels.entries()) assert(level <= (levels[index - 1] ?? 0) + 1, `${here} ${index}`)
    }
    assert(count > 500)
  })

  test('shows the path, scope and an example call of each operation', () => {
    for (const id of operationIds) {
      const { path, scope, summary } = operations[id]
      const start = reference.indexOf(`<article class="operation" id="${id}">`)
      const article = reference.slice(start, reference.indexOf('</article>', start))
      const words = article.replaceAll(/<[^>]+>/g, '')
      assert(words.includes(path), `${id} shows its path`)
      assert(words.includes(summary), `${id} shows its summary`)
      assert(scope === null || words.includes(scope), `${id} shows its scope`)
      assert(words.includes(`curl `) && words.includes(origin), `${id} shows a call`)
      assert(words.includes(`.${clientMethodNames.open.get(id)}(`), `${id} shows a call by the typed client`)
      for (const code of refusalCodesOf(operations[id]))
        assert(article.includes(`#error-${code}`), `${id} tells of ${code}`)
    }
  })

  test('has no page for an unknown group', async () => {
    await assert.rejects(site()('/docs/nowhere'), /route_not_found|no such/i)
  })

  test('has no page that is too large', () => {
    for (const [path, page] of parts) {
      const most = path === '/docs' ? 60_000 : path === '/docs/schemas' ? 180_000 : 100_000
      assert(Buffer.byteLength(page) < most, `${path} has ${Buffer.byteLength(page)} bytes`)
    }
  })
})

describe('the start page', () => {
  test('shows the first calls and a real product if there is a shop', async () => {
    const { text } = await site(shops, true)('/')
    assert.match(text, /href="\/api\/v1\/catalog\/merchants\/hearth\/products\/oak-bowl"/)
    assert.match(text, /curl https:\/\/shop\.example\.com\/api\/v1\/open\/installation\/identity/)
    for (const href of ['/docs', '/openapi.json', '/healthz', '/readyz', '/metrics'])
      assert(text.includes(`href="${href}"`), href)
    assert.match(text, /<dd>PostgreSQL<\/dd>/)
    assert.match(text, /Hearth &amp; &lt;Hollow&gt;/)
    assert.doesNotMatch(text, /<Hollow>/)
  })

  test('explains how to create a shop if there is none', async () => {
    const { text } = await site()('/')
    for (const command of ['demo', 'apply', 'import'])
      assert(text.includes(`npm run -s cartwright -- ${command}`), command)
  })

  test('is cached for a short time, unless its rendering failed', async () => {
    let asked = 0
    const pages = sitePages({
      origin: () => origin,
      version: '1.2.3',
      engine: 'sqlite',
      listShops: async () => {
        asked += 1
        if (asked === 1) throw new Error('the database is away')
        return shops
      },
      demo: () => false,
    })
    const raw = { headers: {}, url: '/' } as unknown as IncomingMessage
    const visit = async () => pages[0]?.answer({ raw, path: {}, address: '127.0.0.1', receive: (read) => read() })
    await assert.rejects(visit)
    await Promise.all([visit(), visit(), visit()])
    assert.equal((await visit())?.status, 200)
    assert.equal(asked, 2)
  })

  test('does not mention shops if they must not be listed', async () => {
    const { text } = await site(null)('/')
    assert.doesNotMatch(text, /<dt>Shops?<|None yet|no shop here|Hearth/)
    assert.match(text, /installation\/identity/)
    assert.deepEqual(unclosed(text), [])
  })

  test('needs no product, and lists only a few of many shops', async () => {
    const many = Array.from({ length: 9 }, (_, index) => ({ slug: `s${index}`, name: `Shop ${index}` }))
    const { text } = await site(many)('/')
    assert.match(text, /Shop 0, Shop 1, Shop 2 and 6 more/)
    assert.doesNotMatch(text, /without a key/)
  })
})

describe('every page', () => {
  for (const path of ['/', '/docs', '/docs/carts', '/docs/events', '/docs/schemas']) {
    test(`${path} is well-formed and loads nothing from elsewhere`, async () => {
      const { text } = await site(shops)(path)
      assert.deepEqual(unclosed(text), [])
      const loaded = [...text.matchAll(/<(?:link|script|img|iframe|source)\b[^>]*?(?:src|href)="([^"]*)"/g)].map(
        ([, url]) => url,
      )
      assert(loaded.length >= 3)
      for (const url of loaded) assert.match(url ?? '', /^\/[^/]/)
      assert.doesNotMatch(text, /<style|<script(?! src="\/)| style="| on[a-z]+="|javascript:/i)
    })

    test(`${path} has a content security policy, and 304 for a matching ETag`, async () => {
      const visit = site(shops)
      const { status, headers } = await visit(path)
      assert.equal(status, 200)
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal((await visit(path, { 'if-none-match': headers.etag ?? '' })).status, 304)
    })

    test(`${path} links existing assets that are cached permanently`, async () => {
      const visit = site(shops)
      const { text } = await visit(path)
      for (const [, url = ''] of text.matchAll(/(?:href|src)="(\/site\/[^"]*)"/g)) {
        assert.match((await visit(url)).headers['cache-control'] ?? '', /immutable/)
      }
    })
  }

  test('the OpenAPI document can be read from any origin, and contains the address of this server', async () => {
    const { text, headers } = await site()('/openapi.json')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    const { openapi, servers, info } = JSON.parse(text)
    assert.deepEqual([openapi, servers, info.version], ['3.1.0', [{ url: origin }], '1.2.3'])
    assert.equal((await site()('/openapi.json', { 'if-none-match': headers.etag ?? '' })).status, 304)
  })

  test('the favicon is our picture at both of its addresses', async () => {
    for (const path of ['/favicon.svg', '/favicon.ico']) {
      const { text, headers } = await site()(path)
      assert.equal(headers['content-type'], 'image/svg+xml')
      assert.match(text, /^<svg /)
      assert.deepEqual(unclosed(text), [])
    }
  })
})

test('the readiness probe fails at the start, at shutdown, and if migrations are pending or the database is newer', async () => {
  let stage = 'starting'
  const metrics = createMetrics()
  const pages = probePages({
    metrics,
    readiness: () =>
      checkReadiness({
        isStarting: () => stage === 'starting',
        isDraining: () => stage === 'draining',
        checkWrites: async () => {},
        schemaGap: async () => ({ pending: stage === 'behind' ? 2 : 0, isTooNew: stage === 'newer' }),
      }),
  })
  const ready = pages.find(({ path }) => path === '/readyz')
  const ask = async () => {
    const answer = await ready?.answer({
      raw: {} as IncomingMessage,
      path: {},
      address: '127.0.0.1',
      receive: (read) => read(),
    })
    return [answer?.status, JSON.parse(String(answer?.body)).status]
  }
  assert.deepEqual(await ask(), [503, 'starting'])
  stage = 'serving'
  assert.deepEqual(await ask(), [200, 'ready'])
  stage = 'behind'
  assert.deepEqual(await ask(), [503, 'migrations pending'])
  stage = 'newer'
  assert.deepEqual(await ask(), [503, 'the database is newer than this program'])
  stage = 'draining'
  assert.deepEqual(await ask(), [503, 'draining'])
  metrics.close()
})

describe('examples', () => {
  test('a body with quotes is escaped for the shell', () => {
    const curl = curlFor({ origin: '', method: 'POST', path: '/x', credential: [], body: { note: "it's" } })
    assert.equal(
      curl,
      `curl -X POST /x \\\n  -H 'Content-Type: application/json' \\\n  -d '{\n  "note": "it'\\''s"\n}'`,
    )
  })

  test('JSON is highlighted and escaped', () => {
    const code = jsonCode({ 'a<b': '<i>"x": 1,</i>', n: 1, list: ['y', null] }).toString()
    assert.equal(
      code,
      `{\n  <b>"a&lt;b"</b>: <i>"&lt;i>\\"x\\": 1,&lt;/i>"</i>,\n  <b>"n"</b>: 1,\n  <b>"list"</b>: [\n    <i>"y"</i>,\n    null\n  ]\n}`,
    )
  })

  test('paired backticks become code', () => {
    assert.equal(renderProse('see `next` & go').toString(), 'see <code>next</code> &amp; go')
    assert.equal(renderProse('a ` alone').toString(), 'a &#96; alone')
  })
})
