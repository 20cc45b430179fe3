// The admin surface: the operations that run a merchant's shop, one row each. Each group of operations has its own file.

import { openRefusals, type RefusalCode, refusalCodes, refusals } from '../refusals.ts'
import type { Surface } from '../surface.ts'
import { agentRows } from './agents.ts'
import { catalogRows } from './catalog.ts'
import { changeRows } from './changes.ts'
import { customerRows } from './customers.ts'
import { developerRows } from './developers.ts'
import { documentRows } from './documents.ts'
import { draftRows } from './drafts.ts'
import { dutyRows } from './duties.ts'
import { editRows } from './edits.ts'
import { homeRows } from './home.ts'
import { makerRows } from './makers.ts'
import { orderRows } from './orders.ts'
import { pageRows } from './pages.ts'
import { paymentRows } from './payments.ts'
import { peopleRows } from './people.ts'
import { pictureRows } from './pictures.ts'
import { redirectRows } from './redirects.ts'
import { reportRows } from './reports.ts'
import { returnRows } from './returns.ts'
import type { AdminOperation } from './row.ts'
import { shopRows } from './shop.ts'
import { siteRows } from './site.ts'
import { textRows } from './texts.ts'
import { transferRows } from './transfers.ts'
import { unsettledRows } from './unsettled.ts'
import { withdrawalRows } from './withdrawals.ts'

export const adminOperations = {
  ...homeRows,
  ...orderRows,
  ...returnRows,
  ...withdrawalRows,
  ...customerRows,
  ...draftRows,
  ...editRows,
  ...documentRows,
  ...unsettledRows,
  ...catalogRows,
  ...makerRows,
  ...pictureRows,
  ...shopRows,
  ...textRows,
  ...dutyRows,
  ...siteRows,
  ...pageRows,
  ...redirectRows,
  ...paymentRows,
  ...agentRows,
  ...developerRows,
  ...peopleRows,
  ...changeRows,
  ...reportRows,
  ...transferRows,
} as const

export type AdminOperations = typeof adminOperations
export type AdminOperationId = keyof AdminOperations

export const adminOperationIds = Object.keys(adminOperations) as AdminOperationId[]

export const adminSurface: Surface<AdminOperations> = {
  name: 'admin',
  base: '/api/v1/admin',
  operations: adminOperations,
  errorBody: (error) => ({ error }),
}

// Codes that every operation may answer with, and those that the rows name.
const own = new Set<RefusalCode>(Object.values<AdminOperation>(adminOperations).flatMap((row) => row.refusals))
export const adminRefusalCodes = refusalCodes.filter((code) => own.has(code) || isCommon(code))

function isCommon(code: RefusalCode): boolean {
  if (code === 'route_not_found' || code === 'idempotency_key_reused') return true
  return code in openRefusals && refusals[code].status !== 404 && refusals[code].status !== 409
}
