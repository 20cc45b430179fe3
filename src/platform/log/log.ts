// The log: one JSON object per line, or one readable line at a terminal. Lines are buffered for some milliseconds and written together,
// because one write per line would cost more than answering many requests; warnings and errors are written immediately. The log never
// blocks the server: lines that cannot be written are dropped and counted, and a later line reports them.

import { inspect } from 'node:util'
import { toInstant } from '../kit/instant.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  // `error` is undefined if nothing was thrown.
  error(message: string, error: unknown, fields?: LogFields): void
  flush(): void
  // Number of lines dropped since the start.
  readonly dropped: number
}

export interface LogOptions {
  level: LogLevel
  pretty: boolean
  // Accepts whole lines. Returns false if it cannot. Must neither throw nor wait.
  write: (lines: string) => unknown
  gatherMs?: number
}

// Handing lines to the thread that writes them costs as much as formatting fifty lines.
const gatheredBytesMax = 65_536

export function createLog({ level, pretty, write, gatherMs = 25 }: LogOptions): Log {
  const threshold = logLevels.indexOf(level)
  const shape = pretty ? prettyLine : jsonLine
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  let dropped = 0
  let reported = 0

  function flush(): void {
    if (timer) clearTimeout(timer)
    timer = undefined
    if (dropped > reported) reportDropped()
    if (gathered === '') return
    const lines = gathered
    gathered = ''
    if (write(lines) === false) dropped += lines.split('\n').length - 1
  }

  function reportDropped(): void {
    const line = shape(instantNow(), 'warn', 'log lines were dropped', { lines: dropped - reported })
    if (write(line) !== false) reported = dropped
  }

  function line(lineLevel: LogLevel, message: string, fields: LogFields): void {
    const rank = logLevels.indexOf(lineLevel)
    if (rank < threshold) return
    gathered += shape(instantNow(), lineLevel, message, fields)
    if (rank >= 2 || gathered.length >= gatheredBytesMax) flush()
    else if (!timer) {
      timer = setTimeout(flush, gatherMs)
      timer.unref()
    }
  }

  return {
    debug: (message, fields = {}) => line('debug', message, fields),
    info: (message, fields = {}) => line('info', message, fields),
    warn: (message, fields = {}) => line('warn', message, fields),
    error: (message, error, fields = {}) =>
      line('error', message, error === undefined ? fields : { ...fields, error: describeError(error) }),
    flush,
    get dropped() {
      return dropped
    },
  }
}

// Returns a log that adds fields to each line. Dropped lines are counted by the original log.
export function labelledLog(log: Log, labels: LogFields): Log {
  return {
    debug: (message, fields) => log.debug(message, { ...labels, ...fields }),
    info: (message, fields) => log.info(message, { ...labels, ...fields }),
    warn: (message, fields) => log.warn(message, { ...labels, ...fields }),
    error: (message, error, fields) => log.error(message, error, { ...labels, ...fields }),
    flush: log.flush,
    dropped: 0,
  }
}

const depthMax = 3
const errorsMax = 10

// Describes an error: its stack, its causes, and the errors of an AggregateError. Other members are left out, since an error of a
// database driver may contain values of a statement.
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return inspect(error, { depth: 1, maxStringLength: 200 })
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const cause = error.cause === undefined || depth >= depthMax ? undefined : describeError(error.cause, depth + 1)
  const gathered = error instanceof AggregateError && depth < depthMax ? error.errors : undefined
  const errors = gathered?.slice(0, errorsMax).map((each: unknown) => describeError(each, depth + 1))
  const more = gathered && gathered.length > errorsMax ? { moreErrors: gathered.length - errorsMax } : {}
  return { name: error.name, message: error.message, code, stack: error.stack, cause, errors, ...more }
}

let lastMs = 0
let lastInstant = ''

// Cached, because many lines are written in the same millisecond.
function instantNow(): string {
  const ms = Date.now()
  if (ms !== lastMs) {
    lastMs = ms
    lastInstant = toInstant(ms)
  }
  return lastInstant
}

// Concatenated by hand, which costs half as much as building an object: nearly all values are short and plain.
function jsonLine(at: string, level: LogLevel, message: string, fields: LogFields): string {
  let line = `{"time":"${at}","level":"${level}","message":${jsonText(message)}`
  for (const name in fields) {
    const text = jsonText(fields[name])
    if (text !== undefined) line += `,${jsonText(name)}:${text}`
  }
  return `${line}}\n`
}

// ASCII text without quotation marks and backslashes.
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function jsonText(value: unknown): string | undefined {
  if (typeof value === 'string' && plain.test(value)) return `"${value}"`
  return JSON.stringify(value) as string | undefined
}

const colour: Record<LogLevel, string> = { debug: '2', info: '36', warn: '33', error: '31', silent: '0' }

function prettyLine(at: string, level: LogLevel, message: string, fields: LogFields): string {
  const head = `\x1b[2m${at.slice(11, 23)}\x1b[0m \x1b[${colour[level]}m${level.padEnd(5)}\x1b[0m`
  if (message === 'request') return `${head} ${prettyRequest(fields)}\n`
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(
      ([name, value]) => ` \x1b[2m${name}=\x1b[0m${typeof value === 'object' ? inspect(value, { depth: 4 }) : value}`,
    )
  return `${head} ${message}${rest.join('')}\n`
}

function prettyRequest(fields: LogFields): string {
  const status = Number(fields.status)
  const tint = status >= 500 ? '31' : status >= 400 ? '33' : '32'
  const what = fields.operation ?? fields.route ?? '–'
  const code = fields.code ? ` ${fields.code}` : ''
  const time = fields.durationMs === undefined ? '' : ` ${fields.durationMs} ms`
  const who = fields.callerId ? ` ${fields.callerId}` : ''
  const method = String(fields.method ?? '–').padEnd(6)
  return `\x1b[${tint}m${status}\x1b[0m ${method} ${what}${code}\x1b[2m${time} ${fields.requestId}${who}\x1b[0m`
}
