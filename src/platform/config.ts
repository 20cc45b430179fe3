// Settings from the environment, read once at the start. Values are checked: an invalid value stops the start with one line that names
// the setting. Only the settings about cells are read elsewhere, in ops/cli/cellsfile.ts.

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { isIP } from 'node:net'
import { dirname, join } from 'node:path'
import { BadSetting } from './kit/badsetting.ts'
import { isEmail } from './kit/email.ts'
import { type MailTarget, parseMailUrl } from './kit/mailurl.ts'
import { type MediaTarget, parseMediaUrl } from './kit/mediaurl.ts'
import { program } from './kit/program.ts'
import { parseRetention, type RetentionMs, retentionDefaultsMs } from './kit/retention.ts'
import { isSlug } from './kit/slug.ts'
import { type LogLevel, logLevels } from './log/log.ts'
import { makeSecretText, parseRootSecret, RootSecret } from './secrets/secrets.ts'
import { sqlitePath } from './storage/file.ts'

export interface Rate {
  perSecond: number
  burst: number
}

export interface Settings {
  production: boolean
  port: number
  host: string
  databaseUrl: string
  // PostgreSQL: maximum number of connections per process, besides the one that listens.
  databaseConnections: number
  // Origin under which clients reach this server, without a trailing slash. Null: this machine, at the port that was opened.
  publicUrl: string | null
  // The root secret from CARTWRIGHT_SECRET or CARTWRIGHT_SECRET_FILE. Null if neither is set.
  givenSecret: RootSecret | null
  // Null: no rate limits.
  rateLimit: Rate | null
  trustedProxies: readonly string[]
  // Whether webhooks may be sent to http: addresses and private networks. For development.
  webhookAllowPrivate: boolean
  retentionMs: RetentionMs
  logLevel: LogLevel
  // Time for which a server that is ending reports this at /readyz before it closes its port.
  drainDelayMs: number
  // Where /metrics is served: `on` the port of the shop, on another port, or nowhere (`off`).
  metrics: 'on' | 'off' | number
  tracesUrl: string | null
  // Base URLs on this machine that replace those of payment providers' APIs and of VIES. For tests.
  providerUrls: Readonly<Record<string, string>>
  // Where e-mails are delivered (a mail server, a folder or nowhere), and their sender address.
  mail: { target: MailTarget; from: string }
  // Where the pictures of products are stored.
  media: MediaTarget
  // The shop whose agent profile is served for the whole server: `tea` or `tea/test`. Null: the only live shop that is open to agents, or
  // without live ones the only one in test mode.
  agentsShop: string | null
  // Whether a month of orders is created for a new demo shop.
  demoHistory: boolean
  // Whether npm started the server. npm does not forward signals, so the server watches whether npm has ended.
  isRunByNpm: boolean
}

// The settings with the root secret of the database.
export interface Config extends Settings {
  rootSecret: RootSecret
}

export type Environment = Readonly<Record<string, string | undefined>>

// Only reads: creates and changes nothing.
export function readSettings(environment: Environment): Settings {
  // An empty variable counts as not set, because compose files and shells pass unset values as empty ones.
  const given = (name: string) => environment[name] || undefined
  const production = given('NODE_ENV') === 'production'
  const publicUrl = readPublicUrl(given('CARTWRIGHT_PUBLIC_URL'))
  return {
    production,
    port: readPort(given('PORT')),
    // In production without a public URL, the server only listens on this machine, where a shop can be set up and tried.
    host: given('HOST') ?? (production && publicUrl === null ? '127.0.0.1' : '0.0.0.0'),
    databaseUrl: readDatabaseUrl(given('CARTWRIGHT_DATABASE_URL')),
    databaseConnections: readConnections(given('CARTWRIGHT_DATABASE_CONNECTIONS')),
    publicUrl,
    givenSecret: readGivenSecret(given('CARTWRIGHT_SECRET'), given('CARTWRIGHT_SECRET_FILE')),
    rateLimit: readRateLimit(given('CARTWRIGHT_RATE_LIMIT')),
    trustedProxies: readProxies(given('CARTWRIGHT_TRUSTED_PROXIES')),
    webhookAllowPrivate: readSwitch('CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE', given('CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE')),
    retentionMs: readRetention(given('CARTWRIGHT_RETENTION')),
    logLevel: readLogLevel(given('LOG_LEVEL')),
    drainDelayMs: readDrainSeconds(given('CARTWRIGHT_DRAIN_SECONDS')) * 1000,
    metrics: readMetrics(given('CARTWRIGHT_METRICS')),
    tracesUrl: readTracesUrl(given('CARTWRIGHT_TRACES_URL')),
    providerUrls: {
      ...readProviderUrl('stripe', 'CARTWRIGHT_STRIPE_URL', environment),
      ...readProviderUrl('mollie', 'CARTWRIGHT_MOLLIE_URL', environment),
      ...readProviderUrl('vies', 'CARTWRIGHT_VIES_URL', environment),
    },
    mail: readMail(given('CARTWRIGHT_MAIL_URL'), given('CARTWRIGHT_MAIL_FROM'), production),
    media: readMedia(given('CARTWRIGHT_MEDIA_URL')),
    agentsShop: readAgentsShop(given('CARTWRIGHT_AGENTS_SHOP')),
    demoHistory: readDemoHistory(given('CARTWRIGHT_DEMO_HISTORY')),
    isRunByNpm: given('npm_lifecycle_event') !== undefined,
  }
}

function readPort(text = '4000'): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new BadSetting(`PORT must be a number from 0 to 65535, not ${quote(text)}.`)
  return port
}

function readConnections(text = '16'): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1)
    throw new BadSetting(`CARTWRIGHT_DATABASE_CONNECTIONS must be a number from 1 to 999, not ${quote(text)}.`)
  return Number(text)
}

function readDrainSeconds(text = '0'): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 300)
    throw new BadSetting(`CARTWRIGHT_DRAIN_SECONDS must be a number from 0 to 300, not ${quote(text)}.`)
  return Number(text)
}

function readAgentsShop(text: string | undefined): string | null {
  if (text === undefined) return null
  if (!isSlug(text.replace(/\/test$/, '')))
    throw new BadSetting(`CARTWRIGHT_AGENTS_SHOP must name a shop, like tea or tea/test, not ${quote(text)}.`)
  return text
}

function readDemoHistory(text = 'on'): boolean {
  if (text !== 'on' && text !== 'off')
    throw new BadSetting(`CARTWRIGHT_DEMO_HISTORY must be on or off, not ${quote(text)}.`)
  return text === 'on'
}

function readMetrics(text = 'on'): Config['metrics'] {
  if (text === 'on' || text === 'off') return text
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text)
  throw new BadSetting(`CARTWRIGHT_METRICS must be on, off or the number of a separate port, not ${quote(text)}.`)
}

function readTracesUrl(text: string | undefined): string | null {
  if (text === undefined) return null
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '')
  throw new BadSetting(
    'CARTWRIGHT_TRACES_URL must be the http or https address of an OpenTelemetry collector, such as http://127.0.0.1:4318.',
  )
}

function readDatabaseUrl(text = 'sqlite:data/cartwright.db'): string {
  if (/^postgres(ql)?:\/\/.+/.test(text)) {
    const [, hosts = ''] = /\/\/(?:[^/?]*@)?([^/?]*)/.exec(text) ?? []
    if (hosts.includes(','))
      throw new BadSetting(
        'CARTWRIGHT_DATABASE_URL must name one host that always leads to the primary, such as a proxy, a virtual address or a DNS name, not several hosts.',
      )
    return text
  }
  if (/^sqlite:/.test(text)) {
    try {
      sqlitePath(text)
      return text
    } catch (error) {
      throw new BadSetting(`CARTWRIGHT_DATABASE_URL cannot be used: ${(error as Error).message}.`)
    }
  }
  // The value may contain a password, so the message does not repeat it.
  throw new BadSetting(
    'CARTWRIGHT_DATABASE_URL must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>.',
  )
}

function readPublicUrl(text: string | undefined): string | null {
  if (text === undefined) return null
  const problem = `CARTWRIGHT_PUBLIC_URL must be an origin such as https://shop.example.com, not ${quote(text)}.`
  if (!URL.canParse(text)) throw new BadSetting(problem)
  const url = new URL(text)
  if (!['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username)
    throw new BadSetting(problem)
  return url.origin
}

function readGivenSecret(text: string | undefined, file: string | undefined): RootSecret | null {
  if (text !== undefined && file !== undefined)
    throw new BadSetting('CARTWRIGHT_SECRET and CARTWRIGHT_SECRET_FILE are both set: set only one of them.')
  if (text !== undefined) return rootSecretFrom(text, 'CARTWRIGHT_SECRET')
  if (file === undefined) return null
  const secret = readSecretFile(file)
  if (secret === undefined)
    throw new BadSetting(`CARTWRIGHT_SECRET_FILE must name an existing file, but there is no file ${file}.`)
  return secret
}

const publicNeedsSecret = 'CARTWRIGHT_SECRET is required when NODE_ENV is production and CARTWRIGHT_PUBLIC_URL is set'

// Returns the configured root secret, or the path of the secret file beside a SQLite database, which may not exist yet. With PostgreSQL
// the secret must be configured: there is no folder, and a secret that one node generated would be unknown to others. A public shop must
// configure it too, so data cannot be decrypted with a copy of one folder.
export function secretSourceOf(settings: Settings, databaseUrl: string): RootSecret | string {
  const { givenSecret, production, publicUrl } = settings
  if (givenSecret !== null) return givenSecret
  const required = 'the root secret of this database, or for a new one what'
  if (!databaseUrl.startsWith('sqlite:'))
    throw new BadSetting(`CARTWRIGHT_SECRET is required with PostgreSQL: ${required} \`${program} secret\` prints.`)
  const file = join(dirname(sqlitePath(databaseUrl)), 'secret')
  if (production && publicUrl !== null)
    throw new BadSetting(
      existsSync(file)
        ? `${publicNeedsSecret}. The root secret of this database is in ${file}: move the file to another folder, and set CARTWRIGHT_SECRET_FILE to its path.`
        : `${publicNeedsSecret}: ${required} \`${program} secret\` prints.`,
    )
  return file
}

// Returns undefined if the file does not exist yet.
export function findRootSecret(source: RootSecret | string): RootSecret | undefined {
  return source instanceof RootSecret ? source : readSecretFile(source)
}

// Creates the secret file, unless another process has created it, readable only by its owner.
export function makeRootSecret(file: string): RootSecret {
  const folder = dirname(file)
  orRefuse(`Cannot make the folder ${folder}`, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  orRefuse(`Cannot write the root secret to ${file}`, () => writeOnce(folder, file))
  const secret = readSecretFile(file)
  if (secret === undefined)
    throw new BadSetting(`The root secret in ${file} was removed by another process as soon as it was created.`)
  return secret
}

function readSecretFile(file: string): RootSecret | undefined {
  let text: string
  try {
    text = readText(file)
  } catch (error) {
    // ENOTDIR: a part of the path is a file. Creating the folder reports that later.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new BadSetting(`Cannot read the root secret in ${file}: ${(error as Error).message}`)
  }
  return rootSecretFrom(text, file)
}

// More than any root secret has. One byte more is read, so a file that is too long is detected and not truncated.
const secretBytesMax = 300_000

function readText(file: string): string {
  const fd = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(secretBytesMax + 1)
    let length = 0
    for (;;) {
      const read = readSync(fd, bytes, length, bytes.length - length, null)
      if (read === 0) break
      length += read
    }
    if (length > secretBytesMax) throw new Error(`the file has more than ${secretBytesMax} bytes`)
    return bytes.toString('utf8', 0, length).trim()
  } finally {
    closeSync(fd)
  }
}

// The file appears under its name complete or not at all. If two processes start at the same time, one creates it and both read the same
// secret. The file is synced to the disk before the secret is used, since nothing could be decrypted without it.
function writeOnce(folder: string, file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, `${makeSecretText()}\n`, { mode: 0o600, flag: 'wx', flush: true })
    linkSync(draft, file)
    sync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function sync(folder: string): void {
  // Windows cannot open a folder to sync it, and does not need to.
  if (process.platform === 'win32') return
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function orRefuse(problem: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new BadSetting(`${problem}: ${(error as Error).message}`)
  }
}

function rootSecretFrom(text: string, source: string): RootSecret {
  const secret = parseRootSecret(text)
  if ('problem' in secret) throw new BadSetting(`${source}: ${secret.problem}`)
  return secret
}

function readRateLimit(text = '100/200'): Rate | null {
  if (text === 'off') return null
  const [, perSecond, burst] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []
  if (Number(perSecond) >= 1 && Number(burst) >= 1) return { perSecond: Number(perSecond), burst: Number(burst) }
  throw new BadSetting(
    `CARTWRIGHT_RATE_LIMIT must be <requests per second>/<burst>, such as 100/200, or off, not ${quote(text)}.`,
  )
}

function readProxies(text = ''): string[] {
  const proxies = text
    .split(',')
    .map((proxy) => proxy.trim())
    .filter(Boolean)
  const bad = proxies.find((proxy) => !isNetwork(proxy))
  if (bad !== undefined)
    throw new BadSetting(
      `CARTWRIGHT_TRUSTED_PROXIES must be a list of addresses or networks, such as 10.0.0.0/8, not ${quote(bad)}.`,
    )
  return proxies
}

// A network of all addresses (prefix 0) is a mistake, and an address with a zone is only valid on one machine.
function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', prefix, ...rest] = text.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128)
}

// A switch that weakens a protection has exactly two values, so `false` or `no` cannot turn it on by mistake.
function readSwitch(name: string, text = '0'): boolean {
  if (text !== '0' && text !== '1') throw new BadSetting(`${name} must be 1 or 0, not ${quote(text)}.`)
  return text === '1'
}

function readRetention(text: string | undefined): RetentionMs {
  if (text === undefined) return retentionDefaultsMs
  const retentionMs = parseRetention(text)
  if ('problem' in retentionMs) throw new BadSetting(`CARTWRIGHT_RETENTION ${retentionMs.problem}, not ${quote(text)}.`)
  return retentionMs
}

// API keys of payment accounts are sent to this URL, so it must be on this machine, and it is refused in production.
function readProviderUrl(provider: string, name: string, environment: Environment): Readonly<Record<string, string>> {
  const text = environment[name] || undefined
  if (text === undefined) return {}
  const url = URL.parse(text)
  const isLoopback = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1' || url?.hostname === '[::1]'
  if (url?.protocol !== 'http:' || !isLoopback || url.pathname !== '/' || url.search || url.hash)
    throw new BadSetting(
      `${name} must be an address on this machine such as http://127.0.0.1:8420, not ${quote(text)}.`,
    )
  if (environment.NODE_ENV === 'production') throw new BadSetting(`${name} is for tests: unset it in production.`)
  return { [provider]: url.origin }
}

// By default, a server in production sends no e-mails.
function readMail(url: string | undefined, from: string | undefined, production: boolean): Settings['mail'] {
  const target = parseMailUrl(url ?? (production ? 'off' : 'file:data/mail'))
  if ('problem' in target) throw new BadSetting(`CARTWRIGHT_MAIL_URL ${target.problem}.`)
  if (from !== undefined && (!isEmail(from) || /[<>()[\],;:\\"\s]/.test(from)))
    throw new BadSetting(
      `CARTWRIGHT_MAIL_FROM must be an e-mail address such as orders@shop.example.com, not ${quote(from)}.`,
    )
  if (from === undefined && target.kind === 'smtp')
    throw new BadSetting(
      'CARTWRIGHT_MAIL_FROM is required with a mail server: set it to the sender address of the e-mails.',
    )
  return { target, from: from ?? 'shop@localhost' }
}

function readMedia(text = 'file:data/media'): MediaTarget {
  const target = parseMediaUrl(text)
  if ('problem' in target) throw new BadSetting(`CARTWRIGHT_MEDIA_URL ${target.problem}.`)
  return target
}

function readLogLevel(text = 'info'): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (!level) throw new BadSetting(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not ${quote(text)}.`)
  return level
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
