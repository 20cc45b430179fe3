// A mail server for tests, in this process: it takes e-mails, refuses, is slow or breaks off as the test wants it to.

import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { type ReadEmail, readEmail } from '../src/domain/emails/read.ts'

export interface ReceivedEmail extends ReadEmail {
  // Addresses of the SMTP envelope.
  from: string
  to: string[]
  bytes: string
}

// take: as it should be. refuse: with this code and enhanced status, at the recipient (`rcpt`) or after the text (`data`). drop: the connection ends
// after the text, which was taken. slow: the answer to the text comes after this long.
export type Behaviour =
  | { kind: 'take' }
  | { kind: 'refuse'; at: 'rcpt' | 'data' | 'mail'; code: number; status?: string }
  | { kind: 'drop' }
  | { kind: 'slow'; ms: number }

export interface MailServer {
  url: string
  port: number
  // In the order of their arrival.
  emails: ReceivedEmail[]
  // Asked for each e-mail, by its recipient.
  behave: (to: string) => Behaviour
  close(): Promise<void>
}

export async function openMailServer(port = 0): Promise<MailServer> {
  const emails: ReceivedEmail[] = []
  const answer = ({ code, status = '' }: { code: number; status?: string }) =>
    Object.assign(new Error(`${status} said by the test`.trim()), { responseCode: code })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onMailFrom(_address, _session, callback) {
      const behaviour = mail.behave('')
      callback(behaviour.kind === 'refuse' && behaviour.at === 'mail' ? answer(behaviour) : undefined)
    },
    onRcptTo({ address }, _session, callback) {
      const behaviour = mail.behave(address)
      callback(behaviour.kind === 'refuse' && behaviour.at === 'rcpt' ? answer(behaviour) : undefined)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const behaviour = mail.behave(to[0] ?? '')
        if (behaviour.kind === 'refuse' && behaviour.at === 'data') return callback(answer(behaviour))
        const bytes = Buffer.concat(chunks).toString('utf8')
        const { mailFrom } = session.envelope
        emails.push({ ...readEmail(bytes), from: mailFrom ? mailFrom.address : '', to, bytes })
        if (behaviour.kind === 'drop') {
          for (const connection of server.connections) connection.close()
          return undefined
        }
        if (behaviour.kind === 'slow') setTimeout(() => callback(), behaviour.ms)
        else callback()
        return undefined
      })
    },
  })
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address()
  const taken = typeof address === 'object' && address ? address.port : 0
  const mail: MailServer = {
    url: `smtp://127.0.0.1:${taken}`,
    port: taken,
    emails,
    behave: () => ({ kind: 'take' }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return mail
}
