// Commands that make and change shops: migrate, demo, apply, import.

import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { ApplyRefused, applyShop } from '../admin/apply.ts'
import { CsvError } from '../admin/csv.ts'
import { makeDemoShop } from '../admin/demo.ts'
import { changeLines } from '../admin/difference.ts'
import { type ImportReport, importProducts } from '../admin/import.ts'
import { readShopFile } from '../admin/read.ts'
import { readConfig } from '../config.ts'
import { migrate } from '../storage/migrate.ts'
import { openStorage } from '../storage/open.ts'
import { type Command, chooseMerchant, Failure, Misuse, print, type Terminal, withStorage } from './command.ts'

export const migrateCommand: Command = {
  summary: 'Bring the database up to date.',
  usage: ['migrate'],
  options: {},
  async run(given, terminal) {
    const storage = await openStorage(readConfig().databaseUrl)
    try {
      const applied = await migrate(storage, { now: new Date() })
      print(terminal, given, { applied }, () =>
        applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['The database is up to date.'],
      )
    } finally {
      await storage.close()
    }
    return 0
  },
}

export const demoCommand: Command = {
  summary: 'Make the demo shop, or what is missing of it, and print fresh keys.',
  usage: ['demo'],
  options: {},
  async run(given, terminal) {
    return withStorage(async (storage, config) => {
      const shop = await makeDemoShop(storage, config.rootSecret, Date.now())
      const baseUrl = config.publicUrl ?? `http://localhost:${config.port}`
      print(terminal, given, { baseUrl, ...shop }, () => [
        `base URL    ${baseUrl}`,
        `merchant    ${shop.merchant.slug}`,
        `products    ${shop.products.length}`,
        `key         ${shop.keys.full}   (every scope)`,
        `key         ${shop.keys.catalog}   (catalog:read)`,
        `key         ${shop.keys.none}   (no scope)`,
      ])
      return 0
    })
  },
}

export const applyCommand: Command = {
  summary: 'Bring a shop to what its YAML or JSON file says, and print the difference.',
  usage: ['apply FILE [--dry-run] [--stock]'],
  options: {
    'dry-run': { type: 'boolean', help: 'only print what would change' },
    stock: { type: 'boolean', help: 'also set the stock of SKUs that exist (otherwise a file names opening stock)' },
  },
  async run(given, terminal) {
    const [path, ...rest] = given.words
    if (path === undefined || rest.length > 0) throw new Misuse('apply takes one file')
    const read = readShopFile(await readText(path), Date.now())
    if ('problems' in read) {
      print(terminal, given, { problems: read.problems }, () =>
        read.problems.map(({ path: place, message }) => `${path}${place ? ` ${place}` : ''}: ${message}`),
      )
      return 1
    }
    const dryRun = given.flags.has('dry-run')
    return withStorage(async (storage) => {
      const options = { now: Date.now(), stock: given.flags.has('stock'), dryRun }
      const report = await applyShop(storage, read.file, options).catch((error: unknown) => {
        throw error instanceof ApplyRefused ? new Failure(error.message) : error
      })
      const { changes, refused, unchangedProducts } = report
      print(terminal, given, { dryRun, changes, refused, unchangedProducts }, () => [
        ...changes.flatMap(changeLines),
        ...refused.map(({ slug, reason }) => `! product ${slug} refused: ${reason}`),
        `${changes.length} ${dryRun ? 'would change' : 'changed'}, ${unchangedProducts} products as they were, ${refused.length} refused`,
      ])
      return refused.length > 0 ? 1 : 0
    })
  },
}

async function readText(path: string): Promise<string> {
  try {
    const file = await open(path)
    try {
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (error) {
    throw new Failure(`cannot read ${path}: ${(error as Error).message}`)
  }
}

export const importCommand: Command = {
  summary: "Import products from Shopify's product CSV.",
  usage: ['import FILE.csv [--merchant SLUG] [--stock]'],
  options: {
    merchant: { type: 'string', help: 'whose products they are; needed when there are several merchants' },
    stock: { type: 'boolean', help: 'also set the stock of SKUs that exist' },
  },
  async run(given, terminal) {
    const [path, ...rest] = given.words
    if (path === undefined || rest.length > 0) throw new Misuse('import takes one file')
    const file = await open(path).catch((error: Error) => {
      throw new Failure(`cannot read ${path}: ${error.message}`)
    })
    return withStorage(async (storage) => {
      const merchant = await chooseMerchant(storage, given.texts.merchant)
      const startedAt = performance.now()
      const report = await importProducts(storage, createReadStream('', { fd: file.fd, autoClose: false }), {
        merchantSlug: merchant.slug,
        now: Date.now(),
        stock: given.flags.has('stock'),
        onProgress: (soFar) => tellProgress(terminal, soFar, startedAt),
      }).catch((error: unknown) => {
        throw error instanceof CsvError
          ? new Failure(`${path} ${error.message}; what came before it is imported`)
          : error
      })
      print(terminal, given, report, () => reportLines(report))
      return report.refusedCount > 0 ? 1 : 0
    }).finally(() => file.close())
  },
}

function tellProgress(terminal: Terminal, report: Readonly<ImportReport>, startedAt: number): void {
  const done = report.created + report.changed + report.unchanged
  const seconds = (performance.now() - startedAt) / 1000
  terminal.progress(`${done} products, ${Math.round(done / seconds)}/s, ${report.refusedCount} rows refused`)
}

const linesMax = 50

function reportLines(report: ImportReport): string[] {
  const lines: string[] = []
  for (const { line, handle, reason } of report.refused.slice(0, linesMax))
    lines.push(`! line ${line}${handle ? ` (${handle})` : ''}: ${reason}`)
  if (report.refusedCount > linesMax)
    lines.push(`! and ${report.refusedCount - linesMax} more (--json tells the first thousand)`)
  for (const note of report.notes.slice(0, linesMax)) lines.push(`· ${note}`)
  if (report.notesCount > linesMax) lines.push(`· and ${report.notesCount - linesMax} more notes`)
  lines.push(
    `${report.created} created, ${report.changed} changed, ${report.unchanged} as they were, ${report.refusedCount} rows refused`,
  )
  return lines
}
