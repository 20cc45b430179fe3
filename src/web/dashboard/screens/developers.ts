// The screens of Developers.

import type { Screen } from '../screen.ts'
import { apps, endApp, newApp } from './apps.ts'
import { assistants, newAssistantKey } from './assistants.ts'
import { changes, oneChange, undoChange } from './changes.ts'
import { deliveries, delivery, replays } from './deliveries.ts'
import { customerExport, exportFile } from './exports.ts'
import { keys, newKey, revokeKey, rotateKey } from './keys.ts'
import { assignColumns, confirmTransfer, discardTransfer, newTransfer, transfer, transfers } from './transfers.ts'
import {
  editWebhook,
  newWebhook,
  removeWebhook,
  testWebhook,
  webhook,
  webhookSecret,
  webhookStatus,
  webhooks,
} from './webhooks.ts'

export const developerScreens: readonly Screen[] = [
  webhooks,
  newWebhook,
  webhook,
  editWebhook,
  webhookStatus,
  testWebhook,
  webhookSecret,
  removeWebhook,
  deliveries,
  delivery,
  replays,
  keys,
  newKey,
  rotateKey,
  revokeKey,
  apps,
  assistants,
  newAssistantKey,
  newApp,
  endApp,
  changes,
  oneChange,
  undoChange,
  transfers,
  newTransfer,
  transfer,
  assignColumns,
  confirmTransfer,
  discardTransfer,
  exportFile,
  customerExport,
]
