// Parses the setting for where pictures are stored. Pure. Error messages do not repeat the text, which may contain a secret.

import { isLoopback } from './loopback.ts'

export type MediaTarget = { kind: 'folder'; folder: string } | ({ kind: 'bucket' } & BucketTarget)

// A bucket of S3 or of a compatible service, addressed by path and not by host name.
export interface BucketTarget {
  // An https: origin, or an http: origin on this machine.
  origin: string
  bucket: string
  region: string
  accessKey: string
  secretKey: string
}

const shape = 'must be file:<folder> or s3://<access key>:<secret key>@<host>/<bucket>?region=<region>'

export function parseMediaUrl(text: string): MediaTarget | { problem: string } {
  if (text.startsWith('file:')) {
    const folder = text.slice('file:'.length)
    return folder === '' || folder.startsWith('//') || /\p{Cc}/u.test(folder)
      ? { problem: 'must name a folder such as file:data/media' }
      : { kind: 'folder', folder }
  }
  const url = text.startsWith('s3://') ? URL.parse(text) : null
  const [, bucket] = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(url?.pathname ?? '') ?? []
  if (!url?.hostname || bucket === undefined || url.hash) return { problem: shape }
  const { region = 'us-east-1', ...others } = Object.fromEntries(url.searchParams)
  if (Object.keys(others).length > 0 || !/^[a-z0-9-]{1,40}$/.test(region)) return { problem: shape }
  const keys = [url.username, url.password].map(decoded)
  const [accessKey, secretKey] = keys
  if (!accessKey || !secretKey) return { problem: 'has no access key and secret key, or they are not percent-encoded' }
  const origin = `${isLoopback(url) ? 'http' : 'https'}://${url.host}`
  return { kind: 'bucket', origin, bucket, region, accessKey, secretKey }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
