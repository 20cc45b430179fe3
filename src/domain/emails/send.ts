// Sends queued e-mails: one round of a background job. A round leases a few e-mails, sends them outside of any transaction, and records
// each outcome. Safe on several nodes and across crashes; an e-mail whose outcome was lost is sent again with the same Message-ID.

import { randomUUID } from 'node:crypto'
import { claimRows, deferFailedRow, handleRows, type RowFailure, RowsFailed } from '../../platform/jobs/rows.ts'
import type { Log } from '../../platform/log/log.ts'
import { setMailSwitch } from '../../platform/outbox/emails.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { maskEmail } from '../checkout/secret.ts'
import type { Discards } from './discards.ts'
import { emailLeaseMs, emailRetryAt } from './schedule.ts'
import { type Attachment, type OutgoingEmail, type SmtpAnswer, smtpConnectionsMax, type Transport } from './smtp.ts'
import {
  claimEmails,
  deleteEmails,
  discardWaitingEmails,
  type EmailOutcome,
  type EmailRow,
  listDueEmails,
  listOldEmails,
  recordEmailOutcome,
  releaseEmails,
} from './store.ts'

// Why an e-mail is not sent.
export type DiscardReason = 'too_many' | 'erased' | 'unreadable' | 'bad_address' | 'no_address' | 'missing' | 'expired'

export interface MailTools {
  storage: Storage
  clock: () => Date
  prepare(db: Reader, email: EmailRow): Promise<OutgoingEmail | { discarded: DiscardReason }>
  // The bytes of a picture under `/media/`; undefined if it was deleted.
  picture(path: string): Promise<{ media: string; bytes: Buffer } | undefined>
  transport: Transport
  log: Log
  counts: EmailCounts
  // Whether the last e-mail was deferred by the mail server: an outage is one line of the log, not one for each e-mail.
  health: { isFailing: boolean }
  discards: Discards
  // Aborted when the process ends, so pending responses are no longer awaited.
  stop: AbortController
  // Limits that tests lower.
  leaseMs?: number
  sendMsMax?: number
  // Called when the mail server has responded but nothing is recorded yet, so a test can kill the process at this point.
  onAnswered?: () => void
}

export type EmailCounts = Record<'sent' | 'retried' | 'refused' | 'failed' | 'discarded', number>

export function newEmailCounts(): EmailCounts {
  return { sent: 0, retried: 0, refused: 0, failed: 0, discarded: 0 }
}

// E-mails of one round, sent in parallel: one for each connection, so none waits for another.
export const emailsPerRound = smtpConnectionsMax
// Maximum wait for a response, longer than the transport waits for a silent server.
export const sendMsMaxDefault = 10 * 60_000

// Called when a server starts: switches the queue of e-mails on or off. If only one server uses the database, e-mails that its former
// process was sending become due. E-mails that wait when mail is switched off are discarded, because they would be outdated when mail is
// switched on again.
export async function switchMailQueue(storage: Storage, isOn: boolean, now: number): Promise<void> {
  await storage.write(async (tx) => {
    await setMailSwitch(tx, isOn, now)
    if (!isOn) await discardWaitingEmails(tx, now)
    else if (storage.hasOneServer) await releaseEmails(tx, now)
  })
}

export async function sendDueEmails(tools: MailTools, limit = emailsPerRound): Promise<number> {
  const { storage, transport, clock } = tools
  const now = clock().getTime()
  const round = { storage, loop: 'mail', now } as const
  tools.discards.tell(now)
  const claim = { leaseId: randomUUID(), leaseMs: tools.leaseMs ?? emailLeaseMs, host: transport.host, now, limit }
  const failures: RowFailure[] = []
  const due = await claimRows(
    round,
    failures,
    (only) => storage.write((tx) => claimEmails(tx, claim, only)),
    () => storage.read((db) => listDueEmails(db, now, limit)),
  )
  const rows = due.length + failures.length
  await Promise.all(
    due.map(async (email) => {
      try {
        await sendEmail(tools, email)
      } catch (error) {
        failures.push(await deferFailedRow(round, { tenantId: email.installationId, rowId: email.id }, error))
      }
    }),
  )
  if (failures.length > 0) throw new RowsFailed(failures, rows - failures.length)
  return rows
}

async function sendEmail(tools: MailTools, email: EmailRow): Promise<void> {
  const { storage, clock } = tools
  const message = await storage.read((db) => tools.prepare(db, email))
  if ('discarded' in message) {
    const { discarded: code } = message
    const { recipientHash } = email
    const outcome = { dueAt: null, code, addressMasked: null, recipientHash, isTried: false }
    return record(tools, email, { ...outcome, status: 'discarded' })
  }
  const answer = await post(tools, email, message, await attachmentsOf(tools, message))
  tools.onAnswered?.()
  return record(tools, email, emailOutcomeFor(email, message, answer, clock().getTime()))
}

// If a picture was deleted, the e-mail shows its alternative text.
async function attachmentsOf({ picture }: MailTools, { pictures }: OutgoingEmail): Promise<Attachment[]> {
  const found = await Promise.all(
    pictures.map(async ({ cid, path }) => {
      const file = await picture(path)
      return file ? [{ cid, name: path.slice(path.lastIndexOf('/') + 1), ...file }] : []
    }),
  )
  return found.flat()
}

async function post(
  { transport, stop, sendMsMax = sendMsMaxDefault }: MailTools,
  { id }: EmailRow,
  message: OutgoingEmail,
  attachments: readonly Attachment[],
): Promise<SmtpAnswer> {
  let timer: NodeJS.Timeout | undefined
  let giveUp = () => {}
  const patience = new Promise<SmtpAnswer>((resolve) => {
    giveUp = () => resolve({ kind: 'later', code: 'no_answer' })
    timer = setTimeout(giveUp, sendMsMax)
    stop.signal.addEventListener('abort', giveUp)
    if (stop.signal.aborted) giveUp()
  })
  return Promise.race([transport.post(id, message, attachments), patience]).finally(() => {
    clearTimeout(timer)
    stop.signal.removeEventListener('abort', giveUp)
  })
}

export function emailOutcomeFor(
  { attempts }: Pick<EmailRow, 'attempts'>,
  { to, keepsAddress, recipientHash }: Pick<OutgoingEmail, 'to' | 'keepsAddress' | 'recipientHash'>,
  { kind, code }: SmtpAnswer,
  now: number,
): EmailOutcome {
  const addressMasked = keepsAddress ? maskEmail(to) : null
  const ended = { code, dueAt: null, addressMasked, recipientHash, isTried: true }
  if (kind !== 'later') return { ...ended, status: kind }
  const dueAt = emailRetryAt(attempts + 1, now)
  return dueAt === undefined ? { ...ended, status: 'failed' } : { ...ended, status: 'pending', dueAt }
}

async function record(tools: MailTools, email: EmailRow, outcome: EmailOutcome): Promise<void> {
  const { storage, clock, log, counts } = tools
  const isOurs = await storage.write((tx) => recordEmailOutcome(tx, email, outcome, clock().getTime()))
  const { status, code } = outcome
  const facts = { emailId: email.id, kind: email.kind, orderId: email.orderId, code, attempts: email.attempts + 1 }
  counts[status === 'pending' ? 'retried' : status] += 1
  if (outcome.isTried) noteHealth(tools, status === 'pending' || status === 'failed', facts)
  if (!isOurs)
    log.warn('e-mail was sent after the lease of the process had expired; the e-mail may arrive twice', facts)
  else if (status === 'sent') log.debug('e-mail sent', facts)
  else if (status === 'failed') log.error('e-mail could not be sent; no further attempt is made', undefined, facts)
  else if (status === 'pending') log.debug('e-mail could not be sent; retrying', facts)
  else if (status === 'refused') log.warn('e-mail was refused', facts)
  else
    tools.discards.note({ merchantId: email.merchantId, emailId: email.id, kind: email.kind, code }, clock().getTime())
}

function noteHealth({ log, health }: MailTools, isFailing: boolean, facts: { code: string | null }): void {
  if (isFailing && !health.isFailing) log.warn('mail server does not accept e-mails; retrying', facts)
  if (!isFailing && health.isFailing) log.info('mail server accepts e-mails again')
  health.isFailing = isFailing
}

export const emailsDeletedMax = 500

// Deletes e-mails that were created up to `endedBy`, whatever their outcome.
export async function deleteOldEmails(
  storage: Storage,
  { endedBy, now }: { endedBy: number; now: number },
): Promise<number> {
  const old = await storage.read((db) => listOldEmails(db, endedBy, now, emailsDeletedMax))
  return handleRows(
    { storage, loop: 'retention', now },
    [old],
    (key) => key,
    (group) =>
      storage.write(async (tx) => {
        for (const [installationId, theirs] of Map.groupBy(group, ({ tenantId }) => tenantId)) {
          const ids = theirs.map(({ rowId }) => rowId)
          await deleteEmails(tx, installationId, ids)
        }
        return group.length
      }),
  )
}
