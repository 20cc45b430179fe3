// Checks the VAT number that a shopper enters. The number is stored encrypted with the customer of the session, the result of the check
// with the cart. The register is queried outside of any transaction. A result that arrives after the cart was paid or its number replaced
// is dropped; a cart that is paid without a result is charged tax.

import { Refusal } from '../../platform/kit/refuse.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { lockCartFacts, saveCartChange } from '../carts/change.ts'
import { decryptCartAddress } from '../carts/destination.ts'
import { findCart } from '../carts/store.ts'
import { decryptCustomer } from '../orders/customer.ts'
import type { PaymentWatch } from '../payments/watch.ts'
import type { AskVat } from '../vat/asking.ts'
import type { CartVatCheck } from '../vat/check.ts'
import { vatIdFrom } from '../vat/id.ts'
import { type VatAnswer, type VatQuestion, VatUnanswered } from '../vat/port.ts'
import { type CheckoutTools, lockSessionAndCart } from './sessions.ts'
import { findSession, type SessionKey, type SessionRow } from './store.ts'
import { applyVatAnswer } from './vat.ts'

export interface VatTools extends Pick<CheckoutTools, 'carts' | 'rootSecret'> {
  storage: Storage
  clock: () => Date
  watch: PaymentWatch
}

// The registers of both modes.
export interface VatRegisters {
  live: AskVat
  test: AskVat
}

// Runs one check of a session at a time. The running check may be about a number that was replaced since, so concurrent callers wait for
// one further check, which queries the register only if the cart's check is still pending. Never rejects.
export function createVatChecks(tools: VatTools, registers: VatRegisters): CheckoutTools['startVatCheck'] {
  const running = new Map<string, Promise<void>>()
  const waiting = new Map<string, Promise<void>>()
  function run(name: string, key: SessionKey): Promise<void> {
    const check = checkVat(tools, registers, key)
      .catch((error: unknown) => tools.watch.vatFailed(error))
      .finally(() => running.delete(name))
    running.set(name, check)
    return check
  }
  return (key) => {
    const name = `${key.installationId} ${key.sessionId}`
    const known = waiting.get(name)
    if (known) return known
    const current = running.get(name)
    if (!current) return run(name, key)
    const next = current.then(() => {
      waiting.delete(name)
      return run(name, key)
    })
    waiting.set(name, next)
    return next
  }
}

async function checkVat(tools: VatTools, registers: VatRegisters, key: SessionKey): Promise<void> {
  const asked = await tools.storage.read((db) => findQuestion(tools, db, key))
  if (!asked) return
  const { session, check, question } = asked
  const answer = await registers[session.mode](session.merchantId, question).catch((error: unknown) => {
    if (!(error instanceof VatUnanswered)) throw error
    return error
  })
  tools.watch.vatChecked(session, answer instanceof VatUnanswered ? answer.code : null)
  await tools.storage.write((tx) => recordAnswer(tools, tx, { key, check, answer })).catch(ignoreRefusal)
}

interface Asked {
  session: SessionRow
  check: CartVatCheck
  question: VatQuestion
}

// Returns undefined if no check is pending.
async function findQuestion(tools: VatTools, db: Reader, key: SessionKey): Promise<Asked | undefined> {
  const session = await findSession(db, key)
  const cart = session && (await findCart(db, { installationId: key.installationId, cartId: session.cartId }))
  // While the cart is being paid, a result would be dropped.
  if (cart?.status !== 'open' || cart.vat?.status !== 'pending' || cart.vat.sessionId !== session?.id) return undefined
  const { vatId = '' } = decryptCustomer(tools.rootSecret, session.id, session.customerSealed) ?? {}
  const id = vatIdFrom(vatId)
  if (!id) return undefined
  const now = tools.clock().getTime()
  const [{ vatId: requester }, address] = await Promise.all([
    tools.carts.pricebooks.find(db, cart.merchantId, cart.seller.catalogVersion),
    decryptCartAddress(db, tools.rootSecret, cart, now),
  ])
  return { session, check: cart.vat, question: { id, requester, name: address?.company || null } }
}

async function recordAnswer(
  tools: VatTools,
  tx: Tx,
  { key, check, answer }: { key: SessionKey; check: CartVatCheck; answer: VatAnswer | VatUnanswered },
): Promise<void> {
  const session = await lockSessionAndCart(tx, key)
  if (!session) return
  const now = tools.clock()
  const ask = {
    db: tx,
    caller: session,
    cartId: session.cartId,
    expectedVersion: undefined,
    now,
    cause: null,
    isAnnouncedLater: true,
  }
  const facts = await lockCartFacts(tools.carts, ask)
  const { cart } = facts
  // The shopper entered another number meanwhile, or the cart is being paid.
  if (cart.status !== 'open' || JSON.stringify(cart.vat) !== JSON.stringify(check)) return
  const answered = applyVatAnswer(check, answer instanceof VatUnanswered ? null : answer, now.getTime())
  await saveCartChange(tools.carts, ask, { ...facts, cart: { ...cart, vat: answered } })
}

// The cart can no longer be changed, so the result is dropped.
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error
}
