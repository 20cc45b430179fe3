// Documents of an order, such as invoices, for a shopper who knows the secret address of the order's page.

import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { decryptBuyer } from '../documents/content.ts'
import { findDocument } from '../documents/store.ts'
import { documentView } from '../documents/view.ts'
import { findOrder, findOrderOfSecret } from '../orders/store.ts'
import type { DocumentPort } from './port.ts'

export function createDocumentService(storage: Storage, rootSecret: RootSecret): DocumentPort {
  return async (secret, documentId) => {
    if (!isPageSecret(secret)) return undefined
    return storage.read(async (db) => {
      const key = await findOrderOfSecret(db, pageSecretHash(secret))
      const order = key && (await findOrder(db, key))
      const found = order && (await findDocument(db, order, documentId))
      if (!found || found.orderId !== order.id) return undefined
      return documentView(found, decryptBuyer(rootSecret, found) ?? null)
    })
  }
}
