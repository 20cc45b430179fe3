// A house in which every row of the admin surface can be asked: for each, a request that is good. A group of operations has a
// file of its own.

import type { AdminOperationId } from '../../src/contract/admin/operations.ts'
import { newId } from '../../src/kit/ids.ts'
import type { House } from '../house.ts'
import type { Orders } from '../orders.ts'
import type { RowRequest } from '../rows.ts'
import { catalogGivens } from './catalog.ts'
import { changeGivens } from './changes.ts'
import { developerGivens } from './developers.ts'
import { orderGivens } from './orders.ts'
import { peopleGivens } from './people.ts'
import { pictureGivens } from './pictures.ts'
import { shopGivens } from './shop.ts'

export type AdminHouse = House & { orders: Orders }

// Things that exist and belong to the caller. The idempotency key is put in afterwards.
export type Given = (house: AdminHouse) => Promise<RowRequest>

const givens: Readonly<Record<AdminOperationId, Given>> = {
  ...orderGivens,
  ...catalogGivens,
  ...pictureGivens,
  ...shopGivens,
  ...developerGivens,
  ...peopleGivens,
  ...changeGivens,
}

export async function goodAdminRequest(house: AdminHouse, id: AdminOperationId): Promise<RowRequest> {
  const request = await givens[id](house)
  return request.body ? { ...request, body: { ...request.body, idempotencyKey: newId('req') } } : request
}
