// The handlers of the admin surface. `app.ts` loads this file with the first request to it: a server that nobody administers does
// without their code.

import { adminChangeOperations, adminHomeOperations } from './admin/adminOperations.ts'
import { findOrderKeys } from './admin/search.ts'
import { adminCatalogOperations } from './catalog/adminOperations.ts'
import { catalogUndoer } from './catalog/undo.ts'
import type { AdminHandlers } from './http/admin.ts'
import { adminShopOperations } from './installations/adminOperations.ts'
import { shopUndoer } from './installations/undo.ts'
import type { RootSecret } from './kit/secrets.ts'
import { adminDeveloperOperations } from './oauth/adminOperations.ts'
import { adminOrderOperations } from './orders/adminOperations.ts'
import { orderUndoer } from './orders/undo.ts'
import { adminPictureOperations } from './pictures/operations.ts'
import { adminPromotionOperations } from './promotions/adminOperations.ts'
import { promotionUndoer } from './promotions/undo.ts'
import { countAllAgain } from './reports/count.ts'
import { adminReportOperations } from './reports/operations.ts'
import { adminPeopleOperations } from './staff/adminOperations.ts'
import { adminTransferOperations } from './transfers/adminOperations.ts'
import { adminWebhookOperations } from './webhooks/adminOperations.ts'

export interface AdminHandlerParts {
  rootSecret: RootSecret
  publicOrigin: () => string
  shopUrl: (merchantSlug: string) => string | undefined
  // Of a key that was revoked.
  forget: (keyId: string) => void
  // Whether webhooks may go to private addresses.
  allowPrivate: boolean
  // How long texts of events are stored.
  textsMs: number
}

export function adminHandlersFor({
  rootSecret,
  publicOrigin,
  shopUrl,
  forget,
  allowPrivate,
  textsMs,
}: AdminHandlerParts): AdminHandlers {
  const shopParts = { timeZoneChanged: countAllAgain }
  return {
    ...adminOrderOperations({
      rootSecret,
      findOrderKeys: (db, seller, question) => findOrderKeys(db, rootSecret, seller, question),
    }),
    ...adminHomeOperations({ rootSecret }),
    ...adminChangeOperations({ undoers: [catalogUndoer, promotionUndoer, shopUndoer(shopParts), orderUndoer] }),
    ...adminPictureOperations(),
    ...adminReportOperations(),
    ...adminPeopleOperations({ rootSecret, publicOrigin }),
    ...adminDeveloperOperations({ rootSecret, forget }),
    ...adminWebhookOperations({
      rootSecret,
      allowPrivate,
      textsMs,
    }),
    ...adminCatalogOperations(),
    ...adminPromotionOperations(),
    ...adminTransferOperations({ rootSecret, publicOrigin, shopUrl }),
    ...adminShopOperations(shopParts),
  }
}
