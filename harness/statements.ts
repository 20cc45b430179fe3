// Counts what a server asks of its database: statements, commits, round trips and the bytes of what is written. The counts of a request
// depend on the code alone, not on the machine.

import type { Fragment, Reader, SqlValue, Storage, Tx } from '../src/platform/storage/storage.ts'

export interface StatementCounts {
  // Without begin and commit, and on SQLite without locks, which are no statements there.
  statements: number
  // Transactions that only read, and those that may write, each of which is a commit.
  reads: number
  commits: number
  // On PostgreSQL: how often the work had to wait for answers, one after the other, commits included.
  roundTrips: number
  // Values of statements that write.
  bytesWritten: number
}

export interface CountedStorage {
  storage: Storage
  // Since the last call.
  take(): StatementCounts
  // Called with the text of each statement.
  onStatement: ((text: string) => void) | undefined
}

const none: StatementCounts = { statements: 0, reads: 0, commits: 0, roundTrips: 0, bytesWritten: 0 }

export function countStatements(inner: Storage): CountedStorage {
  let counts = { ...none }
  const counted: CountedStorage = {
    storage: {
      ...inner,
      async read(work) {
        counts.reads += 1
        const transaction = new Counted(counts, counted)
        const value = await inner.read((db) => work(transaction.reader(db)))
        counts.roundTrips += inner.engine === 'postgres' ? transaction.depth : 0
        return value
      },
      async write(work) {
        counts.commits += 1
        const transaction = new Counted(counts, counted)
        const value = await inner.write((tx) => work(transaction.tx(tx)))
        counts.roundTrips += inner.engine === 'postgres' ? transaction.depth + 1 : 0
        return value
      },
    },
    take() {
      const taken = counts
      counts = { ...none }
      return taken
    },
    onStatement: undefined,
  }
  return counted
}

export function sumOfCounts(all: readonly StatementCounts[]): StatementCounts {
  const sum = { ...none }
  for (const counts of all) for (const name of Object.keys(sum) as (keyof StatementCounts)[]) sum[name] += counts[name]
  return sum
}

type Parts = (SqlValue | Fragment)[]

// One transaction. A statement that is sent after an answer waited for it: it is one round trip further.
class Counted {
  depth = 0
  #answered = 0
  readonly #counts: StatementCounts
  readonly #watch: Pick<CountedStorage, 'onStatement'>

  constructor(counts: StatementCounts, watch: Pick<CountedStorage, 'onStatement'>) {
    this.#counts = counts
    this.#watch = watch
  }

  reader(db: Reader): Reader {
    return {
      engine: db.engine,
      sql: <Row>(text: TemplateStringsArray, ...values: Parts) =>
        this.#note(text, values, db.sql<Row>(text, ...values)),
    }
  }

  tx(tx: Tx): Tx {
    return {
      ...this.reader(tx),
      isAlone: tx.isAlone,
      forUpdate: tx.forUpdate,
      skipLocked: tx.skipLocked,
      send: (text, ...values) => void this.#note(text, values, tx.sql(text, ...values)),
      lockRow: (text, ...values) =>
        tx.isAlone ? Promise.resolve() : this.#note(text, values, tx.lockRow(text, ...values)),
      forUpdateOf: (...aliases) => tx.forUpdateOf(...aliases),
      skipLockedOf: (alias) => tx.skipLockedOf(alias),
      isAsFound: (table, alias, key) => tx.isAsFound(table, alias, key),
      rows: (rows, types) => tx.rows(rows, types),
      afterCommit: (then) => tx.afterCommit(then),
      signal: (name, ifAny) => tx.signal(name, ifAny),
    }
  }

  #note<Answer>(text: TemplateStringsArray, values: Parts, answer: Promise<Answer>): Promise<Answer> {
    const written = text.join('?')
    this.#counts.statements += 1
    this.#watch.onStatement?.(written)
    if (/\b(insert into|update \w+ set|delete from)\b/.test(written)) this.#counts.bytesWritten += bytesOf(values)
    const depth = this.#answered + 1
    this.depth = Math.max(this.depth, depth)
    const note = () => {
      this.#answered = Math.max(this.#answered, depth)
    }
    answer.then(note, note)
    return answer
  }
}

function bytesOf(values: Parts): number {
  let bytes = 0
  for (const value of values) {
    if (typeof value === 'string') bytes += Buffer.byteLength(value)
    else if (typeof value === 'number') bytes += 8
    else if (value !== null) bytes += bytesOf([...value.values])
  }
  return bytes
}
