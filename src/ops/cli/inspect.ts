// The commands `doctor` and `openapi`, which only inspect.

import { adminDocument } from '../../contract/admin/document.ts'
import { openInterfaceDocument } from '../../contract/open/document.ts'
import { printOpenApi } from '../../contract/openapi.ts'
import type { DutyNeed } from '../../contract/words.ts'
import { countIndex } from '../../domain/catalog/indexstore.ts'
import { listUndelivered, readWaitingEmails } from '../../domain/emails/store.ts'
import { listCasesForAttention } from '../../domain/health/attention.ts'
import { findViolations, type InvariantViolation, invariants } from '../../domain/health/invariants.ts'
import { createCopier } from '../../domain/images/copier.ts'
import { countCopies } from '../../domain/images/store.ts'
import { listDutyFacts, type MerchantDutyFacts } from '../../domain/overview/duties.ts'
import { decryptAccountSecrets, listAccountsOfAll } from '../../domain/payments/accounts.ts'
import { installedNames } from '../../domain/payments/providers/installed.ts'
import { escapeControlCharacters } from '../../platform/audit/change.ts'
import { readSettings } from '../../platform/config.ts'
import { type DeferredRow, listDeferred } from '../../platform/jobs/store.ts'
import { type DutyFacts, duties, dutyStates } from '../../platform/kit/duties.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { unlimitedTime } from '../../platform/storage/copy.ts'
import { schemaGap } from '../../platform/storage/migrate.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { version } from '../../platform/version.ts'
import { noAccountWarning, noMethodWarning } from '../provisioning/methods.ts'
import { readinessGapText } from '../provisioning/readiness.ts'
import { listSellers, listUnpayable, listUnready } from '../provisioning/store.ts'
import { commandOf, printReport } from './command.ts'
import { openDatabase } from './database.ts'

export const doctorCommand = commandOf({
  summary: 'Check migrations, invariants and the root secret, and list payments and refunds that need a person.',
  effect: 'reads',
  async run(given, terminal) {
    // Reads without a time limit: checking a large shop takes longer than a request may, and reads block nothing.
    const { storage, config } = await openDatabase(readSettings(given.environment), given.effect, unlimitedTime)
    try {
      const { pending, newer, isTooNew } = await schemaGap(storage)
      const isOther = pending > 0 || isTooNew
      const findings = isOther ? [] : await storage.read(findViolations)
      const now = Date.now()
      const deferred = isOther ? [] : await storage.read((db) => listDeferred(db, now, deferredMax))
      const unpayable = isOther ? [] : await storage.read((db) => listUnpayable(db, unpayableMax))
      const unready = isOther ? [] : await storage.read((db) => listUnready(db, unreadyMax))
      const emails = isOther ? [] : await storage.read((db) => emailWarnings(db, now))
      const warnings = [
        ...(newer > 0 && !isTooNew
          ? [`the database has migrations of a newer release (${newer}): finish the upgrade of all servers`]
          : []),
        ...emails,
        ...(isOther ? [] : await storage.read(indexWarnings)),
        ...unready.map(({ slug, problem, name }) =>
          escapeControlCharacters(`${slug}: ${readinessGapText(problem, name)}`),
        ),
        ...(isOther ? [] : (await storage.read(findDuties)).flatMap(dutyWarnings)),
        ...unpayable.map(({ slug, problem }) => `${slug}: ${unpayableWords[problem]}`),
        ...(isOther ? [] : await pictureWarnings(await storage.read(countCopies))),
        ...(isOther ? [] : await storage.read((db) => accountWarnings(db, config.rootSecret))),
      ]
      const attention = isOther
        ? []
        : await storage.read((db) => listCasesForAttention(db, { now, providers: installedNames }))
      const healthy = !isOther && findings.length === 0
      const message = isTooNew
        ? 'the database is newer than this program'
        : pending > 0
          ? `${pending} migrations are pending: run \`migrate\`, or start the server`
          : `the database violates ${findings.length} invariants: see the findings`
      const waits = { code: 'needs_person', message: 'payments or refunds need a person: see the list' } as const
      return printReport(terminal, given, {
        value: {
          healthy,
          engine: storage.engine,
          pendingMigrations: pending,
          checked: invariants.length,
          findings,
          deferredRows: deferred.map(shownRow),
          warnings,
          needsPerson: attention,
        },
        lines: () => [
          ...(isTooNew
            ? ['✗ the database is newer than this program: use the release that migrated the database']
            : []),
          ...(pending > 0 ? [`✗ ${pending} migrations are pending: run \`migrate\`, or start the server`] : []),
          ...findings.map(({ sentence, subjects }) => `✗ ${sentence} Violated by ${subjects.join(', ')}`),
          ...deferred.map(deferredLine),
          ...warnings.map((warning) => `! ${warning}`),
          ...(healthy
            ? [
                `✓ ${storage.engine}: migrations current, ${invariants.length} invariants hold, the root secret can decrypt the database`,
              ]
            : []),
          ...(attention.length > 0 ? ['', 'Needs a person:'] : []),
          ...attention.flatMap(({ sentence, subjects }) => [
            `! ${sentence}`,
            ...subjects.map((subject) => `    ${subject}`),
          ]),
        ],
        error: healthy ? (attention.some(isLive) ? waits : null) : { code: 'unhealthy', message },
      })
    } finally {
      await storage.close()
    }
  },
})

// Findings about test money need no action.
function isLive({ subjects }: InvariantViolation): boolean {
  return subjects.some((subject) => !subject.endsWith(' (test)'))
}

// Warns of products that a search does not find. The server indexes missing products within an hour of its start, most of them
// immediately.
async function indexWarnings(db: Reader): Promise<string[]> {
  const { missing, rows, documents } = await countIndex(db)
  const isTorn = rows !== documents
  return [
    ...(missing > 0
      ? [`${missing} products are missing or outdated in the search index: start the server, or run \`search rebuild\``]
      : []),
    ...(isTorn
      ? [`the search index lists ${rows} products but has the words of ${documents}: run \`search rebuild\``]
      : []),
  ]
}

// Warns of pictures without scaled copies: shops show them as they were uploaded.
async function pictureWarnings({ waiting, givenUp }: { waiting: number; givenUp: number }): Promise<string[]> {
  const copier = createCopier()
  const isMissing = waiting > 0 && !(await copier.isAvailable())
  copier.close()
  return [
    ...(isMissing
      ? [
          `${waiting} pictures have no smaller copies: install the optional package sharp with \`npm install --include=optional\``,
        ]
      : []),
    ...(givenUp > 0 ? [`${givenUp} pictures have no smaller copies, because they could not be read`] : []),
  ]
}

const undeliveredMax = 20
const undeliveredMs = 7 * 24 * 3_600_000
const waitingMs = 3_600_000

// Warns of e-mails that were not delivered, or that wait for a mail server. No money depends on them, so they are only warnings.
async function emailWarnings(db: Reader, now: number): Promise<string[]> {
  const { count, since } = await readWaitingEmails(db)
  const undelivered = await listUndelivered(db, now - undeliveredMs, undeliveredMax)
  return [
    ...(since !== null && since < now - waitingMs
      ? [`${count} e-mails are waiting to be sent, the oldest since ${toInstant(since)}: check the mail server`]
      : []),
    ...undelivered.map(
      ({ slug, status, code, count: emails }) => `${slug}: ${emails} e-mails of the last week are ${status} (${code})`,
    ),
  ]
}

const accountsMax = 1_000
const accountWarningsMax = 50

// Warns of accounts that cannot take payments because their secrets cannot be decrypted here or their provider is not installed.
async function accountWarnings(db: Reader, rootSecret: RootSecret): Promise<string[]> {
  const accounts = await listAccountsOfAll(db, accountsMax)
  return accounts
    .flatMap((account) => {
      const { slug, id, provider, mode, secretsSealed } = account
      const name = `${slug}: the account ${id} (${provider}, ${mode})`
      if (!installedNames.includes(provider)) return [`${name} cannot be used: its payment provider is not installed`]
      if (decryptAccountSecrets(rootSecret, account, secretsSealed)) return []
      return [`${name} cannot be decrypted with this root secret: run \`payments rotate ${id}\``]
    })
    .slice(0, accountWarningsMax)
}

async function findDuties(db: Reader): Promise<MerchantDutyFacts[]> {
  return listDutyFacts(db, await listSellers(db, unreadyMax))
}

// Warns of missing facts. Also warns of products without a manufacturer, although only a person can judge whether they need one. Other
// duties to check by hand are listed in the dashboard, under Settings, Duties.
function dutyWarnings(facts: DutyFacts & { slug: string }): string[] {
  return dutyStates(facts).flatMap(({ id, status, lacks }) => {
    const isShown = status === 'missing' || (id === 'product_safety' && status === 'by_hand')
    const words = lacks.map((need) => needText(need, facts)).join(', ')
    return isShown
      ? [escapeControlCharacters(`${facts.slug}: missing for the EU: ${words} (${duties[id].source})`)]
      : []
  })
}

function needText(need: DutyNeed, { withoutMaker = 0, withoutResponsible = 0 }: DutyFacts): string {
  if (need === 'makers') return `the maker of ${withoutMaker} products, if the law requires one`
  return need === 'responsible' ? `a responsible person in the EU for ${withoutResponsible} makers` : needWords[need]
}

const needWords: Readonly<Record<Exclude<DutyNeed, 'makers' | 'responsible'>, string>> = {
  seller: 'the name, address and e-mail address of the seller',
  measures: 'the content of SKUs that need a unit price',
  terms: 'the terms as a text',
  withdrawal: 'the withdrawal instruction as a text',
  privacy: 'the privacy text or a link to it',
  imprint: 'the imprint or a link to it',
  accessibility: 'the accessibility statement',
  shipping: 'the text about delivery',
  guarantee: 'the picture of the notice on the legal guarantee',
}

const unreadyMax = 50
const unpayableMax = 50
const unpayableWords = { nothing_offered: noMethodWarning, no_account: noAccountWarning } as const

// Rows that a loop could not process are only warnings: the data is consistent, and the server retries them.
const deferredMax = 50

function shownRow({ retryAt, failedAt, ...row }: DeferredRow): object {
  return { ...row, failedAt: toInstant(failedAt), retryAt: toInstant(retryAt) }
}

function deferredLine({ loop, tenantId, rowId, failures, retryAt, errorCode }: DeferredRow): string {
  const times = failures === 1 ? 'once' : `${failures} times`
  return `! the background loop ${loop} failed to process ${rowId} of ${tenantId} ${times} (${errorCode}); next attempt at ${toInstant(retryAt)}`
}

export const openapiCommand = commandOf({
  summary: 'Print the OpenAPI document.',
  effect: 'none',
  options: { admin: { help: 'print the OpenAPI document of the admin API' } },
  async run(given, terminal) {
    terminal.out(printOpenApi(given.flags.has('admin') ? adminDocument : openInterfaceDocument, { version }))
    return 0
  },
})
