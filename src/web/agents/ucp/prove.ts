// How a caller proves that it is the platform whose profile it names: by a signature of the request, or by a key that was made for the
// platform.

import type { IncomingMessage } from 'node:http'
import {
  findSignatureProblem,
  hasSignature,
  type ProvableRequest,
  type SignatureProblem,
} from '../../../domain/agents/proof.ts'
import type { ShopContext } from '../context.ts'
import { AgentError } from '../error.ts'

export interface ShownRequest {
  // The keys in the profile.
  keys: readonly unknown[]
  body: Buffer
  now: number
}

// Returns false if the request has no signature. Throws if it has an invalid one, even if the request also has a key.
export async function verifyPlatformSignature(
  { request, parts }: ShopContext,
  { keys, body, now }: ShownRequest,
  keysAgain: () => Promise<readonly unknown[]>,
): Promise<boolean> {
  if (!hasSignature(request.raw)) return false
  const message = messageOf(request.raw, parts.tools.publicOrigin(), body)
  const first = findSignatureProblem(message, keys, now)
  // The platform may have signed with a key that it published after its profile was cached, so the profile is read again.
  const problem = first === 'key_not_found' ? findSignatureProblem(message, await keysAgain(), now) : first
  if (problem === null) return true
  const [status, content] = problems[problem]
  throw new AgentError(status, problem, content)
}

const problems: Readonly<Record<SignatureProblem, readonly [status: number, content: string]>> = {
  signature_missing: [401, 'Signature-Input names a signature that is not there.'],
  signature_invalid: [401, 'The signature of the request does not hold, or does not cover what it must.'],
  key_not_found: [401, 'The profile of the platform has no such key.'],
  digest_mismatch: [400, 'Content-Digest is not the SHA-256 of the body.'],
  algorithm_unsupported: [400, 'Keys are EC P-256, EC P-384 or Ed25519.'],
}

// The signed host is that of the server's public URL: the host in the request may be forged or changed by a proxy.
function messageOf(raw: IncomingMessage, origin: string, body: Buffer): ProvableRequest {
  const [path = '', ...query] = (raw.url ?? '').split('?')
  return {
    method: raw.method ?? '',
    authority: new URL(origin).host,
    path,
    query: query.length === 0 ? '' : `?${query.join('?')}`,
    body,
    headers: Object.fromEntries(
      Object.entries(raw.headersDistinct).map(([name, values]) => [
        name,
        values?.map((value) => value.trim()).join(', '),
      ]),
    ),
  }
}

// Returns undefined if the request does not have a key. Most platforms send `X-API-Key`.
export function readPlatformKey({ headers }: IncomingMessage): string | undefined {
  const plain = headers['x-api-key']
  if (typeof plain === 'string') return plain.trim()
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}
