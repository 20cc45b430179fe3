import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeTarget, likelyPaths, normalizePath, parseTarget, shopThingAtPath } from './paths.ts'

test('a path is normalized, and a path that could leave the shop is refused', () => {
  for (const [given, expected] of [
    ['/Products/Tea/', '/products/tea'],
    ['//products//tea', '/products/tea'],
    ['/products/%E8%8C%B6', '/products/茶'],
    ['/a%2Fb', '/a/b'],
    ['/', '/'],
    ['/a b', '/a b'],
  ] as const)
    assert.equal(normalizePath(given), expected, given)
  for (const given of [
    ...['', 'tea', 'https://evil.example/', '\\\\evil.example', '/\\evil.example', '/a/../b', '/%2e%2e/b', '/%E0%A4%A'],
    ...['/a%00b', '/a%0d%0aset-cookie:x', '/a%3Fb', '/a#b', `/${'a'.repeat(500)}`, '/%ud800'],
  ])
    assert.equal(normalizePath(given), undefined, given)
})

test('a target keeps its query, and always stays on the same host', () => {
  assert.deepEqual(parseTarget('/Search?q=tea&sort=price'), {
    target: '/search?q=tea&sort=price',
    targetPath: '/search',
  })
  const { target = '' } = parseTarget('/%2f%2fevil.example') ?? {}
  assert.equal(new URL(encodeTarget(target), 'https://shop.example').host, 'shop.example')
  for (const given of [
    '//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/a?b#c',
    '/a?b\\c',
    '/a?b c',
    '/a?\r\nx',
  ])
    assert.equal(parseTarget(given), undefined, given)
  assert.equal(encodeTarget('/products/茶?q=50%'), '/products/%E8%8C%B6?q=50%')
})

test('paths of other shop systems are translated to our paths', () => {
  assert.deepEqual(likelyPaths('/collections/tea'), ['/categories/tea'])
  assert.deepEqual(likelyPaths('/collections/tea/products/green'), ['/products/green'])
  assert.deepEqual(likelyPaths('/collections/all'), ['/'])
  assert.deepEqual(likelyPaths('/collections/tea/green'), [])
  assert.deepEqual(likelyPaths('/pages/about'), ['/about'])
  assert.deepEqual(likelyPaths('/product/green'), ['/products/green'])
  assert.deepEqual(likelyPaths('/product-category/tea/green'), ['/categories/tea-green', '/categories/green'])
  assert.deepEqual(likelyPaths('/products/green'), [])
  assert.deepEqual(likelyPaths('/blogs/news'), [])
  assert.deepEqual(shopThingAtPath('/products/green'), { kind: 'product', slug: 'green' })
  assert.deepEqual(shopThingAtPath('/about'), { kind: 'page', slug: 'about' })
  assert.equal(shopThingAtPath('/a/b/c'), undefined)
  assert.equal(shopThingAtPath('/'), undefined)
})
