// Customers: shoppers who ordered, one for each mailbox and mode. Names, e-mails and addresses are only in the responses of
// getAdminCustomerDetails and getAdminCustomerData, and each such access is recorded in the list of changes.

import { limits } from '../limits.ts'
import { Address } from '../open/carts.ts'
import { OrderConsent, orderMembers } from '../open/orders.ts'
import { Return } from '../open/returns.ts'
import {
  Amount,
  Count,
  Currency,
  CustomerId,
  IdempotencyKey,
  Instant,
  lineSchema,
  OrderId,
  paragraphSchema,
} from '../parts.ts'
import { idPattern } from '../patterns.ts'
import { nullable, object, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { idPrefixes } from '../words.ts'
import { AdminActor, AdminChange } from './changes.ts'
import { DryRun } from './dryrun.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

export const customerNotesMax = 100
export const customerAddressesMax = 20
export const customerOrdersMax = 500
export const customerPasskeysMax = 10
export const customerConsentsMax = 50

const summary = {
  id: CustomerId,
  emailMasked: nullable(Type.String(), { description: 'Of the newest order, as `a…@example.com`.' }),
  city: nullable(Type.String(), { description: 'Of the newest order.' }),
  country: nullable(Type.String(), { description: 'Of the newest order.' }),
  currency: Currency,
  orderCount: Count,
  spent: withDescription('What was paid for orders in this currency, without what went back or is on its way.', Amount),
  firstOrderAt: Instant,
  lastOrderAt: Instant,
  eraseAskedAt: nullable(Instant, { description: 'The person is about to be erased since then.' }),
}

export const CustomerSummary = object(summary)

export const CustomerNote = object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.orderNote).source, description: 'Id of a note.' }),
    text: Type.String(),
    actor: AdminActor,
    at: Instant,
  },
  { description: 'What the people of the shop wrote for themselves.' },
)

export const CustomerConsent = object({
  ...OrderConsent.properties,
  orderId: OrderId,
  orderNumber: Type.String(),
})

export const CustomerRecord = object({
  ...summary,
  consents: Type.Array(CustomerConsent, {
    maxItems: customerConsentsMax,
    description: 'What the person agreed to at the checkout, of the newest orders first.',
  }),
  notes: Type.Array(CustomerNote, { maxItems: customerNotesMax, description: 'Oldest first.' }),
  changes: Type.Array(AdminChange, { maxItems: limits.adminListRowsMax, description: 'Who did what, newest first.' }),
})

export const CustomerAddress = object({
  address: Address,
  label: Type.Array(Type.String(), { description: 'As lines to print, in the order of its country.' }),
  lastOrderAt: withDescription('When the newest order went there.', Instant),
})

export const CustomerDetails = object({
  name: nullable(Type.String()),
  email: nullable(Type.String()),
  phone: nullable(Type.String()),
  addresses: Type.Array(CustomerAddress, {
    maxItems: customerAddressesMax,
    description: 'Those of the newest orders, each once.',
  }),
})

export const CustomerDataOrder = object({
  ...orderMembers,
  customer: nullable(object({ email: Type.String(), name: Type.String(), phone: Type.String() })),
  address: nullable(Address),
  returns: Type.Array(Return),
})

export const CustomerData = object({
  shop: Type.String(),
  email: nullable(Type.String()),
  createdAt: Instant,
  addressBook: Type.Array(object({ address: Address, isDefault: Type.Boolean(), savedAt: Instant }), {
    maxItems: customerAddressesMax,
    description: 'Addresses that the person saved in the account.',
  }),
  passkeys: Type.Array(object({ createdAt: Instant, usedAt: nullable(Instant) }), {
    maxItems: customerPasskeysMax,
    description: 'Passkeys with which the person signs in to the account.',
  }),
  orders: Type.Array(CustomerDataOrder, { maxItems: customerOrdersMax, description: 'Newest first.' }),
})

export const CustomerListQuery = object({
  q: Type.Optional(
    withDescription(
      'The number of an order or of a parcel, the code of an item, or beginnings of words of name, e-mail, city and postal code. Customers of the newest 200 orders that match are listed.',
      lineSchema(1, 100),
    ),
  ),
})
export const CustomerListResponse = listOf(CustomerSummary, 'Those who ordered last come first.')
export const CustomerResponse = object({ data: CustomerRecord })
export const CustomerDetailsResponse = object({ data: CustomerDetails })
export const CustomerDataResponse = object({ data: CustomerData })

export const CustomerNoteRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  text: paragraphSchema(1, 2000),
})
export const CustomerNoteResponse = object({ data: CustomerNote })

export const CustomerErasureRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  dryRun: Type.Optional(DryRun),
})
export const CustomerErasureResponse = object({
  data: object({
    orders: withDescription('Orders from which the person is erased.', Count),
    kept: Type.Array(object({ id: OrderId, number: Type.String() }), {
      maxItems: customerOrdersMax,
      description: 'Orders that are still to be sent, and keep who they are for. Erase the customer again afterwards.',
    }),
  }),
})

// biome-ignore format: a row reads best as a few lines
export const customerOperationRows = {
  listAdminCustomers: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/customers',
    scope: 'admin:customers', idempotency: 'none', audit: 'none', tag: 'Customers', paged: true,
    summary: 'List customers',
    description: 'Shoppers who ordered, in the mode of the caller, with masked e-mail addresses. A new one is listed a moment after the order.',
    query: CustomerListQuery, body: null, reply: okReply(CustomerListResponse),
    refusals: [],
  },
  getAdminCustomer: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/customers/{customerId}',
    scope: 'admin:customers', idempotency: 'none', audit: 'none', tag: 'Customers',
    summary: 'Get a customer',
    description: 'Sums, notes, consents, and who did what. Orders and returns are listed by their own operations with `customerId`.',
    body: null, reply: okReply(CustomerResponse),
    refusals: ['customer_not_found'],
  },
  getAdminCustomerDetails: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/customers/{customerId}/details',
    scope: 'admin:customers', idempotency: 'none', audit: 'look', tag: 'Customers',
    summary: 'Get who a customer is',
    description: 'Name, e-mail, phone and addresses. Each look is an entry in the list of changes.',
    body: null, reply: okReply(CustomerDetailsResponse),
    refusals: ['customer_not_found'],
  },
  getAdminCustomerData: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/customers/{customerId}/data',
    scope: 'admin:customers', idempotency: 'none', audit: 'look', tag: 'Customers', asksOutside: true,
    summary: 'Get the data of a customer',
    description: `What is stored about the person: the newest ${customerOrdersMax} orders whole, with addresses and returns, and saved addresses. Each look is an entry in the list of changes.`,
    body: null, reply: okReply(CustomerDataResponse),
    refusals: ['customer_not_found'],
  },
  addAdminCustomerNote: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/customers/{customerId}/notes',
    scope: 'admin:customers', idempotency: 'required', audit: 'change', tag: 'Customers',
    summary: 'Add a note about a customer',
    description: 'A note for the people of the shop. No shopper and no app of theirs sees it. It goes when the person is erased.',
    body: CustomerNoteRequest, reply: okReply(CustomerNoteResponse),
    refusals: ['customer_not_found', 'note_limit'],
  },
  eraseAdminCustomer: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/customers/{customerId}/erasures',
    scope: 'admin:customers', idempotency: 'required', audit: 'change', tag: 'Customers',
    summary: 'Erase a customer',
    description: 'Erases name, e-mail, phone, addresses, also those saved in the account, and notes, a moment later, and ends the account. What was bought for how much stays, as do invoices, as long as tax law demands. It cannot be undone.',
    body: CustomerErasureRequest, reply: okReply(CustomerErasureResponse),
    refusals: ['customer_not_found'],
  },
} as const satisfies AdminOperationRows

export type CustomerSummary = Static<typeof CustomerSummary>
export type CustomerRecord = Static<typeof CustomerRecord>
export type CustomerNote = Static<typeof CustomerNote>
export type CustomerDetails = Static<typeof CustomerDetails>
export type CustomerAddress = Static<typeof CustomerAddress>
export type CustomerData = Static<typeof CustomerData>
