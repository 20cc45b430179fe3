// Payment methods without a provider, as set by a shop file or the operator.

import type { PaymentMethodEntry } from '../../contract/entries.ts'
import type { Mode } from '../../contract/words.ts'
import { defaultSettings, lacksInstructions, type MethodSettings } from '../../domain/payments/methods.ts'
import { membersChanged, type PlannedChange } from '../../platform/audit/change.ts'

export interface MethodsPlan {
  // Settings that differ and must be written.
  changed: readonly MethodSettings[]
  // Settings of all methods after the change.
  settings: readonly MethodSettings[]
  changes: readonly PlannedChange[]
}

export function planMethods(entries: readonly PaymentMethodEntry[], kept: readonly MethodSettings[]): MethodsPlan {
  const changed: MethodSettings[] = []
  const changes: PlannedChange[] = []
  const settings = kept.map((before) => {
    const entry = entries.find(({ mode, method }) => mode === before.mode && method === before.method)
    if (!entry) return before
    const after = settingsOf(entry, before)
    const members = membersChanged(shownMethod(before), shownMethod(after), ['enabled', 'instructions', 'termDays'])
    if (members.length > 0) {
      changed.push(after)
      changes.push({ kind: 'change', what: 'payment method', name: `${after.mode} ${after.method}`, members })
    }
    return after
  })
  return { changed, settings, changes }
}

function settingsOf({ mode, method, ...entry }: PaymentMethodEntry, before: MethodSettings): MethodSettings {
  const { enabled = before.isDefault || before.isOffered, instructions = null } = entry
  const { termDays = defaultSettings(mode, method).termDays } = entry
  return { mode, method, isOffered: enabled, instructions, termDays, isDefault: false }
}

// Returns the settings under the member names of the shop file.
export function shownMethod({ mode, method, isOffered, instructions, termDays }: MethodSettings) {
  return { mode, method, enabled: isOffered, instructions, termDays }
}

// `liveAccounts`: accounts at payment providers that take live payments.
export function methodWarnings(
  settings: readonly MethodSettings[],
  installations: readonly { mode: Mode; disabledAt: number | null }[],
  liveAccounts: readonly object[],
): string[] {
  const sellsLive = installations.some(({ mode, disabledAt }) => mode === 'live' && disabledAt === null)
  const offered = settings.filter(({ mode, isOffered }) => mode === 'live' && isOffered)
  return [
    ...(sellsLive && offered.length === 0 && liveAccounts.length === 0 ? [noMethodWarning] : []),
    ...(offered.some(lacksInstructions) ? [noAccountWarning] : []),
  ]
}

export const noMethodWarning =
  'no payment method is offered in live mode, so nobody can pay: name one under payments in the shop file, or by methods set'
export const noAccountWarning =
  'bank transfer is offered in live mode without instructions, so shoppers are not told where to send the money'
