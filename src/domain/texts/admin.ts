// The admin operations on legal texts.

import type { AdminText, textOperationRows } from '../../contract/admin/texts.ts'
import { limits } from '../../contract/limits.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems } from '../../platform/http/adminreply.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { lockMerchantById, raiseCatalogVersion } from '../merchants/store.ts'
import { findText, insertText, listTextHeads } from './store.ts'
import { filterTextsInForce, noticeProblems } from './texts.ts'

export function adminTextOperations(): { [Id in keyof typeof textOperationRows]: AdminHandler<Id> } {
  return {
    async getAdminTexts({ db, caller: { merchantId }, now }) {
      const inForce = filterTextsInForce(await listTextHeads(db, merchantId), now.getTime())
      const data = await Promise.all(
        inForce.map(async ({ kind, language, version, createdAt }): Promise<AdminText> => {
          const text = (await findText(db, { merchantId, kind, language }, version)) ?? ''
          return { kind, language, version, text, since: toInstant(createdAt) }
        }),
      )
      return { data }
    },

    async saveAdminText({ db, caller: { merchantId }, body, now }) {
      const { kind, language, text } = body
      if (kind === 'guarantee') refuseProblems('', noticeProblems(merchantId, text))
      // The lock makes the versions of one shop's texts consecutive.
      await lockMerchantById(db, merchantId)
      const versions = (await listTextHeads(db, merchantId)).filter(
        (head) => head.kind === kind && head.language === language,
      )
      const last = versions.at(-1)
      const before = last ? ((await findText(db, { merchantId, kind, language }, last.version)) ?? '') : ''
      const name = `${kind} (${language})`
      const view = (version: number, since: number): AdminText => ({
        kind,
        language,
        version,
        text,
        since: toInstant(since),
      })
      if (text === before) {
        return new AuditedReply({ data: last ? view(last.version, last.createdAt) : view(0, now.getTime()) }, [])
      }
      if (versions.length >= limits.textVersionsMax)
        throw refuse('text_limit', { current: { limit: limits.textVersionsMax } })
      const row = { kind, language, version: (last?.version ?? 0) + 1, text, createdAt: now.getTime() }
      insertText(db, merchantId, row)
      // Carts cache the links to legal texts by the version of the catalog.
      await raiseCatalogVersion(db, merchantId)
      const members = [{ member: 'version', from: last?.version ?? null, to: row.version }]
      return new AuditedReply({ data: view(row.version, row.createdAt) }, [
        { kind: 'change', what: 'legal_text', id: merchantId, name, members },
      ])
    },
  }
}
