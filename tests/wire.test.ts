// Bad input, one by one: each gets the declared status with a PublicErrorResponse, never a stack, never a hang. Three
// operations get handlers of this test, which echo the body, throw, or page without end.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { METHODS } from 'node:http'
import { connect, type Socket } from 'node:net'
import { before, describe, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { givenEngine } from '../harness/storage.ts'
import { type Answer, assertError, openTestServer, type TestServer } from '../harness/testServer.ts'
import { PublicErrorResponse } from '../src/contract/errors.ts'
import { compileSchema } from '../src/contract/validator.ts'
import { RenderedReply } from '../src/platform/http/handler.ts'

const cart = '/api/v1/open/storefront/carts/cart_x/items/sku_x'
const idempotent = { idempotencyKey: 'k-1' }

describe('invalid requests', () => {
  const given = givenEngine('sqlite')
  let testServer: TestServer
  // Has no patience with whoever sends slowly. The others keep to the first, which a pause of the machine does not bother.
  let hasty: TestServer
  before(async () => {
    hasty = await openTestServer(given, { headersTimeoutMs: 400, requestTimeoutMs: 600 })
    testServer = await openTestServer(given, {
      extraHandlers: {
        updatePublicCartItemQuantity: async ({ body }) => new RenderedReply(JSON.stringify({ data: body })),
        getPublicCart: async () => {
          throw new Error('a defect with detail /etc/passwd')
        },
        // A list that always goes on, and tells from where it was asked to.
        listApiKeyCatalogProducts: async ({ paging }) =>
          new RenderedReply(
            JSON.stringify({ data: [], meta: { count: 0, next: paging.next('on'), after: paging.after } }),
          ),
      },
    })
  })

  function patch(
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ): Promise<Answer> {
    return testServer.fetch(cart, {
      method: 'PATCH',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      headers: { authorization: testServer.keys.full, ...headers },
    })
  }

  test('a valid body is accepted', async () => {
    const answer = await patch(JSON.stringify({ ...idempotent, quantity: 2 }))
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body.data, { ...idempotent, quantity: 2 })
    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
      assert.equal((await patch(JSON.stringify({ ...idempotent, quantity: 2 }), { 'content-type': type })).status, 200)
    }
  })

  const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  const cases: readonly [string, string | Buffer, string, string[]][] = [
    ['malformed JSON', '{"quantity":', 'malformed_json', ['/quantity']],
    ['a single quote', "{'quantity':1}", 'malformed_json', ['']],
    ['a comment', '{"quantity":1 /* one */}', 'malformed_json', ['']],
    ['text after the value', '{"quantity":1} x', 'malformed_json', ['']],
    ['a byte order mark', '\ufeff{"quantity":1}', 'malformed_json', ['']],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'malformed_json', ['']],
    ['a body of white space', '   ', 'malformed_json', ['']],
    ['an empty body', '', 'body_required', []],
    ['not an object', '[1]', 'invalid_request', ['']],
    ['null', 'null', 'invalid_request', ['']],
    ['a string for a number', '{"idempotencyKey":"k","quantity":"2"}', 'invalid_request', ['/quantity']],
    ['a fraction', '{"idempotencyKey":"k","quantity":1.5}', 'invalid_request', ['/quantity']],
    ['a number above the bound', '{"idempotencyKey":"k","quantity":1000}', 'invalid_request', ['/quantity']],
    ['a negative number', '{"idempotencyKey":"k","quantity":-1}', 'invalid_request', ['/quantity']],
    ['a number too large for a double', '{"idempotencyKey":"k","quantity":1e400}', 'invalid_request', ['/quantity']],
    [
      'an integer that would lose digits',
      '{"idempotencyKey":"k","quantity":9007199254740993}',
      'invalid_request',
      ['/quantity'],
    ],
    ['a missing member', '{"idempotencyKey":"k"}', 'invalid_request', ['/quantity']],
    ['an unknown member', '{"idempotencyKey":"k","quantity":1,"price":1}', 'invalid_request', ['/price']],
    ['a duplicate member', '{"quantity":1,"quantity":2}', 'invalid_request', ['/quantity']],
    ['the member __proto__', '{"quantity":1,"__proto__":{"admin":true}}', 'invalid_request', ['/__proto__']],
    ['a NUL in a text', '{"idempotencyKey":"a\\u0000b","quantity":1}', 'invalid_request', ['/idempotencyKey']],
    ['half of a surrogate pair', '{"idempotencyKey":"\\ud800","quantity":1}', 'invalid_request', ['/idempotencyKey']],
    ['a deep body', deep(17), 'invalid_request', [`/a${'/0'.repeat(15)}`]],
    ['a very deep body', deep(30_000), 'invalid_request', [`/a${'/0'.repeat(15)}`]],
    ['a huge body', `{"a":"${'x'.repeat(70_000)}"}`, 'body_too_large', []],
  ]
  for (const [what, body, code, paths] of cases) {
    test(`400 for ${what}`, async () => {
      const answer = await patch(body)
      assert.equal(answer.status, 400)
      assertError(answer)
      assert.equal(answer.body.error.code, code)
      assert.deepEqual(
        answer.body.error.issues.map((issue: { path: string }) => issue.path),
        paths,
      )
      assert.ok(answer.text.length < 2_000, 'nothing of the body is sent back')
    })
  }

  for (const [what, headers] of [
    ['no media type', { 'content-type': '' }],
    ['another media type', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a broken media type', { 'content-type': ';;;' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['another JSON media type', { 'content-type': 'application/vnd.api+json' }],
    ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ] as const) {
    test(`400 for ${what}`, async () => assertError(await patch('{"quantity":1}', headers), 'unsupported_media_type'))
  }

  test('401 takes precedence over errors of the body', async () => {
    const answer = await testServer.fetch(cart, {
      method: 'PATCH',
      body: '{',
      headers: { 'content-type': 'text/plain' },
    })
    assertError(answer, 'unauthenticated')
  })

  test('403 takes precedence over 400', async () => {
    const answer = await testServer.fetch(cart, {
      method: 'PATCH',
      body: '{',
      headers: { authorization: testServer.keys.none },
    })
    assertError(answer, 'scope_missing')
  })

  test('404 for unknown routes', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['GET', '/api/v1/open/catalog/Products'],
      ['GET', '/api/v2/open/catalog/products'],
      ['HEAD', '/api/v1/open/catalog/nothing'],
      ['OPTIONS', '/api/v1/open/catalog/nothing'],
      ['PROPFIND', '/nothing'],
      ['GET', `/${'x'.repeat(5_000)}`],
    ] as const) {
      const answer = await testServer.fetch(path, { method, headers: { authorization: testServer.keys.full } })
      assert.equal(answer.status, 404, `${method} ${path}`)
      if (method !== 'HEAD') assertError(answer, 'route_not_found')
    }
  })

  test('405 with the allowed methods for another method of a known path', async () => {
    for (const [method, path, status, allow] of [
      ['POST', '/api/v1/open/catalog/products', 405, 'GET, HEAD, OPTIONS'],
      ['OPTIONS', '/api/v1/open/catalog/products/mug', 204, 'GET, HEAD, OPTIONS'],
      ['GET', cart, 405, 'PUT, PATCH, DELETE, OPTIONS'],
      ['DELETE', '/api/v1/catalog/merchants/x/products/y', 405, 'GET, HEAD, OPTIONS'],
      ['POST', '/', 405, 'GET, HEAD, OPTIONS'],
      ['PROPFIND', '/docs', 405, 'GET, HEAD, OPTIONS'],
      ['DELETE', '/api/v1/admin/products', 405, 'GET, HEAD, POST, PATCH, OPTIONS'],
      ['GET', '/oauth/token', 405, 'POST, OPTIONS'],
      ['PUT', '/healthz', 405, 'GET, HEAD, OPTIONS'],
      ['OPTIONS', '/api/v1/admin/products', 204, 'GET, HEAD, POST, PATCH, OPTIONS'],
      ['OPTIONS', '/docs', 204, 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await testServer.fetch(path, { method, headers: { authorization: testServer.keys.full } })
      assert.deepEqual([answer.status, answer.headers.get('allow')], [status, allow], `${method} ${path}`)
      if (status === 204) assert.equal(answer.text, '')
      else assert.deepEqual([answer.body.error.code, answer.body.error.status], ['route_not_found', status])
    }
  })

  test('404 for every method with any body at an unknown path, never 500', async () => {
    const bodies = ['\r\n', 'content-type: ;;\r\ncontent-length: 2\r\n\r\n{}', 'content-length: 2\r\n\r\n{}']
    for (const method of METHODS) {
      const target = method === 'CONNECT' ? 'elsewhere.example:443' : '/api/v1/open/nothing'
      for (const body of bodies) {
        const text = await testServer.wire(`${method} ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${body}`)
        if (method === 'HEAD') assert.match(text, /^HTTP\/1.1 404 /)
        else assertWireError(text, 404)
        const [, requestId] = /x-request-id: (req_\w+)/.exec(text) ?? []
        const line = testServer.lines().find((logged) => logged.requestId === requestId)
        assert.deepEqual([line?.method, line?.status, line?.code], [method, 404, 'route_not_found'])
      }
    }
    const defects = testServer.lines().filter(({ message, method }) => message === 'defect' && method !== undefined)
    assert.deepEqual(defects, [])
  })

  test('the link to the next page has the path of the operation, in whatever form the request contained it', async () => {
    const path = '/api/v1/open/catalog/products'
    const next = async (target: string) => {
      const text = await testServer.wire(
        `GET ${target} HTTP/1.1\r\nhost: a\r\nauthorization: ${testServer.keys.full}\r\nconnection: close\r\n\r\n`,
      )
      assert.match(text, /^HTTP\/1.1 200 /, text)
      return JSON.parse(text.split('\r\n\r\n')[1] ?? '').meta
    }
    for (const target of [path, `http://evil.example${path}`, `${path}#part`, `${path}?`, `${path}#part?page=2`]) {
      const meta = await next(target)
      assert.equal(meta.after, null)
      assert.match(meta.next, /^\/api\/v1\/open\/catalog\/products\?cursor=[\w.-]+$/)
      for (const link of [meta.next, `http://evil.example${meta.next}`, `${meta.next}#part`])
        assert.equal((await next(link)).after, 'on')
    }
  })

  test('an empty query counts as no query', async () => {
    for (const query of ['?', '?&', '?&&'])
      assert.equal((await testServer.ask('getInstallationCredentialIdentity', { query })).status, 200, query)
  })

  test('errors of operations without a key can be read from any origin', async () => {
    const path = '/api/v1/catalog/merchants/bloom/products'
    for (const [address, status] of [
      [`${path}/red-roses`, 200],
      [`${path}/nothing`, 404],
      [`${path}/red-roses?x=1`, 400],
      [`${path}/${'x'.repeat(1_200)}`, 404],
    ] as const) {
      const answer = await testServer.fetch(address)
      assert.equal(answer.status, status)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*', address)
    }
    for (const bytes of [
      `GET ${path}/%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
      `GET ${path}/red-roses HTTP/1.1\r\nconnection: close\r\n\r\n`,
    ])
      assert.match(await testServer.wire(bytes), /^HTTP\/1.1 400 [\s\S]*access-control-allow-origin: \*/)
    const elsewhere = await testServer.fetch('/api/v1/open/catalog/products')
    assert.equal(elsewhere.headers.get('access-control-allow-origin'), null)
  })

  test('429 of operations without a key can be read from any origin', async () => {
    const strict = await openTestServer(given, { rateLimit: { perSecond: 1, burst: 3 } })
    const answers = await Promise.all(
      Array.from({ length: 61 }, () => strict.fetch('/api/v1/catalog/merchants/bloom/products/red-roses')),
    )
    const refused = answers.find(({ status }) => status === 429)
    assert.equal(refused?.headers.get('access-control-allow-origin'), '*')
  })

  test('500 for a defect without details, which are all in the log', async () => {
    const answer = await testServer.fetch('/api/v1/open/storefront/carts/cart_x', {
      headers: { authorization: testServer.keys.full },
    })
    assert.equal(answer.status, 500)
    assert.deepEqual(answer.body.error, {
      code: 'internal_error',
      message: answer.body.error.message,
      status: 500,
      requestId: answer.headers.get('x-request-id'),
      issues: [],
      current: null,
    })
    assert.ok(!answer.text.includes('passwd'))
    const line = testServer.lines().find((logged) => logged.message === 'defect')
    assert.equal(line?.requestId, answer.headers.get('x-request-id'))
    assert.match(JSON.stringify(line), /passwd.*wire\.test\.ts/)
  })

  const get = `GET /api/v1/open/installation/identity HTTP/1.1\r\n`
  for (const [what, bytes, status] of [
    ['no Host', `${get}\r\n`, 400],
    ['no Host and no such path', 'GET /nothing HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', `${get}host: a\r\nhost: b\r\n\r\n`, 400],
    ['two content lengths', `${get}host: a\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\nx`, 400],
    ['a length and chunks', `${get}host: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    [
      'the transfer encoding “chunked, identity”',
      `${get}host: a\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['a space before the colon', `${get}host : a\r\n\r\n`, 400],
    ['a folded header', `${get}host: a\r\nx: 1\r\n 2\r\n\r\n`, 400],
    ['a bare line feed', `${get}host: a\nx: 1\r\n\r\n`, 400],
    ['a NUL in a header', `${get}host: a\r\nx: a\u0000b\r\n\r\n`, 400],
    ['oversized headers', `${get}host: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 400],
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: a\r\n\r\n', 404],
    ['an unknown method with a hyphen', 'FOO-BAR / HTTP/1.1\r\nhost: a\r\n\r\n', 404],
    ['another protocol on the same port', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000 hello\r\n\r\n', 400],
    ['another version that the parser knows', 'GET / HTTP/2.0\r\nhost: a\r\n\r\n', 505],
    ['another version', 'GET / HTTP/3.7\r\nhost: a\r\n\r\n', 505],
    ['an unknown value of Expect', `${get}host: a\r\nexpect: a-miracle\r\n\r\n`, 400],
    [
      'a broken escape in the path',
      'GET /api/v1/open/catalog/products/%E0%A4%A HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
      400,
    ],
    [
      'another host in the request line',
      'GET http://evil.example/api/v1/open/nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
      404,
    ],
  ] as const) {
    test(`${status} for ${what}`, async () => {
      const text = await testServer.wire(bytes.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
      assertWireError(text, status)
    })
  }

  for (const [what, bytes, place] of [
    ['a broken escape', 'GET /api/v1/open/catalog/products/%zz HTTP/1.1\r\nhost: a', '/path'],
    ['an unknown value of Expect', `${get}host: a\r\nexpect: a-miracle`, '/headers/expect'],
    ['two Hosts', `${get}host: a\r\nhost: b`, '/headers/host'],
    ['no Host', `${get}x: y`, '/headers/host'],
    ['too many headers', `${get}host: a\r\n${'x: y\r\n'.repeat(120)}x: y`, '/headers'],
    ['headers that are too large', `${get}host: a\r\nx: ${'y'.repeat(20_000)}`, '/headers'],
  ] as const) {
    test(`400 for ${what} names its path`, async () => {
      const text = await testServer.wire(`${bytes}\r\nconnection: close\r\n\r\n`)
      assertWireError(text, 400)
      const { error } = JSON.parse(text.split('\r\n\r\n')[1] ?? '')
      assert.deepEqual(
        error.issues.map((issue: { path: string }) => issue.path),
        [place],
      )
      if (what === 'too many headers') assert.match(error.message, /100 headers/)
    })
  }

  test('400 for a page, a probe or an OAuth endpoint without exactly one valid Host, as for an operation', async () => {
    const paths = ['/', '/docs', '/healthz', '/oauth/jwks', '/oauth/interaction/x', '/c/x', '/openapi.json']
    const hosts = ['', 'host: a\r\nhost: a\r\n', 'host: a b\r\n', 'host: user@a\r\n', 'host: a/b\r\n', 'host: a:b\r\n']
    for (const path of paths) {
      for (const host of hosts) {
        const text = await testServer.wire(`GET ${path} HTTP/1.1\r\n${host}connection: close\r\n\r\n`)
        assertWireError(text, 400)
        assert.match(text, /"\/headers\/host"/)
      }
    }
    for (const line of ['HTTP/1.0', 'HTTP/1.1\r\nhost: [::1]:4000', 'HTTP/1.1\r\nHost: xn--bcher-kva.example:443'])
      assert.match(await testServer.wire(`GET /healthz ${line}\r\nconnection: close\r\n\r\n`), /^HTTP\/1.1 200 /, line)
  })

  test('HEAD for a page or a document gets the response to GET without the body', async () => {
    for (const path of ['/', '/docs', '/openapi.json', '/healthz', '/readyz', '/oauth/jwks', '/oauth/nothing']) {
      const [get, head] = [await testServer.fetch(path), await testServer.fetch(path, { method: 'HEAD' })]
      assert.deepEqual([head.status, head.text], [get.status, ''], path)
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
        assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
    }
  })

  test('the request id of a caller is logged next to ours, and never returned', async () => {
    const ask = async (id: string, path: string) => {
      const answer = await testServer.fetch(path, { headers: { 'x-request-id': id } })
      const ours = answer.headers.get('x-request-id') ?? ''
      assert.match(ours, /^req_/)
      return testServer.lines().find(({ requestId }) => requestId === ours)?.callerRequestId
    }
    for (const path of ['/api/v1/open/installation/identity', '/nowhere']) {
      assert.equal(await ask('5f0c1a2e-77aa-4d51-9c3b-0d7a6c1f3f10', path), '5f0c1a2e-77aa-4d51-9c3b-0d7a6c1f3f10')
      for (const id of [testServer.keys.full, 'x'.repeat(129), 'a b', '<script>', 'ä'])
        assert.equal(await ask(id, path), undefined)
    }
  })

  test('a request that the HTTP parser refuses is logged in one line with the returned request id', async () => {
    const text = await testServer.wire(`${get}host : a\r\n\r\n`)
    const [, requestId] = /x-request-id: (req_\w+)/.exec(text) ?? []
    const lines = testServer.lines().filter((line) => line.requestId === requestId)
    assert.deepEqual(
      lines.map(({ message, status, code, reason }) => [message, status, code, reason]),
      [['request', 400, 'invalid_request', 'HPE_INVALID_HEADER_TOKEN']],
    )
  })

  test('a request with slow headers gets a response, and the connection is closed', async () => {
    assertWireError(await hasty.wire(`${get}host: a\r\nx-slow: `), 400)
  })

  // Browsers open connections ahead of need, and may use one in the moment in which it ends. A browser repeats a request whose
  // connection was closed; an answer that was already on its way would be taken for the answer to it.
  test('a connection that sends nothing is closed without a response', async () => {
    const before = hasty.lines().length
    assert.deepEqual([await hasty.wire(''), hasty.lines().slice(before)], ['', []])
  })

  test('a request with a slow body gets a response, and the connection is closed', async () => {
    const head = `PATCH ${cart} HTTP/1.1\r\nhost: a\r\nauthorization: ${hasty.keys.full}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
    assertWireError(await hasty.wire(head), 400)
  })

  test('a body without an end is cut off', async () => {
    const socket = connect(Number(new URL(testServer.origin).port), '127.0.0.1')
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text
    })
    socket.on('error', () => socket.destroy())
    await once(socket, 'connect')
    socket.write(
      `PATCH ${cart} HTTP/1.1\r\nhost: a\r\nauthorization: ${testServer.keys.full}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk)) {}
    }
    socket.on('drain', pump)
    pump()
    await closed
    assert.ok(socket.bytesWritten < 20_000_000)
    if (received !== '') assertWireError(received, 400)
  })

  test('two requests in one packet get two responses in their order', async () => {
    const text = await testServer.wire(
      `GET /healthz HTTP/1.1\r\nhost: a\r\n\r\nGET /api/v1/open/nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    )
    assert.match(text, /^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 404 /)
  })

  test('requests in one packet are handled one after the other', async () => {
    const one = `PATCH ${cart} HTTP/1.1\r\nhost: a\r\nauthorization: ${testServer.keys.full}\r\ncontent-type: application/json\r\n`
    const body = (n: number) => JSON.stringify({ idempotencyKey: `pipe-${n}`, quantity: n })
    const part = (n: number) => `${one}content-length: ${body(n).length}\r\n\r\n${body(n)}`
    const numbers = Array.from({ length: 60 }, (_, n) => n)
    const text = await testServer.wire(
      `${numbers.map(part).join('')}GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    )
    assert.deepEqual(
      [...text.matchAll(/"quantity":(\d+)/g)].map(([, n]) => Number(n)),
      numbers,
    )
    assert.match(text, /"status":"ok"/)
  })

  test('a connection with too many pipelined requests is closed', async () => {
    const socket = connect(Number(new URL(testServer.origin).port), '127.0.0.1')
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text
    })
    // It may be cut in the middle of what it sends.
    socket.on('error', () => socket.destroy())
    await once(socket, 'connect')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(1_000))
    await closed
    assert.ok((received.match(/HTTP\/1.1 200 /g)?.length ?? 0) <= 101)
  })

  test('a body that is not read is not parsed as another request', async () => {
    const smuggled = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'
    const text = await testServer.wire(`${get}host: a\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`)
    assert.equal(text.match(/HTTP\/1.1 /g)?.length, 1)
  })

  test('a valid request gets its response after all of these', async () => {
    assert.equal((await testServer.ask('getInstallationCredentialIdentity')).status, 200)
  })
})

describe('transport security', () => {
  const given = givenEngine('sqlite')

  test('responses over https have Strict-Transport-Security', async () => {
    for (const [origin, expected] of [
      ['https://shop.example.com', 'max-age=31536000'],
      ['http://localhost:4000', null],
    ] as const) {
      const testServer = await openTestServer(given, { publicOrigin: () => origin })
      for (const path of ['/', '/api/v1/open/installation/identity', '/nowhere', '/oauth/auth'])
        assert.equal((await testServer.fetch(path)).headers.get('strict-transport-security'), expected, path)
    }
  })
})

describe('load', () => {
  const given = givenEngine('sqlite')

  // A server that carries one request at a time, and has it in hand until it is released.
  async function busyTestServer(): Promise<{ testServer: TestServer; release: () => Promise<void> }> {
    const testServer = await openTestServer(given, { pressure: { inFlightMax: 1 } })
    const gate = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<void>()
    const read = testServer.storage.read
    // The identity check is where a request may wait; a handler never does.
    testServer.storage.read = (async (work: never) => {
      inside.resolve()
      await gate.promise
      return read.call(testServer.storage, work)
    }) as typeof testServer.storage.read
    const first = testServer.ask('getInstallationCredentialIdentity')
    await inside.promise
    return {
      testServer,
      release: async () => {
        gate.resolve()
        assert.equal((await first).status, 200)
      },
    }
  }

  test('503 if too many requests are in progress, and 200 afterwards', async () => {
    const { testServer, release } = await busyTestServer()
    const shed = await testServer.fetch('/api/v1/open/installation/identity', {
      headers: { authorization: testServer.keys.full },
    })
    assert.equal(shed.status, 503)
    assertError(shed, 'unavailable')
    assert.equal(shed.headers.get('retry-after'), '1')
    await release()
    assert.equal((await testServer.ask('getInstallationCredentialIdentity')).status, 200)
  })

  test('503 with an unread body closes the connection', async () => {
    const { testServer, release } = await busyTestServer()
    const smuggled = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'
    const text = await testServer.wire(
      `PATCH ${cart} HTTP/1.1\r\nhost: a\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`,
    )
    assertWireError(text, 503)
    assert.match(text, /connection: close/i)
    assert.equal(text.match(/HTTP\/1.1 /g)?.length, 1)
    await release()
  })

  test('pages also get 503, but probes always get their response', async () => {
    const { testServer, release } = await busyTestServer()
    for (const path of ['/', '/docs', '/openapi.json', '/media/demo/x.svg']) {
      const shed = await testServer.fetch(path)
      assertError(shed, 'unavailable')
      assert.equal(shed.headers.get('retry-after'), '1')
    }
    for (const path of ['/healthz', '/metrics']) assert.equal((await testServer.fetch(path)).status, 200, path)
    const ready = testServer.fetch('/readyz')
    await release()
    assert.equal((await ready).status, 200)
    assert.equal((await testServer.fetch('/')).status, 200)
  })

  test('the start page lists merchants, but not in production', async () => {
    const shown = await openTestServer(given)
    assert.match((await shown.fetch('/')).text, /Bloom/)
    const hidden = await openTestServer(given, { production: true })
    const { status, text } = await hidden.fetch('/')
    assert.equal(status, 200)
    assert.doesNotMatch(text, /bloom|rival/i)
  })
})

describe('connections', () => {
  const given = givenEngine('sqlite')

  async function visit(testServer: TestServer): Promise<Socket> {
    const socket = connect(Number(new URL(testServer.origin).port), '127.0.0.1')
    socket.on('error', () => socket.destroy())
    given.later(async () => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }

  const reading = (testServer: TestServer, name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(testServer.app.metrics.render())?.[1])

  async function until(holds: () => boolean, what: string): Promise<void> {
    const hopelessAt = Date.now() + 20_000
    while (!holds()) {
      assert.ok(Date.now() < hopelessAt, what)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  // Sends the bytes, then one more byte now and then for ever, and never closes its half.
  async function linger(testServer: TestServer, bytes: string): Promise<Socket> {
    const socket = connect({ port: Number(new URL(testServer.origin).port), host: '127.0.0.1', allowHalfOpen: true })
    const drip = setInterval(() => socket.writable && socket.write('a'), 50)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => clearInterval(drip))
    socket.resume()
    given.later(async () => void socket.destroy())
    await once(socket, 'connect')
    socket.write(bytes)
    return socket
  }

  async function openCheckout(testServer: TestServer): Promise<{ path: string }> {
    const { ready } = await checkoutOf(testServer)
    return { path: `/c/${(await ready({ BOOK: 1 })).secret}` }
  }

  const unfinished = (path: string, ...headers: string[]) =>
    [`POST ${path} HTTP/1.1`, 'host: a', 'content-length: 9000', ...headers, '', 'a'].join('\r\n')

  test('clients that never finish headers or a body are disconnected, even if they keep sending', async () => {
    // Long enough that the third comes before the first is gone.
    const testServer = await openTestServer(given, { headersTimeoutMs: 1_500, requestTimeoutMs: 2_000 })
    await linger(testServer, 'GET / HTTP/1.1\r\nhost: a\r\nx-a: ')
    const authorized = [`authorization: ${testServer.keys.full}`, 'content-type: application/json']
    await linger(testServer, unfinished('/api/v1/open/hosted/checkout/sessions', ...authorized))
    await linger(testServer, unfinished('/oauth/token', 'content-type: application/x-www-form-urlencoded'))
    await until(() => reading(testServer, 'cartwright_connections') === 3, 'all are there')
    await until(() => reading(testServer, 'cartwright_connections') === 0, 'all are gone')
    assert.equal(reading(testServer, 'cartwright_requests_in_flight'), 0)
  })

  test('bodies that are still being sent do not delay other responses', async () => {
    const testServer = await openTestServer(given, { pressure: { inFlightMax: 2 }, shops: [market] })
    const { path } = await openCheckout(testServer)
    const form = 'content-type: application/x-www-form-urlencoded'
    for (let i = 0; i < 4; i += 1) {
      const authorized = [`authorization: ${testServer.keys.full}`, 'content-type: application/json']
      await linger(testServer, unfinished('/api/v1/open/hosted/checkout/sessions', ...authorized))
      await linger(testServer, unfinished(`${path}/details`, form, `origin: ${testServer.origin}`))
    }
    await until(() => reading(testServer, 'cartwright_bodies_awaited') === 8, 'all are awaited')
    assert.equal((await testServer.ask('getInstallationCredentialIdentity')).status, 200)
    assert.equal((await testServer.fetch(path)).status, 200)
  })

  test('an address that sends many slow bodies is refused further ones, and other addresses are not', async () => {
    const testServer = await openTestServer(given, { trustedProxies: ['loopback'], shops: [market] })
    const { path } = await openCheckout(testServer)
    const from = (address: string, target: string) =>
      unfinished(target, 'content-type: application/x-www-form-urlencoded', `x-forwarded-for: ${address}`)
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4'])
      for (let i = 0; i < 20; i += 1) {
        await linger(testServer, from(address, '/oauth/token'))
        await linger(testServer, from(address, `${path}/details`))
      }
    await until(() => reading(testServer, 'cartwright_bodies_awaited') >= 4 * 16, 'as many as may are awaited')
    const innocent = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/x-www-form-urlencoded' }
    const token = await testServer.fetch('/oauth/token', { method: 'POST', headers: innocent, body: 'grant_type=x' })
    assert.equal(token.status, 400)
    const post = await testServer.fetch(`${path}/cancel`, {
      method: 'POST',
      headers: innocent,
      body: '',
      redirect: 'manual',
    })
    assert.equal(post.status, 303)
  })

  test('a post to an unknown page is refused before its body is read', async () => {
    const testServer = await openTestServer(given)
    const form = 'content-type: application/x-www-form-urlencoded'
    const text = await testServer.wire(unfinished(`/c/${'x'.repeat(43)}/pay`, form))
    assert.match(text, /^HTTP\/1\.1 404 /)
    assert.match(text, /connection: close/i)
  })

  test('a client that reads a response too slowly is disconnected', async () => {
    const testServer = await openTestServer(given, { answerTimeoutMs: 500 })
    const socket = await visit(testServer)
    socket.pause()
    socket.write('GET /docs/schemas HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(90))
    // A byte now and then in the other direction is no reading.
    const drip = setInterval(() => socket.write('\r\n'), 50)
    socket.on('close', () => clearInterval(drip))
    await until(() => reading(testServer, 'cartwright_connections') === 1, 'it is there')
    await until(() => reading(testServer, 'cartwright_connections') === 0, 'it is gone')
  })

  test('a client that never reads, or never sends anything, is disconnected', async () => {
    const testServer = await openTestServer(given, { idleTimeoutMs: 1_000 })
    const reader = await visit(testServer)
    await visit(testServer)
    await until(() => reading(testServer, 'cartwright_connections') === 2, 'both are there')
    reader.pause()
    reader.write('GET /docs/schemas HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(90))
    await until(() => reading(testServer, 'cartwright_connections') === 0, 'both are gone')
  })

  test('a client that reads slowly but steadily gets the whole response', async () => {
    // Far beyond each of its pauses, and less than all of them.
    const testServer = await openTestServer(given, { idleTimeoutMs: 1_500 })
    const socket = await visit(testServer)
    socket.write('GET /docs/schemas HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(30))
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    let end = ''
    socket.on('data', (chunk: Buffer) => {
      end = (end + chunk.toString('latin1')).slice(-200)
      socket.pause()
      setTimeout(() => socket.resume(), 15)
    })
    await once(socket, 'close')
    assert.match(end, /"status":"ok"/)
  })

  test('one address cannot use up the connections of others, but a trusted proxy may have more', async () => {
    for (const [trustedProxies, refused] of [
      [[], 2],
      [['loopback'], 0],
    ] as const) {
      const testServer = await openTestServer(given, { connectionsMax: 8, connectionsPerAddressMax: 2, trustedProxies })
      // Half of all places are given to whoever comes; above that, an address has two.
      for (let i = 0; i < 6; i += 1) await visit(testServer)
      // A client may know of its connection before the server has looked at it.
      const seen = () =>
        reading(testServer, 'cartwright_connections') + reading(testServer, 'cartwright_connections_refused_total')
      await until(() => seen() === 6, 'all are looked at')
      assert.equal(reading(testServer, 'cartwright_connections_refused_total'), refused)
    }
  })

  test('the number of connections is limited in total', async () => {
    const testServer = await openTestServer(given, { connectionsMax: 3, trustedProxies: ['127.0.0.0/8'] })
    for (let i = 0; i < 5; i += 1) await visit(testServer)
    await until(() => reading(testServer, 'cartwright_connections_refused_total') === 2, 'two are refused')
    assert.equal(reading(testServer, 'cartwright_connections'), 3)
  })
})

const errorIssues = compileSchema(PublicErrorResponse)

function assertWireError(text: string, status: number): void {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), text)
  assert.match(head, /content-type: application\/json/i)
  assert.match(head, /x-request-id: req_/i)
  assert.deepEqual(errorIssues(JSON.parse(body)), [])
  assert.match(head, new RegExp(`content-length: ${Buffer.byteLength(body)}`, 'i'))
}
