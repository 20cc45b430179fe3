// Handlers of the admin operations that commands perform, in groups. A command loads only the group that it needs.

import type { AdminHandlers } from '../../platform/http/admin.ts'
import type { AdminHandlerParts } from '../handlers.ts'

export const handlerGroups = {
  async developers(parts) {
    return (await import('../../domain/oauth/admin.ts')).adminDeveloperOperations(parts)
  },
  async webhooks(parts) {
    return (await import('../../domain/webhooks/admin.ts')).adminWebhookOperations(parts)
  },
  async people(parts) {
    return (await import('../../domain/users/admin.ts')).adminPeopleOperations(parts)
  },
  async payments({ accountThrottle: throttle, ...parts }) {
    return (await import('../../domain/payments/admin.ts')).adminPaymentOperations({ ...parts, throttle })
  },
  async promotions() {
    return (await import('../../domain/promotions/admin.ts')).adminPromotionOperations()
  },
  async agents(parts) {
    return (await import('../../domain/agents/admin.ts')).adminAgentOperations(parts)
  },
} as const satisfies Readonly<Record<string, (parts: AdminHandlerParts) => Promise<Partial<AdminHandlers>>>>

export type HandlerGroup = keyof typeof handlerGroups
