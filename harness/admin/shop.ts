import type { shopOperationRows } from '../../src/contract/admin/shop.ts'
import { unusedName } from './catalog.ts'
import type { AdminTestServer, Given } from './world.ts'

const shopOf = async (testServer: AdminTestServer) => (await testServer.askAdmin('getAdminShop')).body.data

const zones = () => [
  { zone: unusedName('zone'), countries: ['DE'], options: [{ id: 'standard', label: 'Standard', amount: 490 }] },
]

export const shopGivens: Readonly<Record<keyof typeof shopOperationRows, Given>> = {
  getAdminShop: async () => ({}),
  updateAdminShop: async (testServer) => ({
    body: { expectedVersion: (await shopOf(testServer)).version, name: unusedName('Shop') },
  }),
  replaceAdminTaxes: async (testServer) => ({
    body: {
      expectedVersion: (await shopOf(testServer)).version,
      taxes: [{ country: 'DE', class: unusedName('class'), rate: 700 }],
    },
  }),
  replaceAdminShipping: async (testServer) => ({
    body: { expectedVersion: (await shopOf(testServer)).version, shipping: zones() },
  }),
  updateAdminPaymentProvider: async (testServer) => ({
    path: { provider: 'bank_transfer' },
    body: { expectedVersion: (await shopOf(testServer)).version, enabled: true, instructions: unusedName('IBAN') },
  }),
}
