// Duties of a shop under the law of the countries that it sells to: schemas and operations.

import { Count, Country } from '../parts.ts'
import { object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { dutyIds, dutyNeeds, dutyStatuses } from '../words.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

export const AdminDuty = object({
  id: oneOf(dutyIds),
  status: oneOf(dutyStatuses, {
    description:
      'by_hand: a person has to look whether it is done, or needed. not_needed: the shop sells to no country that demands it.',
  }),
  countries: Type.Array(Country, { maxItems: 300, description: 'That demand it, of those the shop sells to.' }),
  since: Type.String({ format: 'date', description: 'The day from which it applies.' }),
  source: Type.String({ description: 'The law, or the judgment.' }),
  lacks: Type.Array(oneOf(dutyNeeds), { maxItems: 20, description: 'What the shop has not given.' }),
})

export const AdminDutiesResponse = object({
  data: object({
    duties: Type.Array(AdminDuty, { maxItems: 100 }),
    productsWithoutMaker: withDescription('Published ones.', Count),
    makersWithoutResponsible: withDescription('Outside of the EU, without a person in it.', Count),
  }),
})

// biome-ignore format: a row reads best as a few lines
export const dutyOperationRows = {
  getAdminDuties: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/duties',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Shop',
    summary: 'List duties by law',
    description: 'What the law of the countries that the shop sells to demands, with date and source, and what of it is done or missing here. It does not say that a shop is lawful.',
    body: null, reply: okReply(AdminDutiesResponse),
    refusals: [],
  },
} as const satisfies AdminOperationRows

export type AdminDuty = Static<typeof AdminDuty>
export type AdminDuties = Static<typeof AdminDutiesResponse>['data']
