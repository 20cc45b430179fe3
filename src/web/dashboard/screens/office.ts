// The screens of Settings and Reports.

import type { Screen } from '../screen.ts'
import { accountCheck, accountEnd, accountKeys, connectProvider } from './accounts.ts'
import { agentConnect, agentPlatforms, agents } from './agents.ts'
import { dutiesScreen } from './duties.ts'
import { guaranteePicture } from './guaranteenotice.ts'
import { paymentMethod, payments } from './payments.ts'
import { demandFactor, invite, memberPassword, memberRole, memberSessions, people, removeMember } from './people.ts'
import { reportExport, reports } from './reports.ts'
import { settings } from './settings.ts'
import { newZone, removeZone, shipping, zone } from './shipping.ts'
import { taxes } from './taxes.ts'
import { documentsExport, ledgerExport, taxReport, taxReportExport } from './taxreport.ts'
import { legalText, legalTexts } from './texts.ts'

export const settingScreens: readonly Screen[] = [
  settings,
  taxes,
  shipping,
  newZone,
  zone,
  removeZone,
  payments,
  paymentMethod,
  connectProvider,
  accountCheck,
  accountKeys,
  accountEnd,
  agents,
  agentPlatforms,
  agentConnect,
  dutiesScreen,
  legalTexts,
  guaranteePicture,
  legalText,
  people,
  invite,
  demandFactor,
  memberPassword,
  memberRole,
  memberSessions,
  removeMember,
  reports,
  reportExport,
  taxReport,
  taxReportExport,
  ledgerExport,
  documentsExport,
]
