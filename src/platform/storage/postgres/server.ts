// Opens the pool, and checks that the server, and a connection pooler in front of it, can be used.

import pg from 'pg'
import { errorMessageOf, type Log } from '../inside.ts'
import { StorageRefused } from '../storage.ts'
import type { PostgresBounds } from './bounds.ts'
import { parserFor } from './values.ts'

const IDLE_IN_TRANSACTION_MS = 15_000

export function openPool(url: string, bounds: PostgresBounds): pg.Pool {
  try {
    return new pg.Pool({
      connectionString: url,
      pipeline: true,
      max: bounds.connectionsMax,
      connectionTimeoutMillis: bounds.connectMsMax,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: 'cartwright',
      statement_timeout: bounds.statementMsMax,
      lock_timeout: bounds.lockMsMax,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      types: { getTypeParser: (oid: number) => parserFor(oid) },
    })
  } catch {
    // The parser's own error message repeats the URL with its password.
    throw new StorageRefused('the PostgreSQL URL must have the form postgres://user:password@host:port/database')
  }
}

interface ServerFacts {
  version: number
  encoding: string
  standby: number
  role: string
  schema: string | null
  // The schema in which the search path finds tables of Cartwright.
  found: string | null
  unlimited: string
}

// Returns the schema that contains the tables of Cartwright, or will contain them.
export async function checkServer(pool: pg.Pool, log: Log): Promise<string> {
  const { rows } = await pool
    .query<ServerFacts>(`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      pg_is_in_recovery() as standby, current_user as role, current_schema() as schema,
      (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.oid = to_regclass('schema_migrations')) as found, (
        select coalesce(string_agg(name, ', ' order by name), '') from pg_settings
        where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') and setting = '0'
      ) as unlimited`)
    .catch((error: unknown) => {
      throw /unsupported startup parameter/.test(errorMessageOf(error))
        ? new StorageRefused(STARTUP_PARAMETERS, error)
        : error
    })
  const [server] = rows
  if (!server) throw new StorageRefused('PostgreSQL did not report its version')
  if (server.version < 150_000) throw new StorageRefused('PostgreSQL must be of version 15 or later')
  if (server.encoding !== 'UTF8')
    throw new StorageRefused(`the encoding of the database must be UTF8, not ${server.encoding}`)
  if (server.standby) throw new StorageRefused('this PostgreSQL server is a read-only standby: connect to the primary')
  if (server.schema === null) throw new StorageRefused('the search path of PostgreSQL must contain an existing schema')
  // Otherwise existing tables would be read from one schema, and new tables created in another.
  if (server.found !== null && server.found !== server.schema)
    throw new StorageRefused(
      `the search path contains the schema ${server.found} with the tables of another Cartwright, but new tables would be created in ${server.schema}: set the search path to one schema`,
    )
  const unlimited = server.unlimited.split(', ').filter(Boolean)
  if (unlimited.length > 0)
    log('time limits are off, because a connection pooler drops them: set them on the role and reconnect', {
      set: unlimited.map(
        (name) => `alter role ${pg.escapeIdentifier(server.role)} set ${name} = '${roleLimits[name]}'`,
      ),
    })
  return server.schema
}

// The limits that docs/growing.md recommends.
const roleLimits: Readonly<Record<string, string>> = {
  statement_timeout: '9s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '15s',
}

const STARTUP_PARAMETERS =
  'the connection pooler refuses our time limits: set PgBouncer to ignore_startup_parameters = statement_timeout, ' +
  'lock_timeout, idle_in_transaction_session_timeout, and set the three on the role'

// Checks that a prepared statement still exists in the next transaction. A pooler that assigns transactions to any connection must keep
// track of prepared statements (PgBouncer does from 1.21); otherwise every second statement would fail, or the statement of another
// process would run under our name.
export async function checkPooler(pool: pg.Pool, connectionsMax: number): Promise<void> {
  const statement = { name: 'cartwright_check', text: 'select 1' }
  const client = await pool.connect()
  let other: pg.PoolClient | undefined
  try {
    await client.query(statement)
    // Occupies the connection that was just returned to the pooler. A pool with one connection would wait for a second one until it timed
    // out.
    if (connectionsMax > 1) other = await pool.connect().catch(() => undefined)
    await other?.query('begin')
    await client.query(statement)
  } catch (error) {
    throw new StorageRefused(
      'the connection pooler forgets prepared statements: use PgBouncer 1.21 or later with max_prepared_statements above 0, or session mode',
      error,
    )
  } finally {
    await other?.query('rollback').catch(() => {})
    other?.release()
    client.release()
  }
}
