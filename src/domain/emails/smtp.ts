// Transports for e-mails: a mail server, or a folder of files. Only this file uses nodemailer, which is loaded with the first e-mail.

import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadOnce } from '../../platform/kit/late.ts'
import type { MailTarget } from '../../platform/kit/mailurl.ts'

// sent: accepted by the mail server. refused: the server will never accept this e-mail for this recipient. later: anything else. `code`
// is the server's reply code and enhanced status, or the name of the error; never the text of the reply, which may repeat the address.
export type SmtpAnswer = { kind: 'sent' | 'refused' | 'later'; code: string }

export interface OutgoingEmail {
  to: string
  fromName: string
  replyTo: string | null
  subject: string
  text: string
  html: string
  // Pictures that the HTML shows by `cid:`, with their paths under `/media/`.
  pictures: readonly { cid: string; path: string }[]
  // The same at each attempt, so a mail program that receives the e-mail twice can recognise it.
  messageId: string
  // Hash by which e-mails to the mailbox are counted.
  recipientHash: string | null
  // Whether the masked address may be stored with the e-mail.
  keepsAddress: boolean
}

// A picture of an e-mail, with its bytes.
export interface Attachment {
  cid: string
  name: string
  media: string
  bytes: Buffer
}

export interface Transport {
  kind: Exclude<MailTarget['kind'], 'off'>
  // The part after the @ of every Message-ID.
  host: string
  post(id: string, message: OutgoingEmail, attachments: readonly Attachment[]): Promise<SmtpAnswer>
  close(): void
}

export function createTransport(target: Exclude<MailTarget, { kind: 'off' }>, from: string): Transport {
  return target.kind === 'file' ? fileTransport(target.folder, from) : smtpTransport(target, from)
}

function hostOf(from: string): string {
  return from.slice(from.lastIndexOf('@') + 1)
}

const connectMsMax = 10_000
// A server may scan a text for minutes before it responds (RFC 5321, 4.5.3.2). If the connection is closed earlier, the server may have
// accepted the e-mail already, and then receives it a second time.
export const silenceMsMax = 9 * 60_000
export const smtpConnectionsMax = 4

function smtpTransport(target: Extract<MailTarget, { kind: 'smtp' }>, from: string): Transport {
  let close = () => {}
  const mailer = loadOnce(async () => {
    const { createTransport: create } = await import('nodemailer')
    const pool = create({
      pool: true,
      maxConnections: smtpConnectionsMax,
      host: target.host,
      port: target.port,
      secure: target.isTls,
      // Nothing is sent unencrypted to another machine. The certificate of a relay on this machine is not verified, as it would prove
      // nothing.
      requireTLS: !target.isTls && !target.isLocal,
      tls: { rejectUnauthorized: !target.isLocal, minVersion: 'TLSv1.2' },
      ...(target.auth ? { auth: { user: target.auth.user, pass: target.auth.password } } : {}),
      connectionTimeout: connectMsMax,
      greetingTimeout: connectMsMax,
      socketTimeout: silenceMsMax,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    close = () => pool.close()
    return pool
  })
  return {
    kind: 'smtp',
    host: hostOf(from),
    async post(_id, message, attachments) {
      try {
        await (await mailer()).sendMail(mailFor(message, from, attachments))
        return { kind: 'sent', code: '250' }
      } catch (error) {
        return answerFor(error)
      }
    },
    close: () => close(),
  }
}

// Addresses are passed as objects, and the envelope explicitly: a single text could be parsed as several addresses.
function mailFor(
  { to, fromName, replyTo, subject, text, html, messageId }: OutgoingEmail,
  from: string,
  attachments: readonly Attachment[],
) {
  return {
    from: { name: fromName, address: from },
    to: { name: '', address: to },
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    envelope: { from, to: [to] },
    subject,
    text,
    html,
    messageId,
    headers: { 'Auto-Submitted': 'auto-generated' },
    textEncoding: 'base64' as const,
    attachments: attachments.map(({ cid, name, media, bytes }) => ({
      ...{ cid, filename: name, contentType: media, content: bytes },
      contentDisposition: 'inline' as const,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

// Only errors about the recipient or the e-mail are permanent. All others, such as a refused password, sender or relay, or a quota, can be
// fixed by the operator while the e-mail waits. Servers may report these in response to the recipient too, so the enhanced status decides,
// if there is one.
function answerFor(error: unknown): SmtpAnswer {
  const { code, responseCode, response, command } = error as Partial<Record<string, unknown>>
  if (typeof responseCode !== 'number')
    return { kind: 'later', code: typeof code === 'string' ? code.slice(0, 32) : 'error' }
  const [, detail] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(String(response ?? '')) ?? []
  const isForGood =
    responseCode >= 500 &&
    (command === 'RCPT TO' || command === 'DATA') &&
    (detail === undefined || isOfRecipientOrEmail(detail))
  return {
    kind: isForGood ? 'refused' : 'later',
    code: detail === undefined ? String(responseCode) : `${responseCode} ${detail}`,
  }
}

// Enhanced statuses of RFC 3463 about addressing (except of the sender), the mailbox, or the content.
function isOfRecipientOrEmail(detail: string): boolean {
  return /^5\.[126]\./.test(detail) && detail !== '5.1.7' && detail !== '5.1.8'
}

export const filesMax = 500

// For development: writes each e-mail to a file that mail programs can open.
function fileTransport(folder: string, from: string): Transport {
  const composer = loadOnce(async () => {
    const { createTransport: create } = await import('nodemailer')
    return create({ streamTransport: true, buffer: true, newline: 'windows' })
  })
  return {
    kind: 'file',
    host: hostOf(from),
    async post(id, message, attachments) {
      try {
        const { message: bytes } = await (await composer()).sendMail(mailFor(message, from, attachments))
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const draft = join(folder, `.${id}`)
        writeFileSync(draft, bytes as Buffer, { mode: 0o600 })
        renameSync(draft, join(folder, `${id}.eml`))
        const files = readdirSync(folder)
          .filter((name) => name.endsWith('.eml'))
          .sort()
        for (const name of files.slice(0, Math.max(0, files.length - filesMax)))
          rmSync(join(folder, name), { force: true })
        return { kind: 'sent', code: 'file' }
      } catch (error) {
        return answerFor(error)
      }
    },
    close: () => {},
  }
}
