// Our server without its loops, and beside it, at a port of its own, the least program that replaces a checkout with our guarantees: it
// reads the body as strictly and checks its shape, reads and writes the same rows by the same statements in the same commits, prices the
// cart, and stores an answer of the same size, sealed. It renders nothing: of the answer that `POST /answer` gave it, only the id, the
// address of the page and the total are of this checkout. It has no log, no limits and no other routes.

import { hash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer as bytesOf } from 'node:stream/consumers'
import { ucpRows } from '../src/contract/agents/rows.ts'
import type { CheckoutShape } from '../src/contract/agents/shapes.ts'
import { decryptAgentRequest } from '../src/domain/agents/asked.ts'
import { addPlatformTag, removePlatformTag } from '../src/domain/agents/ids.ts'
import { findCalledShop, findCheckoutOfSessionCart, saveAgentCheckout } from '../src/domain/agents/store.ts'
import { createPricebooks } from '../src/domain/carts/pricebook.ts'
import { loadCartFacts, quoteCart } from '../src/domain/carts/quote.ts'
import { putCartLines, saveCart } from '../src/domain/carts/store.ts'
import { checkoutPageSecrets } from '../src/domain/checkout/secret.ts'
import { lockSessionWithCart, saveSession } from '../src/domain/checkout/store.ts'
import { encryptedAnswerCodec, runOnce } from '../src/platform/idempotency/once.ts'
import type { Tx } from '../src/platform/storage/storage.ts'
import { checkBody, parseJsonBody } from '../src/web/agents/request.ts'
import { openQuiet } from './quiet.ts'
import { merchantSlug } from './shop.ts'

const { storage, rootSecret, listen } = await openQuiet()
const keeper = encryptedAnswerCodec(rootSecret)
const place = { slug: merchantSlug, mode: 'test' } as const
const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
const pricebooks = createPricebooks()
let answer: object = {}

interface Replacement {
  installationId: string
  platformId: string
  sessionId: string
  quantity: number
  now: number
}

async function replace(tx: Tx, { installationId, platformId, sessionId, quantity, now }: Replacement): Promise<string> {
  const [locked, row] = await Promise.all([
    lockSessionWithCart(tx, { installationId, sessionId }),
    findCheckoutOfSessionCart(tx, installationId, sessionId),
  ])
  if (!locked || !row) throw new Error(`there is no checkout ${sessionId}`)
  const { session, cart } = locked
  const facts = await loadCartFacts(tx, pricebooks, cart, now)
  if (!decryptAgentRequest(rootSecret, cart.id, row.askedSealed))
    throw new Error(`what ${sessionId} was made of is gone`)
  const lines = facts.lines.map((line, at) => (at === 0 ? { ...line, quantity } : line))
  putCartLines(tx, cart, lines.slice(0, 1))
  saveSession(tx, { ...session, version: session.version + 1, updatedAt: now })
  const changed = { ...cart, version: cart.version + 1, updatedAt: now }
  const { pricing } = await quoteCart(tx, pricebooks, { ...facts, cart: changed, lines }, now)
  saveCart(tx, changed)
  saveAgentCheckout(tx, { ...row, shownTotal: pricing.totals.total })
  const secret = checkoutPageSecrets.open(rootSecret, session.secretSealed, session.id)
  const id = addPlatformTag(rootSecret, platformId, session.id)
  return JSON.stringify({ ...answer, id, continue_url: `http://localhost/c/${secret}`, total: pricing.totals.total })
}

async function answerTo(request: IncomingMessage, bytes: Buffer): Promise<string> {
  const { 'ucp-agent': agent = '', 'idempotency-key': key = '' } = request.headers
  const profileUrl = /"(.*)"/.exec(String(agent))?.[1] ?? null
  const { line_items: lines } = checkBody(ucpRows.ucpUpdateCheckout, parseJsonBody(bytes)) as CheckoutShape
  const { shop, platform } = await storage.read((db) => findCalledShop(db, place, profileUrl))
  if (!shop || !platform) throw new Error('the shop is closed')
  const { installationId } = shop
  const now = Date.now()
  const sessionId = removePlatformTag(rootSecret, platform.id, request.url?.split('/').at(-1) ?? '') ?? ''
  const claimant = `${installationId} ${platform.id}`
  const claim = { claimant, key: String(key), fingerprint: hash('sha256', bytes, 'base64url'), now }
  const replacement = { installationId, platformId: platform.id, sessionId, quantity: lines[0]?.quantity ?? 1, now }
  const { text } = await runOnce(storage, claim, (tx) => replace(tx, replacement), keeper)
  return text
}

const least = createServer(async (request, response) => {
  const body = await bytesOf(request)
  if (request.url === '/answer') answer = parseJsonBody(body) as object
  const text = request.url === '/answer' ? '' : await answerTo(request, body)
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text)
})
process.on('message', (question) => {
  if (question === 'least port') process.send?.((least.address() as AddressInfo).port)
})
least.listen(0, '127.0.0.1', () => void listen())
