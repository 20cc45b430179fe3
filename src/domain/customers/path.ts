// Paths of a shopper's account.

import type { Mode } from '../../contract/words.ts'

export function accountPath(slug: string, mode: Mode): string {
  return mode === 'test' ? `/account/${slug}/test` : `/account/${slug}`
}
