// A rolling upgrade and its way back: nodes of the version before and of this one serve a database side by side, and shoppers notice
// nothing. The version before comes from git.

import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { unlimitedTime } from '../src/platform/storage/copy.ts'
import { schemaGap } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { createCaller } from './caller.ts'
import { openJournal } from './journal.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { type Server, type ServerOptions, startServer } from './servers.ts'
import { product, type Shop } from './shop.ts'
import { Shopping, shoppingShop, usualCards } from './shopping.ts'

export const rollingUpgradeRun: ServerRun = {
  name: 'rolling-upgrade',
  method:
    'two nodes of the version before (the commit before the newest migration, or `CARTWRIGHT_PROOF_BEFORE`) serve a shop; a node of this version migrates their database meanwhile; then they are replaced one by one, all are replaced by the version before again, and once more by this one, and between two steps shoppers go on with those that are there; judged as crash is, by the longest time without an acknowledged change, and by the lines of the log',
  numbers: { writes: 300, shoppers: 6, products: 1_000, silenceMs: 3_000 },
  short: { writes: 40, products: 20, silenceMs: 15_000 },
  engines: ['postgres'],
  runOn: (ground, { writes = 0, shoppers = 0, products = 0, silenceMs = 0 }, tools) =>
    runRollingUpgrade(ground, { writes, shoppers, products, silenceMs }, tools),
}

interface RollingNumbers {
  // Acknowledged changes between two steps.
  writes: number
  shoppers: number
  // Beside the few that are bought.
  products: number
  silenceMs: number
}

const factsMax = 200
const patienceMs = 180_000
const root = join(import.meta.dirname, '..')

async function runRollingUpgrade(ground: Ground, numbers: RollingNumbers, tools: RunTools): Promise<RunResult> {
  const ref = refBefore()
  const program = await checkOut(ref)
  const webhooks = await openJournal()
  const caller = createCaller(64)
  try {
    const file = shoppingShop('rolling')
    const more = Array.from({ length: numbers.products }, (_, index) => product(`MORE-${index}`, 10))
    const before: typeof import('./shop.ts') = await import(join(program, 'proof', 'shop.ts'))
    const made = await before.makeShop(ground, [{ ...file, products: [...(file.products ?? []), ...more] }], {
      webhookUrl: webhooks.url,
    })
    const shop = asOurs(made)
    const { undeclared }: typeof import('./caller.ts') = await import(join(program, 'proof', 'caller.ts'))
    const plan = { shoppers: numbers.shoppers, thinkMs: 0, cards: usualCards }
    const shopping = new Shopping(shop, caller, plan, tools)
    const rolling = new Rolling(shopping, numbers, { program, undeclared })
    const { pending } = await shop.withStorage(schemaGap)
    await rolling.run()
    await shopping.judge(webhooks, factsMax)
    const { calls, duplicates } = webhooks
    return {
      seen: {
        before: ref,
        migrations: pending,
        ...shopping.seen,
        ...rolling.seen,
        acknowledged: shopping.acknowledged.length,
        webhookCalls: calls,
        webhookDuplicates: duplicates,
        'reasons of 503': [...shopping.whyUnavailable].map(([reason, times]) => `${reason} ${times}`).join(', '),
      },
      violations: [...shopping.violations].slice(0, 50),
    }
  } finally {
    caller.close()
    await webhooks.close()
    await rm(program, { recursive: true, force: true })
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

function refBefore(): string {
  const given = process.env.CARTWRIGHT_PROOF_BEFORE
  const newest = given ?? `${git('log', '-1', '--format=%H', '--', 'src/platform/storage/migrations')}^`
  return git('rev-parse', '--short', newest)
}

// With the packages of this version.
async function checkOut(ref: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-before-'))
  execFileSync('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', ref, folder], { cwd: root })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

// Classes of the version before are not ours.
function asOurs(made: Shop): Shop {
  return {
    ...made,
    rootSecret: parseRootSecret(made.rootSecretText) as RootSecret,
    async withStorage(work) {
      const storage: Storage = await openStorage(made.url, unlimitedTime)
      try {
        return await work(storage)
      } finally {
        await storage.close()
      }
    },
  }
}

interface VersionBefore {
  program: string
  undeclared: typeof import('./caller.ts').undeclared
}

class Rolling {
  readonly shopping: Shopping
  readonly numbers: RollingNumbers
  readonly before: Partial<ServerOptions>
  readonly servers: Server[] = []
  readonly seen = { steps: 0, migratedMs: 0, longestSilenceMs: 0 }

  constructor(shopping: Shopping, numbers: RollingNumbers, { program, undeclared }: VersionBefore) {
    this.shopping = shopping
    this.numbers = numbers
    this.before = { program }
    const known = shopping.undeclared
    shopping.undeclared = (origin, id, answer) =>
      this.servers.some((server) => server.origin === origin && server.isOther)
        ? undeclared(id, answer)
        : known(origin, id, answer)
  }

  async run(): Promise<void> {
    const { shopping } = this
    const ended = new AbortController()
    const watching = shopping.watchSilence(ended.signal)
    try {
      for (let node = 0; node < 2; node += 1) await this.#add(this.before)
      await shopping.during(async () => {
        await this.#sell('two nodes of the version before')
        const startedAt = performance.now()
        await this.#add({})
        this.seen.migratedMs = Math.round(performance.now() - startedAt)
        await this.#sell('both versions, after the migration')
        await this.#removeOldest()
        for (const next of [{}, this.before, this.before, {}, {}]) {
          await this.#add(next)
          await this.#sell('a node of the other version more')
          await this.#removeOldest()
        }
        await this.#sell('two nodes of this version')
      })
    } finally {
      ended.abort()
      this.seen.longestSilenceMs = await watching
      for (const server of this.servers) await server.end()
      for (const server of this.servers) shopping.noteDefects(server)
    }
    if (this.seen.longestSilenceMs > this.numbers.silenceMs)
      shopping.violations.add(`for ${this.seen.longestSilenceMs} ms no change was acknowledged`)
  }

  async #add(options: Partial<ServerOptions>): Promise<void> {
    const server = await startServer({ ...this.shopping.shop, startMsMax: patienceMs, ...options })
    this.servers.push(server)
    const { status, text } = await this.shopping.caller.call(server.origin, { method: 'GET', path: '/readyz' })
    if (status !== 200) this.shopping.violations.add(`a started server is not ready: ${text}`)
    this.shopping.openServers.open(server.origin)
  }

  // As a balancer does: no request more, then SIGTERM.
  async #removeOldest(): Promise<void> {
    const { openServers, caller, violations } = this.shopping
    const server = this.servers.find(({ origin }) => openServers.isOpen(origin))
    if (!server) throw new Error('no server is open')
    const { status, text } = await caller.call(server.origin, { method: 'GET', path: '/readyz' })
    if (status !== 200) violations.add(`a server is not ready any more: ${text}`)
    openServers.close(server.origin)
    await server.end()
  }

  async #sell(what: string): Promise<void> {
    const { acknowledged, tell } = this.shopping
    const wanted = acknowledged.length + this.numbers.writes
    const deadline = performance.now() + patienceMs
    while (acknowledged.length < wanted) {
      if (performance.now() > deadline) throw new Error(`${what}: too little was acknowledged`)
      await pause(10)
    }
    this.seen.steps += 1
    tell(`${what}, ${acknowledged.length} acknowledged`)
  }
}
