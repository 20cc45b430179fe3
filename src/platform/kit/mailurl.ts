// Parses the setting for where e-mails are sent. Pure. Error messages do not repeat the text, which may contain a password.

import { isLoopback } from './loopback.ts'

export type MailTarget =
  | { kind: 'off' }
  | { kind: 'file'; folder: string }
  | {
      kind: 'smtp'
      host: string
      port: number
      // Whether the connection uses TLS from its first byte. Otherwise it is upgraded with STARTTLS before anything is sent, unless a mail
      // server on this machine does not offer that.
      isTls: boolean
      // Whether the mail server is on this machine, so encryption is not required.
      isLocal: boolean
      auth: { user: string; password: string } | null
    }

export function parseMailUrl(text: string): MailTarget | { problem: string } {
  if (text === 'off') return { kind: 'off' }
  if (text.startsWith('file:')) {
    const folder = text.slice('file:'.length)
    return folder === '' || folder.startsWith('//') || /\p{Cc}/u.test(folder)
      ? { problem: 'must name a folder such as file:data/mail' }
      : { kind: 'file', folder }
  }
  const url = /^smtps?:\/\//.test(text) ? URL.parse(text) : null
  if (!url?.hostname || (url.pathname !== '' && url.pathname !== '/') || url.search || url.hash)
    return { problem: 'must be smtp://<user>:<password>@<host>:<port>, smtps://…, file:<folder> or off' }
  const auth = credentialsOf(url)
  if (auth === undefined)
    return { problem: 'has a user or password that is not percent-encoded, or only one of the two' }
  const isTls = url.protocol === 'smtps:'
  return {
    kind: 'smtp',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    isLocal: isLoopback(url),
    auth,
  }
}

function credentialsOf({ username, password }: URL): { user: string; password: string } | null | undefined {
  if (username === '' && password === '') return null
  if (username === '' || password === '') return undefined
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return undefined
  }
}
