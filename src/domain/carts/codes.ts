// Applies a promotion code to a cart, or removes the applied one. An invalid code is a result, not a refusal.

import type { AppliedPromotion, PromotionConditions } from '../../contract/open/carts.ts'
import type { PromotionReason } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { findPromotionByCode, normalizePromotionCode, type Promotion } from '../promotions/store.ts'
import {
  type CartChangeInput,
  type CartTools,
  lockCartFacts,
  refuseMerchantMadeCart,
  refuseUnchangeableCart,
  saveCartChange,
} from './change.ts'
import { type CartFacts, quoteCartChange } from './quote.ts'
import { type CartRow, countGuess, listSkuIdsByCode } from './store.ts'
import type { Quote } from './view.ts'

const guessesMax = 10
const guessesMs = 60_000

export interface CodeOutcome {
  quote: Quote
  promotion: AppliedPromotion
}

// `code`: null removes the applied code.
export async function setPromotionCode(
  tools: CartTools,
  change: CartChangeInput,
  code: string | null,
): Promise<CodeOutcome> {
  const facts = await lockCartFacts(tools, change)
  refuseUnchangeableCart(facts, change)
  refuseMerchantMadeCart(facts)
  if (code === null) {
    const quote = await saveCartChange(tools, change, {
      ...facts,
      promotion: null,
      cart: { ...facts.cart, promotionId: null },
    })
    return { quote, promotion: { ...noPromotion, state: 'none' } }
  }
  const at = change.now.getTime()
  refuseGuessing(facts.cart, at)
  const wanted = normalizePromotionCode(code)
  const promotion = await findPromotionByCode(change.db, facts.cart, wanted)
  if (!promotion) return rejectCode(tools, change, facts, { code: wanted, promotion: null, reason: 'not_found' })
  const tried: CartFacts = { ...facts, promotion, cart: { ...facts.cart, promotionId: promotion.id } }
  const { state, reason } = (await quoteCartChange(change.db, tools.pricebooks, tried, at)).pricing.promotion
  if (state === 'rejected') return rejectCode(tools, change, facts, { code: wanted, promotion, reason })
  const quote = await saveCartChange(tools, change, tried)
  return { quote, promotion: await appliedPromotion(change.db, quote) }
}

// Promotion codes are short and worth money, so attempts to guess them are limited.
function refuseGuessing(cart: CartRow, now: number): void {
  const retryAfterMs = codeGuessWaitMs(cart, now)
  if (retryAfterMs > 0) throw refuse('rate_limited', { retryAfterMs })
}

type Guesses = Pick<CartRow, 'guesses' | 'guessesSince'>

// Returns how long no further code may be tried, in milliseconds; 0: no wait.
export function codeGuessWaitMs({ guesses, guessesSince }: Guesses, now: number): number {
  return guesses < guessesMax || isOver(guessesSince, now) ? 0 : guessesSince + guessesMs - now
}

// Counts one more rejected code.
export function countRefusedGuess({ guesses, guessesSince }: Guesses, now: number): Guesses {
  return isOver(guessesSince, now) ? { guesses: 1, guessesSince: now } : { guesses: guesses + 1, guessesSince }
}

// Also true if the period starts far in the future: the clock was set back since.
function isOver(guessesSince: number, now: number): boolean {
  return Math.abs(now - guessesSince) >= guessesMs
}

interface RejectedCode {
  code: string
  promotion: Promotion | null
  reason: PromotionReason | null
}

// The cart keeps the code that was applied before.
async function rejectCode(
  tools: CartTools,
  { db, now }: CartChangeInput,
  facts: CartFacts,
  { code, promotion, reason }: RejectedCode,
): Promise<CodeOutcome> {
  const at = now.getTime()
  const { guesses, guessesSince } = countRefusedGuess(facts.cart, at)
  countGuess(db, facts.cart, guesses, guessesSince)
  const quote = await quoteCartChange(db, tools.pricebooks, facts, at)
  return {
    quote,
    promotion: {
      ...noPromotion,
      state: 'rejected',
      code,
      name: promotion?.name ?? null,
      type: promotion?.type ?? null,
      reason,
      conditions: promotion && (await conditionsOf(db, facts.cart.merchantId, promotion)),
    },
  }
}

const noPromotion = { code: null, name: null, type: null, amount: 0, allocations: [], reason: null, conditions: null }

async function appliedPromotion(db: Reader, { cart, promotion, pricing }: Quote): Promise<AppliedPromotion> {
  if (!promotion) throw new Error('the promotion of an applied code was not loaded')
  const { state, reason, amount, allocations } = pricing.promotion
  return {
    state,
    code: promotion.code,
    name: promotion.name,
    type: promotion.type,
    amount,
    allocations: allocations.map((allocation) => ({ ...allocation })),
    reason,
    conditions: await conditionsOf(db, cart.merchantId, promotion),
  }
}

async function conditionsOf(db: Reader, merchant: string, promotion: Promotion): Promise<PromotionConditions> {
  const { minimumSubtotal, startsAt, endsAt, categories, skuCodes } = promotion
  return {
    minimumSubtotal,
    startsAt: startsAt === null ? null : toInstant(startsAt),
    endsAt: endsAt === null ? null : toInstant(endsAt),
    eligibleCategories: [...categories],
    eligibleSkuIds: skuCodes.length === 0 ? [] : (await listSkuIdsByCode(db, merchant, skuCodes)).map(({ id }) => id),
  }
}
