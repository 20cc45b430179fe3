import { sampleId } from '../../sampleid.ts'
import type {
  AdminInstallation,
  AdminKey,
  AdminWebhookDelivery,
  AdminWebhookEndpoint,
  developerOperationRows,
} from '../developers.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = 'b7b1f7a0-5f0a-4c56-8f0b-9f1e2d3c4b5a'
const createdAt = '2026-03-01T09:12:44.000Z'
const installationName = { id: sampleId('installation'), name: 'Web shop' }

const installation: AdminInstallation = {
  ...installationName,
  mode: 'test',
  status: 'active',
  redirectHosts: ['shop.example.com'],
  app: null,
  grantedScopes: null,
  approvedBy: null,
  createdAt,
  lastTokenAt: null,
  endedAt: null,
}

const key: AdminKey = {
  id: sampleId('credential'),
  name: 'Till',
  prefix: 'cwk_test_8Xq2Lr',
  last4: 'p9Zk',
  scopes: ['catalog:read', 'checkout:quote'],
  status: 'active',
  createdAt,
  expiresAt: null,
  lastUsedAt: null,
  kind: 'secret',
  origins: [],
  installation: installationName,
}

const secret = `cwk_test_8Xq2LrNmWc4T${'EXAMPLE'.repeat(5)}0`

const endpoint: AdminWebhookEndpoint = {
  id: sampleId('webhookEndpoint'),
  installation: installationName,
  key: { id: key.id, name: key.name },
  url: 'https://hooks.example.com/cartwright',
  description: 'Warehouse',
  status: 'enabled',
  disabledReason: null,
  events: ['order.*'],
  secretHint: '…Qm4x',
  secretRotation: { active: false, previousExpiresAt: null },
  health: { lastSuccessAt: '2026-03-03T08:02:11.000Z', lastFailureAt: null, consecutiveFailures: 0, pending: 0 },
  createdAt,
  updatedAt: createdAt,
}

const delivery: AdminWebhookDelivery = {
  id: sampleId('webhookDelivery'),
  eventId: sampleId('event'),
  eventType: 'order.paid',
  status: 'failed',
  attempts: 12,
  lastStatusCode: 500,
  lastError: null,
  nextAttemptAt: null,
  createdAt,
  endpointId: endpoint.id,
  installation: installationName,
  replayOf: null,
  finishedAt: '2026-03-03T09:12:44.000Z',
}

const one = { count: 1, next: null }
const byEndpoint = { endpointId: endpoint.id }

export const developerExamples: AdminExamples<typeof developerOperationRows> = {
  listAdminInstallations: { path: {}, body: undefined, reply: { data: [installation], meta: one } },
  createAdminInstallation: {
    path: {},
    body: { idempotencyKey, name: 'Web shop', redirectHosts: ['shop.example.com'] },
    reply: { data: installation },
  },
  endAdminInstallation: {
    path: { installationId: installation.id },
    body: { idempotencyKey },
    reply: { data: { ...installation, status: 'ended', endedAt: '2026-03-03T08:02:11.000Z' } },
  },
  listAdminKeys: {
    path: {},
    query: { installationId: installation.id },
    body: undefined,
    reply: { data: [key], meta: one },
  },
  createAdminKey: {
    path: {},
    body: { idempotencyKey, installationId: installation.id, name: 'Till', scopes: ['catalog:read', 'checkout:quote'] },
    reply: { data: { key, secret } },
  },
  rotateAdminKey: {
    path: { keyId: key.id },
    body: { idempotencyKey, overlapHours: 24 },
    reply: {
      data: {
        key: { ...key, id: sampleId('credential', 2) },
        secret,
        oldKey: { id: key.id, expiresAt: '2026-03-04T08:02:11.000Z' },
      },
    },
  },
  revokeAdminKey: { path: { keyId: key.id }, body: { idempotencyKey }, reply: { data: { ...key, status: 'revoked' } } },
  listAdminWebhookEndpoints: { path: {}, query: {}, body: undefined, reply: { data: [endpoint], meta: one } },
  createAdminWebhookEndpoint: {
    path: {},
    body: {
      idempotencyKey,
      installationId: installation.id,
      url: endpoint.url,
      events: ['order.*'],
      description: 'Warehouse',
    },
    reply: { data: { endpoint, secret: 'whsec_RXhhbXBsZW9ubHlFeGFtcGxlb25seUV4YW1wbGU=' } },
  },
  updateAdminWebhookEndpoint: {
    path: byEndpoint,
    body: { idempotencyKey, status: 'paused' },
    reply: { data: { ...endpoint, status: 'paused' } },
  },
  removeAdminWebhookEndpoint: {
    path: byEndpoint,
    body: { idempotencyKey },
    reply: { data: { id: endpoint.id, removed: true } },
  },
  rotateAdminWebhookSecret: {
    path: byEndpoint,
    body: { idempotencyKey },
    reply: {
      data: {
        endpoint: { ...endpoint, secretRotation: { active: true, previousExpiresAt: '2026-03-04T08:02:11.000Z' } },
        secret: 'whsec_RXhhbXBsZW9ubHlFeGFtcGxlb25seUV4YW1wbGU=',
      },
    },
  },
  testAdminWebhookEndpoint: {
    path: byEndpoint,
    body: { idempotencyKey },
    reply: {
      data: {
        ...delivery,
        eventType: 'webhook.ping',
        status: 'pending',
        attempts: 0,
        lastStatusCode: null,
        nextAttemptAt: createdAt,
        finishedAt: null,
      },
    },
  },
  listAdminWebhookDeliveries: {
    path: {},
    query: { endpointId: endpoint.id, status: 'failed' },
    body: undefined,
    reply: { data: [delivery], meta: one },
  },
  getAdminWebhookDelivery: {
    path: { deliveryId: delivery.id },
    body: undefined,
    reply: { data: { delivery, payload: `{"id":"${delivery.eventId}","type":"order.paid"}` } },
  },
  replayAdminWebhookDeliveries: {
    path: {},
    body: { idempotencyKey, deliveryIds: [delivery.id] },
    reply: {
      data: [{ deliveryId: delivery.id, outcome: 'done', code: null, replayId: sampleId('webhookDelivery', 2) }],
    },
  },
}
