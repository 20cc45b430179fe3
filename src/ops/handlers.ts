// The handlers of the admin API. `app.ts` loads this file when the first admin operation is performed, so a server that performs none
// does not load their code.

import { adminAgentOperations } from '../domain/agents/admin.ts'
import { agentUndoer } from '../domain/agents/undo.ts'
import { adminCatalogOperations } from '../domain/catalog/admin.ts'
import { catalogUndoer } from '../domain/catalog/undo.ts'
import { adminUnsettledOperations } from '../domain/checkout/admin.ts'
import type { PayTools } from '../domain/checkout/tools.ts'
import { adminCustomerOperations } from '../domain/customers/admin.ts'
import { adminDocumentOperations } from '../domain/documents/admin.ts'
import { adminDraftOperations } from '../domain/drafts/admin.ts'
import { createDifferenceDraft } from '../domain/drafts/difference.ts'
import { draftUndoer } from '../domain/drafts/undo.ts'
import { adminEditOperations } from '../domain/edits/admin.ts'
import { adminExchangeOperations } from '../domain/exchanges/admin.ts'
import { adminImageOperations } from '../domain/images/operations.ts'
import { adminMakerOperations } from '../domain/makers/admin.ts'
import { makerUndoer } from '../domain/makers/undo.ts'
import { adminShopOperations } from '../domain/merchants/admin.ts'
import { shopUndoer } from '../domain/merchants/undo.ts'
import { adminDeveloperOperations } from '../domain/oauth/admin.ts'
import { type AdminOrderParts, adminOrderOperations } from '../domain/orders/admin.ts'
import { orderUndoer } from '../domain/orders/undo.ts'
import { adminChangeOperations, adminDutyOperations, adminHomeOperations } from '../domain/overview/admin.ts'
import { findOrderKeys } from '../domain/overview/search.ts'
import { adminPaymentOperations } from '../domain/payments/admin.ts'
import type { LoadAccountProvider, ProviderUrls } from '../domain/payments/providers/registry.ts'
import { adminPromotionOperations } from '../domain/promotions/admin.ts'
import { promotionUndoer } from '../domain/promotions/undo.ts'
import { adminRedirectOperations } from '../domain/redirects/admin.ts'
import { redirectUndoer } from '../domain/redirects/undo.ts'
import { countAllAgain } from '../domain/reports/count.ts'
import { adminReportOperations } from '../domain/reports/operations.ts'
import { adminReturnOperations } from '../domain/returns/admin.ts'
import { adminPageOperations, adminSiteOperations } from '../domain/sites/admin.ts'
import { copyLookToDraft } from '../domain/sites/contentchange.ts'
import type { SiteContext } from '../domain/sites/site.ts'
import { siteUndoer } from '../domain/sites/undo.ts'
import { adminTextOperations } from '../domain/texts/admin.ts'
import { adminPeopleOperations } from '../domain/users/admin.ts'
import { adminWebhookOperations } from '../domain/webhooks/admin.ts'
import { adminWithdrawalOperations } from '../domain/withdrawals/admin.ts'
import type { Throttle } from '../platform/access/throttle.ts'
import type { AdminHandlers } from '../platform/http/admin.ts'
import type { RootSecret } from '../platform/secrets/secrets.ts'
import { adminImportOperations } from './imports/admin.ts'

export interface AdminHandlerParts {
  rootSecret: RootSecret
  publicOrigin: () => string
  // Whether this server has storefronts, its origin, and its demo shop.
  sites: SiteContext
  // Called with the id of a revoked key, which must no longer be cached.
  forget: (keyId: string) => void
  // Whether webhooks may go to private addresses.
  allowPrivate: boolean
  // How long the texts of events are stored.
  textsMs: number
  // Payment providers with accounts, and the base URLs that replace those of their APIs in tests.
  withAccount: Readonly<Record<string, LoadAccountProvider>>
  providerUrls: ProviderUrls
  // Limits how often a merchant may cause a call to a provider. Null: no limit.
  accountThrottle: Throttle | null
  clock: () => Date
}

const undoers = [catalogUndoer, promotionUndoer, redirectUndoer, makerUndoer, orderUndoer, agentUndoer]

export function adminHandlersFor(
  {
    rootSecret,
    publicOrigin,
    sites,
    forget,
    allowPrivate,
    textsMs,
    withAccount,
    providerUrls,
    accountThrottle: throttle,
    clock,
  }: AdminHandlerParts,
  checkout: PayTools,
): AdminHandlers {
  const shopParts = { timeZoneChanged: countAllAgain, lookChanged: copyLookToDraft, publicOrigin, providerUrls }
  const orderParts: AdminOrderParts = {
    rootSecret,
    findOrderKeys: (db, seller, question) => findOrderKeys(db, rootSecret, seller, question),
  }
  return {
    ...adminOrderOperations(orderParts),
    ...adminCustomerOperations(orderParts),
    ...adminDraftOperations(checkout),
    ...adminEditOperations({
      ...checkout,
      askForDifference: (tx, ...asked) => createDifferenceDraft(checkout, tx, ...asked),
    }),
    ...adminUnsettledOperations(checkout),
    ...adminReturnOperations({ rootSecret }),
    ...adminExchangeOperations(checkout),
    ...adminWithdrawalOperations({ rootSecret }),
    ...adminDocumentOperations({ rootSecret }),
    ...adminHomeOperations({ rootSecret }),
    ...adminChangeOperations({
      undoers: [...undoers, shopUndoer(shopParts), siteUndoer(sites), draftUndoer(checkout)],
    }),
    ...adminImageOperations(),
    ...adminReportOperations(),
    ...adminPeopleOperations({ rootSecret, publicOrigin }),
    ...adminDeveloperOperations({ rootSecret, forget }),
    ...adminWebhookOperations({ rootSecret, allowPrivate, textsMs }),
    ...adminCatalogOperations(),
    ...adminMakerOperations(),
    ...adminPromotionOperations(),
    ...adminImportOperations({ rootSecret, publicOrigin, sites }),
    ...adminShopOperations(shopParts),
    ...adminTextOperations(),
    ...adminDutyOperations(),
    ...adminSiteOperations(sites),
    ...adminPageOperations(),
    ...adminRedirectOperations(),
    ...adminPaymentOperations({ rootSecret, publicOrigin, providerUrls, withAccount, throttle, clock }),
    ...adminAgentOperations({ rootSecret, publicOrigin, forget, allowPrivate }),
  }
}
