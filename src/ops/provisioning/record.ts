// Entries in the list of changes for what a file of the operator changed. An entry can be undone by itself if an undo exists for all its
// kinds of changes.

import { type Mode, modes } from '../../contract/words.ts'
import type { CategoryRow } from '../../domain/catalog/answer.ts'
import { type CategoryPlan, categoryChange } from '../../domain/catalog/categories.ts'
import { auditedChangesOfPlan, type ProductPlan } from '../../domain/catalog/change.ts'
import { type MakerPlan, makerChange } from '../../domain/makers/maker.ts'
import { type RatesPlan, taxMembers, zoneMembers } from '../../domain/merchants/settings.ts'
import type { Merchant, ShippingZone, TaxRate } from '../../domain/merchants/store.ts'
import type { MethodSettings } from '../../domain/payments/methods.ts'
import { auditedChange, type PromotionPlan } from '../../domain/promotions/change.ts'
import { type AuditedChange, membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { InstallationPlan } from './installations.ts'
import { shownMethod } from './methods.ts'

export interface RecordedEntry {
  // Null for changes that apply to both modes.
  mode: Mode | null
  changes: readonly AuditedChange[]
}

// Writes entries in the transaction of the changes that they describe.
export type Recorder = (tx: Tx, merchantId: string, entries: Iterable<RecordedEntry>) => void

// The parts of a foundation that are described by entries.
export interface PlannedFoundation
  extends Omit<CategoryPlan, 'changes'>,
    Omit<MakerPlan, 'changes'>,
    InstallationPlan,
    RatesPlan {
  merchant: Pick<Merchant, 'id' | 'slug'>
  isNewMerchant: boolean
  changedMethods: readonly MethodSettings[]
  changes: readonly PlannedChange[]
}

export interface FoundationBefore {
  categories: readonly CategoryRow[]
  taxRates: readonly TaxRate[]
  shippingZones: readonly ShippingZone[]
  methods: readonly MethodSettings[]
  redirectHosts: ReadonlyMap<string, string>
}

export function* foundationEntries(plan: PlannedFoundation, before: FoundationBefore): Generator<RecordedEntry> {
  const { merchant } = plan
  const { id, slug: name } = merchant
  const merchantMembers = plan.changes.find(({ what }) => what === 'merchant')?.members ?? []
  if (plan.isNewMerchant) yield { mode: null, changes: [{ kind: 'create', what: 'merchant', id, name, members: [] }] }
  else {
    const settings = [
      { what: 'merchant', members: merchantMembers },
      { what: 'taxes', members: plan.taxRates ? taxMembers(before.taxRates, plan.taxRates) : [] },
      { what: 'shipping', members: plan.shippingZones ? zoneMembers(before.shippingZones, plan.shippingZones) : [] },
    ] as const
    yield {
      mode: null,
      changes: settings.flatMap(({ what, members }) =>
        members.length > 0 ? [{ kind: 'change', what, id, name, members }] : [],
      ),
    }
  }
  const emails = plan.changes.find(({ what }) => what === 'e-mails')?.members ?? []
  if (emails.length > 0) yield { mode: null, changes: [{ kind: 'change', what: 'letters', id, name, members: emails }] }
  yield { mode: null, changes: categoryChanges(plan, before.categories) }
  yield {
    mode: null,
    changes: [
      ...plan.newMakers.map((maker) => makerChange(undefined, maker)),
      ...plan.changedMakers.map(({ before, after }) => makerChange(before, after)),
    ],
  }
  for (const mode of modes) {
    yield {
      mode,
      changes: before.methods
        .filter((method) => method.mode === mode)
        .flatMap((method) => {
          const after = plan.changedMethods.find((one) => one.mode === mode && one.method === method.method)
          return after ? methodChange(id, method, after) : []
        }),
    }
    yield { mode, changes: installationChanges(plan, mode, before) }
  }
}

function categoryChanges(
  { newCategories, changedCategories }: Pick<PlannedFoundation, 'newCategories' | 'changedCategories'>,
  stored: readonly CategoryRow[],
): AuditedChange[] {
  const known = new Map(stored.map((category) => [category.id, category]))
  return [
    ...newCategories.map((category) => categoryChange(undefined, category)),
    ...changedCategories.flatMap((category) => {
      const before = known.get(category.id)
      return before ? [categoryChange(before, category)] : []
    }),
  ]
}

export function methodChange(merchantId: string, before: MethodSettings, after: MethodSettings): AuditedChange[] {
  const members = membersChanged(shownMethod(before), shownMethod(after), ['enabled', 'instructions', 'termDays'])
  if (members.length === 0) return []
  return [{ kind: 'change', what: 'payment_method', id: merchantId, name: `${after.mode} ${after.method}`, members }]
}

function installationChanges(
  { newInstallations, changedInstallations }: Pick<PlannedFoundation, 'newInstallations' | 'changedInstallations'>,
  wanted: Mode,
  { redirectHosts }: Pick<FoundationBefore, 'redirectHosts'>,
): AuditedChange[] {
  const hosts = (text: string | undefined) => (text === undefined ? null : (JSON.parse(text) as string[]))
  return [...newInstallations, ...changedInstallations]
    .filter(({ mode }) => mode === wanted)
    .map((after) => {
      const from = hosts(redirectHosts.get(after.id))
      const members = [{ member: 'redirectHosts', from, to: hosts(after.redirectHosts) }]
      const kind = from === null ? 'create' : 'change'
      return { kind, what: 'installation', id: after.id, name: after.name, members }
    })
}

// Limits of one entry, so an entry can be read and undone like that of an admin operation. All changes of a product are in one entry.
const changesMax = 1_000
const lengthMax = 300_000

export function* productEntries(
  plans: readonly ProductPlan[],
  categories: readonly AuditedChange[] = [],
): Generator<RecordedEntry> {
  let changes: AuditedChange[] = [...categories]
  let length = 0
  for (const plan of plans) {
    const more = auditedChangesOfPlan(plan)
    const moreLength = JSON.stringify(more).length
    if (changes.length > 0 && (changes.length + more.length > changesMax || length + moreLength > lengthMax)) {
      yield { mode: null, changes }
      changes = []
      length = 0
    }
    changes.push(...more)
    length += moreLength
  }
  yield { mode: null, changes }
}

export function* promotionEntries(plans: readonly PromotionPlan[]): Generator<RecordedEntry> {
  const changes = plans.flatMap((plan) => plan.changes.map((change) => auditedChange(change, plan.promotion)))
  yield { mode: null, changes }
}
