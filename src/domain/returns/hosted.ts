// A return that a shopper requests on the page of an order, which is found by its secret.

import type { ItemQuantity } from '../../contract/parts.ts'
import type { ReturnReason, ReturnWish } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { lockOrderFacts } from '../orders/change.ts'
import { findOrderOfSecret } from '../orders/store.ts'
import { openReturn } from './change.ts'

export interface ReturnRequest {
  items: readonly ItemQuantity[]
  reason: ReturnReason
  wish: ReturnWish
  note: string
}

// `open`: the order has an open return, for example because the form was sent twice. `not_possible`: something was refunded or returned
// in the meantime. Undefined: no order has this secret.
export type RequestReturn = (
  secret: string,
  wishes: ReturnRequest,
) => Promise<'done' | 'open' | 'not_possible' | undefined>

export function createReturnService(storage: Storage, rootSecret: RootSecret, clock: () => Date): RequestReturn {
  return async (secret, wishes) => {
    if (!isPageSecret(secret)) return undefined
    try {
      return await storage.write(async (tx) => {
        const key = await findOrderOfSecret(tx, pageSecretHash(secret))
        const order = key && (await lockOrderFacts(tx, key))
        if (!order) return undefined
        const given = { ...wishes, openedBy: 'shopper', answer: null, labelUrl: null } as const
        await openReturn(tx, rootSecret, order, given, {
          now: clock().getTime(),
          cause: { operationId: null, requestId: newId('req') },
        })
        return 'done'
      })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'return_already_open') return 'open'
      if (error.code === 'return_not_possible') return 'not_possible'
      throw error
    }
  }
}
