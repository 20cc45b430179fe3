// Statements of withdrawal as the merchant sees them: schemas and operations. Only getAdminWithdrawalStatement answers with what the shopper
// typed, and each such access is recorded in the list of changes.

import { limits } from '../limits.ts'
import { ExpectedVersion, IdempotencyKey, Instant, Mode, OrderId, ReturnId, Version, WithdrawalId } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { withdrawalOutcomes, withdrawalStatuses } from '../words.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

export const WithdrawnOrder = object(
  {
    id: OrderId,
    number: Type.String(),
    emailMatches: Type.Boolean({ description: 'Whether it was ordered with the e-mail address of the withdrawal.' }),
  },
  { description: 'The order of the shop with the number that the shopper gave.' },
)

export const AdminWithdrawal = object({
  id: WithdrawalId,
  mode: Mode,
  status: oneOf(withdrawalStatuses),
  outcome: nullable(oneOf(withdrawalOutcomes), { description: 'null until it is settled.' }),
  order: nullable(WithdrawnOrder, { description: 'null where the shop has no order of this number.' }),
  returnId: nullable(ReturnId, {
    description:
      'The return that it opened: by itself, if it was sent with the e-mail address of the order, or by openAdminWithdrawalReturn.',
  }),
  receivedAt: Instant,
  refundDueAt: withDescription('The money has to be back by then: 14 days after it was received.', Instant),
  settledAt: nullable(Instant),
  version: Version,
})

export const AdminWithdrawalStatement = object(
  {
    name: Type.String(),
    order: Type.String(),
    email: Type.String(),
    items: Type.String({ description: 'What is meant of the order. Empty: all of it.' }),
  },
  { description: 'As the shopper typed it.' },
)

export const AdminWithdrawalListQuery = object({
  status: Type.Optional(oneOf(withdrawalStatuses, { description: 'Only withdrawals of this status.' })),
})
export const AdminWithdrawalListResponse = listOf(AdminWithdrawal, 'Newest first.', limits.adminListRowsMax)
export const AdminWithdrawalResponse = object({ data: AdminWithdrawal })
export const AdminWithdrawalStatementResponse = object({
  data: nullable(AdminWithdrawalStatement, { description: 'null once the shopper is erased.' }),
})
export const AdminWithdrawalSettlementRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  outcome: oneOf(withdrawalOutcomes, {
    description:
      'accepted: the goods come back, or the money went back. declined: there is no right of withdrawal. unknown: it names no order of the shop.',
  }),
})

export const AdminWithdrawalReturnRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
})

// biome-ignore format: a row reads best as a few lines
export const withdrawalOperationRows = {
  listAdminWithdrawals: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/withdrawals',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Orders', paged: true,
    summary: 'List withdrawals',
    description: 'Statements by which shoppers withdrew from a contract, in the mode of the caller.',
    query: AdminWithdrawalListQuery, body: null, reply: okReply(AdminWithdrawalListResponse),
    refusals: [],
  },
  getAdminWithdrawal: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/withdrawals/{withdrawalId}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Orders',
    summary: 'Get a withdrawal',
    description: 'One withdrawal, without what the shopper typed.',
    body: null, reply: okReply(AdminWithdrawalResponse),
    refusals: ['withdrawal_not_found'],
  },
  getAdminWithdrawalStatement: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/withdrawals/{withdrawalId}/statement',
    scope: 'admin:customers', idempotency: 'none', audit: 'look', tag: 'Orders',
    summary: 'Get the statement of a withdrawal',
    description: 'What the shopper typed: name, order, e-mail and items. Each look is an entry in the list of changes.',
    body: null, reply: okReply(AdminWithdrawalStatementResponse),
    refusals: ['withdrawal_not_found'],
  },
  settleAdminWithdrawal: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/withdrawals/{withdrawalId}/settlements',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Settle a withdrawal',
    description: 'Records what came of it. It moves no money and no stock: refund the order for that. May be repeated with another outcome.',
    body: AdminWithdrawalSettlementRequest, reply: okReply(AdminWithdrawalResponse),
    refusals: ['withdrawal_not_found', 'version_conflict'],
  },
  openAdminWithdrawalReturn: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/withdrawals/{withdrawalId}/returns',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Open the return of a withdrawal',
    description: 'For a withdrawal that opened none by itself. It is approved and of all that was sent and can come back; one that is open already is taken instead.',
    body: AdminWithdrawalReturnRequest, reply: okReply(AdminWithdrawalResponse),
    refusals: ['withdrawal_not_found', 'order_not_found', 'version_conflict', 'return_not_possible', 'return_already_open'],
  },
} as const satisfies AdminOperationRows

export type AdminWithdrawal = Static<typeof AdminWithdrawal>
export type AdminWithdrawalStatement = Static<typeof AdminWithdrawalStatement>
