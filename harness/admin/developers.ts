import type { developerRows } from '../../src/contract/admin/developers.ts'
import { insertInstallation } from '../../src/domain/merchants/store.ts'
import { addEndpoint, pingEndpoint } from '../../src/domain/webhooks/endpoints.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { testSecret } from '../house.ts'
import type { AdminHouse, Given } from './world.ts'

const url = 'https://hooks.example.com/rows'

async function newInstallation({ storage, clock, merchantId }: AdminHouse): Promise<string> {
  const id = newId('ins')
  const made = { id, merchantId, name: id, mode: 'test', redirectHosts: '[]', disabledAt: null } as const
  await storage.write((tx) => insertInstallation(tx, made, clock.now))
  return id
}

// Each of an installation of its own: an installation has room for few.
async function newEndpoint(house: AdminHouse): Promise<{ installationId: string; endpointId: string }> {
  const installationId = await newInstallation(house)
  const tools = { rootSecret: testSecret, allowPrivate: false }
  const input = { url, description: '', events: ['order.*'] }
  const { endpoint } = await house.storage.write((tx) => addEndpoint(tx, installationId, input, tools, house.clock.now))
  return { installationId, endpointId: endpoint.id }
}

// One that has failed for good.
export async function failedDelivery(house: AdminHouse): Promise<{ endpointId: string; deliveryId: string }> {
  const { installationId, endpointId } = await newEndpoint(house)
  const deliveryId = await house.storage.write(async (tx) => {
    await pingEndpoint(tx, installationId, endpointId, house.clock.now)
    const [row] = await tx.sql<{ id: string }>`
      update webhook_deliveries set status = 'failed', due_at = null, finished_at = ${house.clock.now}
      where installation_id = ${installationId} and endpoint_id = ${endpointId} returning id`
    return row?.id ?? ''
  })
  return { endpointId, deliveryId }
}

const endpoint: Given = async (house) => ({ path: { endpointId: (await newEndpoint(house)).endpointId }, body: {} })
const installation: Given = async (house) => ({ path: { installationId: await newInstallation(house) }, body: {} })
const key: Given = async (house) => ({ path: { keyId: (await house.newKey([])).id }, body: {} })

export const developerGivens: Readonly<Record<keyof typeof developerRows, Given>> = {
  listAdminInstallations: async () => ({}),
  createAdminInstallation: async () => ({ body: { name: newId('ins'), redirectHosts: ['shop.example.com'] } }),
  endAdminInstallation: installation,
  listAdminKeys: async () => ({}),
  createAdminKey: async (house) => ({
    body: { installationId: await newInstallation(house), name: 'Till', scopes: [] },
  }),
  rotateAdminKey: key,
  revokeAdminKey: key,
  listAdminWebhookEndpoints: async () => ({}),
  // Events about the shop need a second scope.
  createAdminWebhookEndpoint: async (house) => ({
    body: { installationId: await newInstallation(house), url, events: ['webhook.*'] },
  }),
  updateAdminWebhookEndpoint: async (house) => ({ ...(await endpoint(house)), body: { description: newId('req') } }),
  removeAdminWebhookEndpoint: endpoint,
  rotateAdminWebhookSecret: endpoint,
  testAdminWebhookEndpoint: endpoint,
  listAdminWebhookDeliveries: async () => ({}),
  getAdminWebhookDelivery: async (house) => ({ path: { deliveryId: (await failedDelivery(house)).deliveryId } }),
  replayAdminWebhookDeliveries: async (house) => ({
    body: { deliveryIds: [(await failedDelivery(house)).deliveryId] },
  }),
}
