// Runs that are also tests. Here they run once more, in every combination, so the table has all of them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sqliteOnlyFiles } from '../harness/engines.ts'
import type { RunResult, ServerRun } from './runs.ts'

const root = join(import.meta.dirname, '..')

// By the name of the run.
export const suiteFiles = new Map<string, readonly string[]>()

function suite(name: string, method: string, files: readonly string[]): ServerRun {
  suiteFiles.set(name, files)
  return {
    name,
    method: `${method} (${files.join(', ')}), on both engines where they have storage`,
    numbers: {},
    // The files choose their own engines.
    engines: ['postgres'],
    onCells: false,
    runOn: (_, __, { tell }) => runTests(files, tell),
  }
}

export const crashPointsRun = suite('crash-points', 'the process is killed at every named step', [
  'tests/crash.test.ts',
  'tests/adminCrash.test.ts',
  'tests/paymentCrash.test.ts',
  'tests/redirectCrash.test.ts',
  'tests/webhookCrash.test.ts',
  'src/platform/storage/migrate.test.ts',
  'tests/provisioning.test.ts',
  'tests/demoHistory.test.ts',
  'tests/cluster.test.ts',
])

export const addressesRun = suite('addresses', 'private, encoded, rebinding and redirecting webhook targets', [
  'src/domain/webhooks/guard.test.ts',
  'tests/webhookTargets.test.ts',
])

export const signatureRun = suite('signature', 'the vectors of the fixture through three verifiers, and rotation', [
  'src/domain/webhooks/fixture.test.ts',
  'tests/getInstallationWebhookSignatureFixture.test.ts',
])

export const browserRun = suite(
  'browser',
  'the pages of the shopper, of OAuth, of people, of the dashboard, of the site, of the storefront and of the example app in a real browser, with axe, in every combination',
  [
    'tests/checkoutPage.test.ts',
    'tests/checkoutForms.test.ts',
    'tests/shopperPages.test.ts',
    'tests/oauthPages.test.ts',
    'tests/staffPages.test.ts',
    'tests/dashboardBrowser.test.ts',
    'tests/dashboardCatalogBrowser.test.ts',
    'tests/dashboardOffice.test.ts',
    'tests/dashboardDay.test.ts',
    'tests/dashboardAfterSales.test.ts',
    'tests/dashboardPages.test.ts',
    'tests/dashboardWalk.test.ts',
    'tests/pages.test.ts',
    'tests/storefront.test.ts',
    'tests/firstStart.test.ts',
    'tests/exampleApp.test.ts',
  ],
)

export const sitesRun = suite(
  'sites',
  'two shops by their own hosts on one server: everything that the routes, pages, maps and feeds of one lead to is asked at the host of the other, with hostile names; strangers, used links and two people at the first start',
  ['tests/siteHosts.test.ts', 'tests/firstStart.test.ts'],
)

export const shopifyRun = suite(
  'shopify',
  'random exports of four hundred products as Shopify writes them are imported: every product, variant, price, stock, code, barcode and option is compared, every picture is brought over from a server that fails at first, and every old address is asked',
  ['tests/shopifyExport.test.ts'],
)

export const landingRun = suite(
  'landing',
  'purchases in a browser at stand-ins of Stripe and Mollie that answer after 0 to 600 ms, while notices race with returns: who paid lands in the shop',
  ['tests/landing.test.ts', 'tests/paymentReturn.test.ts'],
)

export const oauthRun = suite('oauth', 'installing apps, and every refusal of the OAuth endpoints', [
  'tests/oauth.test.ts',
  'tests/oauthRefusals.test.ts',
])

export const pricesRun = suite(
  'prices',
  'random carts of random shops, their refunds, edits and documents against a second pricing with exact fractions, by the API',
  [
    'tests/pricingReference.test.ts',
    'src/domain/carts/pricing.test.ts',
    'src/domain/documents/sums.test.ts',
    'src/domain/edits/plan.test.ts',
  ],
)

export const moneyRun = suite(
  'money',
  'random refunds here and at the provider, failures later, lost calls and notices, until the books of both must agree',
  ['tests/moneyAgrees.test.ts'],
)

export const longRun = suite('long', 'random histories, values and texts, every row, and sweeps, at full length', [
  'tests/adminUndo.test.ts',
  'tests/adminRows.test.ts',
  'tests/rows.test.ts',
  'tests/sweeps.test.ts',
  'tests/demo.test.ts',
  'tests/demoHistory.test.ts',
  'src/domain/inventory/model.test.ts',
  'src/platform/kit/ids.test.ts',
  'src/platform/kit/json.test.ts',
  'src/contract/validator.test.ts',
  'src/domain/catalog/plaintext.test.ts',
  'src/ops/imports/shopify.test.ts',
])

const onceFiles = [
  'tests/modes.test.ts',
  'tests/unpaidOrders.test.ts',
  'tests/redirect.test.ts',
  'tests/webhooksApply.test.ts',
  'tests/installationKeys.test.ts',
  'tests/dashboardOrders.test.ts',
  'tests/dashboardTransfers.test.ts',
  'tests/providerWebhooks.test.ts',
  'tests/emailOutbox.test.ts',
  'tests/keptCarts.test.ts',
  'tests/unpriced.test.ts',
  'tests/adminMembers.test.ts',
  'tests/refundStates.test.ts',
]

export const enginesRun = suite('engines', 'tests whose statements others also send to PostgreSQL, on both engines', [
  ...new Set([...onceFiles, ...sqliteOnlyFiles()]),
])

export const clockRun = suite('clock', 'retries, expiry and rotation with a clock that is moved', [
  'tests/webhooks.test.ts',
  'tests/payment.test.ts',
  'tests/events.test.ts',
])

export const secretsRun = suite(
  'secrets',
  'wrong, missing, swapped and rotated root secrets at every command and start',
  ['tests/rootSecret.test.ts', 'src/platform/config.test.ts'],
)

async function runTests(files: readonly string[], tell: (text: string) => void): Promise<RunResult> {
  const args = ['--disable-warning=ExperimentalWarning', '--test', '--test-reporter=tap', '--test-concurrency=1']
  const child = spawn(process.execPath, [...args, '--test-global-setup=harness/cluster.ts', ...files], {
    cwd: root,
    // A test run inside another would report to it.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, CARTWRIGHT_TEST_WIDE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      said += text
      tell(`${said.match(/^ *(not )?ok /gm)?.length ?? 0} tests`)
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)`, 'm').exec(said)?.[1] ?? 0)
  const failures = [...said.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name = '']) => name)
  const seen = { tests: count('tests'), pass: count('pass'), fail: count('fail'), skipped: count('skipped') }
  const violations = failures.map((name) => `failed: ${name}`)
  if (code !== 0 && violations.length === 0) violations.push(`the tests ended with ${code}: ${said.slice(-1_000)}`)
  if (seen.pass === 0) violations.push('no test was run')
  return { seen, violations: violations.slice(0, 50) }
}
