// What README and the guides tell a reader to type is typed here, word for word, before a real server: only the places that
// stand for something of the reader's own are filled in.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { type Environment, tempFolder } from '../harness/process.ts'
import { blocksBelow, pageText, root } from '../harness/prose.ts'

interface Typed {
  out: string
  err: string
  // Of each call, in order: status and path.
  calls: string[]
}

// One shell for all blocks, so that a variable of an earlier one is there in a later one. It ends at the first command that
// fails, as a reader would.
class Shell {
  readonly #child
  #out = ''
  #err = ''
  #wake = () => {}

  constructor(environment: Environment) {
    this.#child = spawn('bash', ['-e'], { cwd: root, env: { PATH: process.env.PATH ?? '', ...environment } })
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text
      this.#wake()
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#err += text
    })
    this.#child.once('close', () => this.#wake())
    this.#child.on('error', () => {})
    this.#child.stdin.on('error', () => {})
    // The status of a call goes to the standard error, where no pipe of the reader's meets it.
    this.#child.stdin.write(`curl() { command curl -sS -w '%{stderr}@ %{http_code} %{url_effective}\\n' "$@"; }\n`)
  }

  // From now on commands are run in the test process: starting a process for each takes nearly all of their time.
  skipNpm(commands: string): void {
    this.#child.stdin.write(
      `npm() {
        if [ "$1 $2 $3 $4" != 'run -s cartwright --' ]; then command npm "$@"; return; fi
        shift 4
        local input=/dev/null
        case " $* " in *-stdin*) input=/dev/stdin ;; esac
        command curl -sS --fail-with-body -H "arguments: $(printf '%s\\0' "$@" | base64 -w0)" --data-binary @- ${commands} < $input
      }\n`,
    )
  }

  async type(text: string): Promise<Typed> {
    const [from, fromErr] = [this.#out.length, this.#err.length]
    this.#child.stdin.write(`${text}\necho; echo '@@@'; echo '@@@' >&2\n`)
    while (!this.#out.slice(from).includes('\n@@@\n') || !this.#err.slice(fromErr).includes('@@@\n')) {
      assert.equal(this.#child.exitCode, null, `${text}\n${this.#out.slice(from)}\n${this.#err.slice(fromErr)}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        setTimeout(resolve, 20)
      })
    }
    const err = this.#err.slice(fromErr).replace('@@@\n', '')
    const calls = [...err.matchAll(/^@ (\d{3} \S+)$/gm)].map(([, call]) => call as string)
    return { out: this.#out.slice(from).replace('\n@@@\n', ''), err: err.replaceAll(/^@ .*\n/gm, ''), calls }
  }

  end(): void {
    this.#child.stdin.end()
  }
}

const address = { name: 'Ada Lovelace', line1: '1 Dean Street', city: 'London', postalCode: 'W1D 3RB', country: 'GB' }

async function post(url: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const body = new URLSearchParams(fields)
  return fetch(url, { method: 'POST', redirect: 'manual', headers: { origin: new URL(url).origin }, body })
}

// A shopper at the page of a session, who fills in the form and pays.
async function payAt(page: string, method: string, where = address): Promise<string> {
  const versionOf = (text: string) => /name="version" value="(\d+)"/.exec(text)?.[1] ?? ''
  const version = versionOf(await (await fetch(page)).text())
  const saved = await post(`${page}/details`, { version, email: 'ada@example.com', ...where })
  assert.equal(saved.status, 303, await saved.text())
  const text = await (await fetch(page)).text()
  const [, expectedTotal = ''] = /name="expectedTotal" value="(\d+)"/.exec(text) ?? []
  const [, attempt = ''] = /name="attempt" value="([^"]+)"/.exec(text) ?? []
  const card = { 'card.number': '4242424242424242', 'card.expiry': '12/40', 'card.cvc': '123', 'card.name': 'Ada' }
  const paid = await post(`${page}/pay`, { version: versionOf(text), expectedTotal, attempt, method, ...card })
  assert.equal(paid.status, 303, await paid.text())
  return expectedTotal
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function ask(url: string, key: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(url, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
  const answer = await response.json()
  assert.equal(response.status, 200, JSON.stringify(answer))
  return answer
}

// A key, a product, a session, an address, a payment, an order.
async function sell(origin: string, key: string, sale: { slug: string; successUrl: string; method: string }) {
  const { slug, successUrl, method } = sale
  const { data: product } = await ask(`${origin}/api/v1/open/catalog/products/${slug}`, key)
  const items = [{ skuId: product.skus[0].id, quantity: 1 }]
  const sessions = `${origin}/api/v1/open/hosted/checkout/sessions`
  const { data: session } = await ask(sessions, key, { idempotencyKey: 'sell-1', items, successUrl })
  const total = await payAt(session.url, method)
  const { data } = await ask(`${origin}/api/v1/open/storefront/orders`, key)
  assert.equal(data.orders.length, 1)
  assert.equal(String(data.orders[0].total), total)
  return data.orders[0]
}

const folder = await tempFolder()
const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`, HOME: folder }
const server = await serveHere(settings)
const commands = await runCommands()
const demo = JSON.parse((await cartwright(['demo', '--json'], settings)).out)
const shell = new Shell(settings)
after(() => shell.end())

// Runs the command in the header with the body as its standard input, and answers with its output.
async function runCommands(): Promise<string> {
  const listener = createServer(async (request, response) => {
    const args = Buffer.from(String(request.headers.arguments), 'base64').toString().split('\0').slice(0, -1)
    const { code, out, err } = await cartwright(args, settings, { input: await text(request) })
    response.writeHead(code === 0 ? 200 : 500).end(out + err)
  }).listen(0, '127.0.0.1')
  after(() => listener.close())
  await once(listener, 'listening')
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`
}

const places: readonly (readonly [string, string])[] = [
  ['cwk_test_…', demo.keys.full],
  ['http://localhost:4000', server.origin],
  ['tea.yaml', join(folder, 'tea.yaml')],
  ['coffee.yaml', join(folder, 'coffee.yaml')],
  ['secret.txt', join(folder, 'secret.txt')],
  ['account.txt', join(folder, 'account.txt')],
]
const filled = (text: string) => places.reduce((known, [place, value]) => known.replaceAll(place, value), text)

// The pages say what else a reader needs; a machine without it can still run all other tests.
const missing = ['bash', 'curl'].filter((program) => spawnSync(program, ['--version']).error)

describe('the commands in the docs', { timeout: 300_000, skip: missing.length > 0 && `there is no ${missing}` }, () => {
  before(async () => {
    await writeFile(filled('secret.txt'), 'correct horse battery staple\n')
    await writeFile(filled('account.txt'), 'Tea House, GB29 NWBK 6016 1331 9268 19\n')
    const ofShop = blocksBelow(await pageText('README.md'), '## Your own shop')
    await writeFile(filled('tea.yaml'), ofShop.find(({ language }) => language === 'yaml')?.text ?? '')
  })

  async function blocks(page: string, heading: string): Promise<string[]> {
    const found = blocksBelow(await pageText(page), heading).filter(({ language }) => language === 'sh')
    return found.map(({ text }) => filled(text))
  }

  // These stay until they are ended; tests of their own run them.
  const stays = /webhooks listen|examples\/app\/server\.ts/

  // Answers with what was typed last that is to be refused.
  async function takeTour(tour: readonly string[]): Promise<Typed | undefined> {
    let refused: Typed | undefined
    for (const block of tour) {
      const text = block
        .split('\n')
        .filter((line) => !stays.test(line))
        .join('\n')
      const typed = await shell.type(text)
      if (block.includes('?page=2')) {
        refused = typed
        continue
      }
      for (const call of typed.calls) assert.match(call, /^200 /, `${text}\n${typed.out}`)
      const [page] = /http:\/\/[^"]+\/c\/[\w-]{43}/.exec(typed.out) ?? []
      if (page) {
        assert.ok(typed.out.includes(`"successUrl":"${server.origin}/`), 'the shopper comes back to $SHOP')
        await payAt(page, 'test:card')
      }
      if (text.includes('/cancellations')) assert.match(typed.out, /"status":"cancelled"/)
    }
    return refused
  }

  test('work in the tour of README', async () => {
    await takeTour(await blocks('README.md', '## A tour'))
  })

  test('work in docs/tour.md', async () => {
    const tour = await blocks('docs/tour.md', '## Requests')
    assert.equal(tour.filter((text) => stays.test(text)).length, 2)
    const refused = await takeTour(tour)
    const all = blocksBelow(await pageText('docs/tour.md'), '## Requests')
    const [shown] = all.filter(({ language }) => language === 'json')
    const { requestId: _, ...error } = JSON.parse(refused?.out ?? '').error
    const { requestId: __, ...told } = JSON.parse(shown?.text ?? '').error
    assert.deepEqual(error, told)
    shell.skipNpm(commands)
  })

  test('in docs/agents.md buy by UCP, by an MCP tool and then the checkout page, and by ACP', async () => {
    const type = async (text: string) => {
      const typed = await shell.type(text)
      assert.ok(typed.calls.length > 0, text)
      for (const call of typed.calls) assert.match(call, /^20[01] /, `${text}\n${typed.out}\n${typed.err}`)
      return typed.out
    }
    const [byUcp = '', byTool = ''] = await blocks('docs/agents.md', '## A mug in five minutes')
    const [byAcp = ''] = await blocks('docs/agents.md', '## Buying by ACP')
    const isOrder = /permalink_url: *\n? *'http/
    assert.match(await type(byUcp), isOrder)
    const [page = ''] = /http:\/\/\S+\/c\/[\w-]{43}/.exec(await type(byTool)) ?? []
    await payAt(page, 'test:card')
    assert.match(await type(byAcp), isOrder)
  })

  test('in README lead from apply, key and session to an order', async () => {
    const [block = ''] = await blocks('README.md', '## Your own shop')
    const typed = await shell.type(block)
    assert.doesNotMatch(typed.out, /^!/m, 'apply has nothing to warn of')
    const [key = ''] = /cwk_live_\w{48}/.exec(typed.out) ?? []
    const order = await sell(server.origin, key, {
      slug: 'assam',
      successUrl: 'https://tea.example.com/thanks',
      method: 'manual:bank_transfer',
    })
    assert.deepEqual([order.paymentStatus, order.mode ?? 'live'], ['pending', 'live'])
    // The CSV brought more products beside it, and every row of it was taken.
    assert.match(typed.out, /^\d created, 0 changed, 0 unchanged, 0 rows refused$/m)
    const paid = await cartwright(['orders', 'pay', order.number, '--merchant', 'tea', '--json'], settings)
    assert.equal(JSON.parse(paid.out).order.paymentStatus, 'paid')
  })

  test('work in the guides about apps and payment methods', async () => {
    for (const [page, heading] of [
      ['docs/tour.md', '## Apps'],
      ['docs/oauth.md', '## For the operator'],
      ['docs/payment-providers.md', '## Bank transfer and cash on delivery'],
    ] as const) {
      const found = await blocks(page, heading)
      assert.ok(found.length > 0)
      // An installation is ended by an id that only the reader knows.
      const isTyped = (line: string) => !line.includes('ins_…')
      for (const block of found) await shell.type(block.split('\n').filter(isTyped).join('\n'))
    }
  })

  test('in docs/shop-file.md make a shop that sells in both modes', async () => {
    const all = blocksBelow(await pageText('docs/shop-file.md'), '## An example')
    const [yaml] = all.filter(({ language }) => language === 'yaml')
    await writeFile(filled('coffee.yaml'), yaml?.text ?? '')
    const [block = ''] = await blocks('docs/shop-file.md', '## An example')
    const typed = await shell.type(block)
    assert.doesNotMatch(typed.out, /^!/m, 'apply has nothing to warn of')
    for (const [installation, successUrl, method] of [
      ['Web, live', 'https://coffee.example.com/thanks', 'manual:bank_transfer'],
      ['Web, test', 'http://localhost:3000/thanks', 'test:card'],
    ] as const) {
      const args = ['keys', 'create', '--merchant', 'coffee', '--installation', installation, '--name', 'x']
      const made = await cartwright([...args, '--scopes', 'catalog:read,checkout:quote', '--json'], settings)
      await sell(server.origin, JSON.parse(made.out).secret, { slug: 'house-espresso', successUrl, method })
    }
    assert.equal(await server.stop(), 0)
    assert.equal((await cartwright(['doctor'], settings)).code, 0)
  })
})
