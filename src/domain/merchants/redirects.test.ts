import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { normalizeRedirectHost, redirectProblem } from './redirects.ts'

describe('an entry of the redirect allow-list', () => {
  for (const [entry, normal] of [
    ['shop.example', 'shop.example'],
    ['GOOD2.example', 'good2.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['x.example:8443', 'x.example:8443'],
    ['x.example:08443', undefined],
    ['x.example:443', 'x.example'],
    ['x.example:0', undefined],
    ['x.example:', undefined],
    ['x.example:65536', undefined],
    ['localhost', 'localhost'],
    ['LOCALHOST:3000', 'localhost:3000'],
    ['192.0.2.7', '192.0.2.7'],
    ['[2001:DB8::1]:8443', '[2001:db8::1]:8443'],
    ['[::1]', '[::1]'],
    ['::1', undefined],
    ['2130706433', undefined],
    ['127.1', undefined],
    ['*.example', undefined],
    ['*', undefined],
    ['', undefined],
    ['.example', undefined],
    ['a..example', undefined],
    ['shop.example.', undefined],
    ['https://shop.example', undefined],
    ['shop.example/', undefined],
    ['shop.example/path', undefined],
    ['user@shop.example', undefined],
    ['shop.example?x', undefined],
    ['shop.example\\', undefined],
    ['%73hop.example', undefined],
    [' shop.example', undefined],
    ['sh\u00adop.example', undefined],
    [`${'a'.repeat(64)}.example`, undefined],
  ] as const)
    test(`${JSON.stringify(entry)} ${normal === undefined ? 'is refused' : `is ${normal}`}`, () =>
      assert.equal(normalizeRedirectHost(entry), normal))
})

describe('a redirect URL', () => {
  const redirectHosts = ['good.example', 'port.example:8443', 'localhost', '192.0.2.7', 'xn--bcher-kva.example']
  const problem = (text: string, mode: 'test' | 'live' = 'live') => redirectProblem(text, { mode, redirectHosts })
  for (const text of [
    'https://good.example',
    'https://good.example/thanks?session={sessionId}#top',
    'HTTPS://Good.Example/',
    'https://good.example:443/',
    'https://port.example:8443/',
    'https://192.0.2.7/',
    'https://xn--bcher-kva.example/',
    // A loopback entry without a port stands for every port, because in development the port changes with each start.
    'http://localhost:5173/',
    'https://localhost/',
    'https://good.example/a@b',
  ])
    test(`accepts ${text}`, () => assert.equal(problem(text), undefined))

  for (const [text, why] of [
    ['https://good.example\\@evil.example/', /backslash/],
    ['https://good.example/a\\b', /backslash/],
    ['https://good.example/a b', /white space/],
    ['https://good.example/a\tb', /white space/],
    ['https://good.exa\nmple/', /white space/],
    ['https://good.example/\u0000', /control/],
    ['https://user:pass@good.example/', /user name/],
    ['https://@good.example/', /user name/],
    ['https://evil.example@good.example/', /user name/],
    ['https://%67ood.example/', /host/],
    ['https:///good.example/', /host/],
    ['https:good.example/', /host/],
    ['https://3221225991/', /host/],
    ['https://good.example./', /allow-list/],
    ['https://good.example:8443/', /allow-list/],
    ['https://port.example/', /allow-list/],
    ['https://{sessionId}.good.example/', /host/],
    ['https://evil.example/?good.example', /allow-list/],
    ['http://good.example/', /https/],
    ['http://127.0.0.1:3000/', /allow-list/],
    ['javascript:alert(1)', /https/],
    ['not a url', /white space|URL/],
  ] as const)
    test(`refuses ${JSON.stringify(text)}`, () => assert.match(problem(text)?.message ?? '', why))

  test('test mode allows every loopback host, and live mode only the listed hosts', () => {
    for (const text of ['http://127.0.0.1:3000/', 'http://[::1]/', 'http://localhost/']) {
      assert.equal(redirectProblem(text, { mode: 'test', redirectHosts: [] }), undefined)
      assert.match(redirectProblem(text, { mode: 'live', redirectHosts: [] })?.message ?? '', /allow-list/)
    }
  })
})
