// A server in which every row of the admin surface can be asked: for each, a request that is good. A group of operations has a
// file of its own.

import { catalogOperationRows } from '../../src/contract/admin/catalog.ts'
import { makerOperationRows } from '../../src/contract/admin/makers.ts'
import type { AdminOperationId } from '../../src/contract/admin/operations.ts'
import type { AdminScope } from '../../src/contract/words.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { Orders } from '../orders.ts'
import type { RowRequest } from '../rows.ts'
import type { TestServer } from '../testServer.ts'
import { agentGivens } from './agents.ts'
import { catalogGivens } from './catalog.ts'
import { changeGivens } from './changes.ts'
import { customerGivens } from './customers.ts'
import { developerGivens } from './developers.ts'
import { documentGivens } from './documents.ts'
import { draftGivens } from './drafts.ts'
import { dutyGivens } from './duties.ts'
import { editGivens } from './edits.ts'
import { homeGivens } from './home.ts'
import { makerGivens } from './makers.ts'
import { orderGivens } from './orders.ts'
import { paymentGivens } from './payments.ts'
import { peopleGivens, peopleScopes } from './people.ts'
import { pictureGivens } from './pictures.ts'
import { reportGivens } from './reports.ts'
import { returnGivens } from './returns.ts'
import { shopGivens } from './shop.ts'
import { pageGivens, redirectGivens, siteGivens } from './site.ts'
import { textGivens } from './texts.ts'
import { transferGivens } from './transfers.ts'
import { unsettledGivens } from './unsettled.ts'
import { withdrawalGivens } from './withdrawals.ts'

export type AdminTestServer = TestServer & { orders: Orders }

// Things that exist and belong to the caller. The idempotency key is put in afterwards.
export type Given = (testServer: AdminTestServer) => Promise<RowRequest>

const givens: Readonly<Record<AdminOperationId, Given>> = {
  ...homeGivens,
  ...orderGivens,
  ...returnGivens,
  ...withdrawalGivens,
  ...customerGivens,
  ...draftGivens,
  ...editGivens,
  ...documentGivens,
  ...catalogGivens,
  ...makerGivens,
  ...pictureGivens,
  ...shopGivens,
  ...textGivens,
  ...dutyGivens,
  ...siteGivens,
  ...pageGivens,
  ...redirectGivens,
  ...paymentGivens,
  ...unsettledGivens,
  ...agentGivens,
  ...developerGivens,
  ...peopleGivens,
  ...changeGivens,
  ...reportGivens,
  ...transferGivens,
}

export async function goodAdminRequest(testServer: AdminTestServer, id: AdminOperationId): Promise<RowRequest> {
  const request = await givens[id](testServer)
  return request.body ? { ...request, body: { ...request.body, idempotencyKey: newId('req') } } : request
}

// Scopes that the good request of a row needs beside that of the row.
const alsoNeeded: Partial<Readonly<Record<AdminOperationId, readonly AdminScope[]>>> = {
  ...peopleScopes,
  // The scope of the change.
  undoAdminChange: ['admin:orders'],
}

export function moreScopes(id: AdminOperationId): readonly AdminScope[] {
  return alsoNeeded[id] ?? []
}

// Rows about things that are the same in both modes, so a caller in the other mode reaches them too.
const sharedByModes: ReadonlySet<AdminOperationId> = new Set<AdminOperationId>([
  'updateAdminMember',
  'removeAdminMember',
  'resetAdminMemberPassword',
  'endAdminMemberSessions',
  ...(Object.keys(catalogOperationRows) as AdminOperationId[]),
  ...(Object.keys(makerOperationRows) as AdminOperationId[]),
  ...(['checkAdminHost', 'makeAdminHostMain', 'removeAdminHost'] as const),
  // Its request names only SKUs.
  'createAdminDraft',
  'getAdminPage',
  'replaceAdminPage',
  'removeAdminPage',
  'getAdminRedirect',
  'replaceAdminRedirect',
  'removeAdminRedirect',
])

export function isSharedByModes(id: AdminOperationId): boolean {
  return sharedByModes.has(id)
}
