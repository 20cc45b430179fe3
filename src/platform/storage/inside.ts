// Operations on a transaction that are reserved for this folder, and helpers to report its errors. Other folders only see `Tx`, which
// does not have these operations.
import { type SignalName, type Storage, type StorageOptions, StorageUnavailable, type Tx } from './storage.ts'

// For migrations, which may take long: lifts the time limits of the transaction, and returns a function that runs a command in it.
export const asMigration: unique symbol = Symbol('asMigration')

export interface InsideTx extends Tx {
  [asMigration](): Promise<(command: string) => Promise<void>>
}

// The cast holds: both engines only create transactions that implement InsideTx (`SqliteTx`, `PostgresTx`).
export function writeInside<T>(storage: Storage, work: (tx: InsideTx) => Promise<T>): Promise<T> {
  return storage.write((tx) => work(tx as InsideTx))
}

export type Log = NonNullable<StorageOptions['log']>

export const ENDED = 'this Reader or Tx has ended: its work returned, threw, or took too long'

// Work in a transaction awaits only its statements and ends within milliseconds. Work that awaits something else would delay other work,
// so it is abandoned after `workMsMax`, except a migration (`patience.unhurried`).
export function withinTime<T>(working: Promise<T>, workMsMax: number, patience: { unhurried: boolean }): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!patience.unhurried) reject(new StorageUnavailable(`a read or write took longer than ${workMsMax} ms`))
    }, workMsMax)
    working.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

// The signals of one transaction.
export class CommitSignals {
  readonly #names = new Set<SignalName>()
  readonly #waiting: Promise<unknown>[] = []

  add(name: SignalName, ifAny?: Promise<readonly unknown[]>): void {
    if (!ifAny) this.#names.add(name)
    // A failed statement adds no signal, because its transaction will not commit.
    else
      this.#waiting.push(
        ifAny.then(
          (rows) => rows.length > 0 && this.#names.add(name),
          () => {},
        ),
      )
  }

  // Called after the results of all statements have arrived.
  async given(): Promise<ReadonlySet<SignalName>> {
    if (this.#waiting.length > 0) await Promise.all(this.#waiting)
    return this.#names
  }
}

// The commit is durable and cannot be undone, so an error here is only logged.
export function runAll(functions: readonly (() => void)[], log: Log): void {
  for (const run of functions) {
    try {
      run()
    } catch (error) {
      log('a function given to afterCommit threw', { error: stackOf(error) })
    }
  }
}

// Returns the stack of a defect. In JSON, an Error would be empty, or show members that must not be logged.
export function stackOf(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error)
}

// If a host name has several addresses, a failed connection has several errors and an empty message.
export function errorMessageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorMessageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
