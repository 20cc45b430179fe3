// The plan of the house: every import runs downstairs. This list of floors is the plan; change it on purpose.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, test } from 'node:test'
import { eventKinds } from '../src/contract/words.ts'

const root = join(import.meta.dirname, '..', 'src')

// biome-ignore format: a plan is read from the top floor down
const floors: Readonly<Record<string, number>> = {
  'main.ts': 17,
  'cli.ts': 16,
  commands: 15,
  'database.ts': 14, demo: 14,
  'app.ts': 13, 'workers.ts': 13, 'rootsecret.ts': 13,
  'config.ts': 12, 'version.ts': 12, 'adminHandlers.ts': 12, mail: 12, 'reseal.ts': 12,
  dashboard: 12,
  checkout: 11, transfers: 11,
  admin: 10, carts: 10, provisioning: 10,
  oauth: 9, search: 9,
  catalog: 8, orders: 8, pictures: 8, reports: 8, site: 8, staff: 8, webhooks: 8,
  installations: 7, promotions: 7, providers: 7,
  pages: 7,
  http: 6,
  access: 5, audit: 5, idempotency: 5, inventory: 5, addresses: 5, payments: 5,
  loops: 4, fulltext: 4,
  events: 3, observe: 3,
  kit: 2,
  contract: 1, storage: 1,
}

// Rooms that may import only some of the floors below them. The dashboard is a client of the admin surface inside the process: what a
// page can do, a key with the scope can do.
const onlyImport: Readonly<Record<string, readonly string[]>> = {
  dashboard: ['contract', 'kit', 'http', 'staff', 'site', 'pages'],
}

// Each outside library has its doormen; whatever is not named here may not be imported at all.
const doormen: Readonly<Record<string, (file: string) => boolean>> = {
  'find-my-way': (file) => file === 'http/router.ts',
  pg: (file) => file === 'storage/postgres.ts' || file === 'storage/notices.ts',
  'node:sqlite': (file) => file.startsWith('storage/'),
  undici: (file) => file === 'webhooks/sender.ts',
  'oidc-provider': (file) => file === 'oauth/provider.ts' || file === 'oauth/settings.ts',
  nodemailer: (file) => file === 'mail/smtp.ts',
  jose: (file) => file === 'oauth/proof.ts',
  stripe: (file) => file === 'providers/stripe/client.ts',
  yaml: (file) => file === 'provisioning/read.ts',
  '@simplewebauthn/server': (file) => file === 'staff/webauthn.ts',
  typebox: (file) => file.startsWith('contract/'),
  'typebox/schema': (file) => file === 'contract/validator.ts',
}

// The folders around src, and what each may import besides itself. Tests that stand beside their subject in src/ are `beside`.
// biome-ignore format: a plan is read from the top floor down
const around: Readonly<Record<string, readonly string[]>> = {
  tests: ['proof', 'apps', 'examples', 'packages', 'harness', 'src'],
  proof: ['harness', 'src'], bench: ['harness', 'src'],
  beside: ['harness', 'src'],
  harness: ['src'],
  // Clients: they reach the server over HTTP, and could stand in a repository of their own.
  apps: ['packages'], examples: ['packages'],
  // The client itself imports nothing; what prints it reads the contract.
  packages: ['src'],
}
const clientLibraries: readonly string[] = ['openid-client', 'standardwebhooks']

interface Import {
  from: string
  to: string
}

// The specifier may follow a closing brace on a later line, so the whole text is searched, not its lines.
const specifier =
  /^(?:import\s+|(?:import|export)\s[^'"`=();]*?\bfrom\s+)['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]/gm

function importsIn(file: string, text: string): Import[] {
  return [...text.matchAll(specifier)].map((match) => ({ from: file, to: match[1] ?? match[2] ?? '' }))
}

function sourceFiles(): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}

function resolve({ from, to }: Import): string {
  return normalize(join(dirname(from), to)).replaceAll('\\', '/')
}

const roomOf = (file: string) => (file.includes('/') ? (file.split('/')[0] as string) : file)

// Where the handlers of the operations come together.
const mayHandle: ReadonlySet<string> = new Set(['app.ts', 'adminHandlers.ts'])

// What is wrong with one import, or nothing.
function complaint({ from, to }: Import): string | undefined {
  if (!to.startsWith('.')) {
    const name = to.startsWith('node:') || to.startsWith('typebox') ? to : packageOf(to)
    if (name.startsWith('node:') && !(name in doormen)) return undefined
    const mayPass = doormen[name]
    if (!mayPass) return `${from} imports ${to}, which has no doorman`
    return mayPass(from) ? undefined : `${from} imports ${to} past its doorman`
  }
  if (!to.endsWith('.ts')) return `${from} imports ${to} without its ending`
  const target = resolve({ from, to })
  // The one thing outside that the doors show: it comes in over HTTP like any client.
  if (target === '../apps/storefront/shop.ts' && roomOf(from) === 'commands') return undefined
  if (target.startsWith('..')) return `${from} imports ${to} from outside the house`
  const [here, there] = [floors[roomOf(from)], floors[roomOf(target)]]
  if (here === undefined) return `${roomOf(from)} stands on no floor`
  if (there === undefined) return `${roomOf(target)} stands on no floor`
  if (/\/(operations|adminOperations)\.ts$/.test(target) && !target.startsWith('contract/') && !mayHandle.has(from))
    return `${from} imports ${target}; only app.ts and adminHandlers.ts do`
  if (roomOf(from) === roomOf(target)) return undefined
  const few = onlyImport[roomOf(from)]
  if (few && !few.includes(roomOf(target)))
    return `${from} imports ${target}, but ${roomOf(from)} may only import ${few}`
  return there < here ? undefined : `${from} (floor ${here}) imports ${target} (floor ${there}): that runs upstairs`
}

function packageOf(to: string): string {
  return to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/')
}

const folderOf = (file: string) => (file.endsWith('.test.ts') && file.startsWith('src/') ? 'beside' : roomOf(file))

// What is wrong with an import in a folder around src. Paths begin at the project's root.
function complaintAround({ from, to }: Import): string | undefined {
  const here = folderOf(from)
  if (to.startsWith('node:')) return undefined
  if (!to.startsWith('.')) {
    if (!installed.has(packageOf(to))) return `${from} imports ${to}, which the project does not declare`
    const isClient = here === 'apps' || here === 'examples' || here === 'packages'
    return isClient && !clientLibraries.includes(to) ? `${from} imports ${to}, which a client does not need` : undefined
  }
  const target = resolve({ from, to })
  const there = roomOf(target)
  if (here === 'packages' && there === 'src' && (isPublished(from) || !target.startsWith('src/contract/')))
    return `${from} imports ${target}, but a package is published on its own`
  if (there === here || around[here]?.includes(there)) return undefined
  return `${from} imports ${target}, but ${here} may not import ${there}`
}

const isPublished = (file: string) => /^packages\/[^/]+\/src\//.test(file)

const project = join(root, '..')
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Readonly<Record<string, string>>
>
const installed = new Set(Object.keys({ ...dependencies, ...devDependencies }))

function filesAround(): string[] {
  return ['tests', 'proof', 'bench', 'harness', 'apps', 'examples', 'packages', 'src']
    .flatMap((folder) =>
      readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    )
    .map((file) => file.replaceAll('\\', '/'))
    .filter(
      (file) =>
        /\.[jt]s$/.test(file) &&
        !file.includes('/dist/') &&
        // Generated by others, and programs that are compiled with it in a folder of their own.
        !file.startsWith('proof/generators/') &&
        (!file.startsWith('src/') || file.endsWith('.test.ts')),
    )
    .sort()
}

// What carts, checkout sessions, orders and payments become, and what is announced of it, is taken from a row of their lifecycle
// table. Comparing a status is not writing one, and SQL may name it.
const lifecycleRooms = /^(?:carts|checkout|orders|payments)\/(?!page\/)/
const writtenStatus = /\b(?:status|paymentStatus|fulfillmentStatus): '(\w+)'/g
// Of other words that are called status.
const otherStatuses = new Set([
  ...['none', 'held', 'lapsed', 'released', 'consumed'], // of the stock that a session holds
])

function literalsIn(file: string, text: string): string[] {
  if (file.startsWith('contract/') || file.endsWith('/lifecycle.ts') || file === 'observe/invariants.ts') return []
  // Subscribes to events, and announces none.
  if (file === 'demo/receivers.ts') return []
  const kinds = eventKinds.filter(
    (kind) => /^(?:cart|checkout_session|order)\./.test(kind) && text.includes(`'${kind}'`),
  )
  const statuses = lifecycleRooms.test(file) ? [...text.matchAll(writtenStatus)].map(([, status]) => status ?? '') : []
  const known = file === 'orders/refunds.ts' ? ['succeeded'] : [] // a refund has no table: it is pending, and then one of two
  return [...kinds, ...statuses.filter((status) => !otherStatuses.has(status) && !known.includes(status))].map(
    (word) => `${file}: ${word}`,
  )
}

// What differs between the engines is asked as a trait of the storage. These only name the engine to a person.
const engineNamers: ReadonlySet<string> = new Set([
  'app.ts', // to the start page
  'site/start.ts', // which shows it
  'commands/serve.ts', // in the log line of a start
  'commands/inspect.ts', // in its answer
])

function isAskingForEngine(file: string, text: string): boolean {
  if (file.startsWith('storage/')) return false
  return /\b(?:tx|db|storage)\.engine\b/.test(text) ? !engineNamers.has(file) : /'(?:sqlite|postgres)'/.test(text)
}

describe('the plan of the house', () => {
  const files = sourceFiles()
  const imports = files.flatMap((file) => importsIn(file, readFileSync(join(root, file), 'utf8')))

  test('every import runs downstairs and past the right doorman', () => {
    assert.ok(imports.length > 200, 'the search finds the imports')
    assert.deepEqual(imports.map(complaint).filter(Boolean), [])
  })

  test('there are no circles, not even of types', () => {
    const targets = new Map(
      files.map((file) => [file, imports.filter(({ from, to }) => from === file && to.startsWith('.')).map(resolve)]),
    )
    const done = new Set<string>()
    const circles: string[] = []
    function walk(file: string, path: readonly string[]): void {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      else if (!done.has(file)) {
        for (const target of targets.get(file) ?? []) walk(target, [...path, file])
        done.add(file)
      }
    }
    for (const file of files) walk(file, [])
    assert.deepEqual(circles, [])
  })

  // The linter forbids floating promises, but does not look into templates.
  test('a statement is awaited, or sent', () => {
    const floating = files.flatMap((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n')
      return lines.flatMap((line, at) => {
        const isStatement =
          /^\s*(?:void )?(?:tx|db)\.sql(?:<.*>)?`/.test(line) && !/(?:=>|[([,=?:]|return)$/.test(lines[at - 1] ?? '')
        return isStatement ? [`${file}:${at + 1}`] : []
      })
    })
    assert.deepEqual(floating, [])
  })

  test('only main.ts hands out the environment', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), 'utf8')))
    assert.deepEqual(readers, ['main.ts'])
  })

  test('statuses that are written and events that are announced come from a lifecycle table', () => {
    assert.deepEqual(
      files.flatMap((file) => literalsIn(file, readFileSync(join(root, file), 'utf8'))),
      [],
    )
    // The check must be able to fail.
    const text = "announce(tx, { kind: 'order.paid' }); save(tx, { ...order, paymentStatus: 'paid' })"
    assert.deepEqual(literalsIn('orders/pay.ts', text), ['orders/pay.ts: order.paid', 'orders/pay.ts: paid'])
    assert.deepEqual(literalsIn('orders/lifecycle.ts', text), [])
  })

  test('no file outside of storage/ asks which engine it is, but the one for its full-text index', () => {
    const asking = files.filter((file) => isAskingForEngine(file, readFileSync(join(root, file), 'utf8')))
    assert.deepEqual(asking, ['fulltext/engines.ts'])
    // The check must be able to fail.
    assert.ok(isAskingForEngine('carts/store.ts', "if (tx.engine === 'sqlite') return"))
    assert.ok(isAskingForEngine('carts/store.ts', 'switch (storage.engine) {'))
    assert.ok(!isAskingForEngine('storage/migrate.ts', "if (tx.engine === 'sqlite') return"))
    assert.ok(!isAskingForEngine('commands/inspect.ts', 'engine: storage.engine'))
  })

  test('migrations are numbered one after the other, each number once', () => {
    const numbers = readdirSync(join(root, 'storage', 'migrations')).map((file) => Number(file.slice(0, 4)))
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      numbers.map((_, index) => index + 1),
    )
  })

  test('no room is without a floor, and no floor without a room', () => {
    assert.deepEqual([...new Set(files.map(roomOf))].sort(), Object.keys(floors).sort())
  })

  // The check must be able to fail.
  for (const [from, to, why] of [
    ['contract/words.ts', '../kit/ids.ts', /upstairs/],
    ['http/answer.ts', '../catalog/store.ts', /upstairs/],
    ['installations/store.ts', '../catalog/store.ts', /upstairs/],
    ['commands/shop.ts', '../catalog/operations.ts', /only app.ts/],
    ['dashboard/screens/orders.ts', '../../orders/store.ts', /may only import/],
    ['dashboard/room.ts', '../storage/storage.ts', /may only import/],
    ['catalog/store.ts', 'pg', /past its doorman/],
    ['kit/ids.ts', 'left-pad', /no doorman/],
    ['kit/ids.ts', '../../tests/plan.test.ts', /outside/],
  ] as const) {
    test(`refuses ${to} in ${from}`, () => assert.match(complaint({ from, to }) ?? '', why))
  }

  test('finds imports in every form', () => {
    const text =
      "import {\n  a,\n} from './a.ts'\nimport type { B } from './b.ts'\nexport { c } from './c.ts'\nconst d = await import('./d.ts')\nimport './e.ts'"
    assert.deepEqual(
      importsIn('x.ts', text).map(({ to }) => to),
      ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts'],
    )
  })
})

describe('the folders around src', () => {
  const files = filesAround()
  const imports = files.flatMap((file) => importsIn(file, readFileSync(join(project, file), 'utf8')))

  test('every import goes where its folder may look', () => {
    assert.deepEqual([...new Set(files.map(folderOf))].sort(), Object.keys(around).sort())
    assert.ok(imports.length > 500, 'the search finds the imports')
    assert.deepEqual(imports.map(complaintAround).filter(Boolean), [])
  })

  test('no folder of code is without its place in the plan', () => {
    const known = new Set([...Object.keys(around), 'src'])
    const folders = readdirSync(project, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$|data$|docs$)/.test(entry.name))
      .map(({ name }) => name)
    assert.deepEqual(
      folders.filter((name) => !known.has(name)),
      [],
    )
  })

  for (const [from, to, why] of [
    ['harness/house.ts', '../tests/interface.ts', /may not import tests/],
    ['proof/day.ts', '../tests/interface.ts', /may not import tests/],
    ['proof/day.ts', '../bench/load.ts', /may not import bench/],
    ['bench/main.ts', '../proof/day.ts', /may not import proof/],
    ['tests/rows.test.ts', '../bench/load.ts', /may not import bench/],
    ['src/kit/ids.test.ts', '../../tests/interface.ts', /may not import tests/],
    ['apps/storefront/shop.ts', '../../src/kit/ids.ts', /may not import src/],
    ['packages/client/src/call.ts', '../../../src/contract/words.ts', /published on its own/],
    ['packages/client/print.ts', '../../src/kit/ids.ts', /published on its own/],
    ['examples/app/app.ts', 'pg', /a client does not need/],
    ['tests/rows.test.ts', 'left-pad', /does not declare/],
  ] as const) {
    test(`refuses ${to} in ${from}`, () => assert.match(complaintAround({ from, to }) ?? '', why))
  }
})
