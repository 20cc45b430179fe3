// The client of the admin surface: what runs a merchant's shop.

import { type ClientOptions, keyedMethods } from './key.ts'
import type { AdminClient } from './printed/admin.ts'
import { adminTable } from './printed/adminTable.ts'

export type { CallOptions, Fetch, List, ListOptions } from './call.ts'
export { CartwrightError, type ErrorCode } from './error.ts'
export type { ClientOptions } from './key.ts'
export type * from './printed/admin.ts'

/** A client with one method for each operation, for a key with `admin:` scopes. */
export function createAdminClient(options: ClientOptions): AdminClient {
  // The table and the type are printed from the same rows.
  return keyedMethods(adminTable, options) as AdminClient
}
