// The command `mail`: shows and retries e-mails. Addresses are masked.

import { findStoredEmail } from '../../domain/emails/read.ts'
import { type EmailRow, findEmail, listEmails, retryEmail } from '../../domain/emails/store.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MailTarget } from '../../platform/kit/mailurl.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { type EmailStatus, emailKinds, emailStatuses, isMailOn } from '../../platform/outbox/emails.ts'
import {
  type Command,
  Misuse,
  merchantOption,
  type ParsedArguments,
  printResult,
  type Terminal,
  withMerchant,
} from './command.ts'

const shownMax = 200
const shownDefault = 50

export const mailCommand: Command = {
  summary: 'Show e-mails to shoppers and merchants, and send one again.',
  verbs: {
    list: {
      summary: 'List e-mails, newest first.',
      effect: 'reads',
      options: {
        status: { value: 'STATUS', help: `list only e-mails with this status: ${emailStatuses.join(', ')}` },
        limit: { value: 'COUNT', help: `number of e-mails, up to ${shownMax} (default: ${shownDefault})` },
        merchant: merchantOption,
      },
      run: list,
    },
    show: {
      summary: 'Show the subject of an e-mail, its status, and the answer of the mail server.',
      effect: 'reads',
      words: ['EMAIL_ID'],
      options: {
        text: { help: 'also print the text of the e-mail, if e-mails are stored as files' },
        merchant: merchantOption,
      },
      run: show,
    },
    retry: {
      summary: 'Send an e-mail again that was refused, has failed, or is waiting for its next attempt.',
      effect: 'changes',
      words: ['EMAIL_ID'],
      options: { merchant: merchantOption },
      run: retry,
    },
  },
}

function list(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const statuses = readStatuses(given.texts.status)
  const limit = readLimit(given.texts.limit)
  return withMerchant(given, async (merchant, storage) => {
    const [isOn, rows] = await storage.read(async (db) => [
      await isMailOn(db),
      await listEmails(db, merchant.id, { statuses, limit }),
    ])
    printResult(terminal, given, { isOn, emails: rows.map(shown) }, () => [
      ...(isOn ? [] : ['! no e-mails are sent, because CARTWRIGHT_MAIL_URL is off']),
      ...(rows.length === 0 ? ['no e-mails'] : rows.map(line)),
    ])
    return 0
  })
}

function readStatuses(text: string | undefined): readonly EmailStatus[] {
  if (text === undefined) return emailStatuses
  const status = emailStatuses.find((known) => known === text)
  if (!status) throw new Misuse(`--status must be one of ${emailStatuses.join(', ')}`)
  return [status]
}

function readLimit(text = String(shownDefault)): number {
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > shownMax)
    throw new Misuse(`--limit must be a whole number from 1 to ${shownMax}`)
  return Number(text)
}

function show(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withMerchant(given, async (merchant, storage, { mail }) => {
    const email = await storage.read((db) => find(db, merchant.id, given.word))
    const text = given.flags.has('text') ? textOf(mail.target, email.id) : null
    printResult(terminal, given, { email: shown(email), ...(text !== null && { text }) }, () => [
      ...Object.entries(shown(email)).map(([name, value]) => `${name.padEnd(14)} ${value ?? '–'}`),
      ...(text === null ? [] : ['', text]),
    ])
    return 0
  })
}

function textOf(target: MailTarget, id: string): string {
  if (target.kind !== 'file')
    throw new Misuse('--text only works if e-mails are stored as files, with CARTWRIGHT_MAIL_URL=file:FOLDER')
  const stored = findStoredEmail(target.folder, id)
  if (!stored) throw refuse('email_not_found', { message: `The folder ${target.folder} has no file for e-mail ${id}.` })
  return stored.text
}

function retry(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withMerchant(given, async (merchant, storage) => {
    const email = await storage.write(async (tx) => {
      const found = await find(tx, merchant.id, given.word)
      if (!(await retryEmail(tx, found, Date.now()))) {
        const message = `E-mail ${found.id} is ${found.status}: it cannot be sent again.`
        throw refuse('email_not_retryable', { message, current: { status: found.status } })
      }
      return find(tx, merchant.id, given.word)
    })
    printResult(terminal, given, { email: shown(email) }, () => [line(email)])
    return 0
  })
}

async function find(db: Parameters<typeof findEmail>[0], merchantId: string, id: string): Promise<EmailRow> {
  const email = isId('eml', id) ? await findEmail(db, merchantId, id) : undefined
  if (!email) throw refuse('email_not_found', { message: `There is no e-mail ${id}.` })
  return email
}

function shown(email: EmailRow) {
  return {
    id: email.id,
    kind: email.kind,
    to: emailKinds[email.kind],
    address: email.addressMasked,
    status: email.status,
    code: email.code,
    attempts: email.attempts,
    orderId: email.orderId,
    subjectId: email.subjectId,
    messageId: email.messageId,
    createdAt: toInstant(email.createdAt),
    nextTryAt: email.dueAt === null ? null : toInstant(email.dueAt),
    finishedAt: email.finishedAt === null ? null : toInstant(email.finishedAt),
  }
}

function line(email: EmailRow): string {
  const { id, kind, status, address, code, createdAt } = shown(email)
  return [id, createdAt.slice(0, 19), kind.padEnd(17), status.padEnd(9), address ?? '–', code ?? '']
    .join('  ')
    .trimEnd()
}
