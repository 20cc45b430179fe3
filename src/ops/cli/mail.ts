// `mail`: what became of letters. No address is shown in clear.

import { findStoredLetter } from '../../domain/emails/read.ts'
import { findLetter, type LetterRow, listLetters, retryLetter } from '../../domain/emails/store.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MailTarget } from '../../platform/kit/mailurl.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { isMailOn, type LetterStatus, letterKinds, letterStatuses } from '../../platform/outbox/letters.ts'
import { type Command, type Given, Misuse, merchantOption, print, type Terminal, withMerchant } from './command.ts'

const shownMax = 200
const shownDefault = 50

export const mailCommand: Command = {
  summary: 'Show letters to shoppers and merchants, and send one again.',
  verbs: {
    list: {
      summary: 'List letters, newest first.',
      effect: 'reads',
      options: {
        status: { value: 'STATUS', help: `only ${letterStatuses.join(', ')}` },
        limit: { value: 'COUNT', help: `how many, up to ${shownMax} (default: ${shownDefault})` },
        merchant: merchantOption,
      },
      run: list,
    },
    show: {
      summary: 'Show a letter: what it is about, and what the mail server answered.',
      effect: 'reads',
      words: ['LETTER_ID'],
      options: {
        text: { help: 'also print its text, where letters are files' },
        merchant: merchantOption,
      },
      run: show,
    },
    retry: {
      summary: 'Send a letter again that was refused, given up, or waits for its next try.',
      effect: 'changes',
      words: ['LETTER_ID'],
      options: { merchant: merchantOption },
      run: retry,
    },
  },
}

function list(given: Given, terminal: Terminal): Promise<number> {
  const statuses = readStatuses(given.texts.status)
  const limit = readLimit(given.texts.limit)
  return withMerchant(given, async (merchant, storage) => {
    const [isOn, rows] = await storage.read(async (db) => [
      await isMailOn(db),
      await listLetters(db, merchant.id, { statuses, limit }),
    ])
    print(terminal, given, { isOn, letters: rows.map(shown) }, () => [
      ...(isOn ? [] : ['! no server sends letters: CARTWRIGHT_MAIL_URL is off']),
      ...(rows.length === 0 ? ['no letters'] : rows.map(line)),
    ])
    return 0
  })
}

function readStatuses(text: string | undefined): readonly LetterStatus[] {
  if (text === undefined) return letterStatuses
  const status = letterStatuses.find((known) => known === text)
  if (!status) throw new Misuse(`--status must be one of ${letterStatuses.join(', ')}`)
  return [status]
}

function readLimit(text = String(shownDefault)): number {
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > shownMax)
    throw new Misuse(`--limit must be a whole number from 1 to ${shownMax}`)
  return Number(text)
}

function show(given: Given, terminal: Terminal): Promise<number> {
  return withMerchant(given, async (merchant, storage, { mail }) => {
    const letter = await storage.read((db) => find(db, merchant.id, given.word))
    const text = given.flags.has('text') ? textOf(mail.target, letter.id) : null
    print(terminal, given, { letter: shown(letter), ...(text !== null && { text }) }, () => [
      ...Object.entries(shown(letter)).map(([name, value]) => `${name.padEnd(14)} ${value ?? '–'}`),
      ...(text === null ? [] : ['', text]),
    ])
    return 0
  })
}

function textOf(target: MailTarget, id: string): string {
  if (target.kind !== 'file') throw new Misuse('--text needs letters that are files: CARTWRIGHT_MAIL_URL=file:FOLDER')
  const stored = findStoredLetter(target.folder, id)
  if (!stored) throw refuse('letter_not_found', { message: `There is no file of letter ${id} in ${target.folder}.` })
  return stored.text
}

function retry(given: Given, terminal: Terminal): Promise<number> {
  return withMerchant(given, async (merchant, storage) => {
    const letter = await storage.write(async (tx) => {
      const found = await find(tx, merchant.id, given.word)
      if (!(await retryLetter(tx, found, Date.now()))) {
        const message = `Letter ${found.id} is ${found.status}: it cannot be sent again.`
        throw refuse('letter_not_retryable', { message, current: { status: found.status } })
      }
      return find(tx, merchant.id, given.word)
    })
    print(terminal, given, { letter: shown(letter) }, () => [line(letter)])
    return 0
  })
}

async function find(db: Parameters<typeof findLetter>[0], merchantId: string, id: string): Promise<LetterRow> {
  const letter = isId('eml', id) ? await findLetter(db, merchantId, id) : undefined
  if (!letter) throw refuse('letter_not_found', { message: `There is no letter ${id}.` })
  return letter
}

function shown(letter: LetterRow) {
  return {
    id: letter.id,
    kind: letter.kind,
    to: letterKinds[letter.kind],
    address: letter.addressMasked,
    status: letter.status,
    code: letter.code,
    attempts: letter.attempts,
    orderId: letter.orderId,
    subjectId: letter.subjectId,
    messageId: letter.messageId,
    createdAt: toInstant(letter.createdAt),
    nextTryAt: letter.dueAt === null ? null : toInstant(letter.dueAt),
    finishedAt: letter.finishedAt === null ? null : toInstant(letter.finishedAt),
  }
}

function line(letter: LetterRow): string {
  const { id, kind, status, address, code, createdAt } = shown(letter)
  return [id, createdAt.slice(0, 19), kind.padEnd(17), status.padEnd(9), address ?? '–', code ?? '']
    .join('  ')
    .trimEnd()
}
