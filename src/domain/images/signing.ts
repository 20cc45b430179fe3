// AWS Signature Version 4 for requests with one known body. Pure.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html

import { createHash, createHmac } from 'node:crypto'

export interface SignedRequest {
  method: string
  url: URL
  // Lower-case names. All headers are signed.
  headers: Readonly<Record<string, string>>
  body: Buffer
}

export interface BucketCredentials {
  region: string
  accessKey: string
  secretKey: string
}

// Returns the headers to send: those of the request, and those of the signature.
export function signBucketRequest(
  request: SignedRequest,
  signer: BucketCredentials,
  now: number,
): Record<string, string> {
  const { method, url, body } = request
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const bodyHash = sha256(body)
  const headers: Record<string, string> = {
    ...request.headers,
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
  }
  const names = Object.keys(headers).sort()
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('')
  const canonical = [method, url.pathname, url.search.slice(1), lines, names.join(';'), bodyHash].join('\n')
  const scope = `${day}/${signer.region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [day, signer.region, 's3', 'aws4_request'].reduce<Buffer>(
    (chained, part) => hmac(chained, part),
    Buffer.from(`AWS4${signer.secretKey}`),
  )
  const credential = `Credential=${signer.accessKey}/${scope}`
  const signature = hmac(key, toSign).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 ${credential},SignedHeaders=${names.join(';')},Signature=${signature}`
  // The HTTP client adds the host header itself.
  const { host: _, ...sent } = headers
  return { ...sent, authorization }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
