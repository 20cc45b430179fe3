// Storage of the bytes of pictures: a folder, or a bucket. A file has the hash of its content in its name and never changes, so writing
// it twice has no effect.

import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BucketTarget, MediaTarget } from '../../platform/kit/mediaurl.ts'
import { signBucketRequest } from './signing.ts'

export interface ImageFiles {
  // Returns after the bytes are stored durably.
  put(name: string, bytes: Buffer, media: string): Promise<void>
  get(name: string): Promise<Buffer | null>
}

export function openImageFiles(target: MediaTarget, now: () => number): ImageFiles {
  return target.kind === 'folder' ? createFolderFiles(target.folder) : createBucketFiles(target, now)
}

// Used by a server without storage for pictures.
export const noImageFiles: ImageFiles = {
  put: () => Promise.reject(new Error('no storage for pictures is configured')),
  get: () => Promise.resolve(null),
}

export function createFolderFiles(folder: string): ImageFiles {
  return {
    async put(name, bytes) {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      // Written under another name first, so readers find either the whole file or none.
      const partial = `${path}.${randomUUID()}`
      try {
        const file = await open(partial, 'wx')
        try {
          await file.writeFile(bytes)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(partial, path)
      } catch (error) {
        await rm(partial, { force: true })
        throw error
      }
    },
    async get(name) {
      try {
        return await readFile(join(folder, name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
  }
}

const requestMsMax = 10_000
const fileBytesMax = 2_000_000

export class BucketError extends Error {
  override readonly name = 'BucketError'
  // Logged, and recorded if the file is deferred.
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

function answeredWith(status: number): BucketError {
  const code = status === 403 ? 'BUCKET_KEY_REFUSED' : status === 404 ? 'BUCKET_NOT_FOUND' : 'BUCKET_FAILED'
  return new BucketError(`The bucket answered with status ${status}`, code)
}

export function createBucketFiles(target: BucketTarget, now: () => number): ImageFiles {
  async function send(method: 'GET' | 'PUT', name: string, body: Buffer, headers: Readonly<Record<string, string>>) {
    const url = new URL(`/${target.bucket}/${name}`, target.origin)
    return fetch(url, {
      method,
      headers: signBucketRequest({ method, url, headers, body }, target, now()),
      ...(method === 'PUT' && { body: new Uint8Array(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(requestMsMax),
    })
  }

  return {
    async put(name, bytes, media) {
      const response = await send('PUT', name, bytes, { 'content-type': media })
      await response.body?.cancel()
      if (!response.ok) throw answeredWith(response.status)
    },
    async get(name) {
      const response = await send('GET', name, Buffer.alloc(0), {})
      if (response.ok) return bytesOf(response)
      await response.body?.cancel()
      if (response.status === 404) return null
      throw answeredWith(response.status)
    },
  }
}

// The length is counted while reading: the header may be missing or wrong.
async function bytesOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = Number(response.headers.get('content-length') ?? 0)
  if (length <= fileBytesMax) {
    length = 0
    for await (const chunk of response.body ?? []) {
      length += chunk.length
      // Leaving the loop cancels the rest of the response.
      if (length > fileBytesMax) break
      chunks.push(chunk)
    }
  } else await response.body?.cancel()
  if (length > fileBytesMax)
    throw new BucketError(`A file of the bucket is larger than ${fileBytesMax} bytes`, 'BUCKET_FILE_TOO_LARGE')
  return Buffer.concat(chunks, length)
}
