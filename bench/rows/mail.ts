// Does a purchase wait for letters? The same purchases at a steady rate, far below what the server can do, with letters off, with a mail
// server, with one that is down, and with one that accepts connections and says nothing.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { openMailServer } from '../../harness/mailserver.ts'
import { purchaseSteadily } from '../purchase.ts'
import {
  alternate,
  atMost,
  type Circumstances,
  type Findings,
  loadNotes,
  type Row,
  ratioOf,
  type Side,
} from '../row.ts'
import { makeShop, openShop } from '../shop.ts'

export const mailRows: readonly Row[] = [
  {
    name: 'purchase-mail',
    question: 'The same purchases with letters off, sent, and with a mail server that is down or silent',
    run: runPurchaseMail,
  },
]

const perSecond = 5

async function runPurchaseMail(circumstances: Circumstances): Promise<Findings> {
  const { folder, seconds } = circumstances
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
  const turn = (name: keyof typeof mailUrls) => () => purchaseSteadily({ ...shops[name], perSecond, seconds })
  const runs = await alternate(circumstances, {
    off: turn('off'),
    sent: turn('sent'),
    down: turn('down'),
    silent: turn('silent'),
  })
  await Promise.all(Object.values(shops).map((shop) => shop.server.stop()))
  await server.close()
  silent.close()

  const side = (name: string, ofSide: Side['runs']): Side => ({ name, unit: 'purchase', runs: ofSide })
  const off = side('letters off', runs.off)
  const sent = side('letters sent', runs.sent)
  const down = side('mail server down', runs.down)
  const mute = side('mail server silent', runs.silent)
  const sides = [off, sent, down, mute]
  return {
    sides,
    ratios: [
      ratioOf('time of a purchase, letters sent', 'p50Ms', [sent, off], atMost(1.1)),
      ratioOf('time of a purchase, mail server down', 'p50Ms', [down, off], atMost(1.1)),
      ratioOf('time of a purchase, mail server silent', 'p50Ms', [mute, off], atMost(1.1)),
    ],
    notes: [
      `${perSecond} purchases a second, each of another shopper, on SQLite. p50 and p99 are for the whole purchase.`,
      `${server.letters.length} letters arrived. The CPU of a purchase includes writing and sending its letter.`,
      ...loadNotes(sides),
    ],
  }
}
