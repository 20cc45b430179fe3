import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentSecurityPolicy, originsOf, pageHeaders, privateHeaders, self } from './policy.ts'

test('a page without sources may not load, run or call anything, or post forms', () => {
  assert.equal(
    contentSecurityPolicy({}),
    "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  )
})

test('a page may use only the sources that it names', () => {
  assert.equal(
    contentSecurityPolicy({
      style: [self],
      styleAttr: ["'unsafe-inline'"],
      script: [self],
      img: [self, 'data:'],
      connect: [self],
      form: [self, 'https://a.example'],
    }),
    "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; script-src 'self'; connect-src 'self'; form-action 'self' https://a.example; base-uri 'none'; frame-ancestors 'none'",
  )
})

test('only plain origins become part of a policy', () => {
  assert.deepEqual(originsOf(['https://a.example/x?y', 'https://a.example', 'http://b.example:8080/']), [
    'https://a.example',
    'http://b.example:8080',
  ])
  const odd = ['', null, undefined, 'not a url', 'javascript:alert(1)', 'data:text/html,x', 'app://callback']
  assert.deepEqual(originsOf([...odd, 'https://a.example;script-src', "https://a.example'", 'https://a,b']), [])
})

test('a private page is neither cached nor indexed nor framed', () => {
  const { 'cache-control': cache, 'x-robots-tag': robots, 'x-frame-options': frames } = privateHeaders({})
  assert.deepEqual([cache, robots, frames], ['no-store', 'noindex, nofollow', 'DENY'])
  assert.equal(pageHeaders({})['cache-control'], undefined)
})
