// All runs, in the order of execution.

import { abuseRun } from './abuse.ts'
import { agentsRun } from './agents.ts'
import { contractRun } from './contract.ts'
import { crashRun } from './crash.ts'
import { dayRun } from './day.ts'
import { documentsRun } from './documents.ts'
import { failoverRun } from './failover.ts'
import { firstStartRun } from './firststart.ts'
import { generatorsRun } from './generators.ts'
import { holdRun } from './hold.ts'
import { idempotencyRun } from './idempotency.ts'
import { isolationRun } from './isolation.ts'
import { largeShopRun } from './largeshop.ts'
import { lighthouseRun } from './lighthouse.ts'
import { mailRun } from './mail.ts'
import { modelRun } from './model.ts'
import { modesRun } from './modes.ts'
import { moveRun } from './move.ts'
import { moveMerchantRun } from './movemerchant.ts'
import { nodesRun } from './nodes.ts'
import { openShopRun } from './opening.ts'
import { oversellOnNodesRun, oversellRun } from './oversell.ts'
import { pageRun } from './page.ts'
import { poisonRun } from './poison.ts'
import { priorPriceRun } from './priorprice.ts'
import { promotionRun } from './promotion.ts'
import { proxiesRun } from './proxies.ts'
import { racesRun } from './races.ts'
import { receiversRun } from './receivers.ts'
import { rollingUpgradeRun } from './rolling.ts'
import { deliveriesRun, type Run, type ServerRun } from './runs.ts'
import { startersRun } from './starters.ts'
import {
  addressesRun,
  browserRun,
  clockRun,
  crashPointsRun,
  enginesRun,
  landingRun,
  longRun,
  moneyRun,
  oauthRun,
  pricesRun,
  secretsRun,
  shopifyRun,
  signatureRun,
  sitesRun,
} from './suites.ts'
import { upgradeRun } from './upgrade.ts'
import { wireRun } from './wire.ts'
import { withdrawalsRun } from './withdrawals.ts'

export const runs: readonly (Run | ServerRun)[] = [
  crashRun,
  dayRun,
  firstStartRun,
  upgradeRun,
  rollingUpgradeRun,
  crashPointsRun,
  oversellRun,
  oversellOnNodesRun,
  promotionRun,
  idempotencyRun,
  racesRun,
  agentsRun,
  landingRun,
  moneyRun,
  documentsRun,
  priorPriceRun,
  longRun,
  enginesRun,
  modelRun,
  modesRun,
  contractRun,
  isolationRun,
  sitesRun,
  shopifyRun,
  wireRun,
  abuseRun,
  holdRun,
  addressesRun,
  deliveriesRun,
  receiversRun,
  mailRun,
  withdrawalsRun,
  nodesRun,
  failoverRun,
  moveRun,
  moveMerchantRun,
  proxiesRun,
  poisonRun,
  signatureRun,
  pageRun,
  browserRun,
  oauthRun,
  clockRun,
  pricesRun,
  secretsRun,
  generatorsRun,
  lighthouseRun,
  largeShopRun,
  startersRun,
  openShopRun,
]
