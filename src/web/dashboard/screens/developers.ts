// Screens of the place Developers, and those of Settings for the list of changes, imports and exports.

import type { Screen } from '../screen.ts'
import { appsScreen, endAppScreen, newAppScreen } from './apps.ts'
import { assistantsScreen, newAssistantKeyScreen } from './assistants.ts'
import { changeScreen, changesScreen, undoChangeScreen } from './changes.ts'
import { deliveriesScreen, deliveryScreen, replaysScreen } from './deliveries.ts'
import { customerExportScreen, exportFileScreen } from './exports.ts'
import { keysScreen, newKeyScreen, revokeKeyScreen, rotateKeyScreen } from './keys.ts'
import {
  assignColumnsScreen,
  confirmTransferScreen,
  discardTransferScreen,
  newTransferScreen,
  transferScreen,
  transfersScreen,
} from './transfers.ts'
import {
  editWebhookScreen,
  newWebhookScreen,
  removeWebhookScreen,
  testWebhookScreen,
  webhookScreen,
  webhookSecretScreen,
  webhookStatusScreen,
  webhooksScreen,
} from './webhooks.ts'

export const developerScreens: readonly Screen[] = [
  webhooksScreen,
  newWebhookScreen,
  webhookScreen,
  editWebhookScreen,
  webhookStatusScreen,
  testWebhookScreen,
  webhookSecretScreen,
  removeWebhookScreen,
  deliveriesScreen,
  deliveryScreen,
  replaysScreen,
  keysScreen,
  newKeyScreen,
  rotateKeyScreen,
  revokeKeyScreen,
  appsScreen,
  assistantsScreen,
  newAssistantKeyScreen,
  newAppScreen,
  endAppScreen,
  changesScreen,
  changeScreen,
  undoChangeScreen,
  transfersScreen,
  newTransferScreen,
  transferScreen,
  assignColumnsScreen,
  confirmTransferScreen,
  discardTransferScreen,
  exportFileScreen,
  customerExportScreen,
]
