import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseMediaUrl } from './mediaurl.ts'

describe('the URL for storing pictures', () => {
  test('may be a folder', () => {
    assert.deepEqual(parseMediaUrl('file:data/media'), { kind: 'folder', folder: 'data/media' })
    assert.deepEqual(parseMediaUrl('file:/var/lib/shop'), { kind: 'folder', folder: '/var/lib/shop' })
  })

  test('may be a bucket, with percent-encoded keys', () => {
    assert.deepEqual(
      parseMediaUrl('s3://AKIA:a%2Fb%2Bc@s3.eu-central-1.amazonaws.com/shop-media?region=eu-central-1'),
      {
        kind: 'bucket',
        origin: 'https://s3.eu-central-1.amazonaws.com',
        bucket: 'shop-media',
        region: 'eu-central-1',
        accessKey: 'AKIA',
        secretKey: 'a/b+c',
      },
    )
  })

  test('uses TLS, except for a bucket on this machine', () => {
    const origin = (text: string) => (parseMediaUrl(text) as { origin?: string }).origin
    assert.equal(origin('s3://a:b@127.0.0.1:9000/shop'), 'http://127.0.0.1:9000')
    assert.equal(origin('s3://a:b@store.example:9000/shop'), 'https://store.example:9000')
  })

  test('is refused in any other form, and the error does not contain it', () => {
    for (const text of [
      'data/media',
      'file:',
      'file://data',
      'http://a:hunter2@b/shop',
      's3://a:hunter2@b',
      's3://a:hunter2@b/',
      's3://a:hunter2@b/UPPER',
      's3://a:hunter2@b/shop/deeper',
      's3://a:hunter2@b/shop?regoin=x',
      's3://a:hunter2@b/shop?region=EU',
      's3://a:hunter2@b/shop#x',
      's3://b/shop',
      's3://a@b/shop',
      's3://a:hunter2%zz@b/shop',
    ]) {
      const found = parseMediaUrl(text)
      assert.ok('problem' in found, text)
      assert.doesNotMatch(found.problem, /hunter2/)
    }
  })
})
