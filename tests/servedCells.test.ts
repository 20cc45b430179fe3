// Several cells in one process: each answers at its own host alone, and what happens to one the others do not see.

import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { tempFolder } from '../harness/process.ts'
import { bloom } from '../harness/shops.ts'
import { copyTemplate } from '../harness/templates.ts'
import { testSecret, testSecretText } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { scopes } from '../src/contract/words.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { proofPath } from '../src/domain/sites/hosts.ts'
import { insertHost, setProved } from '../src/domain/sites/hoststore.ts'
import { ensureSite } from '../src/domain/sites/store.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { createKey } from '../src/platform/access/keys.ts'
import { openStorage } from '../src/platform/storage/open.ts'

interface Reply {
  status: number
  text: string
}

function ask(origin: string, host: string, path: string, key?: string): Promise<Reply> {
  const { hostname, port } = new URL(origin)
  const headers = { host, ...(key !== undefined && { authorization: `Bearer ${key}` }) }
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

// A database with a shop, a host of it, and a key.
async function makeCell(file: string, host: string): Promise<{ databaseUrl: string; key: string }> {
  await copyTemplate(file)
  const databaseUrl = `sqlite:${file}`
  const storage = await openStorage(databaseUrl)
  try {
    const now = Date.now()
    const { merchantId } = await applyShop(storage, bloom, { now, stock: false, dryRun: false })
    const [installation] = await storage.read((db) => listInstallations(db, merchantId))
    assert.ok(installation)
    return await storage.write(async (tx) => {
      const unproved = { isMain: true, provedAt: null, checkAt: null, checkedAt: null, problem: null, createdAt: now }
      await insertHost(tx, { merchantId, host, proof: `proof of ${host}`, ...unproved })
      await setProved(tx, { merchantId, host }, now)
      await ensureSite(tx, { merchantId, mode: 'live' }, [], now)
      await tx.sql`update sites set opened_at = ${now}`
      const input = { name: 'test', scopes, expiresAt: null }
      return { databaseUrl, key: (await createKey(tx, testSecret, installation, input, now)).key }
    })
  } finally {
    await storage.close()
  }
}

const plain = ({ status, text }: Reply) => [status, text.replace(/req_\w+/, '')]

test('cells in one process respond at their own hosts, and only a cell without its database responds with 503', async () => {
  const folder = await tempFolder()
  const one = await makeCell(join(folder, 'one.db'), 'flowers.example.net')
  const two = await makeCell(join(folder, 'two.db'), 'herbs.example.net')
  const lost = join(folder, 'lost', 'three.db')
  // In the way of the folder.
  await writeFile(join(folder, 'lost'), '')
  const origins = ['https://one.example.com', 'https://two.example.com', 'https://three.example.com'] as const
  const urls = [one.databaseUrl, two.databaseUrl, `sqlite:${lost}`]
  const file = join(folder, 'cells.json')
  await writeFile(
    file,
    JSON.stringify(origins.map((origin, index) => ({ origin, databaseUrl: urls[index], secret: testSecretText }))),
  )
  const settings = { CARTWRIGHT_CELLS: file, NODE_ENV: 'production' }
  const server = await serveHere(settings)
  const at = (host: string, path: string, key?: string) => ask(server.origin, host, path, key)
  const readyOf = async (origin: string) => {
    const { status, text } = await at('10.0.0.1', `/readyz?cell=${origin}`)
    return [status, JSON.parse(text).status]
  }
  await until(async () => (await readyOf(origins[2]))[1] === 'cannot be served')

  assert.deepEqual(await readyOf(origins[0]), [200, 'ready'])
  assert.deepEqual(await readyOf('https://four.example.com'), [404, 'there is no such cell'])
  assert.deepEqual(JSON.parse((await at('10.0.0.1', '/readyz')).text), { status: 'ready', ready: 2, cells: 3 })
  assert.equal((await at('10.0.0.1', '/healthz')).status, 200)

  const identity = '/api/v1/open/installation/identity'
  assert.equal((await at('one.example.com', identity, one.key)).status, 200)
  assert.equal((await at('TWO.example.com:443', identity, two.key)).status, 200)
  const unknown = await at('two.example.com', identity, `${one.key.slice(0, -1)}${one.key.endsWith('a') ? 'b' : 'a'}`)
  assert.deepEqual(plain(await at('two.example.com', identity, one.key)), plain(unknown))
  assert.equal(unknown.status, 401)
  assert.equal((await at('three.example.com', identity, one.key)).status, 503)
  assert.equal((await at('three.example.com', '/shop')).status, 503)

  // The hosts of shops.
  assert.match((await at('flowers.example.net', '/robots.txt')).text, /flowers\.example\.net/)
  assert.match((await at('herbs.example.net', '/robots.txt')).text, /herbs\.example\.net/)
  assert.equal((await at('herbs.example.net', identity, two.key)).status, 404, 'as at the host of any shop')
  assert.equal((await at('other.example.net', '/')).status, 503, 'it may be of the cell that is away')
  assert.equal((await at('other.example.net', proofPath)).status, 503, 'nor can a host be proved')
  assert.equal((await at('10.0.0.1', '/hosts/allowed?domain=herbs.example.net')).status, 200)

  const { text: metrics } = await at('10.0.0.1', '/metrics')
  const types = metrics.match(/^# TYPE \S+/gm) ?? []
  assert.equal(new Set(types).size, types.length, 'each family once')
  for (const line of [
    'cartwright_database_up{cell="https://three.example.com"} 0',
    'cartwright_database_up{cell="https://two.example.com"} 1',
  ])
    assert.ok(metrics.includes(`\n${line}\n`), line)
  assert.match(
    metrics,
    /^cartwright_requests_total\{cell="https:\/\/one\.example\.com",operation="getInst\w+",status="200"\} 1$/m,
  )
  assert.equal(metrics.match(/^process_resident_memory_bytes /gm)?.length, 1)

  // The operator mends it.
  await rm(join(folder, 'lost'))
  await makeCell(lost, 'seeds.example.net')
  await until(async () => (await readyOf(origins[2]))[0] === 200)
  assert.match((await at('seeds.example.net', '/robots.txt')).text, /seeds\.example\.net/)
  const { status, text } = await at('other.example.net', '/')
  assert.deepEqual([status, JSON.parse(text).error.message], [421, 'No shop of this server uses this host.'])
  assert.equal((await at('other.example.net', proofPath)).status, 404)
  assert.equal((await at('10.0.0.1', '/hosts/allowed?domain=other.example.net')).status, 404)

  const doctor = (environment: Record<string, string>) => cartwright(['doctor'], { ...settings, ...environment })
  const unnamed = await doctor({})
  assert.deepEqual([unnamed.code, unnamed.err.includes(origins.join(', '))], [1, true])
  assert.equal((await doctor({ CARTWRIGHT_CELL: origins[1] })).code, 0)

  assert.equal(await server.stop(), 0)
  assert.match(
    server.printed(),
    /"message":"the cell cannot be served; retrying","cell":"https:\/\/three\.example\.com"/,
  )
  assert.doesNotMatch(server.printed(), /"level":"error"(?!.*"cell":"https:\/\/three)/)
})

test('mistakes in the file of cells are reported in one line each, without secrets', async () => {
  const folder = await tempFolder()
  const file = join(folder, 'cells.json')
  const cell = { origin: 'https://one.example.com', databaseUrl: 'sqlite:/nowhere/one.db', secret: testSecretText }
  const said = async (content: unknown, environment: Record<string, string> = {}) => {
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
    const { code, err } = await cartwright(['serve'], { CARTWRIGHT_CELLS: file, PORT: '0', ...environment })
    assert.equal(code, 1)
    assert.doesNotMatch(err, /only-the-tests/)
    return err.replace('cartwright: ', '').replace(file, 'FILE').trim()
  }
  assert.equal(await said('[{'), 'CARTWRIGHT_CELLS: FILE cannot be read: the file is not well-formed JSON.')
  assert.equal(
    await said([]),
    'CARTWRIGHT_CELLS: FILE must contain a list of cells, each with origin, databaseUrl, secret.',
  )
  assert.equal(await said([cell, {}]), 'CARTWRIGHT_CELLS: cell 2 has no origin.')
  assert.equal(await said([{ ...cell, port: 1 }]), 'CARTWRIGHT_CELLS: cell 1 has an unknown member port.')
  assert.equal(
    await said([{ ...cell, origin: 'https://one.example.com/' }]),
    'CARTWRIGHT_CELLS: the origin of cell 1 must be an origin such as https://shop.example.com, without a slash at the end.',
  )
  assert.equal(await said([cell, { ...cell }]), 'CARTWRIGHT_CELLS: two cells have the host one.example.com.')
  assert.equal(
    await said([cell, { ...cell, origin: 'https://two.example.com' }]),
    'CARTWRIGHT_CELLS: two cells have the same databaseUrl.',
  )
  assert.match(await said([{ ...cell, secret: 'short' }]), /^CARTWRIGHT_CELLS: cell 1: CARTWRIGHT_SECRET: /)
  assert.equal(
    await said([cell], { CARTWRIGHT_SECRET: testSecretText }),
    'CARTWRIGHT_CELLS and CARTWRIGHT_SECRET are both set: unset CARTWRIGHT_SECRET, because the cells file contains its value for each cell.',
  )
})
