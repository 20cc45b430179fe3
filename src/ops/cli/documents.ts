// The command `documents`: writes the invoices and credit notes of a period into a ZIP file, for the bookkeeper. The documents contain
// buyers' names, so only the owner of the file can read it.

import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { AdminDocument } from '../../contract/admin/documents.ts'
import { modes } from '../../contract/words.ts'
import { decryptBuyer } from '../../domain/documents/content.ts'
import { findTaxDays } from '../../domain/documents/report.ts'
import { countDocumentsOfDays, listDocumentsOfDays } from '../../domain/documents/store.ts'
import { documentView } from '../../domain/documents/view.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { archiveDocumentsMax, documentArchive } from '../../web/documents/archive.ts'
import {
  type Command,
  CommandFailure,
  Misuse,
  merchantOption,
  type ParsedArguments,
  printResult,
  type Terminal,
  withMerchant,
} from './command.ts'

export const documentsCommand: Command = {
  summary: 'Export invoices and credit notes.',
  verbs: {
    export: {
      summary:
        'Write the documents of a period into a ZIP file, with a PDF and an e-invoice in XML for each document, and a list.',
      effect: 'reads',
      words: ['FILE'],
      options: {
        from: {
          value: 'DAY',
          help: 'the first day, such as 2026-06-01 (default: the first day of the month of the last day)',
        },
        to: { value: 'DAY', help: 'the last day (default: today)' },
        mode: { value: 'MODE', help: 'test or live (default: live)' },
        force: { help: 'replace an existing file with this name' },
        merchant: merchantOption,
      },
      run: exportDocuments,
    },
  },
}

async function exportDocuments(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const { from: first, to: last, mode: asked = 'live' } = given.texts
  const mode = modes.find((known) => known === asked)
  if (!mode) throw new Misuse('--mode must be test or live')
  const file = given.word
  if (!given.flags.has('force') && (await exists(file)))
    throw new CommandFailure(`${file} already exists: name another file, or replace it with --force`)
  return withMerchant(given, async ({ id: merchantId }, storage, { rootSecret }) => {
    const seller = { merchantId, mode }
    const days = { ...(first !== undefined && { from: first }), ...(last !== undefined && { to: last }) }
    const { from, to, documents } = await storage.read(async (db) => {
      const found = await findTaxDays(db, merchantId, days, new Date())
      return { ...found, documents: await countDocumentsOfDays(db, seller, found) }
    })
    if (documents > archiveDocumentsMax)
      throw new CommandFailure(
        `the period has ${documents} documents, but a file can have at most ${archiveDocumentsMax}: choose a shorter period`,
      )
    await writeWhole(file, documentArchive(documentsOfDays(storage, seller, { from, to, rootSecret })))
    printResult(terminal, given, { file, from, to, documents }, () => [
      `${file}   ${documents} documents, ${from} to ${to}`,
    ])
    return 0
  })
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined
}

const rowsMax = 10

async function* documentsOfDays(
  storage: Storage,
  seller: MerchantMode,
  { from, to, rootSecret }: { from: string; to: string; rootSecret: RootSecret },
): AsyncGenerator<AdminDocument> {
  let after = { at: 0, id: '' }
  for (;;) {
    const place = after
    const rows = await storage.read((db) => listDocumentsOfDays(db, seller, { from, to, after: place, limit: rowsMax }))
    for (const row of rows) yield documentView(row, decryptBuyer(rootSecret, row) ?? null)
    const last = rows.at(-1)
    if (!last || rows.length < rowsMax) return
    after = { at: last.issuedAt, id: last.id }
  }
}

// The file is renamed to its name when it is complete, so a file of this name is never incomplete.
async function writeWhole(file: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const partial = `${file}.partial`
  try {
    await rm(partial, { force: true })
    await pipeline(chunks, createWriteStream(partial, { flags: 'wx', mode: 0o600 }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error
    throw new CommandFailure(`${file} cannot be written: ${message}`)
  }
}
