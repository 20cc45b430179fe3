// Operations that platforms may call by the Universal Commerce Protocol. REST routes and MCP tools are derived from this table.

import type { TSchema } from '../schema.ts'
import {
  CartShape,
  CheckoutCompleteShape,
  CheckoutShape,
  LookupShape,
  NewCheckoutShape,
  ProductShape,
  SearchShape,
} from './shapes.ts'

export interface UcpRow {
  method: 'GET' | 'POST' | 'PUT'
  // Relative to the address of the shop; `{id}` is the id of the resource.
  path: string
  // Name of the MCP tool, and of the operation in the protocol.
  tool: string
  // Argument of the tool that holds the body of the REST request.
  payload: 'checkout' | 'cart' | 'catalog' | null
  body: TSchema | null
  capability: string
  // complete: pays. change: writes. read: only reads.
  kind: 'read' | 'change' | 'complete'
  // Whether MCP calls must have an idempotency key, which is optional otherwise.
  needsKey: boolean
  status: 200 | 201
  title: string
  description: string
}

const shopping = 'dev.ucp.shopping'
const checkout = `${shopping}.checkout`
const cart = `${shopping}.cart`
const lookup = `${shopping}.catalog.lookup`

// biome-ignore format: a row reads best as a few lines
export const ucpRows = {
  ucpSearchCatalog: {
    method: 'POST', path: '/catalog/search', tool: 'search_catalog', payload: 'catalog', body: SearchShape,
    capability: `${shopping}.catalog.search`, kind: 'read', needsKey: false, status: 200,
    title: 'Search products', description: 'Finds products by words, category or price. Prices are in minor units. Buy a variant by its id.',
  },
  ucpLookupCatalog: {
    method: 'POST', path: '/catalog/lookup', tool: 'lookup_catalog', payload: 'catalog', body: LookupShape,
    capability: lookup, kind: 'read', needsKey: false, status: 200,
    title: 'Look up products', description: 'Products by ids that are known.',
  },
  ucpGetProduct: {
    method: 'POST', path: '/catalog/product', tool: 'get_product', payload: 'catalog', body: ProductShape,
    capability: lookup, kind: 'read', needsKey: false, status: 200,
    title: 'Get a product', description: 'One product with all its variants, and which options are left beside those selected.',
  },
  ucpCreateCart: {
    method: 'POST', path: '/carts', tool: 'create_cart', payload: 'cart', body: CartShape,
    capability: cart, kind: 'change', needsKey: false, status: 201,
    title: 'Create a cart', description: 'A cart with totals before shipping. It reserves nothing.',
  },
  ucpGetCart: {
    method: 'GET', path: '/carts/{id}', tool: 'get_cart', payload: null, body: null,
    capability: cart, kind: 'read', needsKey: false, status: 200,
    title: 'Get a cart', description: 'The cart as it is now.',
  },
  ucpUpdateCart: {
    method: 'PUT', path: '/carts/{id}', tool: 'update_cart', payload: 'cart', body: CartShape,
    capability: cart, kind: 'change', needsKey: false, status: 200,
    title: 'Replace a cart', description: 'Replaces everything in the cart: what is not sent is gone.',
  },
  ucpCancelCart: {
    method: 'POST', path: '/carts/{id}/cancel', tool: 'cancel_cart', payload: null, body: null,
    capability: cart, kind: 'change', needsKey: true, status: 200,
    title: 'Cancel a cart', description: 'Ends the cart.',
  },
  ucpCreateCheckout: {
    method: 'POST', path: '/checkout-sessions', tool: 'create_checkout', payload: 'checkout', body: NewCheckoutShape,
    capability: checkout, kind: 'change', needsKey: false, status: 201,
    title: 'Open a checkout', description: 'Opens a checkout for line_items or a cart_id. It reserves nothing until it is paid. continue_url is the page on which the buyer can pay.',
  },
  ucpGetCheckout: {
    method: 'GET', path: '/checkout-sessions/{id}', tool: 'get_checkout', payload: null, body: null,
    capability: checkout, kind: 'read', needsKey: false, status: 200,
    title: 'Get a checkout', description: 'The checkout as it is now.',
  },
  ucpUpdateCheckout: {
    method: 'PUT', path: '/checkout-sessions/{id}', tool: 'update_checkout', payload: 'checkout', body: CheckoutShape,
    capability: checkout, kind: 'change', needsKey: false, status: 200,
    title: 'Replace a checkout', description: 'Replaces everything in the checkout: what is not sent is gone. Messages say what is missing.',
  },
  ucpCompleteCheckout: {
    method: 'POST', path: '/checkout-sessions/{id}/complete', tool: 'complete_checkout', payload: 'checkout', body: CheckoutCompleteShape,
    capability: checkout, kind: 'complete', needsKey: true, status: 200,
    title: 'Pay and place the order', description: 'Charges the payment instrument and places the order, once for each idempotency key.',
  },
  ucpCancelCheckout: {
    method: 'POST', path: '/checkout-sessions/{id}/cancel', tool: 'cancel_checkout', payload: null, body: null,
    capability: checkout, kind: 'change', needsKey: true, status: 200,
    title: 'Cancel a checkout', description: 'Ends the checkout without an order.',
  },
  ucpGetOrder: {
    method: 'GET', path: '/orders/{id}', tool: 'get_order', payload: null, body: null,
    capability: `${shopping}.order`, kind: 'read', needsKey: false, status: 200,
    title: 'Get an order', description: 'An order that was placed by complete_checkout: what was sent, and what went back.',
  },
} as const satisfies Readonly<Record<string, UcpRow>>

export type UcpRowId = keyof typeof ucpRows
