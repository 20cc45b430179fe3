// What the duties of a shop cost a purchase: the same purchases, in turn, in a shop that has none of them and makes no invoices, and in one whose
// products are reduced and have a content, a maker, warnings and a guarantee, and whose orders get an invoice.

import { join } from 'node:path'
import { purchaseInTurn } from '../purchase.ts'
import { atMost, type Circumstances, type Findings, loadNotes, type Row, ratioOf, type Side } from '../row.ts'
import { makeLawfulShop, makeShop, openShop } from '../shop.ts'

export const dutyRows: readonly Row[] = [
  {
    name: 'purchase-duties',
    question: 'The same purchases without duties and invoices, and with all of them',
    run: runPurchaseDuties,
  },
]

// What takes as long as the rows with a rate, on a quiet machine.
const purchasesPerSecond = 20
const warmPurchases = 40

async function runPurchaseDuties(circumstances: Circumstances): Promise<Findings> {
  const { folder, rounds, seconds, say } = circumstances
  const without = join(import.meta.dirname, '..', 'withoutDocuments.js')
  const open = async (name: 'plain' | 'lawful') => {
    const plan = { folder, databaseUrl: `sqlite:${join(folder, `duties-${name}.db`)}` }
    if (name === 'lawful') {
      const shop = await makeLawfulShop(plan)
      return { shop, server: await openShop(shop) }
    }
    const shop = await makeShop(plan)
    return { shop, server: await openShop(shop, { nodeArgs: ['--import', without] }) }
  }
  const shops = { plain: await open('plain'), lawful: await open('lawful') }
  await purchaseInTurn(shops, warmPurchases)
  const runs: Awaited<ReturnType<typeof purchaseInTurn<keyof typeof shops>>>[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const run = await purchaseInTurn(shops, seconds * purchasesPerSecond)
    runs.push(run)
    say(`  round ${round}: ${Object.entries(run).map(([name, { cpuUs }]) => `${name} ${cpuUs.toFixed(0)} µs`)}`)
  }
  await Promise.all(Object.values(shops).map(({ server }) => server.stop()))
  // How many are made in a second is the same for both.
  const side = (name: string, member: keyof typeof shops): Side => ({
    ...{ name, unit: 'purchase' },
    runs: runs.map(({ [member]: { perSecond: _, ...stretch } }) => stretch),
  })
  const plain = side('without duties and invoices', 'plain')
  const lawful = side('with all of them', 'lawful')
  return {
    sides: [plain, lawful],
    ratios: [ratioOf('CPU of a purchase with duties and invoices', 'cpuUs', [lawful, plain], atMost(1.05))],
    notes: [
      `${rounds} times ${seconds * purchasesPerSecond} purchases on each side, one at a time and in turn, each of another shopper, on SQLite, without e-mails. The CPU includes the loops, so the invoices.`,
      ...loadNotes([plain, lawful]),
    ],
  }
}
