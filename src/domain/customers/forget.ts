// Erases a shopper with their account: ends all sessions, deletes saved addresses and passkeys, and removes the recipient from e-mails
// with codes.

import type { Mode } from '../../contract/words.ts'
import { forgetCodeEmails } from '../../platform/outbox/emails.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { customerHashes, listCustomerKeys } from '../checkout/customer.ts'
import { type ForgetInput, type ForgottenCounts, forgetShopper, type Shopper } from '../checkout/forget.ts'
import { forgetSavedAddresses } from './bookstore.ts'
import { mailboxHashes } from './mailbox.ts'
import { forgetCustomerPasskeys } from './passkeys.ts'
import { deleteMailbox } from './store.ts'

export async function forgetCustomer(
  storage: Storage,
  rootSecret: RootSecret,
  shopper: Shopper & { modes: readonly Mode[] },
  input: ForgetInput,
): Promise<ForgottenCounts> {
  const forgotten = await forgetShopper(storage, rootSecret, shopper, input)
  if (input.isDryRun) return forgotten
  await storage.write((tx) => forgetCustomerAccount(tx, rootSecret, shopper))
  return forgotten
}

export async function forgetCustomerAccount(
  tx: Tx,
  rootSecret: RootSecret,
  { merchantId, modes, email }: Pick<Shopper, 'merchantId' | 'email'> & { modes: readonly Mode[] },
): Promise<void> {
  const hashes = customerHashes(await listCustomerKeys(tx, rootSecret), rootSecret, merchantId, email)
  await forgetSavedAddresses(tx, merchantId, modes, hashes)
  await forgetCustomerPasskeys(tx, merchantId, modes, hashes)
  await deleteMailbox(tx, merchantId, mailboxHashes(rootSecret, merchantId, email))
  // Repeated, because the deletion of the sessions may have waited for a transaction that added a passkey.
  await forgetCustomerPasskeys(tx, merchantId, modes, hashes)
  await forgetCodeEmails(tx, rootSecret, merchantId, email)
}
