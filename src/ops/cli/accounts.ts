// The command `payments` and its verbs, such as `connect`: the merchant's accounts at payment providers. Keys are only read from standard
// input: every process of the machine sees arguments, shells store them, and child processes get the environment.

import { paymentOperationRows } from '../../contract/admin/payments.ts'
import { type Mode, modes } from '../../contract/words.ts'
import type { Merchant } from '../../domain/merchants/store.ts'
import { type AccountQuestion, type ProviderAccounts, sentenceOfIssue } from '../../domain/payments/accountport.ts'
import { type AccountRow, listAccounts } from '../../domain/payments/accounts.ts'
import {
  type AccountTools,
  accountChange,
  accountProvider,
  type ConnectAnswers,
  findAccountNamed,
  noticeUrlFor,
  refuseSecondAccount,
  rotateAccount,
  rotateNoticeSecret,
} from '../../domain/payments/providers/connect.ts'
import type { accountProviders } from '../../domain/payments/providers/installed.ts'
import { providerWebhookPath } from '../../domain/payments/providers/registry.ts'
import { escapeControlCharacters } from '../../platform/audit/change.ts'
import type { Config } from '../../platform/config.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import {
  type CommandVerb,
  configuredOrigin,
  Misuse,
  merchantOption,
  type ParsedArguments,
  printReport,
  printResult,
  type Terminal,
  withMerchant,
} from './command.ts'
import { operationVerbs } from './operation.ts'
import { recordCommand } from './written.ts'

export type AccountProvidersOf = typeof accountProviders

export function accountVerbs(providersOf: AccountProvidersOf): Readonly<Record<string, CommandVerb>> {
  const { perform } = operationVerbs(paymentOperationRows, 'payments', ({ providerUrls }) => ({
    withAccount: providersOf(providerUrls),
  }))
  const withTools = <T>(
    given: ParsedArguments,
    work: (tools: AccountTools & { config: Config }, merchant: Merchant) => Promise<T>,
  ): Promise<T> =>
    withMerchant(given, (merchant, storage, config) =>
      work({ ...toolsFor(storage, config, providersOf), config }, merchant),
    )
  const withAccount = <T>(
    given: ParsedArguments,
    work: (tools: AccountTools & { config: Config }, account: AccountRow) => Promise<T>,
  ): Promise<T> =>
    withTools(given, async (tools, { id }) =>
      work(tools, await tools.storage.read((db) => findAccountNamed(db, id, given.word))),
    )

  return {
    connect: {
      summary: 'Connect an account at a payment provider; the keys of the account are read from standard input.',
      effect: 'changes',
      words: ['PROVIDER'],
      options: {
        mode: { value: 'MODE', help: `the mode of the keys: ${modes.join(' or ')}`, isRequired: true },
        merchant: merchantOption,
      },
      run(given, terminal) {
        const mode = readMode(given)
        return withTools(given, async (tools, { id: merchantId }) => {
          const provider = await accountProvider(tools, given.word)
          const merchant = { merchantId, mode }
          // Checked before the user is asked for the keys.
          await tools.storage.read((db) => refuseSecondAccount(db, merchant, provider))
          const answers = await readAnswers(provider.questions, terminal)
          const members = { provider: provider.name, keys: answers }
          const { id } = await perform(tools, 'connectAdminPaymentAccount', merchant, members)
          const account = await tools.storage.read((db) => findAccountNamed(db, merchantId, id))
          tellAccount(tools, { account, provider }, given, terminal)
          return 0
        })
      },
    },
    list: {
      summary: 'List the accounts at payment providers, including disconnected accounts.',
      effect: 'reads',
      options: { merchant: merchantOption },
      run: (given, terminal) =>
        withTools(given, async (tools, { id }) => {
          const accounts = (await tools.storage.read((db) => listAccounts(db, id))).map((row) => shown(tools, row))
          printResult(terminal, given, { accounts }, () => accounts.map(lineOf))
          return 0
        }),
    },
    rotate: {
      summary: 'Replace the keys of an account; the former signing secret of its webhooks is accepted for 24 hours.',
      effect: 'changes',
      words: ['ACCOUNT_ID'],
      options: {
        notices: { help: 'replace only the secret that signs the webhooks of the provider' },
        merchant: merchantOption,
      },
      run: (given, terminal) =>
        withAccount(given, async (tools, account) => {
          const provider = await accountProvider(tools, account.provider)
          const rotated = given.flags.has('notices')
            ? await rotateNotices(tools, account, provider, terminal)
            : await rotateAccount(tools, account, provider, await readAnswers(provider.questions, terminal))
          tellAccount(tools, { account: rotated, provider }, given, terminal)
          return 0
        }),
    },
    disconnect: {
      summary:
        'Disconnect an account: it takes no new payments, but existing payments are still looked up and refunded.',
      effect: 'changes',
      words: ['ACCOUNT_ID'],
      options: { merchant: merchantOption },
      run: (given, terminal) =>
        withAccount(given, async (tools, known) => {
          const { leftover } = await perform(tools, 'disconnectAdminPaymentAccount', known, { accountId: known.id })
          const account = await tools.storage.read((db) => findAccountNamed(db, known.merchantId, known.id))
          const seen = shown(tools, account)
          const problem = leftover && sentenceOfIssue(leftover)
          if (problem !== null)
            terminal.err(`cartwright: account ${account.id} is disconnected. ${escapeControlCharacters(problem)}\n`)
          return printReport(terminal, given, {
            value: { account: seen },
            lines: () => [lineOf(seen)],
            error: problem === null ? null : { code: 'call_failed', message: problem },
          })
        }),
    },
    check: {
      summary: 'Ask the payment providers whether the accounts work, and print the problems.',
      effect: 'reads',
      words: ['[ACCOUNT_ID]'],
      options: { merchant: merchantOption },
      run: (given, terminal) =>
        withTools(given, async (tools, { id }) => {
          const accounts = given.word
            ? [await tools.storage.read((db) => findAccountNamed(db, id, given.word))]
            : (await tools.storage.read((db) => listAccounts(db, id))).filter(({ endedAt }) => endedAt === null)
          const checked: (Shown & { problems: readonly string[] })[] = []
          for (const account of accounts) {
            const { issues } = await perform(tools, 'checkAdminPaymentAccount', account, { accountId: account.id })
            checked.push({ ...shown(tools, account), problems: issues.map(sentenceOfIssue) })
          }
          const wrong = checked.filter(({ problems }) => problems.length > 0).length
          return printReport(terminal, given, {
            value: { accounts: checked },
            lines: () =>
              checked.flatMap((account) => [
                `${account.problems.length === 0 ? '✓' : '✗'} ${lineOf(account)}`,
                ...account.problems.map((problem) => escapeControlCharacters(`    ${problem}`)),
              ]),
            error: wrong === 0 ? null : { code: 'unhealthy', message: `${wrong} accounts have problems` },
          })
        }),
    },
  }
}

function toolsFor(storage: Storage, config: Config, providersOf: AccountProvidersOf): AccountTools {
  const { rootSecret, providerUrls } = config
  const clock = () => new Date()
  const withAccount = providersOf(providerUrls, clock)
  const record: AccountTools['record'] = (tx, account, change) => {
    const { merchantId, mode } = account
    const changes = [accountChange(account, change)]
    recordCommand(tx, { merchantId, mode, operation: 'payments rotate', changes, now: clock().getTime() })
  }
  return { storage, rootSecret, providerUrls, publicOrigin: configuredOrigin(config), withAccount, clock, record }
}

function readMode({ texts }: ParsedArguments): Mode {
  const mode = modes.find((known) => known === texts.mode)
  if (!mode) throw new Misuse(`--mode must be ${modes.join(' or ')}`)
  return mode
}

async function rotateNotices(
  tools: AccountTools,
  account: AccountRow,
  provider: ProviderAccounts,
  terminal: Terminal,
): Promise<AccountRow> {
  const questions = [{ name: 'secret', label: 'Signing secret of the webhooks' }]
  // Without `noticeSecret`, the provider's webhooks are not signed: the operation refuses, and no secret is asked for.
  const { secret = '' } = provider.noticeSecret === null ? {} : await readAnswers(questions, terminal)
  return rotateNoticeSecret(tools, account, provider, secret)
}

const answersBytesMax = 16_384
const answerLengthMax = 1_000

// Reads one answer per line: typed at a terminal without being shown, or piped.
async function readAnswers(questions: readonly AccountQuestion[], terminal: Terminal): Promise<ConnectAnswers> {
  const lines: string[] = []
  if (terminal.ask) for (const { label } of questions) lines.push(await terminal.ask(label))
  else lines.push(...(await readLines(terminal.input)))
  if (lines.length !== questions.length)
    throw new Misuse(
      `standard input must have one line for each of these answers: ${questions.map(({ label }) => label).join('; ')}`,
    )
  const answers = lines.map((line) => line.trim())
  if (answers.some((answer) => answer === '' || answer.length > answerLengthMax || /\p{Cc}/u.test(answer)))
    throw new Misuse(`each line of standard input must have 1 to ${answerLengthMax} characters`)
  return Object.fromEntries(questions.map(({ name }, at) => [name, answers[at] ?? '']))
}

async function readLines(input: Terminal['input']): Promise<string[]> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of input) {
    chunks.push(chunk)
    length += chunk.length
    if (length > answersBytesMax) throw new Misuse(`standard input must have at most ${answersBytesMax} bytes`)
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  return text === '' ? [] : text.split(/\r?\n/)
}

type Shown = ReturnType<typeof shown>

// The members of an account that may be shown.
function shown(tools: AccountTools, account: AccountRow) {
  const { id, provider, mode, public: facts, endedAt, previousUntil, createdAt } = account
  return {
    id,
    provider,
    mode,
    facts,
    noticeUrl: noticeUrlFor(tools, account),
    createdAt: toInstant(createdAt),
    previousAcceptedUntil: previousUntil === null ? null : toInstant(previousUntil),
    endedAt: endedAt === null ? null : toInstant(endedAt),
  }
}

function lineOf({ id, provider, mode, facts, endedAt }: Shown): string {
  const told = Object.entries(facts).map(([name, value]) => `${name} ${value}`)
  return escapeControlCharacters(
    [id, provider, mode, ...told, ...(endedAt === null ? [] : [`disconnected ${endedAt}`])].join('  '),
  )
}

function tellAccount(
  tools: AccountTools,
  { account, provider }: { account: AccountRow; provider: ProviderAccounts },
  given: ParsedArguments,
  terminal: Terminal,
): void {
  const seen = shown(tools, account)
  const help = seen.noticeUrl === null ? helpFor(tools, account, provider) : null
  printResult(terminal, given, { account: seen, noticeHelp: help }, () => [
    lineOf(seen),
    ...(help === null
      ? []
      : [
          'The payment provider cannot reach this server, because the public URL of the server is not https.',
          escapeControlCharacters(help),
        ]),
  ])
}

function helpFor({ publicOrigin }: AccountTools, { id }: AccountRow, { noticeHelp, noticeSecret }: ProviderAccounts) {
  const help = noticeHelp(publicOrigin() + providerWebhookPath + id)
  return noticeSecret === null ? help : `${help} Then run \`payments rotate ${id} --notices\`.`
}
