// Bad input, one by one: each gets the declared status with a PublicErrorResponse, never a stack, never a hang. Rows whose
// rooms are not built yet are routed to probes here, so that the road is tested with bodies too.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import { PublicErrorResponse } from '../src/contract/errors.ts'
import { compile } from '../src/contract/validator.ts'
import { Rendered } from '../src/http/handler.ts'
import { type Answer, assertError, type House, openHouse } from './support/house.ts'
import { givenEngine } from './support/storage.ts'

const cart = '/api/v1/open/storefront/carts/cart_x/items/sku_x'
const idempotent = { idempotencyKey: 'k-1' }

describe('bad input', () => {
  const given = givenEngine('sqlite')
  let house: House
  before(async () => {
    house = await openHouse(given, {
      headersTimeoutMs: 400,
      requestTimeoutMs: 600,
      extraHandlers: {
        updatePublicCartItemQuantity: async ({ body }) => new Rendered(JSON.stringify({ data: body })),
        getPublicCart: async () => {
          throw new Error('a defect with detail /etc/passwd')
        },
      },
    })
  })

  function patch(
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ): Promise<Answer> {
    return house.fetch(cart, {
      method: 'PATCH',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      headers: { authorization: house.keys.full, ...headers },
    })
  }

  test('a good body passes', async () => {
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
    ['a number too large to keep', '{"idempotencyKey":"k","quantity":1e400}', 'invalid_request', ['/quantity']],
    [
      'an integer that would lose digits',
      '{"idempotencyKey":"k","quantity":9007199254740993}',
      'invalid_request',
      ['/quantity'],
    ],
    ['a missing member', '{"idempotencyKey":"k"}', 'invalid_request', ['/quantity']],
    ['an unknown member', '{"idempotencyKey":"k","quantity":1,"price":1}', 'invalid_request', ['/price']],
    ['a duplicate member', '{"quantity":1,"quantity":2}', 'invalid_request', ['/quantity']],
    ['__proto__', '{"quantity":1,"__proto__":{"admin":true}}', 'invalid_request', ['/__proto__']],
    ['a NUL in a text', '{"idempotencyKey":"a\\u0000b","quantity":1}', 'invalid_request', ['/idempotencyKey']],
    ['half a character', '{"idempotencyKey":"\\ud800","quantity":1}', 'invalid_request', ['/idempotencyKey']],
    ['a deep body', deep(17), 'invalid_request', [`/a${'/0'.repeat(15)}`]],
    ['a very deep body', deep(30_000), 'invalid_request', [`/a${'/0'.repeat(15)}`]],
    ['a huge body', `{"a":"${'x'.repeat(70_000)}"}`, 'body_too_large', []],
  ]
  for (const [what, body, code, paths] of cases) {
    test(`400 to ${what}`, async () => {
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
    ['JSON of another kind', { 'content-type': 'application/vnd.api+json' }],
    ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ] as const) {
    test(`400 to ${what}`, async () => assertError(await patch('{"quantity":1}', headers), 'unsupported_media_type'))
  }

  test('401 comes before every complaint about the body', async () => {
    const answer = await house.fetch(cart, { method: 'PATCH', body: '{', headers: { 'content-type': 'text/plain' } })
    assertError(answer, 'unauthenticated')
  })

  test('403 comes before 400', async () => {
    const answer = await house.fetch(cart, { method: 'PATCH', body: '{', headers: { authorization: house.keys.none } })
    assertError(answer, 'scope_missing')
  })

  test('404 to unknown routes and methods', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['GET', '/api/v1/open/catalog/Products'],
      ['GET', '/api/v2/open/catalog/products'],
      ['POST', '/api/v1/open/catalog/products'],
      ['HEAD', '/api/v1/open/catalog/products'],
      ['OPTIONS', '/api/v1/open/catalog/products'],
      ['PROPFIND', '/'],
      ['GET', `/${'x'.repeat(5_000)}`],
    ] as const) {
      const answer = await house.fetch(path, { method, headers: { authorization: house.keys.full } })
      assert.equal(answer.status, 404, `${method} ${path}`)
      if (method !== 'HEAD') assertError(answer, 'route_not_found')
    }
  })

  test('500 to a defect, without its detail, and with all of it in the log', async () => {
    const answer = await house.fetch('/api/v1/open/storefront/carts/cart_x', {
      headers: { authorization: house.keys.full },
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
    const line = house.lines().find((logged) => logged.message === 'defect')
    assert.equal(line?.requestId, answer.headers.get('x-request-id'))
    assert.match(JSON.stringify(line), /passwd.*wire\.test\.ts/)
  })

  const get = `GET /api/v1/open/installation/identity HTTP/1.1\r\n`
  for (const [what, bytes, status] of [
    ['no Host', `${get}\r\n`, 400],
    ['two Hosts', `${get}host: a\r\nhost: b\r\n\r\n`, 400],
    ['two content lengths', `${get}host: a\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\nx`, 400],
    ['a length and chunks', `${get}host: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['chunked, identity', `${get}host: a\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
    ['a space before the colon', `${get}host : a\r\n\r\n`, 400],
    ['a folded header', `${get}host: a\r\nx: 1\r\n 2\r\n\r\n`, 400],
    ['a bare line feed', `${get}host: a\nx: 1\r\n\r\n`, 400],
    ['a NUL in a header', `${get}host: a\r\nx: a\u0000b\r\n\r\n`, 400],
    ['oversized headers', `${get}host: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 400],
    ['a method that is none', 'FOO / HTTP/1.1\r\nhost: a\r\n\r\n', 404],
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000 hello\r\n\r\n', 400],
    ['another version', 'GET / HTTP/3.7\r\nhost: a\r\n\r\n', 400],
    ['an expectation we do not know', `${get}host: a\r\nexpect: a-miracle\r\n\r\n`, 400],
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
    test(`${status} to ${what}`, async () => {
      const text = await house.wire(bytes.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
      assertWireError(text, status)
    })
  }

  test('an answer to slow headers, and the connection ends', async () => {
    assertWireError(await house.wire(`${get}host: a\r\nx-slow: `), 400)
  })

  test('an answer to a slow body, and the connection ends', async () => {
    const head = `PATCH ${cart} HTTP/1.1\r\nhost: a\r\nauthorization: ${house.keys.full}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
    assertWireError(await house.wire(head), 400)
  })

  test('a body without end is cut off', async () => {
    const socket = connect(Number(new URL(house.origin).port), '127.0.0.1')
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text
    })
    socket.on('error', () => socket.destroy())
    await once(socket, 'connect')
    socket.write(
      `PATCH ${cart} HTTP/1.1\r\nhost: a\r\nauthorization: ${house.keys.full}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
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

  test('two requests in one packet get two answers in order', async () => {
    const text = await house.wire(
      `GET /healthz HTTP/1.1\r\nhost: a\r\n\r\nGET /api/v1/open/nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    )
    assert.match(text, /^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 404 /)
  })

  test('a body that was refused unread is not taken for a request', async () => {
    const smuggled = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'
    const text = await house.wire(`${get}host: a\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`)
    assert.equal(text.match(/HTTP\/1.1 /g)?.length, 1)
  })

  test('after all of this a good request is answered', async () => {
    assert.equal((await house.ask('getInstallationCredentialIdentity')).status, 200)
  })
})

describe('load', () => {
  const given = givenEngine('sqlite')

  test('503 when more requests are under way than the process should carry, and 200 afterwards', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let entered = () => {}
    const inside = new Promise<void>((resolve) => {
      entered = resolve
    })
    const house = await openHouse(given, {
      inFlightMax: 1,
      // The identity check is where a request may wait; a handler never does.
      extraHandlers: {},
    })
    const slow = house.storage.read
    house.storage.read = (async (work: never) => {
      entered()
      await gate
      return slow.call(house.storage, work)
    }) as typeof house.storage.read
    const first = house.ask('getInstallationCredentialIdentity')
    await inside
    const shed = await house.fetch('/api/v1/open/installation/identity', {
      headers: { authorization: house.keys.full },
    })
    assert.equal(shed.status, 503)
    assertError(shed, 'unavailable')
    assert.equal(shed.headers.get('retry-after'), '1')
    release()
    assert.equal((await first).status, 200)
    assert.equal((await house.ask('getInstallationCredentialIdentity')).status, 200)
  })
})

const errorIssues = compile(PublicErrorResponse)

function assertWireError(text: string, status: number): void {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), text)
  assert.match(head, /content-type: application\/json/i)
  assert.match(head, /x-request-id: req_/i)
  assert.deepEqual(errorIssues(JSON.parse(body)), [])
  assert.match(head, new RegExp(`content-length: ${Buffer.byteLength(body)}`, 'i'))
}
