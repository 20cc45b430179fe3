// The Reader of a SQLite connection, and the base class of its Tx. Statements run one after the other, until one fails or the work ends.
import type { Connection } from './connection.ts'
import { ENDED } from './inside.ts'
import { parameterValues } from './statement.ts'
import type { Fragment, Reader, SqlValue } from './storage.ts'

export class SqliteReader implements Reader {
  readonly engine = 'sqlite'
  // The first error of a statement. Afterwards no statement runs, as in PostgreSQL: SQLite may have ended the transaction, and the next
  // statement would be committed by itself.
  failure: Error | undefined
  protected readonly connection: Connection
  #ended = false

  constructor(connection: Connection) {
    this.connection = connection
  }

  sql<Row>(template: TemplateStringsArray, ...parts: (SqlValue | Fragment)[]): Promise<Row[]> {
    try {
      this.check()
      return Promise.resolve(this.attempt(() => this.connection.run<Row>(template, parts, parameterValues(parts))))
    } catch (error) {
      const rejected = Promise.reject(error)
      // The failure is stored above. An unhandled rejection would end the process.
      rejected.catch(() => {})
      return rejected
    }
  }

  end(): void {
    this.#ended = true
  }

  protected check(): void {
    this.checkOpen()
    if (this.failure) throw this.failure
  }

  protected checkOpen(): void {
    if (this.#ended) throw new Error(ENDED)
  }

  protected attempt<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      this.failure = error as Error
      throw error
    }
  }
}
