// Signing in as a shopper, and the operations of a signed-in shopper. No result reveals whether a mailbox is known: every address that
// can receive e-mails gets a code, and its orders are shown to the person who has the code.

import type { Issue } from '../../contract/issues.ts'
import type { Address } from '../../contract/open/carts.ts'
import type { Mode } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { decryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { checkAddress } from '../addresses/check.ts'
import type { CustomerKey } from '../checkout/customer.ts'
import type { CheckoutMerchant } from '../checkout/port.ts'
import { findMerchant, findMerchantFace, listInstallations } from '../merchants/store.ts'
import { decryptOrderCustomer } from '../orders/customer.ts'
import { orderPageSecrets } from '../orders/secret.ts'
import { findOrder } from '../orders/store.ts'
import { listAddressBook, removeFromAddressBook, type SavedAddress, saveToAddressBook } from './book.ts'
import { customerSessionMs } from './codes.ts'
import { collectCustomerData } from './data.ts'
import { forgetCustomer } from './forget.ts'
import { loadAddressBook, loadAddressBookOwner, loadCustomerHashes } from './hashes.ts'
import {
  type AccountPasskey,
  addCustomerPasskey,
  customerPasskeyView,
  listCustomerPasskeys,
  removeCustomerPasskey,
  signInByPasskey,
  startPasskeyCreation,
  startPasskeySignIn,
} from './passkeys.ts'
import { accountPath } from './path.ts'
import {
  customerSessionPurpose,
  grantCustomerSession,
  hashSessionToken,
  isToken,
  parseTypedMailbox,
  type ShownCodeOrLink,
  sendSignInCode,
  startCustomerSession,
} from './signin.ts'
import { deleteCustomerSession, findCustomerSession, listOrdersOfCustomer } from './store.ts'
import { uniqueOrderAddresses } from './view.ts'

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

export interface PasskeyContext {
  origin: string
  // The browser's own secret before signing in, the token of its session afterwards.
  boundTo: string
}

export interface SignInCodeInput {
  email: string
  browser: string
  network: string
  locale: string
  // Origin of the shop's own host if the request was sent to that host: the link in the e-mail then uses this origin. Never copied from
  // the request.
  shopOrigin: string | null
}

export interface CustomerPort {
  findShop(slug: string, mode: Mode): Promise<AccountShop | undefined>
  // Returns false if the address is invalid. Otherwise the result is the same whether an e-mail is sent or a limit is reached.
  askCode(shop: AccountShop, input: SignInCodeInput): Promise<boolean>
  // Returns the token of the session, or undefined if the code is wrong, used, expired, or was requested by another browser.
  openByCode(shop: AccountShop, browser: string, code: string): Promise<string | undefined>
  openByLink(shop: AccountShop, browser: string, link: string): Promise<string | undefined>
  find(shop: AccountShop, token: string): Promise<SignedInCustomer | undefined>
  listOrders(shop: AccountShop, customer: SignedInCustomer): Promise<AccountOrder[]>
  // Lists the addresses saved in the account, the default first, then the addresses of the newest orders, without duplicates.
  listAddresses(shop: AccountShop, customer: SignedInCustomer): Promise<{ address: Address; label: string[] }[]>
  listBook(shop: AccountShop, customer: SignedInCustomer): Promise<SavedAddress[]>
  saveAddress(
    shop: AccountShop,
    customer: SignedInCustomer,
    input: { id: string | null; address: Address; isDefault: boolean },
  ): Promise<SavedAddress | { issues: readonly Issue[] } | 'unknown' | 'full'>
  // Returns false if the address does not exist.
  removeAddress(shop: AccountShop, customer: SignedInCustomer, id: string): Promise<boolean>
  // Returns the challenge that the shopper's device signs, as JSON for its browser.
  passkeyOptions(shop: AccountShop, at: PasskeyContext, customer: SignedInCustomer | null): Promise<object>
  openByPasskey(shop: AccountShop, at: PasskeyContext, response: string): Promise<string | undefined>
  addPasskey(shop: AccountShop, at: PasskeyContext, customer: SignedInCustomer, response: string): Promise<boolean>
  listPasskeys(shop: AccountShop, customer: SignedInCustomer): Promise<AccountPasskey[]>
  removePasskey(shop: AccountShop, customer: SignedInCustomer, id: string): Promise<void>
  // Returns all data stored about the shopper, for a file.
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
// Maximum number of orders whose addresses are decrypted.
const ordersOpened = 20
// Maximum number of orders in a file of a shopper's data. Each order is read whole.
const ordersInFile = 500

export function createCustomerService(tools: CustomerTools): CustomerPort {
  return { ...entranceOf(tools), ...passkeysFor(tools), ...accountOf(tools) }
}

type Entrance = Pick<CustomerPort, 'findShop' | 'askCode' | 'openByCode' | 'openByLink' | 'find' | 'signOut'>

function entranceOf({ storage, rootSecret, clock }: CustomerTools): Entrance {
  async function open(shop: AccountShop, browser: string, shown: ShownCodeOrLink): Promise<string | undefined> {
    if (!isToken(browser)) return undefined
    const now = clock().getTime()
    const asked = {
      browserHash: hashSessionToken(browser),
      shown,
      tokenHash: hashSessionToken,
      sessionMs: customerSessionMs,
    }
    return (await storage.write((tx) => startCustomerSession(tx, rootSecret, shop, asked, now)))?.token
  }
  return {
    findShop: (slug, mode) => storage.read((db) => findShop(db, slug, mode)),
    async askCode({ merchantId, mode, merchant }, { email: typed, browser, network, locale, shopOrigin }) {
      const email = parseTypedMailbox(typed)
      if (email === undefined) return false
      const pathOf = (link: string) => `${shopOrigin ?? ''}${accountPath(merchant.slug, mode)}/link/${link}`
      const asked = { email, browserHash: hashSessionToken(browser), network, locale, pathOf }
      const now = clock().getTime()
      await storage.write((tx) => sendSignInCode(tx, rootSecret, { merchantId, mode }, asked, now))
      return true
    },
    openByCode: (shop, browser, code) => open(shop, browser, { code }),
    openByLink: (shop, browser, link) => open(shop, browser, { link }),
    async find(shop, token) {
      if (!isToken(token)) return undefined
      const now = clock().getTime()
      const session = await storage.read((db) => findCustomerSession(db, shop, hashSessionToken(token), now))
      const email = session && decryptByRootSecret(rootSecret, customerSessionPurpose, session.emailSealed, session.id)
      return email === undefined ? undefined : { email }
    },
    signOut: (shop, token) =>
      storage.write((tx) => deleteCustomerSession(tx, shop.merchantId, hashSessionToken(token))),
  }
}

type Passkeys = Pick<CustomerPort, 'passkeyOptions' | 'openByPasskey' | 'addPasskey' | 'listPasskeys' | 'removePasskey'>

function passkeysFor(tools: CustomerTools): Passkeys {
  const { storage, rootSecret, clock } = tools
  return {
    async passkeyOptions(shop, at, customer) {
      const now = clock().getTime()
      const place = { shop, ...at }
      if (!customer) return startPasskeySignIn(storage, place, now)
      const { email } = customer
      const owner = await storage.write((tx) => loadAddressBookOwner(tx, tools, shop, { email, now }))
      return startPasskeyCreation(storage, place, { email, owner, shopName: shop.merchant.name }, now)
    },
    async openByPasskey(shop, at, response) {
      if (!isToken(at.boundTo)) return undefined
      const now = clock().getTime()
      const asked = { tokenHash: hashSessionToken, sessionMs: customerSessionMs }
      const open = (tx: Tx, email: string) => grantCustomerSession(tx, rootSecret, shop, { email, ...asked }, now).token
      return signInByPasskey(storage, rootSecret, { shop, ...at }, { response, open }, now)
    },
    addPasskey(shop, at, { email }, response) {
      const now = clock().getTime()
      const ownerIn = (tx: Tx) => loadAddressBookOwner(tx, tools, shop, { email, now })
      const passkey = { email, response, sessionHash: hashSessionToken(at.boundTo), ownerIn }
      return addCustomerPasskey(storage, rootSecret, { shop, ...at }, passkey, now)
    },
    listPasskeys: (shop, { email }) => storage.read((db) => passkeysOf(db, rootSecret, shop, email)),
    removePasskey: (shop, { email }, id) =>
      storage.write(async (tx) =>
        removeCustomerPasskey(tx, await loadAddressBookOwner(tx, tools, shop, { email, now: clock().getTime() }), id),
      ),
  }
}

function accountOf(tools: CustomerTools): Omit<CustomerPort, keyof Entrance | keyof Passkeys> {
  const { storage, rootSecret, clock } = tools
  return {
    listOrders: (shop, { email }) =>
      storage.read(async (db) => {
        const orders = await listOrdersOfCustomer(db, shop, await loadCustomerHashes(db, rootSecret, shop, email), {
          limit: ordersShown,
        })
        return orders.map(({ orderId, secretSealed, installationId: _, placedAt, ...order }) => {
          const secret = orderPageSecrets.open(rootSecret, secretSealed, orderId)
          return { ...order, placedAt: toInstant(placedAt), path: secret === undefined ? null : `/o/${secret}` }
        })
      }),
    listAddresses: (shop, { email }) => storage.read((db) => listAddresses(db, tools, shop, email)),
    listBook: (shop, { email }) => storage.read((db) => loadAddressBook(db, rootSecret, shop, email)),
    async saveAddress(shop, { email }, { id, address, isDefault }) {
      const checked = checkAddress(address)
      if ('issues' in checked) return checked
      const now = clock().getTime()
      return storage.write(async (tx) => {
        const owner = await loadAddressBookOwner(tx, tools, shop, { email, now })
        return saveToAddressBook(tx, rootSecret, owner, { id, address: checked.address, isDefault }, now)
      })
    },
    removeAddress: (shop, { email }, id) =>
      storage.write(async (tx) =>
        removeFromAddressBook(tx, await loadAddressBookOwner(tx, tools, shop, { email, now: clock().getTime() }), id),
      ),
    data: async (shop, { email }) => {
      const { found, addresses, passkeys } = await storage.read(async (db) => ({
        found: await listOrdersOfCustomer(db, shop, await loadCustomerHashes(db, rootSecret, shop, email), {
          limit: ordersInFile,
        }),
        addresses: await loadAddressBook(db, rootSecret, shop, email),
        passkeys: await passkeysOf(db, rootSecret, shop, email),
      }))
      const owner = { shop: shop.merchant.name, email, addresses, passkeys }
      return collectCustomerData(storage, rootSecret, owner, found, clock().getTime())
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
  const hashes = await loadCustomerHashes(db, rootSecret, shop, email)
  const found = []
  for (const key of await listOrdersOfCustomer(db, shop, hashes, { limit: ordersOpened })) {
    const order = await findOrder(db, key)
    if (!order) continue
    const { placedAt } = key
    found.push({ ...(await decryptOrderCustomer(db, rootSecret, order, clock().getTime())), placedAt })
  }
  const saved = await listAddressBook(db, rootSecret, { ...shop, hashes })
  const labels = new Set(saved.map(({ label }) => label.join('\n')))
  const others = uniqueOrderAddresses(found).filter(({ label }) => !labels.has(label.join('\n')))
  return [...saved, ...others].map(({ address, label }) => ({ address, label }))
}

async function passkeysOf(
  db: Reader,
  rootSecret: RootSecret,
  { merchantId, mode }: MerchantMode,
  email: string,
): Promise<AccountPasskey[]> {
  const hashes = await loadCustomerHashes(db, rootSecret, { merchantId }, email)
  const passkeys = await listCustomerPasskeys(db, { merchantId, mode, hashes })
  return passkeys.map(customerPasskeyView)
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
