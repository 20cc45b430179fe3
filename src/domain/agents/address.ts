// The base URL at which agents reach a shop.

import type { Mode } from '../../contract/words.ts'

export function agentBaseUrl(
  origin: string,
  { slug, mode }: { slug: string; mode: Mode },
  protocol: 'ucp' | 'acp' = 'ucp',
): string {
  return `${origin}/${protocol}/${slug}${mode === 'test' ? '/test' : ''}`
}
