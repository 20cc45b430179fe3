// The commands `apply` and `import`, which create and change shops.

import { type FileHandle, open } from 'node:fs/promises'
import { type Remark, remarkText } from '../../contract/remarks.ts'
import { columnMeanings } from '../../contract/words.ts'
import { maskUrl } from '../../domain/webhooks/url.ts'
import { changeLines, escapeControlCharacters } from '../../platform/audit/change.ts'
import { isEncoding } from '../imports/csv.ts'
import { type AssignedColumn, assignmentProblems } from '../imports/formats/assigned.ts'
import { type ImportReport, importProducts } from '../imports/import.ts'
import { applyShop } from '../provisioning/apply.ts'
import { fileBytesMax, readShopBytes } from '../provisioning/read.ts'
import { shopFileSchema } from '../provisioning/shopfile.ts'
import {
  CommandFailure,
  commandOf,
  Misuse,
  merchantOption,
  printReport,
  type ReportError,
  type Terminal,
  withMerchant,
  withStorage,
} from './command.ts'
import { createRecorder } from './written.ts'

export const applyCommand = commandOf({
  summary: 'Apply a shop file in YAML or JSON: change the shop to match the file, and print the changes.',
  effect: 'creates',
  readsWith: 'dry-run',
  words: ['[FILE]'],
  options: {
    'dry-run': { help: 'only print the changes, without applying them' },
    stock: {
      help: 'also set the stock of existing SKUs, in test and live mode (default: the file only sets the stock of new SKUs)',
    },
    schema: { help: 'print the JSON Schema of shop files' },
  },
  async run(given, terminal) {
    const path = given.word
    if (given.flags.has('schema')) {
      if (path !== '') throw new Misuse('apply --schema does not take a FILE')
      terminal.out(`${JSON.stringify(shopFileSchema, null, 2)}\n`)
      return 0
    }
    if (path === '') throw new Misuse('apply needs the argument FILE')
    const read = readShopBytes(await readBytes(path), Date.now())
    if ('problems' in read) {
      const { problems } = read
      const error = {
        code: 'invalid_shop_file',
        message: `${escapeControlCharacters(path)} has ${problems.length} problems and was not applied`,
      } as const
      const lines = () =>
        problems.map(({ path: place, message }) =>
          escapeControlCharacters(`${path}${place ? ` ${place}` : ''}: ${message}`),
        )
      return printReport(terminal, given, { value: { problems }, lines, error })
    }
    const dryRun = given.flags.has('dry-run')
    return withStorage(given, async (storage, { rootSecret, webhookAllowPrivate }) => {
      const webhooks = { rootSecret, allowPrivate: webhookAllowPrivate }
      const now = Date.now()
      const options = { now, stock: given.flags.has('stock'), dryRun, webhooks, record: createRecorder('apply', now) }
      const report = await applyShop(storage, read.file, options)
      const { changes, refused, refusedPromotions, unchangedProducts, secrets, warnings } = report
      const refusedCount = refused.length + refusedPromotions.length
      const lines = () => [
        ...changes.flatMap(changeLines).map(escapeControlCharacters),
        ...refused.map(({ slug, reason }) => escapeControlCharacters(`! the product ${slug} was refused: ${reason}`)),
        ...refusedPromotions.map(({ code, reason }) =>
          escapeControlCharacters(`! the promotion ${code} was refused: ${reason}`),
        ),
        ...secrets.map(({ endpointId, url, secret }) =>
          escapeControlCharacters(`${secret}   the secret of ${endpointId}, shown only once: ${maskUrl(url)}`),
        ),
        `${changes.length} ${dryRun ? 'would change' : 'changed'}, ${unchangedProducts} products unchanged, ${refusedCount} refused`,
      ]
      const value = { dryRun, changes, refused, refusedPromotions, unchangedProducts, secrets, warnings }
      if (!given.flags.has('json'))
        for (const warning of warnings) terminal.err(`warning: ${escapeControlCharacters(warning)}\n`)
      return printReport(terminal, given, { value, lines, error: partlyRefused(refusedCount) })
    })
  },
})

function partlyRefused(count: number): ReportError | null {
  return count > 0
    ? { code: 'partly_refused', message: `${count} entries were refused, and the others were applied` }
    : null
}

// Reads one byte more than allowed, so the caller can detect a file that is too large.
async function readBytes(path: string): Promise<Buffer> {
  const file = await openFile(path)
  const chunks: AsyncIterable<Buffer> = file.createReadStream({ end: fileBytesMax })
  const read = await Array.fromAsync(chunks).catch((error: Error) => {
    throw unreadable(path, error)
  })
  return Buffer.concat(read)
}

function openFile(path: string): Promise<FileHandle> {
  return open(path).catch((error: Error) => {
    throw unreadable(path, error)
  })
}

function unreadable(path: string, error: Error): CommandFailure {
  return new CommandFailure(`cannot read ${path}: ${error.message}`, 'file_unreadable')
}

export const importCommand = commandOf({
  summary: 'Import products from a product file of Shopify, WooCommerce, Wix or Medusa, a Google feed, or any CSV.',
  effect: 'changes',
  words: ['FILE.csv'],
  options: {
    merchant: merchantOption,
    stock: { help: 'also set the stock of existing SKUs, in test and live mode' },
    'stock-default': { value: 'N', help: 'stock of SKUs for which the file has no quantity' },
    encoding: { value: 'NAME', help: 'character encoding of a file that is not UTF-8, such as windows-1252' },
    columns: {
      value: 'LIST',
      help: 'meanings of the columns of any other CSV file, such as "title=Article,price=Net price"',
    },
  },
  async run(given, terminal) {
    const path = given.word
    const { encoding } = given.texts
    if (encoding !== undefined && !isEncoding(encoding))
      throw new Misuse(
        `--encoding ${escapeControlCharacters(encoding)} is not supported; a common encoding is windows-1252`,
      )
    const stockDefault = readCount(given.texts['stock-default'], 'stock-default')
    const assigned = readColumns(given.texts.columns)
    const file = await openFile(path)
    // The stream owns the file from now on, and closes it once on success or failure.
    const chunks = file.createReadStream()
    return withMerchant(given, async (merchant, storage) => {
      const startedAt = performance.now()
      const now = Date.now()
      const report = await importProducts(storage, chunks, {
        merchantSlug: merchant.slug,
        now,
        record: createRecorder('import', now),
        stock: given.flags.has('stock'),
        stockDefault,
        assigned,
        ...(encoding !== undefined && { encoding }),
        onProgress: (soFar) => tellProgress(terminal, soFar, startedAt),
      }).catch((error: Error) => {
        throw error === chunks.errored ? unreadable(path, error) : error
      })
      const lines = () => reportLines(report).map(escapeControlCharacters)
      const error = brokenOff(path, report) ?? partlyRefused(report.refusedCount)
      const exitCode = printReport(terminal, given, { value: printed(report), lines, error })
      // The printed lines are about rows and products. Why the file could not be read to its end is printed here.
      if (report.brokenOff !== null && error && !given.flags.has('json')) terminal.err(`cartwright: ${error.message}\n`)
      return exitCode
    }).finally(() => chunks.destroy())
  },
})

function readColumns(text: string | undefined): AssignedColumn[] | null {
  if (text === undefined) return null
  const columns = text.split(',').map((part) => {
    const [, name = '', column = ''] = /^([^=]*)=(.*)$/.exec(part) ?? []
    const as = columnMeanings.find((meaning) => meaning === name.trim())
    if (as === undefined || column.trim() === '')
      throw new Misuse(
        `--columns must be a list such as "title=Article,price=Net price", with the meanings ${columnMeanings.join(', ')}`,
      )
    return { column: column.trim(), as }
  })
  const [problem] = assignmentProblems(undefined, columns)
  if (problem) throw new Misuse(`--columns ${problem.message}`)
  return columns
}

function readCount(text: string | undefined, name: string): number | null {
  if (text === undefined) return null
  if (!/^\d{1,9}$/.test(text)) throw new Misuse(`--${name} must be a whole number up to 999999999`)
  return Number(text)
}

function brokenOff(path: string, report: ImportReport): ReportError | null {
  if (report.brokenOff === null) return null
  const message = escapeControlCharacters(
    `${path} ${remarkText(report.brokenOff)}; the products before that line were imported`,
  )
  return { code: 'file_broken_off', message }
}

function tellProgress(terminal: Terminal, report: Readonly<ImportReport>, startedAt: number): void {
  const done = report.created + report.changed + report.unchanged
  const seconds = (performance.now() - startedAt) / 1000
  terminal.progress(`${done} products, ${Math.round(done / seconds)}/s, ${report.refusedCount} rows refused`)
}

// The report with messages instead of codes.
function printed({ refused, notes, brokenOff, ...rest }: ImportReport) {
  const { currency, created, changed, unchanged, refusedCount, notesCount } = rest
  return {
    currency,
    created,
    changed,
    unchanged,
    refused: refused.map((row) => ({ ...row, reason: remarkText(row.reason) })),
    refusedCount,
    notes: notes.map(remarkText),
    notesCount,
    brokenOff: brokenOff && remarkText(brokenOff),
  }
}

// New SKUs that cannot be bought yet are reported last, where the remark is noticed.
function isWarning({ code }: Remark): boolean {
  return code === 'no_quantities'
}

const linesMax = 50

function reportLines(report: ImportReport): string[] {
  const lines: string[] = []
  for (const { line, handle, reason } of report.refused.slice(0, linesMax))
    lines.push(`! line ${line}${handle ? ` (${handle})` : ''}: ${remarkText(reason)}`)
  if (report.refusedCount > linesMax)
    lines.push(`! and ${report.refusedCount - linesMax} more rows (--json lists the first thousand)`)
  const notes = report.notes.filter((note) => !isWarning(note))
  for (const note of notes.slice(0, linesMax)) lines.push(`· ${remarkText(note)}`)
  if (report.notesCount > linesMax) lines.push(`· and ${report.notesCount - linesMax} more notes`)
  lines.push(
    `prices were read in ${report.currency}`,
    ...report.notes.filter(isWarning).map(remarkText),
    `${report.created} created, ${report.changed} changed, ${report.unchanged} unchanged, ${report.refusedCount} rows refused`,
  )
  return lines
}
