// Does a purchase wait for e-mails? One purchase at a time, in turn with e-mails off, with a mail server, with one that is down, and with
// one that accepts connections and says nothing.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { openMailServer } from '../../harness/mailserver.ts'
import type { Stretch } from '../load.ts'
import { purchaseInTurn } from '../purchase.ts'
import { atMost, type Circumstances, type Findings, loadNotes, type Row, ratioOf, type Side } from '../row.ts'
import { makeShop, openShop } from '../shop.ts'

export const mailRows: readonly Row[] = [
  {
    name: 'purchase-mail',
    question: 'The same purchases with e-mails off, sent, and with a mail server that is down or silent',
    run: runPurchaseMail,
  },
]

// What takes as long as the rows with a rate, on a quiet machine.
const purchasesPerSecond = 10
const warmPurchases = 40

async function runPurchaseMail(circumstances: Circumstances): Promise<Findings> {
  const { folder, rounds, seconds, say } = circumstances
  const server = await openMailServer()
  const gone = await openMailServer()
  await gone.close()
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const silentUrl = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const mailUrls = { off: 'off', sent: server.url, down: gone.url, silent: silentUrl }

  const open = async (name: keyof typeof mailUrls) => {
    const shop = await makeShop({ folder, databaseUrl: `sqlite:${join(folder, `mail-${name}.db`)}` })
    const settings = { ...shop.settings, CARTWRIGHT_MAIL_URL: mailUrls[name], CARTWRIGHT_MAIL_FROM: 'shop@example.com' }
    return { shop, server: await openShop({ ...shop, settings }) }
  }
  const shops = {
    off: await open('off'),
    sent: await open('sent'),
    down: await open('down'),
    silent: await open('silent'),
  }
  await purchaseInTurn(shops, warmPurchases)
  const runs: Awaited<ReturnType<typeof purchaseInTurn<keyof typeof shops>>>[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const run = await purchaseInTurn(shops, seconds * purchasesPerSecond)
    runs.push(run)
    say(
      `  round ${round}: ${Object.entries(run)
        .map(([name, { p50Ms }]) => `${name} ${p50Ms.toFixed(0)} ms`)
        .join(', ')}`,
    )
  }
  await Promise.all(Object.values(shops).map((shop) => shop.server.stop()))
  await server.close()
  silent.close()

  const side = (name: string, member: keyof typeof shops): Side => ({
    name,
    unit: 'purchase',
    // How many are made in a second is the same for all of them.
    runs: runs.map((run) => withoutRate(run[member])),
  })
  const off = side('e-mails off', 'off')
  const sent = side('e-mails sent', 'sent')
  const down = side('mail server down', 'down')
  const mute = side('mail server silent', 'silent')
  const sides = [off, sent, down, mute]
  return {
    sides,
    ratios: [
      ratioOf('time of a purchase, e-mails sent', 'p50Ms', [sent, off], atMost(1.1)),
      ratioOf('time of a purchase, mail server down', 'p50Ms', [down, off], atMost(1.1)),
      ratioOf('time of a purchase, mail server silent', 'p50Ms', [mute, off], atMost(1.1)),
    ],
    notes: [
      `${rounds} times ${seconds * purchasesPerSecond} purchases on each side, one at a time and in turn, each of another shopper, on SQLite. p50 and p99 are for the whole purchase.`,
      `${server.emails.length} e-mails arrived. The CPU of a purchase includes writing and sending its e-mail.`,
      ...loadNotes(sides),
    ],
  }
}

function withoutRate({ perSecond: _, ...stretch }: Stretch): Partial<Stretch> {
  return stretch
}
