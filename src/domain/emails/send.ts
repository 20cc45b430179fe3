// Sends letters that are owed: one round of a loop. A round claims a few under a lease, sends them outside of any transaction, and
// records each outcome. It is safe on several nodes and across crashes; a letter whose outcome was lost is sent again with the same
// Message-ID.

import { randomUUID } from 'node:crypto'
import { claimRows, handleRows, type RowFailure, RowsFailed, rowFailed } from '../../platform/jobs/rows.ts'
import type { Log } from '../../platform/log/log.ts'
import { setMailSwitch } from '../../platform/outbox/letters.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { maskEmail } from '../checkout/secret.ts'
import type { Discards } from './discards.ts'
import { leaseMs, retryAt } from './schedule.ts'
import { type Answer, connectionsMax, type Message, type Transport } from './smtp.ts'
import {
  claimLetters,
  deleteLetters,
  discardWaiting,
  type LetterOutcome,
  type LetterRow,
  listDueLetters,
  listOldLetters,
  recordLetter,
  releaseLetters,
} from './store.ts'

// Why nothing is sent.
export type Discard = 'too_many' | 'erased' | 'unreadable' | 'bad_address' | 'no_address' | 'missing' | 'expired'

export interface MailTools {
  storage: Storage
  clock: () => Date
  prepare(db: Reader, letter: LetterRow): Promise<Message | { discarded: Discard }>
  transport: Transport
  log: Log
  counts: LetterCounts
  // Whether the last letter was not taken for now: an outage is one line of the log, not one for each letter.
  health: { isFailing: boolean }
  discards: Discards
  // Aborted when the process ends: answers are not waited for any longer.
  stop: AbortController
  // Bounds that tests narrow.
  leaseMs?: number
  sendMsMax?: number
  // Called when the mail server has answered and nothing is recorded yet, so a test can kill the process there.
  onAnswered?: () => void
}

export type LetterCounts = Record<'sent' | 'retried' | 'refused' | 'failed' | 'discarded', number>

export function newCounts(): LetterCounts {
  return { sent: 0, retried: 0, refused: 0, failed: 0, discarded: 0 }
}

// Letters of one round, which are sent side by side: one for each connection, so none waits for another.
export const lettersAtOnce = connectionsMax
// After this the answer is not waited for any longer. The transport gives up before, so no letter is still under way then.
export const sendMsMaxDefault = 10 * 60_000

// At the start of a server: from now on letters are owed, or no longer; and what an earlier process of a database with one server was
// sending is nobody's. What waits when mail is switched off would be out of date when it is switched on again.
export async function startMail(storage: Storage, isOn: boolean, now: number): Promise<void> {
  await storage.write(async (tx) => {
    await setMailSwitch(tx, isOn, now)
    if (!isOn) await discardWaiting(tx, now)
    else if (storage.hasOneServer) await releaseLetters(tx, now)
  })
}

export async function mailRound(tools: MailTools, limit = lettersAtOnce): Promise<number> {
  const { storage, transport, clock } = tools
  const now = clock().getTime()
  const round = { storage, loop: 'mail', now } as const
  tools.discards.tell(now)
  const claim = { leaseId: randomUUID(), leaseMs: tools.leaseMs ?? leaseMs, host: transport.host, now, limit }
  const failures: RowFailure[] = []
  const due = await claimRows(
    round,
    failures,
    (only) => storage.write((tx) => claimLetters(tx, claim, only)),
    () => storage.read((db) => listDueLetters(db, now, limit)),
  )
  const rows = due.length + failures.length
  await Promise.all(
    due.map(async (letter) => {
      try {
        await sendLetter(tools, letter)
      } catch (error) {
        failures.push(await rowFailed(round, { tenantId: letter.installationId, rowId: letter.id }, error))
      }
    }),
  )
  if (failures.length > 0) throw new RowsFailed(failures, rows - failures.length)
  return rows
}

async function sendLetter(tools: MailTools, letter: LetterRow): Promise<void> {
  const { storage, clock } = tools
  const message = await storage.read((db) => tools.prepare(db, letter))
  if ('discarded' in message) {
    const { discarded: code } = message
    const { recipientHash } = letter
    const outcome = { dueAt: null, code, addressMasked: null, recipientHash, isTried: false }
    return record(tools, letter, { ...outcome, status: 'discarded' })
  }
  const answer = await post(tools, letter, message)
  tools.onAnswered?.()
  return record(tools, letter, outcomeFor(letter, message, answer, clock().getTime()))
}

async function post(
  { transport, stop, sendMsMax = sendMsMaxDefault }: MailTools,
  { id }: LetterRow,
  message: Message,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  let giveUp = () => {}
  const patience = new Promise<Answer>((resolve) => {
    giveUp = () => resolve({ kind: 'later', code: 'no_answer' })
    timer = setTimeout(giveUp, sendMsMax)
    stop.signal.addEventListener('abort', giveUp)
    if (stop.signal.aborted) giveUp()
  })
  return Promise.race([transport.post(id, message), patience]).finally(() => {
    clearTimeout(timer)
    stop.signal.removeEventListener('abort', giveUp)
  })
}

export function outcomeFor(
  { attempts }: Pick<LetterRow, 'attempts'>,
  { to, keepsAddress, recipientHash }: Pick<Message, 'to' | 'keepsAddress' | 'recipientHash'>,
  { kind, code }: Answer,
  now: number,
): LetterOutcome {
  const addressMasked = keepsAddress ? maskEmail(to) : null
  const ended = { code, dueAt: null, addressMasked, recipientHash, isTried: true }
  if (kind !== 'later') return { ...ended, status: kind }
  const dueAt = retryAt(attempts + 1, now)
  return dueAt === undefined ? { ...ended, status: 'failed' } : { ...ended, status: 'pending', dueAt }
}

async function record(tools: MailTools, letter: LetterRow, outcome: LetterOutcome): Promise<void> {
  const { storage, clock, log, counts } = tools
  const isOurs = await storage.write((tx) => recordLetter(tx, letter, outcome, clock().getTime()))
  const { status, code } = outcome
  const facts = { letterId: letter.id, kind: letter.kind, orderId: letter.orderId, code, attempts: letter.attempts + 1 }
  counts[status === 'pending' ? 'retried' : status] += 1
  if (outcome.isTried) noteHealth(tools, status === 'pending' || status === 'failed', facts)
  if (!isOurs) log.warn('letter was sent after its lease had ended; it may arrive twice', facts)
  else if (status === 'sent') log.debug('letter sent', facts)
  else if (status === 'failed') log.error('letter could not be sent and is given up', undefined, facts)
  else if (status === 'pending') log.debug('letter could not be sent; retrying', facts)
  else if (status === 'refused') log.warn('letter was refused', facts)
  else
    tools.discards.note(
      { merchantId: letter.merchantId, letterId: letter.id, kind: letter.kind, code },
      clock().getTime(),
    )
}

function noteHealth({ log, health }: MailTools, isFailing: boolean, facts: { code: string | null }): void {
  if (isFailing && !health.isFailing) log.warn('mail server does not take letters; retrying', facts)
  if (!isFailing && health.isFailing) log.info('mail server takes letters again')
  health.isFailing = isFailing
}

export const lettersDeletedMax = 500

// Those written by then, whatever became of them.
export async function deleteOldLetters(
  storage: Storage,
  { endedBy, now }: { endedBy: number; now: number },
): Promise<number> {
  const old = await storage.read((db) => listOldLetters(db, endedBy, now, lettersDeletedMax))
  return handleRows(
    { storage, loop: 'retention', now },
    [old],
    (key) => key,
    (group) =>
      storage.write(async (tx) => {
        for (const [installationId, theirs] of Map.groupBy(group, ({ tenantId }) => tenantId)) {
          const ids = theirs.map(({ rowId }) => rowId)
          await deleteLetters(tx, installationId, ids)
        }
        return group.length
      }),
  )
}
