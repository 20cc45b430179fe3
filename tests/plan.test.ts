// The plan: contract says it, platform runs it, domain decides it, web shows it, ops operates it; each imports only from its left.
// Within a layer the folders have an order too. Change these lists on purpose.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, test } from 'node:test'
import { eventKinds } from '../src/contract/words.ts'

const root = join(import.meta.dirname, '..', 'src')

// Each folder imports from those named before it, and from the layers before its own.
const layers: Readonly<Record<string, readonly string[]>> = {
  contract: ['contract'],
  platform: [
    ...['storage', 'kit', 'secrets', 'log', 'metrics', 'outbox', 'config.ts', 'version.ts', 'jobs'],
    ...['access', 'audit', 'idempotency', 'http', 'html', 'pdf'],
  ],
  domain: [
    ...['inventory', 'addresses', 'vat', 'payments', 'webhooks', 'reports', 'health'],
    ...['merchants', 'texts', 'promotions', 'users', 'oauth', 'orders', 'documents', 'returns', 'withdrawals'],
    ...['search', 'images', 'redirects', 'makers', 'catalog', 'sites'],
    ...['carts', 'edits', 'overview', 'checkout', 'drafts', 'exchanges', 'customers', 'emails', 'agents'],
  ],
  web: [
    ...['languages', 'docs', 'documents', 'signin', 'consent', 'checkout', 'account', 'elements'],
    ...['emails', 'agents', 'dashboard'],
  ],
  ops: ['provisioning', 'imports', 'handlers.ts', 'limits.ts', 'metrics.ts', 'app.ts', 'past.ts', 'cli', 'main.ts'],
}
// `contract` has no folders of its own order: it is small, and has no circles.
const order = Object.entries(layers).flatMap(([layer, folders]) =>
  folders.map((folder) => (folder === layer || isRootFile(folder) ? folder : `${layer}/${folder}`)),
)

// The start, and what one process consists of: between the rest of `ops` and what starts it.
function isRootFile(name: string): boolean {
  return name === 'app.ts' || name === 'main.ts'
}

// Folders that may import only some of those before them. The dashboard is a client of the admin surface inside the process: what a
// page can do, a key with the scope can do.
const onlyImport: Readonly<Record<string, readonly string[]>> = {
  'web/dashboard': [
    ...['contract', 'platform/kit', 'platform/http', 'platform/html'],
    ...['domain/users', 'web/languages', 'web/docs', 'web/documents', 'web/signin'],
  ],
}

// The files that may import each library. A library that is not named here may not be imported at all.
const importers: Readonly<Record<string, (file: string) => boolean>> = {
  'find-my-way': (file) => file === 'platform/http/router.ts',
  saxes: (file) => file === 'ops/imports/xml.ts',
  uqr: (file) => file === 'domain/users/qr.ts',
  pg: (file) => file.startsWith('platform/storage/postgres/'),
  'node:sqlite': (file) => file.startsWith('platform/storage/'),
  undici: (file) => file === 'domain/webhooks/sender.ts',
  'oidc-provider': (file) => file === 'web/consent/provider.ts' || file === 'web/consent/settings.ts',
  nodemailer: (file) => file === 'domain/emails/smtp.ts',
  jose: (file) => file === 'domain/oauth/proof.ts',
  stripe: (file) => file === 'domain/payments/providers/stripe/client.ts',
  yaml: (file) => file === 'ops/provisioning/read.ts',
  '@simplewebauthn/server': (file) => file === 'domain/users/webauthn.ts',
  typebox: (file) => file.startsWith('contract/'),
  'typebox/schema': (file) => file === 'contract/validator.ts',
}

// The folders around src, and what each may import besides itself. Tests that stand beside their subject in src/ are `beside`.
// biome-ignore format: a plan is read from the top down
const around: Readonly<Record<string, readonly string[]>> = {
  tests: ['proof', 'apps', 'demo', 'examples', 'packages', 'harness', 'src'],
  proof: ['demo', 'harness', 'src'], bench: ['demo', 'harness', 'src'],
  beside: ['demo', 'harness', 'src'],
  harness: ['src'],
  // Clients: they reach the server over HTTP, and could stand in a repository of their own.
  apps: ['packages'], examples: ['packages'],
  // The demo shop, from apps/demo. An operator makes it, and what happens in it comes in by operations and pages.
  demo: ['src'],
  // The client itself imports nothing; what prints it reads the contract.
  packages: ['src'],
  // The command of the npm package, and what makes the package.
  bin: [], deploy: [],
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

// `domain/carts`, `platform/config.ts`, `app.ts`; the contract is one.
function folderOf(file: string): string {
  const [layer = '', folder] = file.split('/')
  return layer === 'contract' || folder === undefined ? layer : `${layer}/${folder}`
}

const layerOf = (file: string) => (file.includes('/') ? (file.split('/')[0] as string) : file)

// Where the handlers of the operations come together.
const mayHandle: ReadonlySet<string> = new Set(['app.ts', 'ops/handlers.ts', 'ops/cli/handlers.ts'])

// Scripts for browsers. A script imports only from its own folder, of which the server knows `names.ts` alone.
const browserFile = /\/browser\//

// What is wrong with one import, or nothing.
function complaint({ from, to }: Import): string | undefined {
  if (!to.startsWith('.')) {
    const name = to.startsWith('node:') || to.startsWith('typebox') ? to : packageOf(to)
    if (name.startsWith('node:') && !(name in importers)) return undefined
    const mayImport = importers[name]
    if (!mayImport) return `${from} imports ${to}, which no file may import`
    return mayImport(from) ? undefined : `${from} imports ${to}, but only listed files may`
  }
  if (!to.endsWith('.ts')) return `${from} imports ${to} without its ending`
  const target = resolve({ from, to })
  // What the process shows from outside: it comes in like any client. The demo shop has its one doorway.
  if (target === '../apps/storefront/shop.ts' && folderOf(from) === 'ops/cli') return undefined
  if (target.startsWith('../apps/demo/') && from === 'ops/cli/demo.ts') return undefined
  if (target.startsWith('..')) return `${from} imports ${to} from outside`
  const isBrowsers = browserFile.test(from)
  if (isBrowsers && dirname(target) !== dirname(from)) return `${from} imports ${target}, which no browser has`
  if (!isBrowsers && browserFile.test(target) && !target.endsWith('/names.ts'))
    return `${from} imports ${target}, which is for browsers; they share only names.ts`
  const [here, there] = [folderOf(from), folderOf(target)]
  if (!order.includes(here)) return `${here} is not in the plan`
  if (!order.includes(there)) return `${there} is not in the plan`
  if (/^(domain|ops)\/.*\/(operations|admin)\.ts$/.test(target) && !mayHandle.has(from))
    return `${from} imports ${target}; only app.ts and ops/handlers.ts do`
  if (here === there) return undefined
  const few = onlyImport[here]
  if (few && !few.includes(there)) return `${from} imports ${target}, but ${here} may only import ${few}`
  return order.indexOf(there) < order.indexOf(here) ? undefined : `${from} imports ${target}, which comes after it`
}

function packageOf(to: string): string {
  return to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/')
}

const isDemo = (file: string) => file.startsWith('apps/demo/')

function placeOf(file: string): string {
  if (file.endsWith('.test.ts') && (file.startsWith('src/') || isDemo(file))) return 'beside'
  return isDemo(file) ? 'demo' : layerOf(file)
}

// All of the demo but the shop itself knows the past, the words of the contract and what an operator has.
const demoMayKnow = /^src\/(?:contract\/|ops\/provisioning\/|ops\/past\.ts$)/

// What is wrong with an import in a folder around src. Paths begin at the project's root.
function complaintAround({ from, to }: Import): string | undefined {
  const here = placeOf(from)
  if (to.startsWith('node:')) return undefined
  if (!to.startsWith('.')) {
    if (!installed.has(packageOf(to))) return `${from} imports ${to}, which the project does not declare`
    const isClient = here === 'apps' || here === 'examples' || here === 'packages'
    return isClient && !clientLibraries.includes(to) ? `${from} imports ${to}, which a client does not need` : undefined
  }
  const target = resolve({ from, to })
  const there = placeOf(target)
  if (here === 'demo' && there === 'src' && from !== 'apps/demo/shop.ts' && !demoMayKnow.test(target))
    return `${from} imports ${target}, but the demo comes in by operations and pages`
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
  return ['tests', 'proof', 'bench', 'harness', 'apps', 'examples', 'packages', 'bin', 'deploy', 'src']
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
        // A project of its own, with its own package.json.
        !file.startsWith('examples/next/') &&
        (!file.startsWith('src/') || file.endsWith('.test.ts')),
    )
    .sort()
}

// What carts, checkout sessions, orders and payments become, and what is announced of it, is taken from a row of their lifecycle
// table. Comparing a status is not writing one, and SQL may name it.
const lifecycleFolders = /^domain\/(?:carts|checkout|orders|payments(?!\/providers))\//
const writtenStatus = /\b(?:status|paymentStatus|fulfillmentStatus): '(\w+)'/g
// Of other words that are called status.
const otherStatuses = new Set([
  ...['none', 'held', 'lapsed', 'released', 'consumed'], // of the stock that a session holds
])

function literalsIn(file: string, text: string): string[] {
  if (file.startsWith('contract/') || file.endsWith('/lifecycle.ts') || file === 'domain/health/invariants.ts')
    return []
  const kinds = eventKinds.filter(
    (kind) => /^(?:cart|checkout_session|order)\./.test(kind) && text.includes(`'${kind}'`),
  )
  const statuses = lifecycleFolders.test(file)
    ? [...text.matchAll(writtenStatus)].map(([, status]) => status ?? '')
    : []
  const known = file === 'domain/orders/refunds.ts' ? ['succeeded'] : [] // a refund has no table: it is pending, and then one of two
  return [...kinds, ...statuses.filter((status) => !otherStatuses.has(status) && !known.includes(status))].map(
    (word) => `${file}: ${word}`,
  )
}

// What differs between the engines is asked as a trait of the storage. These only name the engine to a person.
const engineNamers: ReadonlySet<string> = new Set([
  'app.ts', // to the start page
  'web/docs/start.ts', // which shows it
  'ops/cli/serve.ts', // in the log line of a start
  'ops/cli/inspect.ts', // in its answer
])

function isAskingForEngine(file: string, text: string): boolean {
  if (file.startsWith('platform/storage/')) return false
  return /\b(?:tx|db|storage)\.engine\b/.test(text) ? !engineNamers.has(file) : /'(?:sqlite|postgres)'/.test(text)
}

// Files of the demo shop that are loaded together with a file.
function loadedAtOnce(text: string): string[] {
  return [...text.matchAll(/^import (?!type\b).*'(.*\/apps\/demo\/.*)'/gm)].map(([, path]) => path ?? '')
}

describe('the structure of src', () => {
  const files = sourceFiles()
  const imports = files.flatMap((file) => importsIn(file, readFileSync(join(root, file), 'utf8')))

  test('every import goes to an earlier folder of the plan, and libraries are imported only by the listed files', () => {
    assert.ok(imports.length > 200, 'the search finds the imports')
    assert.deepEqual(imports.map(complaint).filter(Boolean), [])
  })

  test('there are no circular imports, not even of types', () => {
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
  test('no SQL statement is created without await or send', () => {
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

  test('only main.ts reads and passes on the environment', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), 'utf8')))
    assert.deepEqual(readers, ['main.ts'])
  })

  test('statuses and events are not written as literals, but come from a lifecycle table', () => {
    assert.deepEqual(
      files.flatMap((file) => literalsIn(file, readFileSync(join(root, file), 'utf8'))),
      [],
    )
    // The check must be able to fail.
    const text = "announce(tx, { kind: 'order.paid' }); save(tx, { ...order, paymentStatus: 'paid' })"
    assert.deepEqual(literalsIn('domain/orders/pay.ts', text), [
      'domain/orders/pay.ts: order.paid',
      'domain/orders/pay.ts: paid',
    ])
    assert.deepEqual(literalsIn('domain/orders/lifecycle.ts', text), [])
  })

  test('besides files that only name the engine, only platform/storage and the file for the full-text index depend on which engine is used', () => {
    const asking = files.filter((file) => isAskingForEngine(file, readFileSync(join(root, file), 'utf8')))
    assert.deepEqual(asking, ['domain/search/engines.ts'])
    // The check must be able to fail.
    assert.ok(isAskingForEngine('domain/carts/store.ts', "if (tx.engine === 'sqlite') return"))
    assert.ok(isAskingForEngine('domain/carts/store.ts', 'switch (storage.engine) {'))
    assert.ok(!isAskingForEngine('platform/storage/migrate.ts', "if (tx.engine === 'sqlite') return"))
    assert.ok(!isAskingForEngine('ops/cli/inspect.ts', 'engine: storage.engine'))
  })

  test('the demo shop is only imported dynamically', () => {
    const text = readFileSync(join(root, 'ops/cli/demo.ts'), 'utf8')
    assert.deepEqual(loadedAtOnce(text), [])
    // The check must be able to fail.
    assert.deepEqual(
      loadedAtOnce("import type { A } from '../../../apps/demo/a.ts'\nimport { b } from '../apps/demo/b.ts'"),
      ['../apps/demo/b.ts'],
    )
  })

  test('migrations are numbered without gaps, each number once', () => {
    const numbers = readdirSync(join(root, 'platform/storage/migrations')).map((file) => Number(file.slice(0, 4)))
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      numbers.map((_, index) => index + 1),
    )
  })

  test('every folder is listed in the plan, and src contains exactly the layers', () => {
    assert.deepEqual([...new Set(files.map(folderOf))].sort(), order.toSorted())
    assert.deepEqual(readdirSync(root).sort(), [...Object.keys(layers), 'app.ts', 'main.js', 'main.ts'].sort())
  })

  // The check must be able to fail.
  for (const [from, to, why] of [
    ['contract/words.ts', '../platform/kit/ids.ts', /after it/],
    ['platform/http/answer.ts', '../../domain/catalog/store.ts', /after it/],
    ['domain/merchants/store.ts', '../catalog/store.ts', /after it/],
    ['domain/emails/send.ts', '../../web/emails/prepare.ts', /after it/],
    ['ops/imports/plan.ts', '../../app.ts', /after it/],
    ['app.ts', '../apps/demo/shop.ts', /outside/],
    ['ops/cli/shop.ts', '../../domain/catalog/operations.ts', /only app.ts/],
    ['web/dashboard/screens/orders.ts', '../../../domain/orders/store.ts', /may only import/],
    ['web/dashboard/pages.ts', '../../platform/storage/storage.ts', /may only import/],
    ['web/dashboard/browser/live.ts', '../toast.ts', /no browser has/],
    ['web/dashboard/browser/live.ts', '../../../contract/words.ts', /no browser has/],
    ['web/dashboard/toast.ts', './browser/toasts.ts', /only names.ts/],
    ['domain/catalog/store.ts', 'pg', /only listed files may/],
    ['platform/kit/ids.ts', 'left-pad', /no file may import/],
    ['platform/kit/ids.ts', '../../../tests/plan.test.ts', /outside/],
    ['domain/unknown/store.ts', '../carts/store.ts', /not in the plan/],
  ] as const) {
    test(`an import of ${to} in ${from} is reported`, () => assert.match(complaint({ from, to }) ?? '', why))
  }

  test('imports are found in every syntax', () => {
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

  test('every import goes to a folder that the plan allows', () => {
    assert.deepEqual([...new Set(files.map(placeOf))].sort(), Object.keys(around).sort())
    assert.ok(imports.length > 500, 'the search finds the imports')
    assert.deepEqual(imports.map(complaintAround).filter(Boolean), [])
  })

  test('every folder with code is listed in the plan', () => {
    const known = new Set([...Object.keys(around), 'src'])
    const folders = readdirSync(project, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$|data$|docs$|dist$)/.test(entry.name))
      .map(({ name }) => name)
    assert.deepEqual(
      folders.filter((name) => !known.has(name)),
      [],
    )
  })

  for (const [from, to, why] of [
    ['harness/testServer.ts', '../tests/interface.ts', /may not import tests/],
    ['proof/day.ts', '../tests/interface.ts', /may not import tests/],
    ['proof/day.ts', '../bench/load.ts', /may not import bench/],
    ['bench/main.ts', '../proof/day.ts', /may not import proof/],
    ['tests/rows.test.ts', '../bench/load.ts', /may not import bench/],
    ['src/platform/kit/ids.test.ts', '../../../tests/interface.ts', /may not import tests/],
    ['apps/storefront/shop.ts', '../../src/kit/ids.ts', /may not import src/],
    ['apps/storefront/shop.ts', '../demo/shop.ts', /may not import demo/],
    ['apps/demo/history.ts', '../../src/domain/orders/store.ts', /by operations and pages/],
    ['packages/client/src/call.ts', '../../../src/contract/words.ts', /published on its own/],
    ['packages/client/print.ts', '../../src/kit/ids.ts', /published on its own/],
    ['examples/app/app.ts', 'pg', /a client does not need/],
    ['tests/rows.test.ts', 'left-pad', /does not declare/],
  ] as const) {
    test(`an import of ${to} in ${from} is reported`, () => assert.match(complaintAround({ from, to }) ?? '', why))
  }
})
