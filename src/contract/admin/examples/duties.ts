import type { dutyOperationRows } from '../duties.ts'
import type { AdminExamples } from '../row.ts'

export const dutyExamples: AdminExamples<typeof dutyOperationRows> = {
  getAdminDuties: {
    path: {},
    body: undefined,
    reply: {
      data: {
        duties: [
          {
            id: 'confirmation',
            status: 'missing',
            countries: ['DE', 'FR'],
            since: '2014-06-13',
            source: 'Directive 2011/83/EU, Art. 8(7); C-49/11',
            lacks: ['withdrawal'],
          },
        ],
        productsWithoutMaker: 3,
        makersWithoutResponsible: 0,
      },
    },
  },
}
