import type { developerOperationRows } from '../../src/contract/admin/developers.ts'
import { insertInstallation } from '../../src/domain/merchants/store.ts'
import { addEndpoint, pingEndpoint } from '../../src/domain/webhooks/endpoints.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { testSecret } from '../testServer.ts'
import type { AdminTestServer, Given } from './world.ts'

const url = 'https://hooks.example.com/rows'

async function newInstallation({ storage, clock, merchantId }: AdminTestServer): Promise<string> {
  const id = newId('ins')
  const made = { id, merchantId, name: id, mode: 'test', redirectHosts: '[]', disabledAt: null } as const
  await storage.write((tx) => insertInstallation(tx, made, clock.now))
  return id
}

// Each of an installation of its own: an installation has room for few.
async function newEndpoint(testServer: AdminTestServer): Promise<{ installationId: string; endpointId: string }> {
  const installationId = await newInstallation(testServer)
  const tools = { rootSecret: testSecret, allowPrivate: false }
  const input = { url, description: '', events: ['order.*'] }
  const { endpoint } = await testServer.storage.write((tx) =>
    addEndpoint(tx, installationId, input, tools, testServer.clock.now),
  )
  return { installationId, endpointId: endpoint.id }
}

// One that has failed for good.
export async function failedDelivery(testServer: AdminTestServer): Promise<{ endpointId: string; deliveryId: string }> {
  const { installationId, endpointId } = await newEndpoint(testServer)
  const deliveryId = await testServer.storage.write(async (tx) => {
    await pingEndpoint(tx, installationId, endpointId, testServer.clock.now)
    const [row] = await tx.sql<{ id: string }>`
      update webhook_deliveries set status = 'failed', due_at = null, finished_at = ${testServer.clock.now}
      where installation_id = ${installationId} and endpoint_id = ${endpointId} returning id`
    return row?.id ?? ''
  })
  return { endpointId, deliveryId }
}

const endpoint: Given = async (testServer) => ({
  path: { endpointId: (await newEndpoint(testServer)).endpointId },
  body: {},
})
const installation: Given = async (testServer) => ({
  path: { installationId: await newInstallation(testServer) },
  body: {},
})
const key: Given = async (testServer) => ({ path: { keyId: (await testServer.newKey([])).id }, body: {} })

export const developerGivens: Readonly<Record<keyof typeof developerOperationRows, Given>> = {
  listAdminInstallations: async () => ({}),
  createAdminInstallation: async () => ({ body: { name: newId('ins'), redirectHosts: ['shop.example.com'] } }),
  endAdminInstallation: installation,
  listAdminKeys: async () => ({}),
  createAdminKey: async (testServer) => ({
    body: { installationId: await newInstallation(testServer), name: 'Till', scopes: [] },
  }),
  rotateAdminKey: key,
  revokeAdminKey: key,
  listAdminWebhookEndpoints: async () => ({}),
  // Events about the shop need a second scope.
  createAdminWebhookEndpoint: async (testServer) => ({
    body: { installationId: await newInstallation(testServer), url, events: ['webhook.*'] },
  }),
  updateAdminWebhookEndpoint: async (testServer) => ({
    ...(await endpoint(testServer)),
    body: { description: newId('req') },
  }),
  removeAdminWebhookEndpoint: endpoint,
  rotateAdminWebhookSecret: endpoint,
  testAdminWebhookEndpoint: endpoint,
  listAdminWebhookDeliveries: async () => ({}),
  getAdminWebhookDelivery: async (testServer) => ({
    path: { deliveryId: (await failedDelivery(testServer)).deliveryId },
  }),
  replayAdminWebhookDeliveries: async (testServer) => ({
    body: { deliveryIds: [(await failedDelivery(testServer)).deliveryId] },
  }),
}
