// Screens of the places Settings and Reports, except those in developers.ts.

import type { Screen } from '../screen.ts'
import { accountCheckScreen, accountEndScreen, accountKeysScreen, connectProviderScreen } from './accounts.ts'
import { agentPlatformsScreen, agentsScreen, connectAgentScreen } from './agents.ts'
import { dutiesScreen } from './duties.ts'
import { guaranteePictureScreen } from './guaranteenotice.ts'
import { paymentMethodScreen, paymentsScreen } from './payments.ts'
import {
  demandSecondFactorScreen,
  inviteMemberScreen,
  memberPasswordScreen,
  memberRoleScreen,
  memberSessionsScreen,
  peopleScreen,
  removeMemberScreen,
} from './people.ts'
import { reportExportScreen, reportsScreen } from './reports.ts'
import { settingsScreen } from './settings.ts'
import { newShippingZoneScreen, removeShippingZoneScreen, shippingScreen, shippingZoneScreen } from './shipping.ts'
import { taxesScreen } from './taxes.ts'
import { documentsExportScreen, ledgerExportScreen, taxReportExportScreen, taxReportScreen } from './taxreport.ts'
import { legalTextScreen, legalTextsScreen } from './texts.ts'

export const settingScreens: readonly Screen[] = [
  settingsScreen,
  taxesScreen,
  shippingScreen,
  newShippingZoneScreen,
  shippingZoneScreen,
  removeShippingZoneScreen,
  paymentsScreen,
  paymentMethodScreen,
  connectProviderScreen,
  accountCheckScreen,
  accountKeysScreen,
  accountEndScreen,
  agentsScreen,
  agentPlatformsScreen,
  connectAgentScreen,
  dutiesScreen,
  legalTextsScreen,
  guaranteePictureScreen,
  legalTextScreen,
  peopleScreen,
  inviteMemberScreen,
  demandSecondFactorScreen,
  memberPasswordScreen,
  memberRoleScreen,
  memberSessionsScreen,
  removeMemberScreen,
  reportsScreen,
  reportExportScreen,
  taxReportScreen,
  taxReportExportScreen,
  ledgerExportScreen,
  documentsExportScreen,
]
