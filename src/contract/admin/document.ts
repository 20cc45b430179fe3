// What the documentation of the admin surface contains besides its operations.

import { collectNamedSchemas } from '../components.ts'
import {
  CategoryEntry,
  InvoicesEntry,
  LegalEntry,
  MakerEntry,
  ProductEntry,
  PromotionEntry,
  ShippingZoneEntry,
  ShopEntry,
  SkuEntry,
  TaxEntry,
} from '../entries.ts'
import { issueAt } from '../issues.ts'
import * as openCarts from '../open/carts.ts'
import { openInterfaceDocument } from '../open/document.ts'
import * as openOrders from '../open/orders.ts'
import * as openReturns from '../open/returns.ts'
import type { SurfaceDocument } from '../openapi.ts'
import * as parts from '../parts.ts'
import * as siteContent from '../sitecontent.ts'
import * as agents from './agents.ts'
import * as bulk from './bulk.ts'
import * as catalog from './catalog.ts'
import * as changes from './changes.ts'
import * as customers from './customers.ts'
import * as developers from './developers.ts'
import * as documents from './documents.ts'
import * as drafts from './drafts.ts'
import * as dryrun from './dryrun.ts'
import * as duties from './duties.ts'
import * as edits from './edits.ts'
import * as errors from './errors.ts'
import { agentExamples } from './examples/agents.ts'
import { catalogExamples } from './examples/catalog.ts'
import { changeExamples } from './examples/changes.ts'
import { customerExamples } from './examples/customers.ts'
import { developerExamples } from './examples/developers.ts'
import { documentExamples } from './examples/documents.ts'
import { draftExamples } from './examples/drafts.ts'
import { dutyExamples } from './examples/duties.ts'
import { editExamples } from './examples/edits.ts'
import { homeExamples } from './examples/home.ts'
import { makerExamples } from './examples/makers.ts'
import { orderExamples } from './examples/orders.ts'
import { pageExamples } from './examples/pages.ts'
import { paymentExamples } from './examples/payments.ts'
import { peopleExamples } from './examples/people.ts'
import { pictureExamples } from './examples/pictures.ts'
import { redirectExamples } from './examples/redirects.ts'
import { reportExamples } from './examples/reports.ts'
import { returnExamples } from './examples/returns.ts'
import { shopExamples } from './examples/shop.ts'
import { siteExamples } from './examples/site.ts'
import { textExamples } from './examples/texts.ts'
import { transferExamples } from './examples/transfers.ts'
import { unsettledExamples } from './examples/unsettled.ts'
import { withdrawalExamples } from './examples/withdrawals.ts'
import * as home from './home.ts'
import * as makers from './makers.ts'
import { adminRefusalCodes, adminSurface } from './operations.ts'
import * as orders from './orders.ts'
import * as pages from './pages.ts'
import * as payments from './payments.ts'
import * as people from './people.ts'
import * as pictures from './pictures.ts'
import * as redirects from './redirects.ts'
import * as reports from './reports.ts'
import * as returns from './returns.ts'
import { adminTags } from './row.ts'
import * as shop from './shop.ts'
import * as site from './site.ts'
import * as texts from './texts.ts'
import * as transfers from './transfers.ts'
import * as unsettled from './unsettled.ts'
import * as withdrawals from './withdrawals.ts'

const description = `What runs a merchant's shop over HTTP: orders, catalog, settings, people. Storefronts use the [open interface](/docs) instead.

**Credentials.** Send an API key with an \`admin:\` scope as \`Authorization: Bearer cwk_…\`. \`x-scope\` names the scope an operation needs. A key acts for the whole merchant, in the mode of the key.

**Lists** answer at most 50 rows, and in \`meta.next\` a link to the next where there are more. Follow the link as it is: it holds the filters too.

**Versions.** Send \`expectedVersion\` so that you overwrite nothing that you have not seen. Another present version is a 409 \`version_conflict\` with the present state in \`current\`.

**Bulk operations** take at most 200 items. Each has an outcome of its own: \`done\`, \`unchanged\`, or \`refused\` with a code. \`dryRun: true\` answers what would change, and writes nothing.

**Changes.** Each change is written down with its value before and after, in the same transaction. So is each look at a customer's data.

**Repeating safely.** Where \`x-idempotency\` is \`required\`, send \`idempotencyKey\` in the body or the header \`Idempotency-Key\`.`

const entries = {
  SkuEntry,
  ProductEntry,
  CategoryEntry,
  MakerEntry,
  PromotionEntry,
  TaxEntry,
  ShippingZoneEntry,
  InvoicesEntry,
  LegalEntry,
  ShopEntry,
}

const pathWords: Readonly<Record<string, string>> = {
  orderId: 'Id of the order.',
  host: 'Name of the host.',
  slug: 'Name of the page in its address.',
  returnId: 'Id of the return.',
  documentId: 'Id of the invoice or the credit note.',
  fulfillmentId: 'Id of the fulfillment.',
  productId: 'Id of the product.',
  skuId: 'Id of the SKU.',
  categoryId: 'Id of the category.',
  makerId: 'Id of the maker.',
  promotionId: 'Id of the promotion.',
  redirectId: 'Id of the redirect.',
  provider: 'Name of the payment provider.',
  paymentId: 'Id of the payment.',
  accountId: 'Id of the account at a payment provider.',
  installationId: 'Id of the installation.',
  keyId: 'Id of the key; not the key itself.',
  endpointId: 'Id of the webhook endpoint.',
  platformId: 'Id of the platform.',
  deliveryId: 'Id of the webhook delivery.',
  memberId: 'Id of the member or the invitation.',
  changeId: 'Id of the entry in the list of changes.',
  withdrawalId: 'Id of the withdrawal.',
  customerId: 'Id of the customer.',
  draftId: 'Id of the draft.',
  transferId: 'Id of the import.',
  piece: 'Which piece of the file, from 1.',
}

export const adminDocument: SurfaceDocument = {
  surface: adminSurface,
  title: 'Cartwright admin',
  description,
  tags: adminTags.filter(({ name }) => Object.values(adminSurface.operations).some(({ tag }) => tag === name)),
  examples: {
    ...homeExamples,
    ...orderExamples,
    ...returnExamples,
    ...withdrawalExamples,
    ...customerExamples,
    ...draftExamples,
    ...editExamples,
    ...documentExamples,
    ...catalogExamples,
    ...makerExamples,
    ...pictureExamples,
    ...shopExamples,
    ...textExamples,
    ...dutyExamples,
    ...siteExamples,
    ...pageExamples,
    ...redirectExamples,
    ...paymentExamples,
    ...unsettledExamples,
    ...agentExamples,
    ...developerExamples,
    ...peopleExamples,
    ...changeExamples,
    ...reportExamples,
    ...transferExamples,
  },
  schemas: [
    ...collectNamedSchemas(parts, openCarts, openOrders, openReturns, entries),
    ...collectNamedSchemas(
      errors,
      bulk,
      dryrun,
      home,
      orders,
      returns,
      documents,
      catalog,
      makers,
      pictures,
      shop,
      site,
      siteContent,
      pages,
      redirects,
      payments,
      agents,
      developers,
      people,
      changes,
      reports,
      transfers,
      unsettled,
      withdrawals,
      customers,
      drafts,
      edits,
      texts,
      duties,
    ),
  ],
  errorSchema: errors.AdminErrorResponse,
  codes: adminRefusalCodes,
  errorDetails: {
    invalid_request: { issues: [issueAt('/items/0/quantity', 'integer_out_of_range', { min: 1, max: 999 })] },
    scope_missing: { current: { requiredScope: 'admin:orders' } },
    version_conflict: { current: { version: 8 } },
  },
  pathWords,
  callers: { key: openInterfaceDocument.callers.key as NonNullable<(typeof openInterfaceDocument.callers)['key']> },
}
