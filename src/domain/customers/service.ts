// Signing in as a shopper, and what a shopper may do then. Whether a mailbox is known changes no answer: every address that can receive
// e-mails gets a code, and what was ordered with it is shown to who has the code.

import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Address } from '../../contract/open/carts.ts'
import type { Mode } from '../../contract/words.ts'
import { emailFromTyped, isPlainAddress } from '../../platform/kit/email.ts'
import { newId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { queueCustomerCode } from '../../platform/outbox/emails.ts'
import { deriveKey, openByRoot, type RootSecret, sealByRoot } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { customerHashes, listCustomerKeys } from '../checkout/customer.ts'
import type { CheckoutMerchant } from '../checkout/port.ts'
import { findMerchant, findMerchantFace, listInstallations } from '../merchants/store.ts'
import { openOrderCustomer } from '../orders/customer.ts'
import { orderPageSecrets } from '../orders/secret.ts'
import { findOrder } from '../orders/store.ts'
import { codeMs, customerSessionMs, isCodeOpen, mayAskForCode } from './codes.ts'
import { customerData } from './data.ts'
import { forgetCustomer } from './forget.ts'
import { mailboxHashes, networkHash } from './mailbox.ts'
import { accountPath } from './path.ts'
import {
  type CodeRow,
  countCodes,
  deleteCustomerSession,
  findCustomerSession,
  insertCode,
  insertCustomerSession,
  listOrdersOfCustomer,
  lockCodeGate,
  lockCodeOfBrowser,
  markCodeUsed,
  raiseTries,
} from './store.ts'
import { addressesOf } from './view.ts'

export interface AccountShop extends MerchantMode {
  merchant: CheckoutMerchant
}

export interface SignedInCustomer {
  email: string
}

export interface AccountOrder {
  number: string
  status: string
  paymentStatus: string
  fulfillmentStatus: string
  currency: string
  total: number
  itemCount: number
  placedAt: string
  // Null where it cannot be opened any more.
  path: string | null
}

export interface CodeAsk {
  email: string
  browser: string
  network: string
  locale: string
  // The host of the shop, where the shopper asks there: the mailed link leads to it. Never a text of the request.
  shopOrigin: string | null
}

export interface CustomerPort {
  findShop(slug: string, mode: Mode): Promise<AccountShop | undefined>
  // False where the address is none. Otherwise the same answer, whether an e-mail is sent or a limit is reached.
  askCode(shop: AccountShop, input: CodeAsk): Promise<boolean>
  // The token of the session; undefined where the code is wrong, used, expired, or of another browser.
  openByCode(shop: AccountShop, browser: string, code: string): Promise<string | undefined>
  openByLink(shop: AccountShop, browser: string, link: string): Promise<string | undefined>
  find(shop: AccountShop, token: string): Promise<SignedInCustomer | undefined>
  listOrders(shop: AccountShop, customer: SignedInCustomer): Promise<AccountOrder[]>
  // Of the newest orders, each address once.
  listAddresses(shop: AccountShop, customer: SignedInCustomer): Promise<{ address: Address; label: string[] }[]>
  // Everything that is stored about the shopper, for a file.
  data(shop: AccountShop, customer: SignedInCustomer): Promise<object>
  // How many orders were kept because they are still to be sent.
  erase(shop: AccountShop, customer: SignedInCustomer): Promise<{ kept: number }>
  signOut(shop: AccountShop, token: string): Promise<void>
}

export interface CustomerTools {
  storage: Storage
  rootSecret: RootSecret
  clock: () => Date
}

const ordersShown = 100
// Whose addresses are opened.
const ordersOpened = 20
// In a file. Each is read whole.
const ordersInFile = 500

export function createCustomerService(tools: CustomerTools): CustomerPort {
  const { storage, rootSecret, clock } = tools
  return {
    findShop: (slug, mode) => storage.read((db) => findShop(db, slug, mode)),
    askCode: (shop, input) => askCode(tools, shop, input),
    openByCode: (shop, browser, code) =>
      open(tools, shop, browser, (row) => isSame(row.codeHash, codeHash(rootSecret, row.id, code))),
    openByLink: (shop, browser, link) => open(tools, shop, browser, (row) => isSame(row.linkHash, digest(link))),
    async find(shop, token) {
      if (!isToken(token)) return undefined
      const now = clock().getTime()
      const session = await storage.read((db) => findCustomerSession(db, shop, digest(token), now))
      const email = session && openByRoot(rootSecret, sessionPurpose, session.emailSealed, session.id)
      return email === undefined ? undefined : { email }
    },
    listOrders: (shop, { email }) =>
      storage.read(async (db) => {
        const orders = await listOrdersOfCustomer(db, shop, await hashesOf(db, rootSecret, shop, email), ordersShown)
        return orders.map(({ orderId, secretSealed, installationId: _, placedAt, ...order }) => {
          const secret = orderPageSecrets.open(rootSecret, secretSealed, orderId)
          return { ...order, placedAt: toInstant(placedAt), path: secret === undefined ? null : `/o/${secret}` }
        })
      }),
    listAddresses: (shop, { email }) => storage.read((db) => listAddresses(db, tools, shop, email)),
    data: async (shop, { email }) => {
      const found = await storage.read(async (db) =>
        listOrdersOfCustomer(db, shop, await hashesOf(db, rootSecret, shop, email), ordersInFile),
      )
      return customerData(storage, rootSecret, { shop: shop.merchant.name, email }, found, clock().getTime())
    },
    erase: (shop, customer) => erase(tools, shop, customer),
    signOut: (shop, token) => storage.write((tx) => deleteCustomerSession(tx, shop.merchantId, digest(token))),
  }
}

const codePurpose = 'customer code'
const sessionPurpose = 'customer session'

async function findShop(db: Reader, slug: string, mode: Mode): Promise<AccountShop | undefined> {
  const merchant = await findMerchant(db, slug)
  if (!merchant || merchant.closedAt !== null) return undefined
  const { id: merchantId } = merchant
  const face = await findMerchantFace(db, merchantId)
  const links = JSON.parse(face?.links ?? '{}') as CheckoutMerchant['links']
  return face && { merchantId, mode, merchant: { ...face, links } }
}

async function askCode(
  { storage, rootSecret, clock }: CustomerTools,
  { merchantId, mode, merchant }: AccountShop,
  { email: typed, browser, network, locale, shopOrigin }: CodeAsk,
): Promise<boolean> {
  const email = emailFromTyped(typed)
  if (!isPlainAddress(email)) return false
  const now = clock().getTime()
  const [mailboxHash] = mailboxHashes(rootSecret, merchantId, email)
  const id = newId('cod')
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const link = randomBytes(32).toString('base64url')
  const row: CodeRow = {
    ...{ merchantId, id, mode, tries: 0, usedAt: null },
    mailboxHash,
    networkHash: networkHash(rootSecret, merchantId, network),
    emailSealed: sealByRoot(rootSecret, codePurpose, email, id),
    codeHash: codeHash(rootSecret, id, code),
    linkHash: digest(link),
    browserHash: digest(browser),
    createdAt: now,
    expiresAt: now + codeMs,
  }
  await storage.write(async (tx) => {
    await lockCodeGate(tx, merchantId, now)
    if (!mayAskForCode(await countCodes(tx, row, now))) return
    insertCode(tx, row)
    const path = `${shopOrigin ?? ''}${accountPath(merchant.slug, mode)}/link/${link}`
    queueCustomerCode(
      tx,
      rootSecret,
      { id, merchantId, mode, email, code, path, expiresAt: row.expiresAt, locale },
      now,
    )
  })
  return true
}

function codeHash(rootSecret: RootSecret, id: string, code: string): string {
  return createHmac('sha256', deriveKey(rootSecret, codePurpose)).update(`${id} ${code}`).digest('base64url')
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

// A wrong code or link counts as a try of the newest code that this browser asked for.
async function open(
  { storage, rootSecret, clock }: CustomerTools,
  shop: AccountShop,
  browser: string,
  isRight: (row: CodeRow) => boolean,
): Promise<string | undefined> {
  if (!isToken(browser)) return undefined
  const now = clock().getTime()
  const token = randomBytes(32).toString('base64url')
  return storage.write(async (tx) => {
    const row = await lockCodeOfBrowser(tx, shop, digest(browser))
    if (!row || !isCodeOpen(row, now)) return undefined
    if (!isRight(row)) {
      raiseTries(tx, row)
      return undefined
    }
    const email = openByRoot(rootSecret, codePurpose, row.emailSealed, row.id)
    if (email === undefined) return undefined
    markCodeUsed(tx, row, now)
    const id = newId('cus')
    insertCustomerSession(tx, {
      ...{ merchantId: row.merchantId, id, mode: row.mode, mailboxHash: row.mailboxHash },
      tokenHash: digest(token),
      emailSealed: sealByRoot(rootSecret, sessionPurpose, email, id),
      createdAt: now,
      expiresAt: now + customerSessionMs,
    })
    return token
  })
}

async function listAddresses(
  db: Reader,
  { rootSecret, clock }: CustomerTools,
  shop: AccountShop,
  email: string,
): Promise<{ address: Address; label: string[] }[]> {
  const hashes = await hashesOf(db, rootSecret, shop, email)
  const found = []
  for (const key of await listOrdersOfCustomer(db, shop, hashes, ordersOpened)) {
    const order = await findOrder(db, key)
    if (!order) continue
    const { placedAt } = key
    found.push({ ...(await openOrderCustomer(db, rootSecret, order, clock().getTime())), placedAt })
  }
  return addressesOf(found).map(({ address, label }) => ({ address, label }))
}

async function hashesOf(
  db: Reader,
  rootSecret: RootSecret,
  { merchantId }: MerchantMode,
  email: string,
): Promise<string[]> {
  return customerHashes(await listCustomerKeys(db, rootSecret), rootSecret, merchantId, email)
}

async function erase(
  { storage, rootSecret }: CustomerTools,
  { merchantId, mode }: AccountShop,
  { email }: SignedInCustomer,
): Promise<{ kept: number }> {
  const installations = await storage.read((db) => listInstallations(db, merchantId))
  const installationIds = installations.filter((one) => one.mode === mode).map(({ id }) => id)
  const shopper = { merchantId, installationIds, email }
  const { kept } = await forgetCustomer(storage, rootSecret, shopper, { isDryRun: false, includesUnsent: false })
  return { kept: kept.length }
}
