// The environment, read once and checked whole: a bad value stops the start with one clear line. Nobody else reads it.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseRootSecret, type RootSecret } from './kit/secrets.ts'
import { type LogLevel, logLevels } from './observe/log.ts'

export interface Rate {
  perSecond: number
  burst: number
}

export interface Config {
  production: boolean
  port: number
  host: string
  databaseUrl: string
  // Where this server is reached from outside, without a slash at the end. null: on this machine, at the port it gets.
  publicUrl: string | null
  rootSecret: RootSecret
  // null: nobody is limited.
  rateLimit: Rate | null
  trustedProxies: readonly string[]
  logLevel: LogLevel
}

export class BadSetting extends Error {}

type Environment = Readonly<Record<string, string | undefined>>

export function readConfig(environment: Environment = process.env): Config {
  const production = environment.NODE_ENV === 'production'
  const port = readPort(environment.PORT)
  const host = environment.HOST || '0.0.0.0'
  const databaseUrl = readDatabaseUrl(environment.CARTWRIGHT_DATABASE_URL)
  return {
    production,
    port,
    host,
    databaseUrl,
    publicUrl: readPublicUrl(environment.CARTWRIGHT_PUBLIC_URL),
    rootSecret: readRootSecret(environment.CARTWRIGHT_SECRET, databaseUrl, production),
    rateLimit: readRateLimit(environment.CARTWRIGHT_RATE_LIMIT),
    trustedProxies: readProxies(environment.CARTWRIGHT_TRUSTED_PROXIES),
    logLevel: readLogLevel(environment.LOG_LEVEL),
  }
}

function readPort(text = '4000'): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new BadSetting(`PORT must be a number from 0 to 65535, not ${quote(text)}.`)
  return port
}

function readDatabaseUrl(text = 'sqlite:data/cartwright.db'): string {
  if (/^sqlite:.+/.test(text) || /^postgres(ql)?:\/\/.+/.test(text)) return text
  // The value may hold a password, so it is not repeated.
  throw new BadSetting(
    'CARTWRIGHT_DATABASE_URL must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>.',
  )
}

function readPublicUrl(text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  const problem = `CARTWRIGHT_PUBLIC_URL must be an origin such as https://shop.example.com, not ${quote(text)}.`
  if (!URL.canParse(text)) throw new BadSetting(problem)
  const url = new URL(text)
  if (!['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username)
    throw new BadSetting(problem)
  return url.origin
}

// Keys, sealed secrets and signed links hang on this secret. In production it must be given; otherwise it is made once
// and kept beside the data, readable by its owner only.
function readRootSecret(text: string | undefined, databaseUrl: string, production: boolean): RootSecret {
  if (text !== undefined && text !== '') return rootSecretFrom(text, 'CARTWRIGHT_SECRET')
  if (production)
    throw new BadSetting(
      'CARTWRIGHT_SECRET is required when NODE_ENV is production: a random text of at least 32 characters.',
    )
  const folder = databaseUrl.startsWith('sqlite:') ? dirname(databaseUrl.slice('sqlite:'.length)) : 'data'
  const file = join(folder, 'secret')
  mkdirSync(folder, { recursive: true })
  try {
    // `wx`: of two processes that start at once, one writes and both read the same.
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new BadSetting(`Cannot write the root secret to ${file}: ${(error as Error).message}`)
  }
  return rootSecretFrom(readFileSync(file, 'utf8').trim(), file)
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
    `CARTWRIGHT_RATE_LIMIT must be <per second>/<burst> such as 100/200, or off, not ${quote(text)}.`,
  )
}

function readProxies(text = ''): string[] {
  const proxies = text
    .split(',')
    .map((proxy) => proxy.trim())
    .filter(Boolean)
  const bad = proxies.find((proxy) => !/^(loopback|linklocal|uniquelocal|[0-9a-fA-F:.]+(\/\d{1,3})?)$/.test(proxy))
  if (bad !== undefined)
    throw new BadSetting(
      `CARTWRIGHT_TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, not ${quote(bad)}.`,
    )
  return proxies
}

function readLogLevel(text = 'info'): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (!level) throw new BadSetting(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not ${quote(text)}.`)
  return level
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
