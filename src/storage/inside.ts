// What only this folder may do with a transaction, and what it tells when something goes wrong. The rest of the house
// sees `Tx` and cannot name these.
import { type SignalName, type Storage, type StorageOptions, StorageUnavailable, type Tx } from './storage.ts'

// A migration may take its time: calling this lifts the time limits of the transaction and gives the way to run its commands.
export const asMigration: unique symbol = Symbol('asMigration')

export interface InsideTx extends Tx {
  [asMigration](): Promise<(command: string) => Promise<void>>
}

// Every Tx is made by sqlite.ts or postgres.ts, and both make an InsideTx.
export function writeInside<T>(storage: Storage, work: (tx: InsideTx) => Promise<T>): Promise<T> {
  return storage.write((tx) => work(tx as InsideTx))
}

export type Log = NonNullable<StorageOptions['log']>

export const ENDED = 'the work of this Reader or Tx has ended: it returned, threw, or took too long'

// Work awaits nothing but its statements and is over in a moment. One that waits for the world would hold up others, so
// it is let go. `patience` is the transaction itself, which a migration makes unhurried while it runs.
export function withinTime<T>(working: Promise<T>, workMsMax: number, patience: { unhurried: boolean }): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!patience.unhurried) reject(new StorageUnavailable(`a piece of work took longer than ${workMsMax} ms`))
    }, workMsMax)
    working.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

// What one transaction signals.
export class Signals {
  readonly #names = new Set<SignalName>()
  readonly #waiting: Promise<unknown>[] = []

  add(name: SignalName, ifAny?: Promise<readonly unknown[]>): void {
    if (!ifAny) this.#names.add(name)
    // A statement that failed signals nothing, and its transaction neither.
    else
      this.#waiting.push(
        ifAny.then(
          (rows) => rows.length > 0 && this.#names.add(name),
          () => {},
        ),
      )
  }

  // Asked when all statements have been answered.
  async given(): Promise<ReadonlySet<SignalName>> {
    if (this.#waiting.length > 0) await Promise.all(this.#waiting)
    return this.#names
  }
}

// The commit is durable; what is run after it can no longer undo it, so an error here is only told.
export function runAll(functions: readonly (() => void)[], log: Log): void {
  for (const run of functions) {
    try {
      run()
    } catch (error) {
      log('a function given to afterCommit threw', { error: traceOf(error) })
    }
  }
}

// Where a defect of ours was thrown. A log line is JSON, in which an error itself is empty or tells too much.
export function traceOf(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error)
}

// Connecting to a name with several addresses fails with several errors and an empty message.
export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
