import type { CustomerSummary, customerOperationRows } from '../../src/contract/admin/customers.ts'
import { linkCustomers } from '../../src/domain/customers/link.ts'
import { testSecret } from '../testServer.ts'
import type { AdminTestServer, Given } from './world.ts'

// The customer of an existing order, if there is one.
const known: Given = async (testServer) => ({ path: { customerId: await someCustomer(testServer) } })

export async function someCustomer(testServer: AdminTestServer): Promise<string> {
  const listed = async (): Promise<readonly CustomerSummary[]> => {
    await linkCustomers(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    return (await testServer.askAdmin('listAdminCustomers')).body.data
  }
  const [first] = await listed()
  if (first) return first.id
  await testServer.orders.place({ items: { CARD: 1 } })
  return (await listed())[0]?.id ?? ''
}

export const customerGivens: Readonly<Record<keyof typeof customerOperationRows, Given>> = {
  listAdminCustomers: async () => ({}),
  getAdminCustomer: known,
  getAdminCustomerDetails: known,
  getAdminCustomerData: known,
  addAdminCustomerNote: async (testServer) => ({ ...(await known(testServer)), body: { text: 'Rings twice.' } }),
  eraseAdminCustomer: async (testServer) => ({ ...(await known(testServer)), body: {} }),
}
