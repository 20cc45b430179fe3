// `promotions`: the codes of a merchant, one at a time. Many at once are a matter of a shop file.

import { PromotionEntry } from '../../contract/entries.ts'
import { compile } from '../../contract/validator.ts'
import { promotionTypes } from '../../contract/words.ts'
import type { Merchant } from '../../domain/merchants/store.ts'
import {
  addPromotion,
  allPromotions,
  auditedChange,
  resumePromotion,
  showPromotion,
  stopPromotion,
} from '../../domain/promotions/change.ts'
import { entryOf, promotionProblems, type ShownPromotion, shownPromotion } from '../../domain/promotions/entry.ts'
import type { OperatorPromotion } from '../../domain/promotions/store.ts'
import { membersChanged } from '../../platform/audit/change.ts'
import { formatAmount } from '../../platform/kit/money.ts'
import { controlCharacters } from '../../platform/kit/problems.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { type Command, type Given, Misuse, merchantOption, print, type Terminal, withMerchant } from './command.ts'
import { writeDown } from './written.ts'

export const promotionsCommand: Command = {
  summary: 'Manage promotion codes.',
  verbs: {
    add: {
      summary: 'Add a promotion code.',
      effect: 'changes',
      options: {
        code: { value: 'CODE', help: 'what shoppers type; letter case does not matter', isRequired: true },
        name: { value: 'NAME', help: 'what shoppers read', isRequired: true },
        type: { value: 'TYPE', help: promotionTypes.join(', '), isRequired: true },
        percentage: { value: 'BPS', help: 'for the type percentage, in basis points: 1000 is 10 %' },
        amount: { value: 'MINOR', help: 'for the type fixed_amount, in minor units: 500 is 5.00' },
        currency: { value: 'CODE', help: "of the amounts (default: the merchant's)" },
        'minimum-subtotal': { value: 'MINOR', help: 'minor units that a cart must reach' },
        'starts-at': { value: 'INSTANT', help: 'valid from then on, such as 2026-12-01T00:00:00Z' },
        'ends-at': { value: 'INSTANT', help: 'valid until before then' },
        'usage-limit': { value: 'N', help: 'uses by everyone together' },
        'customer-limit': { value: 'N', help: 'uses by one customer' },
        categories: { value: 'SLUGS', help: 'only these are eligible; comma-separated' },
        skus: { value: 'CODES', help: 'only these are eligible; comma-separated SKU codes' },
        merchant: merchantOption,
      },
      run: add,
    },
    list: {
      summary: 'List all codes of a merchant.',
      effect: 'reads',
      options: { merchant: merchantOption },
      run: list,
    },
    show: {
      summary: 'Show a code, its conditions and its uses.',
      effect: 'reads',
      words: ['CODE'],
      options: { merchant: merchantOption },
      run: (given, terminal) => one(acts.show, given, terminal),
    },
    disable: {
      summary: 'Let a code be used no more.',
      effect: 'changes',
      words: ['CODE'],
      options: { merchant: merchantOption },
      run: (given, terminal) => one(acts.disable, given, terminal),
    },
    enable: {
      summary: 'Undo disable.',
      effect: 'changes',
      words: ['CODE'],
      options: { merchant: merchantOption },
      run: (given, terminal) => one(acts.enable, given, terminal),
    },
  },
}

function list(given: Given, terminal: Terminal): Promise<number> {
  return withMerchant(given, async (merchant, storage) => {
    const now = Date.now()
    const promotions = await storage.read(async (db) => {
      const shown: ShownPromotion[] = []
      for await (const promotion of allPromotions(db, merchant.id)) shown.push(shownPromotion(promotion, now))
      return shown
    })
    const width = Math.max(0, ...promotions.slice(0, 1_000).map(({ code }) => code.length))
    print(terminal, given, { promotions }, () =>
      promotions.map(
        (promotion) =>
          `${promotion.code.padEnd(width)}  ${promotion.status.padEnd(9)}  ${takenOff(promotion).padEnd(13)}  used ${uses(promotion)}  ${promotion.name}`,
      ),
    )
    return 0
  })
}

type Act = (storage: Storage, merchant: Merchant, code: string, now: number) => Promise<OperatorPromotion>

const acts: Readonly<Record<'show' | 'disable' | 'enable', Act>> = {
  show: (storage, { id }, code) => storage.read((db) => showPromotion(db, id, code)),
  disable: (storage, { id }, code, now) =>
    storage.write((tx) => writtenDown(tx, id, code, now, () => stopPromotion(tx, id, code, now))),
  enable: (storage, { id }, code, now) =>
    storage.write((tx) => writtenDown(tx, id, code, now, () => resumePromotion(tx, id, code, now))),
}

async function writtenDown(
  tx: Tx,
  merchantId: string,
  code: string,
  now: number,
  work: () => Promise<OperatorPromotion>,
): Promise<OperatorPromotion> {
  const before = await showPromotion(tx, merchantId, code)
  const after = await work()
  const members = membersChanged(entryOf(before), entryOf(after), ['disabled'])
  const change = { kind: 'change', what: 'promotion', id: after.id, name: after.code, members } as const
  const changes = members.length > 0 ? [change] : []
  writeDown(tx, { merchantId, mode: null, operation: 'replaceAdminPromotion', changes, now })
  return after
}

function one(act: Act, given: Given, terminal: Terminal): Promise<number> {
  return withMerchant(given, async (merchant, storage) => {
    const now = Date.now()
    tell(await act(storage, merchant, given.word, now), now, given, terminal)
    return 0
  })
}

function add(given: Given, terminal: Terminal): Promise<number> {
  const entry = readEntry(given)
  return withMerchant(given, async (merchant, storage) => {
    const now = Date.now()
    const added = await storage.write(async (tx) => {
      const promotion = await addPromotion(tx, merchant, entry, now)
      const { id, code: name } = promotion
      const made = { kind: 'create', what: 'promotion', id, name, members: [] } as const
      const changes = [auditedChange(made, promotion)]
      writeDown(tx, { merchantId: merchant.id, mode: null, operation: 'createAdminPromotion', changes, now })
      return promotion
    })
    tell(added, now, given, terminal)
    return 0
  })
}

const validate = compile(PromotionEntry)

// The rules are those of a shop file; only the names of the places are the command line's.
function readEntry(given: Given): PromotionEntry {
  const { code, name, type, currency, categories, skus } = given.texts
  const entry: Record<string, unknown> = {
    code,
    name,
    type,
    percentage: readWhole(given, 'percentage'),
    amount: readWhole(given, 'amount'),
    currency,
    minimumSubtotal: readWhole(given, 'minimum-subtotal'),
    startsAt: given.texts['starts-at'],
    endsAt: given.texts['ends-at'],
    usageLimit: readWhole(given, 'usage-limit'),
    customerLimit: readWhole(given, 'customer-limit'),
    categories: readWords(categories),
    skus: readWords(skus),
  }
  const said = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))
  const [issue] = validate(said)
  // The cast claims what the line above has checked.
  const [problem] = issue ? [issue] : [...controlCharacters(said, ''), ...promotionProblems(said as PromotionEntry)]
  if (problem) throw new Misuse(`${optionAt(problem.path)} ${problem.message}`)
  return said as PromotionEntry
}

// `/minimumSubtotal` is --minimum-subtotal, and so is a place within it.
function optionAt(path: string): string {
  const [, member = ''] = path.split('/')
  return `--${member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function readWhole(given: Given, name: string): number | undefined {
  const text = given.texts[name]
  if (text !== undefined && !/^\d{1,16}$/.test(text)) throw new Misuse(`--${name} must be a whole number`)
  return text === undefined ? undefined : Number(text)
}

function readWords(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

function tell(promotion: OperatorPromotion, now: number, given: Given, terminal: Terminal): void {
  const shown = shownPromotion(promotion, now)
  print(terminal, given, shown, () => [
    `${shown.code}  ${shown.name}`,
    `  ${'status'.padEnd(16)}  ${shown.status}`,
    `  ${'takes off'.padEnd(16)}  ${takenOff(shown)}`,
    `  ${'used'.padEnd(16)}  ${uses(shown)}`,
    `  ${'test uses'.padEnd(16)}  ${shown.testUsed}`,
    ...conditions(shown).map(([name, value]) => `  ${name.padEnd(16)}  ${value}`),
  ])
}

function conditions(shown: ShownPromotion): [name: string, value: string | number][] {
  const { minimumSubtotal, currency, startsAt, endsAt, customerLimit, categories, skus } = shown
  const all: [string, string | number | null][] = [
    [
      'minimum subtotal',
      minimumSubtotal === null || currency === null ? minimumSubtotal : formatAmount(minimumSubtotal, currency, 'en'),
    ],
    ['currency', currency],
    ['starts at', startsAt],
    ['ends at', endsAt],
    ['customer limit', customerLimit],
    ['categories', categories.join(', ') || null],
    ['SKUs', skus.join(', ') || null],
  ]
  return all.filter((row): row is [string, string | number] => row[1] !== null)
}

function takenOff({ percentage, amount, currency }: ShownPromotion): string {
  if (percentage !== null) return `${percentage / 100} %`
  return amount !== null && currency !== null ? formatAmount(amount, currency, 'en') : 'free shipping'
}

function uses({ used, usageLimit }: ShownPromotion): string {
  return usageLimit === null ? `${used}` : `${used} of ${usageLimit}`
}
