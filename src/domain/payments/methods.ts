// A merchant's manual payment methods by mode: which are offered, the instructions for the shopper, and how long the shop waits for the
// money. Rules and SQL.

import { type ManualMethod, type Mode, manualMethods, modes } from '../../contract/words.ts'
import { Fragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

export interface MethodSettings {
  mode: Mode
  method: ManualMethod
  isOffered: boolean
  // Plain text for the shopper, such as the bank account. Line breaks are kept.
  instructions: string | null
  // If the order is not paid this many days after it was placed, it is cancelled. Null: never.
  termDays: number | null
  // Whether these are the defaults, because the merchant has not configured the method.
  isDefault: boolean
}

// Returns the defaults of a method that the merchant has not configured: in test mode it can be tried; in live mode it is not offered,
// because shoppers would not know how to pay.
export function defaultSettings(mode: Mode, method: ManualMethod): MethodSettings {
  const termDays = method === 'bank_transfer' ? 14 : null
  return { mode, method, isOffered: mode === 'test', instructions: null, termDays, isDefault: true }
}

// In live mode, a bank transfer needs instructions that name the bank account.
export function lacksInstructions({
  mode,
  method,
  isOffered,
  instructions,
}: Pick<MethodSettings, 'mode' | 'method' | 'isOffered' | 'instructions'>): boolean {
  return mode === 'live' && method === 'bank_transfer' && isOffered && instructions === null
}

type Row = Omit<MethodSettings, 'isOffered' | 'isDefault'> & { disabledAt: number | null }

const columns = new Fragment('mode, method, instructions, term_days as "termDays", disabled_at as "disabledAt"')

// Returns every method in both modes, whether or not the merchant has configured it.
export async function listMethodSettings(db: Reader, merchant: string): Promise<MethodSettings[]> {
  const rows = await db.sql<Row>`select ${columns} from manual_methods where merchant_id = ${merchant}`
  return modes.flatMap((mode) =>
    manualMethods.map((method) => {
      const row = rows.find((one) => one.mode === mode && one.method === method)
      return row ? settingsFrom(row) : defaultSettings(mode, method)
    }),
  )
}

// Returns undefined if `method` is not a manual method.
export async function findMethodSettings(
  db: Reader,
  merchant: string,
  { mode, method }: { mode: Mode; method: string },
): Promise<MethodSettings | undefined> {
  const known = manualMethods.find((one) => one === method)
  if (!known) return undefined
  const [row] = await db.sql<Row>`
    select ${columns} from manual_methods where merchant_id = ${merchant} and mode = ${mode} and method = ${known}`
  return row ? settingsFrom(row) : defaultSettings(mode, known)
}

export async function saveMethodSettings(
  tx: Tx,
  merchant: string,
  { mode, method, isOffered, instructions, termDays }: MethodSettings,
  now: number,
): Promise<void> {
  await tx.sql`
    insert into manual_methods (merchant_id, mode, method, instructions, term_days, disabled_at, created_at, updated_at)
    values (${merchant}, ${mode}, ${method}, ${instructions}, ${termDays}, ${isOffered ? null : now}, ${now}, ${now})
    on conflict (merchant_id, mode, method) do update set instructions = excluded.instructions,
      term_days = excluded.term_days, disabled_at = excluded.disabled_at, updated_at = excluded.updated_at`
}

function settingsFrom({ disabledAt, ...row }: Row): MethodSettings {
  return { ...row, isOffered: disabledAt === null, isDefault: false }
}

const dayMs = 24 * 3_600_000

// Returns the deadline for the money of an order that is placed now; null if there is none.
export function paymentDueAt({ termDays }: MethodSettings, now: number): number | null {
  return termDays === null ? null : now + termDays * dayMs
}
