// Signs an answer, so a platform can later prove what a shop confirmed.

import { loadAgentSigner } from '../../../domain/agents/keys.ts'
import type { Outgoing } from '../../../platform/http/message.ts'
import { contentDigestOf, signatureHeaders } from '../../../platform/kit/httpsig.ts'
import type { ShopContext } from '../context.ts'

export async function signAnswer({ parts, shop, now }: ShopContext, answer: Outgoing): Promise<Outgoing> {
  const signer = await loadAgentSigner(parts.tools, shop, now.getTime())
  if (!signer) return answer
  const headers = { ...answer.headers, 'content-digest': contentDigestOf(answer.body) }
  const message = { status: answer.status, headers }
  const components = ['@status', 'content-digest', 'content-type']
  const signed = signatureHeaders(components, message, signer, Math.floor(now.getTime() / 1_000))
  return { ...answer, headers: { ...headers, ...signed } }
}
