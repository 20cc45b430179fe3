// Erases a shopper with their account: signed out everywhere, and no e-mail with a code says who got it.

import { forgetCodeEmails } from '../../platform/outbox/emails.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { type ForgetInput, type Forgotten, forgetShopper, type Shopper } from '../checkout/forget.ts'
import { mailboxHashes } from './mailbox.ts'
import { deleteMailbox } from './store.ts'

export async function forgetCustomer(
  storage: Storage,
  rootSecret: RootSecret,
  shopper: Shopper,
  input: ForgetInput,
): Promise<Forgotten> {
  const forgotten = await forgetShopper(storage, rootSecret, shopper, input)
  if (input.isDryRun) return forgotten
  await storage.write((tx) => forgetAccount(tx, rootSecret, shopper.merchantId, shopper.email))
  return forgotten
}

export async function forgetAccount(tx: Tx, rootSecret: RootSecret, merchantId: string, email: string): Promise<void> {
  await deleteMailbox(tx, merchantId, mailboxHashes(rootSecret, merchantId, email))
  await forgetCodeEmails(tx, rootSecret, merchantId, email)
}
