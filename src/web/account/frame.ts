// Parts shared by all pages of an account.

import type { AccountShop } from '../../domain/customers/service.ts'
import type { Html } from '../../platform/html/html.ts'
import { renderCheckoutFrame, renderCheckoutSheet } from '../checkout/frame.ts'
import type { Speaker } from '../languages/language.ts'

export interface AccountFrame {
  speaker: Speaker
  shop: AccountShop
  path: string
}

export function accountDocument(
  { speaker, shop }: AccountFrame,
  title: string,
  inside: Html,
  moreScript?: string,
): string {
  return renderCheckoutFrame({
    ...(moreScript !== undefined && { moreScript }),
    speaker,
    title: `${title} – ${shop.merchant.name}`,
    state: 'order',
    body: renderCheckoutSheet(speaker, shop.merchant, shop.mode === 'test', inside),
  })
}
