// The examples in Amazon's documentation of the signature.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signBucketRequest } from './signing.ts'

const signer = {
  region: 'us-east-1',
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const now = Date.parse('2013-05-24T00:00:00Z')
const signatureOf = (headers: Record<string, string>) => /Signature=(\w+)$/.exec(headers.authorization ?? '')?.[1]

describe('signatures of requests to a bucket', () => {
  test('a request to read an object is signed as in the example of AWS', () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt')
    const headers = signBucketRequest(
      { method: 'GET', url, headers: { range: 'bytes=0-9' }, body: Buffer.alloc(0) },
      signer,
      now,
    )
    assert.equal(signatureOf(headers), 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41')
    assert.equal(headers.host, undefined)
  })

  test('a request to write an object is signed as in the example of AWS', () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/test%24file.text')
    const extra = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' }
    const body = Buffer.from('Welcome to Amazon S3.')
    const headers = signBucketRequest({ method: 'PUT', url, headers: extra, body }, signer, now)
    assert.equal(signatureOf(headers), '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd')
  })
})
