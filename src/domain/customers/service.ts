// Signing in as a shopper, and the operations of a signed-in shopper. No result reveals whether a mailbox is known: every address that
// can receive e-mails gets a code, and its orders are shown to the person who has the code.

import type { Issue } from '../../contract/issues.ts'
import type { Address } from '../../contract/open/carts.ts'
import type { Mode } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { openByRoot, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { checkAddress } from '../addresses/check.ts'
import type { CustomerKey } from '../checkout/customer.ts'
import type { CheckoutMerchant } from '../checkout/port.ts'
import { findMerchant, findMerchantFace, listInstallations } from '../merchants/store.ts'
import { openOrderCustomer } from '../orders/customer.ts'
import { orderPageSecrets } from '../orders/secret.ts'
import { findOrder } from '../orders/store.ts'
import { listBook, removeFromBook, type SavedAddress, saveInBook } from './book.ts'
import { customerSessionMs } from './codes.ts'
import { customerData } from './data.ts'
import { forgetCustomer } from './forget.ts'
import { bookOf, bookOwner, hashesOf } from './hashes.ts'
import {
  type AccountPasskey,
  addCustomerPasskey,
  askToCreate,
  askToUse,
  listCustomerPasskeys,
  openByPasskey,
  passkeyShown,
  removeCustomerPasskey,
} from './passkeys.ts'
import { accountPath } from './path.ts'
import {
  askCode,
  customerSessionPurpose,
  digest,
  grantSession,
  isToken,
  mailboxFromTyped,
  openSession,
  type Shown,
} from './signin.ts'
import { deleteCustomerSession, findCustomerSession, listOrdersOfCustomer } from './store.ts'
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
  // Path of the order's page; null if its secret cannot be decrypted any more.
  path: string | null
}

export interface PasskeyAt {
  origin: string
  // The browser's own secret before signing in, the token of its session afterwards.
  boundTo: string
}

export interface CodeAsk {
  email: string
  browser: string
  network: string
  locale: string
  // The shop's own host, if the request came to it: the link in the e-mail leads there. Never text from the request.
  shopOrigin: string | null
}

export interface CustomerPort {
  findShop(slug: string, mode: Mode): Promise<AccountShop | undefined>
  // Returns false if the address is invalid. Otherwise the result is the same, whether an e-mail is sent or a limit is reached.
  askCode(shop: AccountShop, input: CodeAsk): Promise<boolean>
  // Returns the token of the session; undefined if the code is wrong, used, expired, or of another browser.
  openByCode(shop: AccountShop, browser: string, code: string): Promise<string | undefined>
  openByLink(shop: AccountShop, browser: string, link: string): Promise<string | undefined>
  find(shop: AccountShop, token: string): Promise<SignedInCustomer | undefined>
  listOrders(shop: AccountShop, customer: SignedInCustomer): Promise<AccountOrder[]>
  // Addresses saved in the account, the default first, then those of the newest orders, without duplicates.
  listAddresses(shop: AccountShop, customer: SignedInCustomer): Promise<{ address: Address; label: string[] }[]>
  listBook(shop: AccountShop, customer: SignedInCustomer): Promise<SavedAddress[]>
  saveAddress(
    shop: AccountShop,
    customer: SignedInCustomer,
    input: { id: string | null; address: Address; isDefault: boolean },
  ): Promise<SavedAddress | { issues: readonly Issue[] } | 'unknown' | 'full'>
  // Returns false if the address does not exist.
  removeAddress(shop: AccountShop, customer: SignedInCustomer, id: string): Promise<boolean>
  // The challenge that the shopper's device signs, as JSON for its browser.
  passkeyOptions(shop: AccountShop, at: PasskeyAt, customer: SignedInCustomer | null): Promise<object>
  openByPasskey(shop: AccountShop, at: PasskeyAt, response: string): Promise<string | undefined>
  addPasskey(shop: AccountShop, at: PasskeyAt, customer: SignedInCustomer, response: string): Promise<boolean>
  listPasskeys(shop: AccountShop, customer: SignedInCustomer): Promise<AccountPasskey[]>
  removePasskey(shop: AccountShop, customer: SignedInCustomer, id: string): Promise<void>
  // All data stored about the shopper, for a file.
  data(shop: AccountShop, customer: SignedInCustomer): Promise<object>
  // `kept`: number of orders that were not erased because they are still to be sent.
  erase(shop: AccountShop, customer: SignedInCustomer): Promise<{ kept: number }>
  signOut(shop: AccountShop, token: string): Promise<void>
}

export interface CustomerTools {
  storage: Storage
  rootSecret: RootSecret
  clock: () => Date
  // Key of the hashes by which customers are found.
  customerKey: CustomerKey
}

const ordersShown = 100
// Number of orders whose addresses are decrypted.
const ordersOpened = 20
// Number of orders in a file of a shopper's data. Each is read whole.
const ordersInFile = 500

export function createCustomerService(tools: CustomerTools): CustomerPort {
  return { ...entranceOf(tools), ...passkeysFor(tools), ...accountOf(tools) }
}

type Entrance = Pick<CustomerPort, 'findShop' | 'askCode' | 'openByCode' | 'openByLink' | 'find' | 'signOut'>

function entranceOf({ storage, rootSecret, clock }: CustomerTools): Entrance {
  async function open(shop: AccountShop, browser: string, shown: Shown): Promise<string | undefined> {
    if (!isToken(browser)) return undefined
    const now = clock().getTime()
    const asked = { browserHash: digest(browser), shown, tokenHash: digest, sessionMs: customerSessionMs }
    return (await storage.write((tx) => openSession(tx, rootSecret, shop, asked, now)))?.token
  }
  return {
    findShop: (slug, mode) => storage.read((db) => findShop(db, slug, mode)),
    async askCode({ merchantId, mode, merchant }, { email: typed, browser, network, locale, shopOrigin }) {
      const email = mailboxFromTyped(typed)
      if (email === undefined) return false
      const pathOf = (link: string) => `${shopOrigin ?? ''}${accountPath(merchant.slug, mode)}/link/${link}`
      const asked = { email, browserHash: digest(browser), network, locale, pathOf }
      const now = clock().getTime()
      await storage.write((tx) => askCode(tx, rootSecret, { merchantId, mode }, asked, now))
      return true
    },
    openByCode: (shop, browser, code) => open(shop, browser, { code }),
    openByLink: (shop, browser, link) => open(shop, browser, { link }),
    async find(shop, token) {
      if (!isToken(token)) return undefined
      const now = clock().getTime()
      const session = await storage.read((db) => findCustomerSession(db, shop, digest(token), now))
      const email = session && openByRoot(rootSecret, customerSessionPurpose, session.emailSealed, session.id)
      return email === undefined ? undefined : { email }
    },
    signOut: (shop, token) => storage.write((tx) => deleteCustomerSession(tx, shop.merchantId, digest(token))),
  }
}

type Passkeys = Pick<CustomerPort, 'passkeyOptions' | 'openByPasskey' | 'addPasskey' | 'listPasskeys' | 'removePasskey'>

function passkeysFor(tools: CustomerTools): Passkeys {
  const { storage, rootSecret, clock } = tools
  return {
    async passkeyOptions(shop, at, customer) {
      const now = clock().getTime()
      const place = { shop, ...at }
      if (!customer) return askToUse(storage, place, now)
      const { email } = customer
      const owner = await storage.write((tx) => bookOwner(tx, tools, shop, { email, now }))
      return askToCreate(storage, place, { email, owner, shopName: shop.merchant.name }, now)
    },
    async openByPasskey(shop, at, response) {
      if (!isToken(at.boundTo)) return undefined
      const now = clock().getTime()
      const asked = { tokenHash: digest, sessionMs: customerSessionMs }
      const open = (tx: Tx, email: string) => grantSession(tx, rootSecret, shop, { email, ...asked }, now).token
      return openByPasskey(storage, rootSecret, { shop, ...at }, { response, open }, now)
    },
    addPasskey(shop, at, { email }, response) {
      const now = clock().getTime()
      const ownerIn = (tx: Tx) => bookOwner(tx, tools, shop, { email, now })
      const passkey = { email, response, sessionHash: digest(at.boundTo), ownerIn }
      return addCustomerPasskey(storage, rootSecret, { shop, ...at }, passkey, now)
    },
    listPasskeys: (shop, { email }) => storage.read((db) => passkeysOf(db, rootSecret, shop, email)),
    removePasskey: (shop, { email }, id) =>
      storage.write(async (tx) =>
        removeCustomerPasskey(tx, await bookOwner(tx, tools, shop, { email, now: clock().getTime() }), id),
      ),
  }
}

function accountOf(tools: CustomerTools): Omit<CustomerPort, keyof Entrance | keyof Passkeys> {
  const { storage, rootSecret, clock } = tools
  return {
    listOrders: (shop, { email }) =>
      storage.read(async (db) => {
        const orders = await listOrdersOfCustomer(db, shop, await hashesOf(db, rootSecret, shop, email), {
          limit: ordersShown,
        })
        return orders.map(({ orderId, secretSealed, installationId: _, placedAt, ...order }) => {
          const secret = orderPageSecrets.open(rootSecret, secretSealed, orderId)
          return { ...order, placedAt: toInstant(placedAt), path: secret === undefined ? null : `/o/${secret}` }
        })
      }),
    listAddresses: (shop, { email }) => storage.read((db) => listAddresses(db, tools, shop, email)),
    listBook: (shop, { email }) => storage.read((db) => bookOf(db, rootSecret, shop, email)),
    async saveAddress(shop, { email }, { id, address, isDefault }) {
      const checked = checkAddress(address)
      if ('issues' in checked) return checked
      const now = clock().getTime()
      return storage.write(async (tx) => {
        const owner = await bookOwner(tx, tools, shop, { email, now })
        return saveInBook(tx, rootSecret, owner, { id, address: checked.address, isDefault }, now)
      })
    },
    removeAddress: (shop, { email }, id) =>
      storage.write(async (tx) =>
        removeFromBook(tx, await bookOwner(tx, tools, shop, { email, now: clock().getTime() }), id),
      ),
    data: async (shop, { email }) => {
      const { found, addresses, passkeys } = await storage.read(async (db) => ({
        found: await listOrdersOfCustomer(db, shop, await hashesOf(db, rootSecret, shop, email), {
          limit: ordersInFile,
        }),
        addresses: await bookOf(db, rootSecret, shop, email),
        passkeys: await passkeysOf(db, rootSecret, shop, email),
      }))
      const owner = { shop: shop.merchant.name, email, addresses, passkeys }
      return customerData(storage, rootSecret, owner, found, clock().getTime())
    },
    erase: (shop, customer) => erase(tools, shop, customer),
  }
}

async function findShop(db: Reader, slug: string, mode: Mode): Promise<AccountShop | undefined> {
  const merchant = await findMerchant(db, slug)
  if (!merchant || merchant.closedAt !== null) return undefined
  const { id: merchantId } = merchant
  const face = await findMerchantFace(db, merchantId)
  const links = JSON.parse(face?.links ?? '{}') as CheckoutMerchant['links']
  return face && { merchantId, mode, merchant: { ...face, links } }
}

async function listAddresses(
  db: Reader,
  { rootSecret, clock }: CustomerTools,
  shop: AccountShop,
  email: string,
): Promise<{ address: Address; label: string[] }[]> {
  const hashes = await hashesOf(db, rootSecret, shop, email)
  const found = []
  for (const key of await listOrdersOfCustomer(db, shop, hashes, { limit: ordersOpened })) {
    const order = await findOrder(db, key)
    if (!order) continue
    const { placedAt } = key
    found.push({ ...(await openOrderCustomer(db, rootSecret, order, clock().getTime())), placedAt })
  }
  const saved = await listBook(db, rootSecret, { ...shop, hashes })
  const labels = new Set(saved.map(({ label }) => label.join('\n')))
  const others = addressesOf(found).filter(({ label }) => !labels.has(label.join('\n')))
  return [...saved, ...others].map(({ address, label }) => ({ address, label }))
}

async function passkeysOf(
  db: Reader,
  rootSecret: RootSecret,
  { merchantId, mode }: MerchantMode,
  email: string,
): Promise<AccountPasskey[]> {
  const hashes = await hashesOf(db, rootSecret, { merchantId }, email)
  const passkeys = await listCustomerPasskeys(db, { merchantId, mode, hashes })
  return passkeys.map(passkeyShown)
}

async function erase(
  { storage, rootSecret }: CustomerTools,
  { merchantId, mode }: AccountShop,
  { email }: SignedInCustomer,
): Promise<{ kept: number }> {
  const installations = await storage.read((db) => listInstallations(db, merchantId))
  const installationIds = installations.filter((one) => one.mode === mode).map(({ id }) => id)
  const shopper = { merchantId, installationIds, email, modes: [mode] }
  const { kept } = await forgetCustomer(storage, rootSecret, shopper, { isDryRun: false, includesUnsent: false })
  return { kept: kept.length }
}
