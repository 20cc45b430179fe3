// Messages of shoppers to the merchant, sent with the contact form of the shop. Only the e-mail is stored, encrypted until it is sent.

import { hash } from 'node:crypto'
import { type Issue, issueAt } from '../../contract/issues.ts'
import { isEmail, isPlainAddress } from '../../platform/kit/email.ts'
import { queueContactMessage, takesContactMessages } from '../../platform/outbox/emails.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { findMerchant, findMerchantFace, type PublicMerchantFacts } from '../merchants/store.ts'

export interface ContactMessage {
  name: string
  email: string
  text: string
}

export const contactLengthsMax = { name: 100, email: 254, text: 4_000 } as const

export interface ContactShop extends PublicMerchantFacts {
  id: string
}

export interface ContactPort {
  // Returns undefined if the shop does not exist, or accepts no messages.
  findShop(slug: string): Promise<ContactShop | undefined>
  // `attempt`: created when the form was rendered, so the same form sent twice is one message.
  send(shop: ContactShop, message: ContactMessage, attempt: string): Promise<void>
}

export interface ContactParts {
  storage: Storage
  rootSecret: RootSecret
  clock: () => Date
}

export function createContact({ storage, rootSecret, clock }: ContactParts): ContactPort {
  return {
    findShop: (slug) =>
      storage.read(async (db) => {
        const merchant = await findMerchant(db, slug)
        if (!merchant || !(await takesContactMessages(db, merchant.id))) return undefined
        const face = await findMerchantFace(db, merchant.id)
        return face && { ...face, id: merchant.id }
      }),
    async send({ id: merchantId }, message, attempt) {
      const subjectId = `msg_${hash('sha256', JSON.stringify([attempt, message]), 'hex').slice(0, 32)}`
      await storage.write(async (tx) =>
        queueContactMessage(tx, rootSecret, { merchantId, subjectId, message }, clock().getTime()),
      )
    },
  }
}

// Path without the origin; null if the shop accepts no messages.
export async function findContactPath(db: Reader, { id, slug }: { id: string; slug: string }): Promise<string | null> {
  return (await takesContactMessages(db, id)) ? `/contact/${slug}` : null
}

export function contactIssues({ name, email, text }: ContactMessage): Issue[] {
  return [
    ...(name === '' ? [issueAt('/name', 'required')] : []),
    ...(email === '' ? [issueAt('/email', 'required')] : []),
    ...(email !== '' && !(isEmail(email) && isPlainAddress(email)) ? [issueAt('/email', 'not_an_email')] : []),
    ...(text === '' ? [issueAt('/text', 'required')] : []),
  ]
}
