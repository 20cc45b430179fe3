import assert from 'node:assert/strict'
import { test } from 'node:test'
import { categoryProblems, productProblems } from './problems.ts'

const problemsOf = (url: string) => [
  ...productProblems(
    {
      slug: 'a',
      name: 'A',
      images: [{ url }],
      skus: [{ code: 'A', price: 1, image: url }],
    },
    0,
  ),
  ...categoryProblems({ slug: 'a', name: 'A', image: url }),
]

test('the address of a picture must have a host, or be a path under /media/', () => {
  for (const url of ['https://a.test/x/../y', '/media/mer_1/ab-1.webp', '/media/demo/a.b.jpg?width=160'])
    assert.deepEqual(problemsOf(url), [], url)
  for (const url of [
    '/media/../admin/bloom/orders/ord_1/customer',
    '/media/..',
    '/media/%2e%2e/admin',
    '/media/%2E./admin',
    '/media/..%2fadmin',
    '/media/\\../admin',
    '/media//evil.test/a.png',
    '/media/./../admin',
    '/media/.\t./admin',
    'https:///a',
  ])
    assert.deepEqual(
      problemsOf(url).map(({ path }) => path),
      ['/images/0/url', '/skus/0/image', '/image'],
      url,
    )
})
