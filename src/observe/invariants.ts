// What must always be true of the facts, as SQL that finds the exceptions. The same rules run in tests and, by `doctor`,
// in production.

import type { Reader } from '../storage/storage.ts'

export interface Invariant {
  name: string
  sentence: string
  // Names what violates the rule; nothing when it holds. At most a handful: one is enough to act.
  violations: (db: Reader) => Promise<{ subject: string }[]>
}

export const invariants: readonly Invariant[] = [
  {
    name: 'listed_is_published',
    sentence: 'A product is listed exactly while it is published.',
    violations: (db) => db.sql`
      select p.id as "subject" from products p
      left join listed_products l on l.merchant_id = p.merchant_id and l.product_id = p.id
      where (p.published_at is null) <> (l.product_id is null) or l.published_at <> p.published_at or l.slug <> p.slug
      limit 10`,
  },
  {
    name: 'product_has_sku',
    sentence: 'A product that is listed has a SKU that is sold.',
    violations: (db) => db.sql`
      select l.product_id as "subject" from listed_products l
      where not exists (
        select 1 from skus s where s.merchant_id = l.merchant_id and s.product_id = l.product_id and s.retired_at is null)
      limit 10`,
  },
  {
    name: 'stock_not_negative',
    sentence: 'Stock on hand is never negative.',
    violations: (db) => db.sql`select id as "subject" from skus where on_hand < 0 limit 10`,
  },
  {
    name: 'category_has_parent',
    sentence: 'A category stands below a category of the same merchant, and never below itself.',
    violations: (db) => db.sql`
      select c.id as "subject" from categories c
      left join categories p on p.merchant_id = c.merchant_id and p.id = c.parent_id
      where c.parent_id is not null and (p.id is null or p.id = c.id)
      limit 10`,
  },
  {
    name: 'credential_of_one_merchant',
    sentence: 'A credential, its installation and their merchant belong together.',
    violations: (db) => db.sql`
      select c.id as "subject" from credentials c
      join installations i on i.id = c.installation_id
      where c.merchant_id <> i.merchant_id or c.mode <> i.mode
      limit 10`,
  },
]

export interface Finding {
  name: string
  sentence: string
  subjects: string[]
}

// Looks at one snapshot, so that a change in the middle is not taken for a contradiction.
export async function findViolations(db: Reader): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { name, sentence, violations } of invariants) {
    const subjects = (await violations(db)).map(({ subject }) => subject)
    if (subjects.length > 0) findings.push({ name, sentence, subjects })
  }
  return findings
}
