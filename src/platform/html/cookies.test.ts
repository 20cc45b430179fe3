import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CookieKind, findCookie, parseCookies, setCookie } from './cookies.ts'

const session: CookieKind = { name: 'session', path: '/', maxAgeSeconds: 60 }
const narrow: CookieKind = { ...session, path: '/oauth' }
const [plain, secure] = ['http://localhost:8080', 'https://shop.example']

test('cookies are parsed by name, the first of two with one name counts, and an invalid header is no error', () => {
  assert.deepEqual(parseCookies('a=1; b=x=y;a=2; c'), { a: '1', b: 'x=y', c: '' })
  assert.deepEqual(parseCookies('__proto__=1').a, undefined)
  assert.equal(findCookie(undefined, session, plain), undefined)
  assert.equal(findCookie('x=1', { ...session, name: 'toString' }, plain), undefined)
})

test('a cookie is read as it was written; on https its name has a secure prefix', () => {
  for (const [kind, origin, line] of [
    [session, plain, 'session=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax'],
    [session, secure, '__Host-session=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure'],
    [narrow, secure, '__Secure-session=v; Path=/oauth; Max-Age=60; HttpOnly; SameSite=Lax; Secure'],
  ] as const) {
    assert.equal(setCookie(kind, 'v', origin), line)
    assert.equal(findCookie(`other=1; ${line.split(';')[0]}`, kind, origin), 'v')
  }
  assert.equal(findCookie('session=v', session, secure), undefined)
})
