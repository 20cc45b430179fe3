// The cart's nine operations. Each is one transaction with its idempotency key and its event; a refusal writes nothing.

import { Rendered } from '../../platform/http/handler.ts'
import type { OpenAsk, OpenHandler } from '../../platform/http/open.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { createKeptCarts } from './cache.ts'
import { type CartTools, type ChangeAsk, type ChangedCart, isWithin } from './change.ts'
import { putCode } from './codes.ts'
import { chooseShipping, estimateShipping, setAddress } from './destination.ts'
import { createCart, putLine, setLine } from './lines.ts'
import { findCartFacts, quoteFor } from './quote.ts'
import { cartView } from './view.ts'

type CartOperation =
  | 'getPublicCart'
  | 'updatePublicCartItemQuantity'
  | 'removePublicCartItem'
  | 'applyPublicCartPromotion'
  | 'setPublicCartAddress'
  | 'createPublicCart'
  | 'putPublicCartItem'
  | 'setPublicCartShipping'
  | 'estimatePublicCartShipping'

export interface CartParts {
  rootSecret: RootSecret
  tools: CartTools
}

export function cartOperations({ rootSecret, tools }: CartParts): { [Id in CartOperation]: OpenHandler<Id> } {
  const kept = createKeptCarts()
  return {
    async getPublicCart({ db, caller, path: { cartId }, now }) {
      const at = now.getTime()
      if (!isId('cart', cartId)) throw refuse('cart_not_found')
      const key = { installationId: caller.installationId, cartId }
      const known = await kept.find(db, key, at)
      if (known && (known.isPublic || caller.publicKeyId === undefined)) return new Rendered(known.bytes)
      const facts = await findCartFacts(db, tools.pricebooks, key, at)
      if (!facts || !isWithin(facts.cart, caller)) throw refuse('cart_not_found')
      const view = cartView(await quoteFor(db, tools.pricebooks, facts, at), at, tools.pictureUrl)
      const text = `{"data":${JSON.stringify(view)}}`
      kept.keep(facts, at, text)
      return new Rendered(text)
    },

    async estimatePublicCartShipping({ db, caller, path: { cartId }, query: { country, region = null }, now }) {
      if (!isId('cart', cartId)) throw refuse('cart_not_found')
      const key = { installationId: caller.installationId, cartId }
      const facts = await findCartFacts(db, tools.pricebooks, key, now.getTime())
      if (!facts || !isWithin(facts.cart, caller)) throw refuse('cart_not_found')
      return { data: await estimateShipping(db, tools.pricebooks, facts, { country, region }, now.getTime()) }
    },

    async createPublicCart({ db, caller, body, now, cause }) {
      const { items = [], metadata = {} } = body
      return cartReply(await createCart(tools, { db, caller, items, metadata, now, cause }))
    },

    async putPublicCartItem(ask) {
      return cartReply(await putLine(tools, changeOf(ask), ask.path.skuId, ask.body.quantity))
    },

    async setPublicCartShipping(ask) {
      return cartReply(await chooseShipping(tools, changeOf(ask), ask.body.optionId))
    },

    async updatePublicCartItemQuantity(ask) {
      return cartReply(await setLine(tools, changeOf(ask), ask.path.skuId, ask.body.quantity))
    },

    async removePublicCartItem(ask) {
      return cartReply(await setLine(tools, changeOf(ask), ask.path.skuId, 0))
    },

    async applyPublicCartPromotion(ask) {
      const { quote, promotion } = await putCode(tools, changeOf(ask), ask.body.code)
      const { cart, pricing } = quote
      return { data: { cartId: cart.id, cartVersion: cart.version, promotion, totals: pricing.totals } }
    },

    async setPublicCartAddress(ask) {
      const { quote, token, summary, expiresAt } = await setAddress(tools, changeOf(ask), {
        rootSecret,
        address: ask.body.address,
      })
      const { cart, pricing } = quote
      return {
        data: {
          cartId: cart.id,
          cartVersion: cart.version,
          addressToken: token,
          summary,
          expiresAt: toInstant(expiresAt),
          shippingOptions: pricing.shipping.options.map((option) => ({ ...option })),
          totals: pricing.totals,
        },
      }
    },
  }
}

type ChangingOperation = Exclude<CartOperation, 'getPublicCart' | 'estimatePublicCartShipping' | 'createPublicCart'>

function changeOf({ db, caller, path, body, now, cause }: OpenAsk<ChangingOperation>): ChangeAsk {
  return { db, caller, cartId: path.cartId, expectedVersion: body.expectedVersion, now, cause }
}

// The response reuses the text of the cart in its event.
function cartReply({ text }: ChangedCart): Rendered {
  return new Rendered(`{"data":${text()}}`)
}
