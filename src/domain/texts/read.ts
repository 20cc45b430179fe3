// Legal texts as shoppers read them: on hosted pages, and in the e-mail that confirms an order.

import { type LegalTextKind, legalTextKinds, type TextLanguage } from '../../contract/words.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { findMerchant, findMerchantFace, type PublicMerchantFacts } from '../merchants/store.ts'
import { findText, listTextHeads } from './store.ts'
import { chooseText, filterTextsInForce } from './texts.ts'

export interface ShownText {
  kind: LegalTextKind
  language: TextLanguage
  version: number
  createdAt: number
  text: string
}

export interface TextQuery {
  merchantId: string
  kinds: readonly LegalTextKind[]
  // Languages of the reader, most preferred first.
  languages: readonly string[]
  at: number
}

export async function listShownTexts(
  db: Reader,
  { merchantId, kinds, languages, at }: TextQuery,
): Promise<ShownText[]> {
  const inForce = filterTextsInForce(await listTextHeads(db, merchantId), at)
  const shown: ShownText[] = []
  for (const kind of kinds) {
    const head = chooseText(inForce, kind, languages)
    if (!head) continue
    const { language, version, createdAt } = head
    const text = await findText(db, { merchantId, kind, language }, version)
    if (text) shown.push({ kind, language, version, createdAt, text })
  }
  return shown
}

export interface LegalPage {
  shop: PublicMerchantFacts
  text: ShownText
}

export type LegalPagePort = (slug: string, kind: string, languages: readonly string[]) => Promise<LegalPage | undefined>

export function createLegalPages(storage: Storage, clock: () => Date): LegalPagePort {
  return (slug, given, languages) =>
    storage.read(async (db) => {
      const kind = legalTextKinds.find((one) => one === given)
      const merchant = kind && (await findMerchant(db, slug))
      if (!kind || !merchant) return undefined
      const ask = { merchantId: merchant.id, kinds: [kind], languages, at: clock().getTime() }
      const [[text], shop] = await Promise.all([listShownTexts(db, ask), findMerchantFace(db, merchant.id)])
      return text && shop ? { shop, text } : undefined
    })
}
