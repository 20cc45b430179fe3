// What a return looks like in the API. Pure. The shopper's text is not included.

import { type AdminReturn, type AdminReturnSummary, returnActions } from '../../contract/admin/returns.ts'
import type { Return } from '../../contract/open/returns.ts'
import type { AuditedChange, MemberChange } from '../../platform/audit/change.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import { isReturnRefundable, returnLifecycle } from './lifecycle.ts'
import type { ReturnFacts, ReturnRow } from './store.ts'

export function returnNumber({ orderNumber, position }: Pick<ReturnRow, 'orderNumber' | 'position'>): string {
  return `${orderNumber}-R${position}`
}

export function returnView({ row, lines, exchanges }: ReturnFacts): Return {
  return {
    id: row.id,
    number: returnNumber(row),
    orderId: row.orderId,
    orderNumber: row.orderNumber,
    mode: row.mode,
    version: row.version,
    status: row.status,
    reason: row.reason,
    wish: row.wish,
    openedBy: row.openedBy,
    items: lines.map(({ skuId, code, name, options, quantity, received, restocked }) => ({
      skuId,
      code,
      name,
      options: options.map((option) => ({ name: option.name, value: option.value })),
      quantity,
      received,
      restocked,
    })),
    exchanges: exchanges.map(({ at, ...exchange }) => ({ ...exchange, at: toInstant(at) })),
    answer: row.answer,
    labelUrl: row.labelUrl,
    requestedAt: toInstant(row.requestedAt),
    updatedAt: toInstant(row.updatedAt),
  }
}

export function adminReturnSummary(facts: ReturnFacts): AdminReturnSummary {
  return { ...returnView(facts), currency: facts.row.currency }
}

// Actions that the status and the received items allow. The caller's scopes and the amount left to refund are checked elsewhere.
export function allowedReturnActions({ row: { status }, lines }: ReturnFacts): AdminReturn['allowed'] {
  const isAllowed: Record<AdminReturn['allowed'][number], boolean> = {
    approveAdminReturn: moveFor(returnLifecycle, 'approve', status) !== undefined,
    refuseAdminReturn: moveFor(returnLifecycle, 'refuse', status) !== undefined,
    receiveAdminReturn:
      moveFor(returnLifecycle, 'receive', status) !== undefined &&
      lines.some(({ quantity, received }) => received < quantity),
    refundAdminReturn: isReturnRefundable(status),
    exchangeAdminReturn: moveFor(returnLifecycle, 'exchange', status) !== undefined,
    closeAdminReturn: moveFor(returnLifecycle, 'close', status) !== undefined,
  }
  return returnActions.filter((action) => isAllowed[action])
}

// The entries of the list of changes for a return, and for its order, so the pages of both show them.
export function returnChanges(
  { row }: ReturnFacts,
  kind: 'create' | 'change',
  members: readonly MemberChange[],
): AuditedChange[] {
  const { id, orderId, orderNumber } = row
  return [
    { kind, what: 'return', id, name: returnNumber(row), members },
    { kind: 'change', what: 'order', id: orderId, name: orderNumber, members: [] },
  ]
}
