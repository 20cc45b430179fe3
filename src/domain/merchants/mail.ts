// The settings of a merchant for its e-mails.

import type { Reader, Tx } from '../../platform/storage/storage.ts'

export interface MailSettings {
  senderName: string | null
  replyTo: string | null
  locale: string | null
  // Kinds of e-mails that are not sent.
  off: readonly string[]
}

export async function findMailSettings(db: Reader, merchantId: string): Promise<MailSettings | undefined> {
  const [row] = await db.sql<Omit<MailSettings, 'off'> & { off: string }>`
    select sender_name as "senderName", reply_to as "replyTo", locale, kinds_off as "off"
    from mail_settings where merchant_id = ${merchantId}`
  return row && { ...row, off: JSON.parse(row.off) as string[] }
}

export async function saveMailSettings(tx: Tx, merchantId: string, settings: MailSettings, now: number): Promise<void> {
  const { senderName, replyTo, locale, off } = settings
  await tx.sql`
    insert into mail_settings (merchant_id, sender_name, reply_to, locale, kinds_off, updated_at)
    values (${merchantId}, ${senderName}, ${replyTo}, ${locale}, ${JSON.stringify(off)}, ${now})
    on conflict (merchant_id) do update set sender_name = excluded.sender_name, reply_to = excluded.reply_to,
      locale = excluded.locale, kinds_off = excluded.kinds_off, updated_at = excluded.updated_at`
}
