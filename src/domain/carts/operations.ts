// The nine operations on carts. Each change is one transaction with its idempotency key and its event; a refusal writes nothing.

import { RenderedReply } from '../../platform/http/handler.ts'
import type { OpenInterfaceHandler, OpenInterfaceInput } from '../../platform/http/open.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { createCartCache } from './cache.ts'
import { type CartChangeInput, type CartTools, type ChangedCart, isWithin } from './change.ts'
import { setPromotionCode } from './codes.ts'
import { estimateShipping, setAddress, setShippingOption } from './destination.ts'
import { createCart, putCartLine, setCartLine } from './lines.ts'
import { findCartFacts, quoteCart } from './quote.ts'
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

export function cartOperations({ rootSecret, tools }: CartParts): { [Id in CartOperation]: OpenInterfaceHandler<Id> } {
  const kept = createCartCache()
  return {
    async getPublicCart({ db, caller, path: { cartId }, now }) {
      const at = now.getTime()
      if (!isId('cart', cartId)) throw refuse('cart_not_found')
      const key = { installationId: caller.installationId, cartId }
      const known = await kept.find(db, key, at)
      if (known && (known.isPublic || caller.publicKeyId === undefined)) return new RenderedReply(known.bytes)
      const facts = await findCartFacts(db, tools.pricebooks, key, at)
      if (!facts || !isWithin(facts.cart, caller)) throw refuse('cart_not_found')
      const view = cartView(await quoteCart(db, tools.pricebooks, facts, at), at, tools.pictureUrl)
      const text = `{"data":${JSON.stringify(view)}}`
      kept.keep(facts, at, text)
      return new RenderedReply(text)
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
      return cartReply(await putCartLine(tools, changeOf(ask), ask.path.skuId, ask.body.quantity))
    },

    async setPublicCartShipping(ask) {
      return cartReply(await setShippingOption(tools, changeOf(ask), ask.body.optionId))
    },

    async updatePublicCartItemQuantity(ask) {
      return cartReply(await setCartLine(tools, changeOf(ask), ask.path.skuId, ask.body.quantity))
    },

    async removePublicCartItem(ask) {
      return cartReply(await setCartLine(tools, changeOf(ask), ask.path.skuId, 0))
    },

    async applyPublicCartPromotion(ask) {
      const { quote, promotion } = await setPromotionCode(tools, changeOf(ask), ask.body.code)
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

function changeOf({ db, caller, path, body, now, cause }: OpenInterfaceInput<ChangingOperation>): CartChangeInput {
  return { db, caller, cartId: path.cartId, expectedVersion: body.expectedVersion, now, cause }
}

// The response reuses the JSON of the cart that was built for the event.
function cartReply({ text }: ChangedCart): RenderedReply {
  return new RenderedReply(`{"data":${text()}}`)
}
