// The admin surface: the operations that run a merchant's shop. Each group of operations has its own file.

import { openInterfaceRefusals, type RefusalCode, refusalCodes, refusals } from '../refusals.ts'
import type { Surface } from '../surface.ts'
import { agentOperationRows } from './agents.ts'
import { catalogOperationRows } from './catalog.ts'
import { changeOperationRows } from './changes.ts'
import { customerOperationRows } from './customers.ts'
import { developerOperationRows } from './developers.ts'
import { documentOperationRows } from './documents.ts'
import { draftOperationRows } from './drafts.ts'
import { dutyOperationRows } from './duties.ts'
import { editOperationRows } from './edits.ts'
import { homeOperationRows } from './home.ts'
import { makerOperationRows } from './makers.ts'
import { orderOperationRows } from './orders.ts'
import { pageOperationRows } from './pages.ts'
import { paymentOperationRows } from './payments.ts'
import { peopleOperationRows } from './people.ts'
import { pictureOperationRows } from './pictures.ts'
import { redirectOperationRows } from './redirects.ts'
import { reportOperationRows } from './reports.ts'
import { returnOperationRows } from './returns.ts'
import type { AdminOperation } from './row.ts'
import { shopOperationRows } from './shop.ts'
import { siteOperationRows } from './site.ts'
import { textOperationRows } from './texts.ts'
import { transferOperationRows } from './transfers.ts'
import { unsettledOperationRows } from './unsettled.ts'
import { withdrawalOperationRows } from './withdrawals.ts'

export const adminOperations = {
  ...homeOperationRows,
  ...orderOperationRows,
  ...returnOperationRows,
  ...withdrawalOperationRows,
  ...customerOperationRows,
  ...draftOperationRows,
  ...editOperationRows,
  ...documentOperationRows,
  ...unsettledOperationRows,
  ...catalogOperationRows,
  ...makerOperationRows,
  ...pictureOperationRows,
  ...shopOperationRows,
  ...textOperationRows,
  ...dutyOperationRows,
  ...siteOperationRows,
  ...pageOperationRows,
  ...redirectOperationRows,
  ...paymentOperationRows,
  ...agentOperationRows,
  ...developerOperationRows,
  ...peopleOperationRows,
  ...changeOperationRows,
  ...reportOperationRows,
  ...transferOperationRows,
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

// The codes that every operation may answer with, and those that single operations declare.
const own = new Set<RefusalCode>(Object.values<AdminOperation>(adminOperations).flatMap((row) => row.refusals))
export const adminRefusalCodes = refusalCodes.filter((code) => own.has(code) || isCommon(code))

function isCommon(code: RefusalCode): boolean {
  if (code === 'route_not_found' || code === 'idempotency_key_reused') return true
  return code in openInterfaceRefusals && refusals[code].status !== 404 && refusals[code].status !== 409
}
