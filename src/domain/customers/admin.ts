// The admin operations on customers.

import {
  customerAddressesMax,
  customerConsentsMax,
  customerNotesMax,
  type customerOperationRows,
  customerOrdersMax,
} from '../../contract/admin/customers.ts'
import { limits } from '../../contract/limits.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { listActorNames, listEntries } from '../../platform/audit/store.ts'
import { changeView } from '../../platform/audit/view.ts'
import { actorOf } from '../../platform/http/actor.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply, OutsideResult } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { customerHashes, listCustomerKeys } from '../checkout/customer.ts'
import { findMerchantFace } from '../merchants/store.ts'
import { noteView } from '../orders/adminview.ts'
import { decryptOrderCustomer, type OrderCustomer } from '../orders/customer.ts'
import { findOrder, type OrderKey, type OrderSearchQuery } from '../orders/store.ts'
import { listAddressBook } from './book.ts'
import { collectCustomerData } from './data.ts'
import { findCustomerEmail } from './erase.ts'
import { customerPasskeyView, listCustomerPasskeys } from './passkeys.ts'
import {
  type CustomerRow,
  findCustomer,
  insertCustomerNote,
  listConsentsOfCustomer,
  listCustomerNotes,
  listCustomers,
  listOrderKeysOfCustomer,
  lockCustomer,
  requestErasure,
} from './recordstore.ts'
import { customerSummary, uniqueOrderAddresses } from './view.ts'

export interface AdminCustomerParts {
  rootSecret: RootSecret
  // The newest orders that match a search.
  findOrderKeys(db: Reader, seller: MerchantMode, question: OrderSearchQuery): Promise<OrderKey[]>
}

type CustomerOperation = keyof typeof customerOperationRows
type Handlers<Id extends CustomerOperation> = { [One in Id]: AdminHandler<One> }

export function adminCustomerOperations(parts: AdminCustomerParts): Handlers<CustomerOperation> {
  return { ...lists(parts), ...looks(parts), ...changes() }
}

const foundMax = 200

function lists({ findOrderKeys }: AdminCustomerParts): Handlers<'listAdminCustomers' | 'getAdminCustomer'> {
  return {
    async listAdminCustomers({ db, caller, query: { q }, paging }) {
      const question = { text: q ?? '', seesCustomers: true, limit: foundMax }
      const keys = q === undefined ? undefined : await findOrderKeys(db, caller, question)
      if (keys?.length === 0) return { data: [], meta: { count: 0, next: null } }
      const after = paging.after === null ? null : readCursorPosition(paging.after, 'cst')
      const found = await listCustomers(db, caller, { keys, after, limit: adminRowsAsked })
      const { rows, meta } = pageOfRows(found, paging, ({ listedAt: at, id }) => writeCursorPosition({ at, id }))
      return { data: rows.map(customerSummary), meta }
    },

    async getAdminCustomer({ db, caller, path: { customerId } }) {
      const { merchantId, mode } = caller
      const row = await find(db, caller, customerId)
      const query = { mode, subjectId: customerId, limit: limits.adminListRowsMax }
      const [{ entries }, notes, consents] = await Promise.all([
        listEntries(db, merchantId, query),
        listCustomerNotes(db, { merchantId, customerId }),
        listConsentsOfCustomer(db, caller, customerId, customerConsentsMax),
      ])
      const writers = notes.map(({ actorKind: kind, actorId: id }) => ({ actor: { kind, id } }))
      const names = await listActorNames(db, merchantId, [...entries, ...writers])
      return {
        data: {
          ...customerSummary(row),
          consents: consents.map(({ at, ...consent }) => ({ ...consent, at: toInstant(at) })),
          notes: notes.map((note) => noteView(note, names)),
          changes: entries.map((entry) => changeView(entry, { names, subjectId: customerId, skipped: 0 })),
        },
      }
    },
  }
}

function looks({ rootSecret }: AdminCustomerParts): Handlers<'getAdminCustomerDetails' | 'getAdminCustomerData'> {
  return {
    async getAdminCustomerDetails({ db, caller, path: { customerId }, now }) {
      await find(db, caller, customerId)
      const opened: (OrderCustomer & { placedAt: number })[] = []
      for (const key of await listOrderKeysOfCustomer(db, caller, customerId, customerAddressesMax)) {
        const order = await findOrder(db, key)
        if (!order) continue
        opened.push({
          ...(await decryptOrderCustomer(db, rootSecret, order, now.getTime())),
          placedAt: key.placedAt,
        })
      }
      const first = (member: 'name' | 'email' | 'phone') =>
        opened.map(({ customer }) => customer?.[member]).find((text) => text) ?? null
      const named = opened.map(({ address }) => address?.name).find((name) => name) ?? null
      const data = {
        name: first('name') ?? named,
        email: first('email'),
        phone: first('phone'),
        addresses: uniqueOrderAddresses(opened),
      }
      return new AuditedReply({ data }, [lookAt(customerId)])
    },

    async getAdminCustomerData({ db, caller, path: { customerId }, now }) {
      const { merchantId, mode } = caller
      const { owner, keys } = await db.read(async (reader) => {
        await find(reader, caller, customerId)
        const [face, email, keys] = await Promise.all([
          findMerchantFace(reader, merchantId),
          findCustomerEmail(reader, rootSecret, { merchantId, mode, customerId }, now.getTime()),
          listCustomerKeys(reader, rootSecret),
        ])
        const hashes = email === undefined ? [] : customerHashes(keys, rootSecret, merchantId, email)
        const isKnown = hashes.length > 0
        const addresses = isKnown ? await listAddressBook(reader, rootSecret, { merchantId, mode, hashes }) : []
        const passkeys = isKnown ? await listCustomerPasskeys(reader, { merchantId, mode, hashes }) : []
        return {
          owner: {
            shop: face?.name ?? '',
            email: email ?? null,
            addresses,
            passkeys: passkeys.map(customerPasskeyView),
          },
          keys: await listOrderKeysOfCustomer(reader, caller, customerId, customerOrdersMax),
        }
      })
      const data = await collectCustomerData(db, rootSecret, owner, keys, now.getTime())
      return new OutsideResult({ write: async () => new AuditedReply({ data }, [lookAt(customerId)]) })
    },
  }
}

function changes(): Handlers<'addAdminCustomerNote' | 'eraseAdminCustomer'> {
  return {
    async addAdminCustomerNote({ db, caller, path: { customerId }, body: { text }, now }) {
      const { merchantId } = caller
      await lock(db, caller, customerId)
      const key = { merchantId, customerId }
      if ((await listCustomerNotes(db, key)).length >= customerNotesMax)
        throw refuse('note_limit', { current: { limit: customerNotesMax } })
      const { kind: actorKind, id: actorId } = actorOf(caller)
      const note = { id: newId('nte'), text, actorKind, actorId, at: now.getTime() }
      insertCustomerNote(db, key, note)
      const names = await listActorNames(db, merchantId, [{ actor: { kind: actorKind, id: actorId } }])
      // The text of the note is stored only in the note, not in the list of changes.
      return new AuditedReply({ data: noteView(note, names) }, [
        { kind: 'change', what: 'customer', id: customerId, name: customerId, members: [] },
        { kind: 'create', what: 'customer_note', id: note.id, name: customerId, members: [] },
      ])
    },

    async eraseAdminCustomer({ db, caller, path: { customerId }, body: { dryRun = false }, now }) {
      const { orderCount } = await lock(db, caller, customerId)
      const keys = await listOrderKeysOfCustomer(db, caller, customerId, customerOrdersMax)
      const open = keys.filter(({ isSettled }) => !isSettled)
      const kept = open.map(({ orderId: id, number }) => ({ id, number }))
      const reply = { data: { orders: orderCount - kept.length, kept } }
      if (dryRun) return new AuditedReply(reply, [])
      requestErasure(db, { merchantId: caller.merchantId, customerId }, now.getTime())
      return new AuditedReply(reply, [
        { kind: 'retire', what: 'customer', id: customerId, name: customerId, members: [] },
      ])
    },
  }
}

function lookAt(customerId: string): AuditedChange {
  return { kind: 'look', what: 'customer', id: customerId, name: customerId, members: [] }
}

async function find(db: Reader, seller: MerchantMode, customerId: string): Promise<CustomerRow> {
  const row = isId('cst', customerId) ? await findCustomer(db, seller, customerId) : undefined
  if (!row) throw refuse('customer_not_found')
  return row
}

async function lock(tx: Tx, seller: MerchantMode, customerId: string): Promise<CustomerRow> {
  const row = isId('cst', customerId) ? await lockCustomer(tx, seller, customerId) : undefined
  if (!row) throw refuse('customer_not_found')
  return row
}
