import type { shopRows } from '../../src/contract/admin/shop.ts'
import { unusedName } from './catalog.ts'
import type { AdminHouse, Given } from './world.ts'

const shopOf = async (house: AdminHouse) => (await house.askAdmin('getAdminShop')).body.data

const zones = () => [
  { zone: unusedName('zone'), countries: ['DE'], options: [{ id: 'standard', label: 'Standard', amount: 490 }] },
]

export const shopGivens: Readonly<Record<keyof typeof shopRows, Given>> = {
  getAdminShop: async () => ({}),
  updateAdminShop: async (house) => ({
    body: { expectedVersion: (await shopOf(house)).version, name: unusedName('Shop') },
  }),
  replaceAdminTaxes: async (house) => ({
    body: {
      expectedVersion: (await shopOf(house)).version,
      taxes: [{ country: 'DE', class: unusedName('class'), rate: 700 }],
    },
  }),
  replaceAdminShipping: async (house) => ({
    body: { expectedVersion: (await shopOf(house)).version, shipping: zones() },
  }),
  updateAdminPaymentProvider: async (house) => ({
    path: { provider: 'bank_transfer' },
    body: { expectedVersion: (await shopOf(house)).version, enabled: true, instructions: unusedName('IBAN') },
  }),
}
