// What the duties of a shop cost a purchase: the same purchases, in turn, in a shop that has none of them and makes no invoices, and in one whose
// products are reduced and have a content, a maker, warnings and a guarantee, and whose orders get an invoice.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command } from '../process.ts'
import { purchaseInTurn } from '../purchase.ts'
import { atMost, type Circumstances, type Findings, loadNotes, type Row, ratioOf, type Side } from '../row.ts'
import { makeShop, openShop, shopFile } from '../shop.ts'

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
    const shop = await makeShop({ folder, databaseUrl: `sqlite:${join(folder, `duties-${name}.db`)}` })
    if (name === 'plain') return { shop, server: await openShop(shop, { nodeArgs: ['--import', without] }) }
    const file = join(folder, 'lawful.json')
    await writeFile(file, JSON.stringify(lawfulFile()))
    await command(folder, ['apply', file], shop.settings)
    return { shop, server: await openShop(shop) }
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

// The shop of the other rows, with what the law asks for. Prices were higher before, so the reductions are shown.
function lawfulFile(): object {
  const file = shopFile(10)
  return {
    ...file,
    merchant: {
      ...file.merchant,
      supportEmail: 'help@bench.example',
      legal: { name: 'Bench GmbH', address: ['Hafenstraße 12', '20457 Hamburg'], vatId: 'DE123456789' },
    },
    makers: [
      {
        slug: 'maker',
        name: 'Maker GmbH',
        address: ['Weg 1', '04177 Leipzig'],
        country: 'DE',
        contact: 'a@maker.example',
      },
    ],
    products: file.products.map((product) => ({
      ...product,
      maker: 'maker',
      warnings: [{ language: 'en', text: 'Keep away from children.' }],
      guarantee: { years: 5 },
      skus: product.skus.map((sku) => ({
        ...sku,
        price: sku.price - 100,
        compareAtPrice: sku.price,
        measure: { amount: 250, unit: 'g', per: 'kg' },
      })),
    })),
  }
}
