import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { mediaPage } from './media.ts'

const folder = mkdtempSync(join(tmpdir(), 'cartwright-media-'))
after(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'oak-bowl.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
writeFileSync(join(folder, 'secret.txt'), 'secret')
writeFileSync(join(folder, 'Odd Name.svg'), '<svg/>')

const page = mediaPage(folder)

function ask(file: string, headers: Record<string, string> = {}) {
  return page.answer({
    raw: { headers, url: '' } as unknown as IncomingMessage,
    path: { file },
    address: '127.0.0.1',
    receive: (read) => read(),
  })
}

describe('the pictures of the demo', () => {
  test('200 returns a picture that cannot run scripts', async () => {
    const { status, body, headers } = await ask('oak-bowl.svg')
    assert.equal(status, 200)
    assert.match(String(body), /^<svg/)
    assert.equal(headers['content-type'], 'image/svg+xml')
    assert.equal(headers['content-security-policy'], "default-src 'none'; style-src 'unsafe-inline'")
    assert.match(headers['cache-control'] ?? '', /max-age=86400/)
    assert.equal((await ask('oak-bowl.svg', { 'if-none-match': headers.etag ?? '' })).status, 304)
  })

  test('404 for anything that is not a picture in the folder', async () => {
    const names = [
      'none.svg',
      'secret.txt',
      'Odd Name.svg',
      '../media.ts',
      '..%2fmedia.ts',
      '',
      '.',
      'constructor',
      '__proto__',
    ]
    for (const name of names) await assert.rejects(ask(name), { name: 'Refusal', code: 'route_not_found' }, name)
  })
})
