// The three operations on webhooks: the endpoints with the outcomes of their calls, the signature fixture, and the replay.

import type { OpenInterfaceHandler } from '../../platform/http/open.ts'
import { isId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { fixtureFor } from './fixture.ts'
import { replayDelivery } from './replay.ts'
import { countOpenDeliveries, findEndpoint, listEndpoints, listNewestDeliveries } from './store.ts'
import { endpointView, replayView } from './view.ts'

const recentMax = 20

type WebhookOperation =
  | 'listInstallationWebhooks'
  | 'getInstallationWebhookSignatureFixture'
  | 'replayInstallationWebhookDelivery'

export interface WebhookParts {
  rootSecret: RootSecret
  // How long the bodies of events are stored.
  textsMs: number
}

export function webhookOperations({ rootSecret, textsMs }: WebhookParts): {
  [Id in WebhookOperation]: OpenInterfaceHandler<Id>
} {
  return {
    async listInstallationWebhooks({ db, caller: { installationId }, now }) {
      const endpoints = await listEndpoints(db, installationId)
      // Two short index reads for each of at most a hundred endpoints, sent together.
      const views = endpoints.map(async (endpoint) => {
        const [newest, pending] = await Promise.all([
          listNewestDeliveries(db, endpoint, recentMax),
          countOpenDeliveries(db, endpoint),
        ])
        return endpointView(endpoint, newest, pending, now.getTime())
      })
      return { data: { kind: 'webhook_endpoints', endpoints: await Promise.all(views) } }
    },

    async getInstallationWebhookSignatureFixture({ db, caller: { installationId }, path: { id }, now }) {
      const endpoint = isId('whe', id) ? await findEndpoint(db, installationId, id) : undefined
      if (!endpoint) throw refuse('webhook_endpoint_not_found')
      return { data: fixtureFor(rootSecret, endpoint, now.getTime()) }
    },

    async replayInstallationWebhookDelivery({ db, caller: { installationId }, path: { id }, body, now }) {
      if (!isId('whd', id)) throw refuse('webhook_delivery_not_found')
      const input = { allowSucceeded: body.allowSucceeded ?? false, reason: body.reason ?? null, textsMs }
      const replay = await replayDelivery(db, installationId, id, input, now.getTime())
      return { data: { kind: 'webhook_replay', delivery: replayView(replay) } }
    },
  }
}
