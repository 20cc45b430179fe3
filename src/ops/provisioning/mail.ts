// Settings for e-mails in a shop file.

import type { MailSettings } from '../../domain/merchants/mail.ts'
import { membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import type { ShopFile } from './shopfile.ts'

// A file without e-mail settings does not change them.
export function planMail(
  { slug, mail }: ShopFile['merchant'],
  before: MailSettings | undefined,
): { settings: MailSettings | undefined; changes: readonly PlannedChange[] } {
  if (!mail) return { settings: undefined, changes: [] }
  const { senderName = null, replyTo = null, language = null, off = [] } = mail
  const settings: MailSettings = { senderName, replyTo, locale: language, off: [...off].sort() }
  const members = membersChanged(before ?? unset, settings, ['senderName', 'replyTo', 'locale', 'off'])
  if (members.length === 0) return { settings: undefined, changes: [] }
  return { settings, changes: [{ kind: 'change', what: 'e-mails', name: slug, members }] }
}

const unset: MailSettings = { senderName: null, replyTo: null, locale: null, off: [] }
