// A shopper who withdraws at the page of a shop, by its forms.

import assert from 'node:assert/strict'
import { newId } from '../src/platform/kit/ids.ts'

export interface TypedWithdrawal {
  name: string
  order: string
  email: string
  items: string
}

export const typedWithdrawal: TypedWithdrawal = {
  name: 'Ada Lovelace',
  order: 'T-1001',
  email: 'ada@example.com',
  items: '',
}

interface Shop {
  origin: string
  // (default: bloom)
  slug?: string
}

export function postWithdrawal({ origin, slug = 'bloom' }: Shop, fields: Readonly<Record<string, string>>) {
  const headers = { 'sec-fetch-site': 'same-origin', 'accept-language': 'en' }
  return fetch(`${origin}/w/${slug}`, { method: 'POST', headers, body: new URLSearchParams(fields) })
}

// Both steps. Answers the page that acknowledges it.
export async function withdraw(shop: Shop, typed: Partial<TypedWithdrawal> = {}): Promise<string> {
  const statement = { ...typedWithdrawal, ...typed }
  const answer = await postWithdrawal(shop, { ...statement, attempt: newId('wdr'), step: 'confirm' })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return text
}
