// Erases customers at the merchant's request. The request is stored as a row, so the erasure continues after the next start if the server
// is killed.

import { handleEach } from '../../platform/jobs/rows.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { customerHashes, listCustomerKeys } from '../checkout/customer.ts'
import { forgetShopperByHashes } from '../checkout/forget.ts'
import { listInstallations } from '../merchants/store.ts'
import { decryptOrderCustomer } from '../orders/customer.ts'
import { findOrder } from '../orders/store.ts'
import { forgetSavedAddresses } from './bookstore.ts'
import { forgetCustomerAccount } from './forget.ts'
import { forgetCustomerPasskeys } from './passkeys.ts'
import { type ErasureRow, endErasure, listErasures, listOrderKeysOfCustomer } from './recordstore.ts'

// One round of the background job.
export async function eraseRequestedCustomers(
  storage: Storage,
  rootSecret: RootSecret,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const rows = await storage.read((db) => listErasures(db, now, limit))
  return handleEach(
    { storage, loop: 'customers', now },
    rows,
    ({ merchantId, customerId }) => ({ tenantId: merchantId, rowId: customerId }),
    async (row) => {
      await eraseCustomer(storage, rootSecret, row, now)
      return 1
    },
  )
}

async function eraseCustomer(storage: Storage, rootSecret: RootSecret, row: ErasureRow, now: number): Promise<void> {
  const { merchantId, mode, emailHash } = row
  const { email, hashes, installationIds } = await storage.read(async (db) => {
    const found = await findCustomerEmail(db, rootSecret, row, now)
    const keys = await listCustomerKeys(db, rootSecret)
    const installations = await listInstallations(db, merchantId)
    return {
      email: found,
      hashes: [
        ...new Set([emailHash, ...(found === undefined ? [] : customerHashes(keys, rootSecret, merchantId, found))]),
      ],
      installationIds: installations.filter((one) => one.mode === mode).map(({ id }) => id),
    }
  })
  await forgetShopperByHashes(
    storage,
    { merchantId, installationIds, hashes },
    { isDryRun: false, includesUnsent: false },
  )
  await storage.write(async (tx) => {
    await forgetSavedAddresses(tx, merchantId, [mode], hashes)
    await forgetCustomerPasskeys(tx, merchantId, [mode], hashes)
    if (email !== undefined) await forgetCustomerAccount(tx, rootSecret, { merchantId, modes: [mode], email })
    await endErasure(tx, row)
  })
}

// Maximum number of orders to decrypt: the version of the root secret that encrypted older orders may have been removed.
const openedMax = 20

// Returns undefined if no order contains the e-mail address any more.
export async function findCustomerEmail(
  db: Reader,
  rootSecret: RootSecret,
  { merchantId, mode, customerId }: Pick<ErasureRow, 'merchantId' | 'mode' | 'customerId'>,
  now: number,
): Promise<string | undefined> {
  for (const key of await listOrderKeysOfCustomer(db, { merchantId, mode }, customerId, openedMax)) {
    const order = await findOrder(db, key)
    const email = order && (await decryptOrderCustomer(db, rootSecret, order, now)).customer?.email
    if (email) return email
  }
  return undefined
}
