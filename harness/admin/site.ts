import type { siteRows } from '../../src/contract/admin/site.ts'
import type { AdminTestServer, Given } from './world.ts'

const siteOf = async (testServer: AdminTestServer) => (await testServer.askAdmin('getAdminSite')).body.data

async function become(testServer: AdminTestServer, id: 'openAdminSite' | 'closeAdminSite'): Promise<void> {
  const { version: expectedVersion } = await siteOf(testServer)
  await testServer.askAdmin(id, { body: { expectedVersion, idempotencyKey: crypto.randomUUID() } })
}

export const siteGivens: Readonly<Record<keyof typeof siteRows, Given>> = {
  getAdminSite: async () => ({}),
  openAdminSite: async (testServer) => {
    await become(testServer, 'closeAdminSite')
    return { body: { expectedVersion: (await siteOf(testServer)).version } }
  },
  closeAdminSite: async (testServer) => {
    await become(testServer, 'openAdminSite')
    return { body: { expectedVersion: (await siteOf(testServer)).version } }
  },
}
