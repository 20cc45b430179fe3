// The client of the open surface: a storefront's catalog, carts, checkout and orders, and the verification of webhooks.

import { type ClientOptions, keyedMethods } from './key.ts'
import type { ShopClient } from './printed/open.ts'
import { openTable } from './printed/openTable.ts'

export type { CallOptions, Fetch, List, ListOptions } from './call.ts'
export { CartwrightError, type ErrorCode } from './error.ts'
export type { ClientOptions } from './key.ts'
export type * from './printed/open.ts'
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhook.ts'

/** A client with one method for each operation. Use it on a server; on a page, with a publishable key or without one. */
export function createClient(options: ClientOptions): ShopClient {
  // The table and the type are printed from the same rows.
  return keyedMethods(openTable, options) as ShopClient
}
