// The command `methods`: sets payment methods without a provider, one at a time. A shop file can set several together.

import { PaymentMethodEntry } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { compileSchema } from '../../contract/validator.ts'
import { type ManualMethod, type Mode, manualMethods, modes } from '../../contract/words.ts'
import { listInstallations, lockMerchant, type Merchant, raiseCatalogVersion } from '../../domain/merchants/store.ts'
import { listLivingAccounts } from '../../domain/payments/accounts.ts'
import {
  findMethodSettings,
  listMethodSettings,
  type MethodSettings,
  saveMethodSettings,
} from '../../domain/payments/methods.ts'
import { controlCharacterProblems } from '../../platform/kit/problems.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { methodWarnings, shownMethod } from '../provisioning/methods.ts'
import { paymentMethodProblems } from '../provisioning/read.ts'
import { methodChange } from '../provisioning/record.ts'
import {
  type Command,
  Misuse,
  merchantOption,
  type ParsedArguments,
  printResult,
  type Terminal,
  withMerchant,
} from './command.ts'
import { recordCommand } from './written.ts'

export const methodsCommand: Command = {
  summary: 'Manage the manual payment methods: bank transfer and cash on delivery.',
  verbs: {
    list: {
      summary: 'List the manual payment methods and their settings.',
      effect: 'reads',
      options: { merchant: merchantOption },
      run: list,
    },
    set: {
      summary: `Change the settings of a manual payment method: ${manualMethods.join(' or ')}.`,
      effect: 'changes',
      words: ['METHOD'],
      options: {
        mode: { value: 'MODE', help: `the mode of the settings: ${modes.join(' or ')}`, isRequired: true },
        on: { help: 'offer the method to shoppers' },
        off: { help: 'do not offer the method to shoppers' },
        instructions: {
          value: 'TEXT',
          help: `instructions for shoppers, such as the bank account; up to ${limits.instructionsLengthMax} characters, or '' for none`,
        },
        'term-days': {
          value: 'DAYS',
          help: `number of days after which an unpaid order is cancelled, 1 to ${limits.termDaysMax}, or none to never cancel it`,
        },
        merchant: merchantOption,
      },
      run: (given, terminal) => set(readInput(given), given, terminal),
    },
  },
}

function list(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withMerchant(given, async (merchant, storage) => {
    await tell(storage, merchant, given, terminal)
    return 0
  })
}

interface Input {
  mode: Mode
  method: ManualMethod
  // Settings to change. Undefined leaves a setting unchanged.
  isOffered?: boolean
  instructions?: string | null
  termDays?: number | null
}

function readInput(given: ParsedArguments): Input {
  const { mode: modeText, instructions } = given.texts
  const days = given.texts['term-days']
  const method = manualMethods.find((known) => known === given.word)
  const mode = modes.find((known) => known === modeText)
  if (!method) throw new Misuse(`the method must be ${manualMethods.join(' or ')}`)
  if (!mode) throw new Misuse(`--mode must be ${modes.join(' or ')}`)
  if (given.flags.has('on') && given.flags.has('off')) throw new Misuse('--on and --off must not be given together')
  if (days !== undefined && days !== 'none' && !/^[1-9]\d{0,2}$/.test(days))
    throw new Misuse(`--term-days must be a whole number from 1 to ${limits.termDaysMax}, or none`)
  return {
    mode,
    method,
    ...(given.flags.has('on') || given.flags.has('off') ? { isOffered: given.flags.has('on') } : {}),
    ...(instructions === undefined ? {} : { instructions: instructions === '' ? null : instructions }),
    ...(days === undefined ? {} : { termDays: days === 'none' ? null : Number(days) }),
  }
}

const validate = compileSchema(PaymentMethodEntry)

function set(input: Input, given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withMerchant(given, async (merchant, storage) => {
    await storage.write(async (tx) => {
      await lockMerchant(tx, merchant.slug)
      const before = await findMethodSettings(tx, merchant.id, input)
      if (!before) throw new Error(`there is no method ${input.method}`)
      const after = { ...before, ...input }
      refuseUnfit(after)
      const now = Date.now()
      await saveMethodSettings(tx, merchant.id, after, now)
      // Checkouts cache the payment methods by the catalog version.
      await raiseCatalogVersion(tx, merchant.id)
      const changes = methodChange(merchant.id, before, after)
      recordCommand(tx, {
        merchantId: merchant.id,
        mode: after.mode,
        operation: 'updateAdminPaymentProvider',
        changes,
        now,
      })
    })
    await tell(storage, merchant, given, terminal)
    return 0
  })
}

// Applies the rules of a shop file, and names the options of the command line instead of paths.
function refuseUnfit(settings: MethodSettings): void {
  const entry = shownMethod(settings)
  const [issue] = validate(entry)
  const [problem] = issue ? [issue] : [...controlCharacterProblems(entry, ''), ...paymentMethodProblems(entry)]
  if (!problem) return
  const message = `${problem.path === '/termDays' ? '--term-days' : '--instructions'} ${problem.message}`
  throw refuse('payment_method_invalid', { message, issues: [problem] })
}

async function tell(storage: Storage, merchant: Merchant, given: ParsedArguments, terminal: Terminal): Promise<void> {
  const { settings, warnings } = await storage.read(async (db) => {
    const found = await listMethodSettings(db, merchant.id)
    const installations = await listInstallations(db, merchant.id)
    const accounts = await listLivingAccounts(db, { merchantId: merchant.id, mode: 'live' })
    return { settings: found, warnings: methodWarnings(found, installations, accounts) }
  })
  const methods = settings.map(shownMethod)
  printResult(terminal, given, { methods, warnings }, () => [
    ...methods.flatMap(({ mode, method, enabled, instructions, termDays }) => [
      `${mode}  ${method.padEnd(16)}  ${enabled ? 'on ' : 'off'}  ${termDays === null ? 'no payment term' : `${termDays} days`}`,
      ...(instructions?.split(/\r?\n/) ?? []).map((line) => `      ${line}`),
    ]),
    ...warnings.map((warning) => `! ${warning}`),
  ])
}
