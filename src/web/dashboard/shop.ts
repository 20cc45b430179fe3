// Saves a part of the shop. The posted form contains the part as it was shown. If the stored part is unchanged, the new one is saved with
// the current version, even if other parts of the shop have changed. Otherwise both versions of the part are shown.
//
//   const saved = await saveShopPart(posted, { partOf: ({ taxes }) => taxes, wanted, ask: ({ version }, key) => posted.ask(…) })

import { type AdminOperationId, adminOperations } from '../../contract/admin/operations.ts'
import type { AdminShop } from '../../contract/admin/shop.ts'
import { issueAt } from '../../contract/issues.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import type { Html } from '../../platform/html/html.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'
import { readKey } from './form.ts'
import { catchRefusal, type PostedScreen } from './screen.ts'

export type SaveShopResult =
  | { kind: 'saved' }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'conflict'; current: AdminShop }

export interface ShopPart<Part> {
  partOf(shop: AdminShop): Part
  wanted: Part
  // Calls the operation with the current version of the shop.
  ask(current: AdminShop, key: string): Promise<unknown>
}

const baseName = 'base'
// Another save may come between the read and the write. After this many attempts the conflict is reported.
const attemptsMax = 4

// A hidden field with the part as it was shown. Every form of a part needs it.
export function shownPartField(part: unknown): Html {
  return hiddenFields({ [baseName]: JSON.stringify(part) })
}

// Returns the part as the form showed it. It is only invalid if the form was altered.
export function readShownPart<Part>({ form }: PostedScreen, isPart: (value: unknown) => value is Part): Part {
  const base = parsed(form.get(baseName) ?? '')
  if (!isPart(base)) throw refuse('invalid_request', { issues: [issueAt(`/${baseName}`, 'form_altered')] })
  return base
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Refuses the posts of people who may see the page but not change it.
export function refuseUnlessAllowed({ may }: PostedScreen, id: AdminOperationId): void {
  if (!may(id)) throw refuse('scope_missing', { current: { requiredScope: adminOperations[id].scope } })
}

export async function saveShopPart<Part>(
  posted: PostedScreen,
  { partOf, wanted, ask }: ShopPart<Part>,
): Promise<SaveShopResult> {
  const { form } = posted
  const base = form.get(baseName) ?? ''
  const key = readKey(form)
  for (let round = 1; ; round++) {
    const { data: current } = await posted.ask('getAdminShop')
    const present = JSON.stringify(partOf(current))
    // The form was sent twice, or another person has saved the same values.
    if (present === JSON.stringify(wanted)) return { kind: 'saved' }
    if (present !== base) return { kind: 'conflict', current }
    const outcome = await catchRefusal(ask(current, `${key}-${current.version}`))
    if (!('refusal' in outcome)) return { kind: 'saved' }
    if (outcome.refusal.code !== 'version_conflict' || round === attemptsMax)
      return { kind: 'refused', refusal: outcome.refusal }
  }
}
