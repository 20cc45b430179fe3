// The open operations for shoppers who sign in at a storefront of the shop.

import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { Address } from '../../contract/open/carts.ts'
import type { CustomerCaller, OpenInterfaceHandler } from '../../platform/http/open.ts'
import { pageOfRows } from '../../platform/http/paging.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { checkAddress } from '../addresses/check.ts'
import type { CustomerKey } from '../checkout/customer.ts'
import { orderPageUrl } from '../orders/secret.ts'
import { type AddressBookEntry, addressBookMax, removeFromAddressBook, saveToAddressBook } from './book.ts'
import { customerCodeMs, parseTypedCode, storefrontSessionMs } from './codes.ts'
import { loadAddressBook, loadAddressBookOwner, loadCustomerHashes } from './hashes.ts'
import { accountPath } from './path.ts'
import {
  hashSessionToken,
  makeSessionToken,
  parseTypedMailbox,
  sendSignInCode,
  startCustomerSession,
  storefrontTokenHash,
} from './signin.ts'
import { deleteCustomerSession, listOrdersOfCustomer } from './store.ts'

type CustomerOperation =
  | 'requestCustomerCode'
  | 'openCustomerSession'
  | 'endCustomerSession'
  | 'getCustomer'
  | 'listCustomerOrders'
  | 'listCustomerAddresses'
  | 'addCustomerAddress'
  | 'replaceCustomerAddress'
  | 'removeCustomerAddress'

export interface CustomerParts {
  rootSecret: RootSecret
  publicOrigin: () => string
  customerKey: CustomerKey
}

type Handlers<Id extends CustomerOperation> = { [One in Id]: OpenInterfaceHandler<One> }

export function customerOperations(parts: CustomerParts): Handlers<CustomerOperation> {
  return { ...sessions(parts), ...looks(parts), ...addresses(parts) }
}

type SessionOperation = 'requestCustomerCode' | 'openCustomerSession' | 'endCustomerSession'

function sessions({ rootSecret }: CustomerParts): Handlers<SessionOperation> {
  return {
    async requestCustomerCode({ db, caller, body, now }) {
      const email = parseTypedMailbox(body.email)
      if (email === undefined) throw refuse('invalid_request', { issues: [issueAt('/email', 'not_an_email')] })
      const { origin, network } = caller
      const { browserToken = makeSessionToken(), locale = 'auto' } = body
      const asked = { email, browserHash: browserHash(origin, browserToken), network, locale }
      await sendSignInCode(db, rootSecret, caller, asked, now.getTime())
      return { data: { browserToken, expiresAt: toInstant(now.getTime() + customerCodeMs) } }
    },

    // A wrong code is a result, not a refusal: a refusal would roll back the count of attempts.
    async openCustomerSession({ db, caller, body: { browserToken, code: typed }, now }) {
      const { origin } = caller
      const asked = {
        browserHash: browserHash(origin, browserToken),
        shown: { code: parseTypedCode(typed) ?? '' },
        tokenHash: (token: string) => storefrontTokenHash(origin, token),
        sessionMs: storefrontSessionMs,
      }
      const opened = await startCustomerSession(db, rootSecret, caller, asked, now.getTime())
      return { data: { session: opened ? { token: opened.token, expiresAt: toInstant(opened.expiresAt) } : null } }
    },

    async endCustomerSession({ db, caller: { merchantId, origin }, body: { token } }) {
      await deleteCustomerSession(db, merchantId, storefrontTokenHash(origin, token))
      return { data: { ended: true } }
    },
  }
}

type LookOperation = 'getCustomer' | 'listCustomerOrders' | 'listCustomerAddresses'

function looks({ rootSecret, publicOrigin }: CustomerParts): Handlers<LookOperation> {
  return {
    async getCustomer({ caller: { email, mode, merchantSlug } }) {
      return { data: { email, mode, accountUrl: publicOrigin() + accountPath(merchantSlug, mode) } }
    },

    async listCustomerOrders({ db, caller, paging }) {
      const hashes = await loadCustomerHashes(db, rootSecret, caller, caller.email)
      const after = paging.after === null ? null : readCursorPosition(paging.after, 'ord')
      const found = await listOrdersOfCustomer(db, caller, hashes, { limit: limits.listRowsMax + 1, after })
      const placeOf = ({ placedAt: at, orderId: id }: (typeof found)[number]) => writeCursorPosition({ at, id })
      const { rows, meta } = pageOfRows(found, paging, placeOf, limits.listRowsMax)
      const data = rows.map(({ orderId: id, secretSealed: sealed, installationId: _, placedAt, ...order }) => ({
        ...{ id, ...order, placedAt: toInstant(placedAt) },
        statusUrl: orderPageUrl({ rootSecret, publicOrigin }, { orderId: id, sealed }),
      }))
      return { data, meta }
    },

    async listCustomerAddresses({ db, caller }) {
      const book = await loadAddressBook(db, rootSecret, caller, caller.email)
      return { data: book.map(({ id, address, label, isDefault }) => ({ id, address, label, isDefault })) }
    },
  }
}

type AddressOperation = 'addCustomerAddress' | 'replaceCustomerAddress' | 'removeCustomerAddress'

function addresses(parts: CustomerParts): Handlers<AddressOperation> {
  const { rootSecret } = parts
  async function save(tx: Tx, caller: CustomerCaller, id: string | null, body: SaveBody, now: Date) {
    const checked = checkAddress(body.address)
    if ('issues' in checked) throw refuse('invalid_request', { issues: checked.issues })
    const entry: AddressBookEntry = { id, address: checked.address, isDefault: body.isDefault ?? false }
    const owner = await loadAddressBookOwner(tx, parts, caller, { email: caller.email, now: now.getTime() })
    const saved = await saveToAddressBook(tx, rootSecret, owner, entry, now.getTime())
    if (saved === 'unknown') throw refuse('customer_address_not_found')
    if (saved === 'full') throw refuse('customer_address_limit', { current: { limit: addressBookMax } })
    return { data: { id: saved.id } }
  }
  return {
    addCustomerAddress: ({ db, caller, body, now }) => save(db, caller, null, body, now),

    async replaceCustomerAddress({ db, caller, path: { addressId }, body, now }) {
      if (!isId('cad', addressId)) throw refuse('customer_address_not_found')
      return save(db, caller, addressId, body, now)
    },

    async removeCustomerAddress({ db, caller, path: { addressId }, now }) {
      const { email } = caller
      const isRemoved =
        isId('cad', addressId) &&
        (await removeFromAddressBook(
          db,
          await loadAddressBookOwner(db, parts, caller, { email, now: now.getTime() }),
          addressId,
        ))
      if (!isRemoved) throw refuse('customer_address_not_found')
      return { data: { id: addressId } }
    },
  }
}

interface SaveBody {
  address: Address
  isDefault?: boolean
}

// The hash includes the origin, so a browser token of one origin is invalid at another.
function browserHash(origin: string, browserToken: string): string {
  return hashSessionToken(`open ${origin} ${browserToken}`)
}
