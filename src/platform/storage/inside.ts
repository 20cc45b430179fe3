// Operations on a transaction that only this folder may use, and how it reports errors. Other folders see `Tx`, which does not have them.
import { type SignalName, type Storage, type StorageOptions, StorageUnavailable, type Tx } from './storage.ts'

// A migration may take long: this call lifts the time limits of the transaction and returns the function that runs its
// commands.
export const asMigration: unique symbol = Symbol('asMigration')

export interface InsideTx extends Tx {
  [asMigration](): Promise<(command: string) => Promise<void>>
}

// Every Tx is made by sqlite.ts or postgres.ts, and both make an InsideTx.
export function writeInside<T>(storage: Storage, work: (tx: InsideTx) => Promise<T>): Promise<T> {
  return storage.write((tx) => work(tx as InsideTx))
}

export type Log = NonNullable<StorageOptions['log']>

export const ENDED = 'this Reader or Tx has ended: its work returned, threw, or took too long'

// Work awaits only its statements and ends within milliseconds. Work that waits for something else would delay others,
// so it is abandoned. `patience` is the transaction itself; a migration sets its `unhurried`.
export function withinTime<T>(working: Promise<T>, workMsMax: number, patience: { unhurried: boolean }): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!patience.unhurried) reject(new StorageUnavailable(`a piece of work took longer than ${workMsMax} ms`))
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
    // A failed statement signals nothing: its transaction will not commit.
    else
      this.#waiting.push(
        ifAny.then(
          (rows) => rows.length > 0 && this.#names.add(name),
          () => {},
        ),
      )
  }

  // Called after all statements have been answered.
  async given(): Promise<ReadonlySet<SignalName>> {
    if (this.#waiting.length > 0) await Promise.all(this.#waiting)
    return this.#names
  }
}

// The commit is durable and can no longer be undone, so an error here is only logged.
export function runAll(functions: readonly (() => void)[], log: Log): void {
  for (const run of functions) {
    try {
      run()
    } catch (error) {
      log('a function given to afterCommit threw', { error: stackOf(error) })
    }
  }
}

// Returns the stack of a defect. A log line is JSON, in which an Error would be empty or reveal too much.
export function stackOf(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error)
}

// Connecting to a name with several addresses fails with several errors and an empty message.
export function errorMessageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorMessageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
