// The command `shoppers`: erases a shopper's data from a shop.

import { limits } from '../../contract/limits.ts'
import { modes } from '../../contract/words.ts'
import type { ForgottenCounts, ShopperData } from '../../domain/checkout/forget.ts'
import { forgetCustomer } from '../../domain/customers/forget.ts'
import { listInstallations } from '../../domain/merchants/store.ts'
import {
  type Command,
  Misuse,
  merchantOption,
  type ParsedArguments,
  printResult,
  type Terminal,
  withMerchant,
} from './command.ts'

export const shoppersCommand: Command = {
  summary: 'Erase the personal data of shoppers.',
  verbs: {
    forget: {
      summary:
        'Erase the name, e-mail address, phone number and postal addresses of a shopper in carts, checkouts and orders.',
      effect: 'changes',
      readsWith: 'dry-run',
      options: {
        email: {
          value: 'ADDRESS',
          help: 'e-mail address of the shopper, in upper or lower case',
          isRequired: true,
        },
        unsent: { help: 'also erase orders that are not completed, whose parcels then have no address' },
        'dry-run': { help: 'only print what would be erased' },
        merchant: merchantOption,
      },
      async run(given, terminal) {
        const email = given.texts.email ?? ''
        // Accepts every address that was ever accepted by a rule for e-mail addresses.
        if (!/.@./.test(email) || email.length > limits.emailLengthMax)
          throw new Misuse('--email must be an e-mail address')
        return forget(email, given, terminal)
      },
    },
  },
}

// Returns 1 if data of the shopper remains.
function forget(email: string, given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withMerchant(given, async (merchant, storage, { rootSecret }) => {
    const installations = await storage.read((db) => listInstallations(db, merchant.id))
    const installationIds = installations.map(({ id }) => id)
    const shopper = { merchantId: merchant.id, installationIds, email, modes }
    const isDryRun = given.flags.has('dry-run')
    const input = { isDryRun, includesUnsent: given.flags.has('unsent') }
    const { kept, pendingTexts, ...erased } = await forgetCustomer(storage, rootSecret, shopper, input)
    printResult(terminal, given, { merchant: merchant.slug, dryRun: isDryRun, erased, kept, pendingTexts }, () => [
      ...erasedLines(erased, isDryRun),
      ...kept.map(keptLine),
      ...(pendingTexts === 0
        ? []
        : [
            `not erased yet: ${pendingTexts} event texts with the masked e-mail address, which a running server erases after their webhooks are delivered or discarded`,
          ]),
    ])
    return kept.length === 0 && pendingTexts === 0 ? 0 : 1
  })
}

function erasedLines(erased: Omit<ForgottenCounts, 'kept' | 'pendingTexts'>, isDryRun: boolean): string[] {
  const { checkoutSessions, orders, addresses, eventTexts, withdrawals } = erased
  if (checkoutSessions + orders + withdrawals === 0) return ['nothing is stored about this shopper']
  const counts = `${checkoutSessions} checkout sessions, ${orders} orders, ${addresses} addresses, ${eventTexts} event texts, ${withdrawals} withdrawals`
  return [`${isDryRun ? 'would be erased' : 'erased'}: ${counts}`]
}

function keptLine(kept: ShopperData): string {
  return kept.type === 'order'
    ? `not erased: order ${kept.number} is not completed; to erase it too, add --unsent`
    : `not erased: checkout session ${kept.id} has a payment in progress; run the command again later`
}
