// `promotions`: the codes of a merchant, one at a time. Many at once are a matter of a shop file.

import { compile } from '../contract/validator.ts'
import { promotionTypes } from '../contract/words.ts'
import type { Merchant } from '../installations/store.ts'
import { formatAmount } from '../kit/money.ts'
import type { OperatorPromotion } from '../promotions/store.ts'
import {
  addPromotion,
  allPromotions,
  resumePromotion,
  type ShownPromotion,
  shownPromotion,
  showPromotion,
  stopPromotion,
} from '../provisioning/promotions.ts'
import { controlCharacters, promotionProblems } from '../provisioning/read.ts'
import { PromotionEntry } from '../provisioning/shopfile.ts'
import type { Storage } from '../storage/storage.ts'
import { type Command, chooseMerchant, type Given, Misuse, print, type Terminal, withStorage } from './command.ts'

export const promotionsCommand: Command = {
  summary: 'List, show, add, disable and enable promotion codes.',
  usage: [
    'promotions list [--merchant SLUG]',
    'promotions show CODE [--merchant SLUG]',
    'promotions add --code CODE --name NAME --type percentage --percentage BPS [conditions] [--merchant SLUG]',
    'promotions add --code CODE --name NAME --type fixed_amount --amount MINOR [conditions] [--merchant SLUG]',
    'promotions add --code CODE --name NAME --type free_shipping [conditions] [--merchant SLUG]',
    'promotions disable CODE [--merchant SLUG]',
    'promotions enable CODE [--merchant SLUG]',
  ],
  options: {
    code: { type: 'string', help: 'what shoppers type; letter case does not matter' },
    name: { type: 'string', help: 'what shoppers read' },
    type: { type: 'string', help: promotionTypes.join(', ') },
    percentage: { type: 'string', help: 'basis points: 1000 is 10 %' },
    amount: { type: 'string', help: 'minor units: 500 is 5.00' },
    currency: { type: 'string', help: "of the amounts; the merchant's unless said" },
    'minimum-subtotal': { type: 'string', help: 'minor units that a cart must reach' },
    'starts-at': { type: 'string', help: 'valid from then on, such as 2026-12-01T00:00:00Z' },
    'ends-at': { type: 'string', help: 'valid until before then' },
    'usage-limit': { type: 'string', help: 'uses by everyone together' },
    'customer-limit': { type: 'string', help: 'uses by one customer' },
    categories: { type: 'string', help: 'only these are eligible: slugs, separated by commas' },
    skus: { type: 'string', help: 'only these are eligible: SKU codes, separated by commas' },
    merchant: { type: 'string', help: 'slug; needed when there are several' },
  },
  async run(given, terminal) {
    const [verb, code, ...rest] = given.words
    if (rest.length > 0) throw new Misuse('too many words')
    if ((verb === 'list' || verb === 'add') && code !== undefined) throw new Misuse(`${verb} takes no ${code}`)
    if (verb === 'list') return list(given, terminal)
    if (verb === 'add') return add(given, terminal)
    if (code === undefined || (verb !== 'show' && verb !== 'disable' && verb !== 'enable'))
      throw new Misuse('say promotions list, add, show CODE, disable CODE or enable CODE')
    return one(verbs[verb], code, given, terminal)
  },
}

function list(given: Given, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage) => {
    const merchant = await chooseMerchant(storage, given.texts.merchant)
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

const verbs: Readonly<Record<'show' | 'disable' | 'enable', Act>> = {
  show: (storage, { id }, code) => storage.read((db) => showPromotion(db, id, code)),
  disable: (storage, { id }, code, now) => storage.write((tx) => stopPromotion(tx, id, code, now)),
  enable: (storage, { id }, code, now) => storage.write((tx) => resumePromotion(tx, id, code, now)),
}

function one(act: Act, code: string, given: Given, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage) => {
    const merchant = await chooseMerchant(storage, given.texts.merchant)
    const now = Date.now()
    tell(await act(storage, merchant, code, now), now, given, terminal)
    return 0
  })
}

function add(given: Given, terminal: Terminal): Promise<number> {
  const entry = readEntry(given)
  return withStorage(given, async (storage) => {
    const merchant = await chooseMerchant(storage, given.texts.merchant)
    const now = Date.now()
    tell(await storage.write((tx) => addPromotion(tx, merchant, entry, now)), now, given, terminal)
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
