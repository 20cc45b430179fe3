// Where agents find a shop.

import type { Mode } from '../../contract/words.ts'

export function agentBase(origin: string, { slug, mode }: { slug: string; mode: Mode }): string {
  return `${origin}/ucp/${slug}${mode === 'test' ? '/test' : ''}`
}
