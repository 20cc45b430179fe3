// A service that stores files as S3 does, on loopback, in memory: it checks signatures and can be made to fail.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { signBucketRequest } from '../src/domain/images/signing.ts'
import type { BucketTarget } from '../src/platform/kit/mediaurl.ts'
import { lasting } from './lasting.ts'

export interface Bucket extends BucketTarget {
  files: Map<string, { bytes: Buffer; media: string }>
  // Answered instead of everything else.
  failing: number | null
  // Whether a file is sent with its length, or in chunks.
  hasLengths: boolean
  close(): void
}

export async function openBucket(now: () => number): Promise<Bucket> {
  const server = createServer(lasting, async (request, response) => {
    const body = await buffer(request)
    const path = new URL(request.url ?? '', bucket.origin).pathname
    const status = bucket.failing ?? (isSigned(request, body) ? null : 403)
    if (status !== null) return void response.writeHead(status).end('<Error/>')
    if (request.method === 'PUT') {
      bucket.files.set(path, { bytes: body, media: request.headers['content-type'] ?? '' })
      return void response.writeHead(200).end()
    }
    const file = bucket.files.get(path)
    const { bytes, media } = file ?? { bytes: Buffer.from('<Error/>'), media: 'application/xml' }
    response
      .writeHead(file ? 200 : 404, {
        'content-type': media,
        ...(bucket.hasLengths && { 'content-length': bytes.length }),
      })
      .end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bucket: Bucket = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: 'shop-media',
    region: 'eu-central-1',
    accessKey: 'AKIATEST',
    secretKey: 'a secret of the bucket',
    files: new Map(),
    failing: null,
    hasLengths: true,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }

  function isSigned({ method = '', url = '', headers }: IncomingMessage, body: Buffer): boolean {
    const media = headers['content-type']
    const request = { method, url: new URL(url, bucket.origin), headers: media ? { 'content-type': media } : {}, body }
    const expected = signBucketRequest(request, bucket, now())
    return ['authorization', 'x-amz-date', 'x-amz-content-sha256'].every((name) => headers[name] === expected[name])
  }
  return bucket
}
