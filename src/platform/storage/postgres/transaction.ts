// The Reader and the Tx of PostgreSQL.

import { asMigration, CommitSignals, type InsideTx } from '../inside.ts'
import { type ColumnType, Fragment, type Reader, type SignalName, type SqlValue } from '../storage.ts'
import type { Session } from './session.ts'
import { formatArray } from './values.ts'

export class PostgresReader implements Reader {
  readonly engine = 'postgres'
  protected readonly session: Session

  constructor(session: Session) {
    this.session = session
  }

  sql<Row>(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<Row[]> {
    const rows = this.session.sql<Row>(text, values)
    // The failure is stored in the session. If the statement is not awaited, an unhandled rejection would end the process.
    rows.catch(() => {})
    return rows
  }
}

// Not `for update`, which would wait for the key-share locks of foreign keys: two buyers who put the same SKU into their carts, and then
// each lock its stock, would deadlock.
const FOR_UPDATE = new Fragment('for no key update')
const SKIP_LOCKED = new Fragment('for no key update skip locked')

const lockTemplates = new WeakMap<TemplateStringsArray, TemplateStringsArray>()

// Statements are cached by the identity of their template, so a template always gets the same locking template.
function lockTemplateOf(template: TemplateStringsArray): TemplateStringsArray {
  let locking = lockTemplates.get(template)
  if (!locking) {
    const texts = [...template.slice(0, -1), `${template.at(-1)} ${FOR_UPDATE.text}`]
    locking = Object.assign(texts, { raw: texts })
    lockTemplates.set(template, locking)
  }
  return locking
}

export class PostgresTx extends PostgresReader implements InsideTx {
  readonly isAlone = false
  readonly forUpdate = FOR_UPDATE
  readonly skipLocked = SKIP_LOCKED
  readonly afterwards: (() => void)[] = []
  readonly signals = new CommitSignals()

  // `sql` stores a failure, so the commit fails.
  send(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): void {
    void this.sql(text, ...values)
  }

  async lockRow(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<void> {
    await this.sql(lockTemplateOf(text), ...values)
  }

  // Passes one array parameter per column. With a list of values, a statement with a thousand parameters was planned at each call, which
  // took 24 ms; running it took 3 ms.
  rows(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): Fragment {
    const columns = types.map((type) => `cast(? as ${type}[])`).join(', ')
    const values = types.map((_, column) => formatArray(rows.map((row) => row[column] as SqlValue)))
    return new Fragment(`select * from unnest(${columns})`, values)
  }

  forUpdateOf(...aliases: string[]): Fragment {
    return new Fragment(`${FOR_UPDATE.text} of ${aliases.join(', ')}`)
  }

  skipLockedOf(alias: string): Fragment {
    return new Fragment(`${FOR_UPDATE.text} of ${alias} skip locked`)
  }

  // `xmin` identifies the transaction that wrote a row. The inner select sees the row as it was when the statement began.
  isAsFound(table: string, alias: string, key: readonly string[]): Fragment {
    const isSame = key.map((column) => `found.${column} = ${alias}.${column}`).join(' and ')
    return new Fragment(
      `case when ${alias}.xmin = (select found.xmin from ${table} found where ${isSame}) then 1 else 0 end`,
    )
  }

  afterCommit(then: () => void): void {
    this.session.check()
    this.afterwards.push(then)
  }

  signal(name: SignalName, ifAny?: Promise<readonly unknown[]>): void {
    this.session.checkOpen()
    this.signals.add(name, ifAny)
  }

  async [asMigration](): Promise<(command: string) => Promise<void>> {
    this.session.unhurried = true
    await this.session.script(`set local statement_timeout = 0; set local lock_timeout = 0;
      set local idle_in_transaction_session_timeout = 0`)
    return (command) => this.session.script(command)
  }
}
