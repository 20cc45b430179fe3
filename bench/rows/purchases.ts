// From a session to a paid order, the whole purchase, on both engines. There is no bare equivalent to compare it with.

import { join } from 'node:path'
import { startCluster } from '../../harness/postgres.ts'
import { profiled } from '../profile.ts'
import { purchase } from '../purchase.ts'
import { alternate, type Circumstances, type Findings, loadNotes, type Row } from '../row.ts'
import { makeShop, openShop } from '../shop.ts'

export const purchaseRows: readonly Row[] = [
  {
    name: 'purchase',
    question: 'A complete purchase: session, page, details, page, payment. It ends with a paid order',
    run: runPurchase,
  },
]

async function runPurchase(circumstances: Circumstances): Promise<Findings> {
  const { folder, connections, seconds } = circumstances
  const cluster = await startCluster({ asShipped: true })
  try {
    const lite = await makeShop({ folder, databaseUrl: `sqlite:${join(folder, 'purchase.db')}`, imported: 900 })
    const grown = await makeShop({ folder, databaseUrl: cluster.url, imported: 900 })
    const [onSqlite, onPostgres] = [
      await openShop(lite, profiled(circumstances, 'purchase')),
      await openShop(grown, profiled(circumstances, 'purchase-postgres')),
    ]
    const plan = { shoppers: connections, seconds }
    const runs = await alternate(circumstances, {
      sqlite: () => purchase({ ...plan, server: onSqlite, shop: lite }),
      postgres: () => purchase({ ...plan, server: onPostgres, shop: grown }),
    })
    await Promise.all([onSqlite.stop(), onPostgres.stop()])
    const sides = [
      { name: 'ours on SQLite', unit: 'purchase', runs: runs.sqlite },
      { name: 'ours on PostgreSQL', unit: 'purchase', runs: runs.postgres },
    ]
    return {
      sides,
      ratios: [],
      notes: [
        'A purchase is five requests of one shopper, one after the other, with the test provider. p50 and p99 are for the whole purchase.',
        'All shoppers buy from one merchant, whose order numbers are assigned one at a time.',
        ...loadNotes(sides),
      ],
    }
  } finally {
    await cluster.stop()
  }
}
