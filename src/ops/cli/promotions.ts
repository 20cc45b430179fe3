// The command `promotions`: shows, adds, disables and enables promotion codes. Other changes of a promotion are made by a shop file or in
// the dashboard.

import { type AdminPromotion, catalogOperationRows } from '../../contract/admin/catalog.ts'
import { findOperatorPromotion, normalizePromotionCode } from '../../domain/promotions/store.ts'
import type { Config } from '../../platform/config.ts'
import { formatAmount } from '../../platform/kit/money.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { type Command, merchantOption, type ParsedArguments } from './command.ts'
import { type CommandTarget, chooseMode, forMerchant, operationVerbs } from './operation.ts'

const { one, list, perform } = operationVerbs(catalogOperationRows, 'promotions')

const test = { help: 'count uses by test orders (default: by live orders)' }

const ofCode: CommandTarget = {
  words: ['CODE'],
  options: { test, merchant: merchantOption },
  async find(given, storage) {
    const of = await chooseMode(given, storage)
    const code = normalizePromotionCode(given.word)
    const promotion = await storage.read((db) => findOperatorPromotion(db, of.merchantId, code))
    if (!promotion) throw refuse('promotion_not_found', { message: `There is no promotion ${code}.` })
    return { of, members: { promotionId: promotion.id } }
  },
}

function turned(disabled: boolean): CommandTarget {
  return {
    ...ofCode,
    async find(given: ParsedArguments, storage: Storage, config: Config) {
      const { of, members } = await ofCode.find(given, storage, config)
      const { version, promotion } = await perform({ storage, config }, 'getAdminPromotion', of, members)
      return { of, members: { ...members, expectedVersion: version, promotion: { ...promotion, disabled } } }
    },
  }
}

export const promotionsCommand: Command = {
  summary: 'Manage promotion codes.',
  verbs: {
    add: one('createAdminPromotion', {
      summary: 'Add a promotion code.',
      target: forMerchant,
      within: 'promotion',
      omits: ['disabled'],
      values: { percentage: 'BPS', amount: 'MINOR', currency: 'CODE', minimumSubtotal: 'MINOR' },
    }),
    list: list('listAdminPromotions', {
      summary: 'List all promotion codes of a merchant.',
      target: { ...forMerchant, options: { test, merchant: merchantOption } },
      name: 'promotions',
      columns: [
        'promotion.code',
        'status',
        takenOff,
        ({ used, promotion: { usageLimit } }) => `used ${used}${usageLimit == null ? '' : ` of ${usageLimit}`}`,
        'promotion.name',
      ],
    }),
    show: one('getAdminPromotion', { summary: 'Show a promotion code with its conditions and uses.', target: ofCode }),
    disable: one('replaceAdminPromotion', { summary: 'Stop the use of a promotion code.', target: turned(true) }),
    enable: one('replaceAdminPromotion', {
      summary: 'Allow the use of a promotion code again.',
      target: turned(false),
    }),
  },
}

function takenOff({ promotion: { percentage, amount, currency } }: AdminPromotion): string {
  if (percentage !== undefined) return `${percentage / 100} %`
  return amount !== undefined && currency ? formatAmount(amount, currency, 'en') : 'free shipping'
}
