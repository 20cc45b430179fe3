// Changing a part of the shop: what is posted carries the part as it was shown. If the part is still that, it is written with the
// present version, whatever else of the shop has changed meanwhile; if not, both are shown.
//
//   const saved = await saveShopPart(posted, { partOf: ({ taxes }) => taxes, wanted, ask: (version, key) => posted.ask(…) })

import { type AdminOperationId, adminOperations } from '../../contract/admin/operations.ts'
import type { AdminShop } from '../../contract/admin/shop.ts'
import { issueAt } from '../../contract/issues.ts'
import { hiddenFields } from '../../platform/html/form.ts'
import type { Html } from '../../platform/html/html.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'
import { keyIn } from './form.ts'
import { attempt, type Posted } from './screen.ts'

export type Saved = { kind: 'saved' } | { kind: 'refused'; refusal: Refusal } | { kind: 'conflict'; current: AdminShop }

export interface ShopPart<Part> {
  partOf(shop: AdminShop): Part
  wanted: Part
  // Asks the operation with the version that the shop has.
  ask(current: AdminShop, key: string): Promise<unknown>
}

const baseName = 'base'
// Others may write between the look and the write, but not for ever.
const attemptsMax = 4

// In every form of a part.
export function baseField(part: unknown): Html {
  return hiddenFields({ [baseName]: JSON.stringify(part) })
}

// The part that the form was drawn with. Only an altered form has none that can be read.
export function baseIn<Part>({ form }: Posted, isPart: (value: unknown) => value is Part): Part {
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

// A page that everyone reads takes what is posted only from those who may change it.
export function refuseUnless({ may }: Posted, id: AdminOperationId): void {
  if (!may(id)) throw refuse('scope_missing', { current: { requiredScope: adminOperations[id].scope } })
}

export async function saveShopPart<Part>(posted: Posted, { partOf, wanted, ask }: ShopPart<Part>): Promise<Saved> {
  const { form } = posted
  const base = form.get(baseName) ?? ''
  const key = keyIn(form)
  for (let round = 1; ; round++) {
    const { data: current } = await posted.ask('getAdminShop')
    const present = JSON.stringify(partOf(current))
    // The same press once more, or somebody had the same idea.
    if (present === JSON.stringify(wanted)) return { kind: 'saved' }
    if (present !== base) return { kind: 'conflict', current }
    const outcome = await attempt(ask(current, `${key}-${current.version}`))
    if (!('refusal' in outcome)) return { kind: 'saved' }
    if (outcome.refusal.code !== 'version_conflict' || round === attemptsMax)
      return { kind: 'refused', refusal: outcome.refusal }
  }
}
