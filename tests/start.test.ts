// Starting and stopping where something is in the way: a port, a disk, a reader of the log, an earlier start that was cut
// short. Whatever it is, the operator gets one clear line, and nothing is half made.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { access, chmod, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { freePort } from '../harness/ports.ts'
import { type Environment, runProcess, serve, tempFolder } from '../harness/process.ts'
import { bloom } from '../harness/shops.ts'
import { copyTemplate } from '../harness/templates.ts'
import { until } from '../harness/until.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { readShopFile } from '../src/ops/provisioning/read.ts'
import { makeRootSecret } from '../src/platform/config.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'

const root = join(import.meta.dirname, '..')
const main = join(root, 'src', 'main.js')
const secretIn = (url: string) => join(url.slice('sqlite:'.length), '..', 'secret')
const keyIn = (text: string) => /cwk_test_\w{48}/.exec(text)?.[0] ?? ''

async function environment(): Promise<Environment> {
  return { CARTWRIGHT_DATABASE_URL: `sqlite:${join(await tempFolder(), 'data', 'shop.db')}`, HOST: '127.0.0.1' }
}

// As an earlier start left it, which saves the time to make the schema.
async function migrated(): Promise<Environment> {
  const settings = await environment()
  const url = settings.CARTWRIGHT_DATABASE_URL ?? ''
  await copyTemplate(url.slice('sqlite:'.length))
  makeRootSecret(secretIn(url))
  return settings
}

// The address of a script that is loaded into a process before its own.
function supporting(script: string, parameters: Readonly<Record<string, string>>): string {
  const url = pathToFileURL(join(import.meta.dirname, '..', 'harness', script))
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

async function takenPort(): Promise<number> {
  const server = createServer()
  after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function ready(origin: string): Promise<void> {
  const hopelessAt = Date.now() + 20_000
  for (;;) {
    const status = await fetch(`${origin}/readyz`).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return
    assert.ok(Date.now() < hopelessAt, 'the server is not ready')
    await pause(50)
  }
}

describe('a stop', () => {
  test('is announced at /readyz for the configured time, during which requests are still served', async () => {
    const server = await serveHere({ ...(await migrated()), CARTWRIGHT_DRAIN_SECONDS: '2' }, ['--no-demo'])
    await ready(server.origin)
    const stopping = server.stop()
    for (let status = 200; status === 200; ) status = (await fetch(`${server.origin}/readyz`)).status
    assert.equal((await fetch(`${server.origin}/readyz`)).status, 503)
    assert.equal((await fetch(`${server.origin}/healthz`)).status, 200)
    assert.equal(await stopping, 0)
    await assert.rejects(fetch(`${server.origin}/healthz`))
  })
})

describe('the metrics', () => {
  test('are served on a port of their own if one is set', async () => {
    const port = await freePort()
    const server = await serveHere({ ...(await migrated()), CARTWRIGHT_METRICS: String(port) }, ['--no-demo'])
    assert.equal((await fetch(`${server.origin}/metrics`)).status, 404)
    const shown = await fetch(`http://127.0.0.1:${port}/metrics`)
    assert.match(await shown.text(), /^cartwright_requests_in_flight 0$/m)
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 404)
    assert.equal(await server.stop(), 0)
  })

  test('traces of operations are exported to a collector if one is set', async () => {
    const bodies: string[] = []
    const collector = createHttpServer(async (request, response) => {
      bodies.push(await text(request))
      response.end('{}')
    })
    after(() => collector.close())
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    const { port } = collector.address() as AddressInfo
    const settings = { ...(await migrated()), CARTWRIGHT_TRACES_URL: `http://127.0.0.1:${port}/` }
    const server = await serveHere(settings, ['--no-demo'])
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await fetch(`${server.origin}/api/v1/open/installation/identity`, { headers: { traceparent } })
    assert.equal((await fetch(`${server.origin}/healthz`)).status, 200)
    assert.equal(await server.stop(), 0)
    await until(() => bodies.length > 0, 'the span')
    const [{ spans }] = JSON.parse(bodies.join('')).resourceSpans[0].scopeSpans
    assert.deepEqual(
      spans.map(({ name, parentSpanId }: Record<string, string>) => [name, parentSpanId]),
      [['getInstallationCredentialIdentity', 'b7ad6b7169203331']],
    )
  })

  test('are not served if they are turned off', async () => {
    const server = await serveHere({ ...(await migrated()), CARTWRIGHT_METRICS: 'off' }, ['--no-demo'])
    assert.equal((await fetch(`${server.origin}/metrics`)).status, 404)
    assert.equal(await server.stop(), 0)
  })
})

describe('a start', () => {
  test('reports the progress of migrations, and then serves on the same port', async () => {
    const settings = await environment()
    const url = settings.CARTWRIGHT_DATABASE_URL ?? ''
    const all = join(root, 'src/platform/storage/migrations')
    const fewer = await tempFolder()
    const names = (await readdir(all)).sort()
    for (const name of names.slice(0, -2)) await copyFile(join(all, name), join(fewer, name))
    await mkdir(join(secretIn(url), '..'), { recursive: true })
    makeRootSecret(secretIn(url))
    const storage = await openStorage(url)
    await migrate(storage, { now: new Date(), directory: fewer })
    await storage.close()
    const port = await freePort()
    const server = await serveHere({ ...settings, PORT: String(port) }, ['--no-demo'])
    const last = names.at(-1)?.replace('.sql', '')
    assert.match(
      server.printed(),
      new RegExp(`"message":"migrating the database","migration":"${last}","number":2,"of":2`),
    )
    assert.equal(server.origin, `http://127.0.0.1:${port}`)
    await ready(server.origin)
    assert.equal(await server.stop(), 0)
  })

  test('reports in one line that Node is too old', () => {
    const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.20.2'}})`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', older, main, 'doctor'], {
      encoding: 'utf8',
    })
    assert.deepEqual([status, stdout, stderr.split('\n').length], [1, '', 2], stderr)
    assert.match(stderr, /^cartwright: Node 24\.21 or later is needed/)
  })

  test('uses the Node release that package.json installs', async () => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    assert.equal(`v${dependencies.node}`, process.version)
  })

  test('ends when the npm process that started it ends', async () => {
    const settings = { ...(await environment()), PORT: '0', PATH: process.env.PATH ?? '' }
    const npm = spawn('npm', ['start', '--', '--no-demo'], {
      cwd: root,
      env: settings,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let printed = ''
    const listening = Promise.withResolvers<void>()
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('"message":"listening"')) listening.resolve()
    })
    const closed = once(npm.stdout, 'close')
    await Promise.race([listening.promise, closed])
    npm.kill('SIGTERM')
    // The pipe closes when nobody is left who could write to it.
    await closed
    assert.match(printed, /"message":"draining"/)
    assert.match(printed, /"message":"stopped"/)
  })

  test('reports in one line that its port is in use, and creates no shop', async () => {
    const settings = await environment()
    const port = await takenPort()
    const { code, err, out } = await cartwright(['serve'], { ...settings, PORT: String(port) })
    assert.equal(err, `cartwright: port ${port} of 127.0.0.1 is in use by another program; set PORT to a free port\n`)
    assert.equal(code, 1)
    assert.equal(keyIn(out), '')
    const next = await serveHere(settings)
    assert.notEqual(keyIn(next.printed()), '', 'the next start is the first that makes a shop')
    assert.equal(await next.stop(), 0)
  })

  for (const [host, line] of [
    ['203.0.113.77', 'HOST must be an address of this machine, not 203.0.113.77'],
    ['no.such.host.invalid', 'HOST must be a host name that can be resolved, not no.such.host.invalid'],
    ['999.1.1.1', 'HOST must be a host name that can be resolved, not 999.1.1.1'],
  ] as const) {
    test(`on ${host} reports the error in one line`, async () => {
      const { code, err } = await cartwright(['serve'], { ...(await environment()), HOST: host, PORT: '0' })
      assert.equal(err, `cartwright: ${line}\n`)
      assert.equal(code, 1)
    })
  }

  test('reports its own address correctly from the first response on', async () => {
    const port = await freePort()
    const starting = serve({ ...(await environment()), PORT: String(port) })
    const answers: { status: number; text: string }[] = []
    for (let isReady = false; !isReady; ) {
      // Fewer than a stranger may ask in a minute, however slow the start is.
      if (answers.length < 10) {
        const metadata = await fetch(`http://127.0.0.1:${port}/.well-known/oauth-authorization-server`).catch(
          () => undefined,
        )
        if (!metadata) {
          await pause(2)
          continue
        }
        // A slow machine that is still busy with loading the library sheds load.
        if (metadata.status === 503) continue
        answers.push({ status: metadata.status, text: await metadata.text() })
      }
      isReady = (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200
    }
    assert.equal(await (await starting).stop(), 0)
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.deepEqual(
      [...new Set(answers.map(({ text }) => JSON.parse(text).issuer))],
      [`http://localhost:${port}`],
      `${answers.length} answers`,
    )
  })

  test('listens on every address of localhost, and stops', async () => {
    const settings = { ...(await migrated()), HOST: 'localhost' }
    const server = await serveHere({ ...settings, CARTWRIGHT_SECRET: 'a-root-secret-that-only-this-test-knows' }, [
      '--no-demo',
    ])
    assert.equal((await fetch(`${server.origin}/healthz`)).status, 200)
    assert.equal((await fetch(`${server.origin.replace('127.0.0.1', 'localhost')}/healthz`)).status, 200)
    assert.equal(await server.stop(), 0)
  })

  // They are most of what a start would take and an idle server would hold.
  test('encrypts the customer key with every version of the root secret, so a version can be removed', async () => {
    const [older, newer] = ['an-older-root-secret-of-this-test-only', 'a-newer-root-secret-of-this-test-only']
    const given = await migrated()
    const file = (given.CARTWRIGHT_DATABASE_URL ?? '').slice('sqlite:'.length)
    const sealed: string[][] = []
    for (const secret of [older, `2:${newer},1:${older}`, `2:${newer}`]) {
      const settings = { ...given, CARTWRIGHT_SECRET: secret }
      if (secret === `2:${newer}`)
        assert.equal((await cartwright(['secret', 'forget', '1', '--force'], settings)).code, 0)
      const server = await serveHere(settings, ['--no-demo'])
      await ready(server.origin)
      assert.equal(await server.stop(), 0)
      const db = new DatabaseSync(file)
      sealed.push(
        db
          .prepare('select sealed from database_keys')
          .all()
          .map((row) => String(row.sealed)),
      )
      db.close()
    }
    assert.deepEqual(
      sealed.map((rows) => rows.map((text) => Object.keys(JSON.parse(text)))),
      [[['1']], [['1', '2']], [['2']]],
    )
  })

  test('loads no library and no admin pages before they are needed', async () => {
    const settings = await migrated()
    const list = join(await tempFolder(), 'loaded')
    const server = await serve({ ...settings, NODE_OPTIONS: `--import ${supporting('loaded.js', { to: list })}` }, [
      '--no-demo',
    ])
    const packages = async () =>
      new Set(
        [...(await readFile(list, 'utf8')).matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(([, name]) => name),
      )
    const late = ['oidc-provider', 'jose', 'undici', 'pg', 'yaml']
    assert.ok((await packages()).has('find-my-way'))
    assert.deepEqual(
      [...(await packages())].filter((name) => late.includes(String(name))),
      [],
    )
    assert.equal((await fetch(`${server.origin}/.well-known/oauth-authorization-server`)).status, 200)
    assert.ok((await packages()).has('oidc-provider'))
    const adminFiles = async () =>
      [...(await readFile(list, 'utf8')).matchAll(/src\/web\/(dashboard\/screens|languages\/signin)\//g)].length
    assert.equal(await adminFiles(), 0)
    // A slow machine that is still busy with loading the library sheds load.
    let status = 503
    while (status === 503) ({ status } = await fetch(`${server.origin}/admin/nowhere/home`))
    assert.equal(status, 200, 'the page to sign in')
    assert.ok((await adminFiles()) > 0)
    assert.equal(await server.stop(), 0)
  })

  test('completes the demo shop of a start that was killed', async () => {
    const settings = await migrated()
    const now = Date.now()
    const read = readShopFile(await readFile(join(root, 'apps/demo/shop.yaml'), 'utf8'), now)
    assert.ok('file' in read)
    const storage = await openStorage(settings.CARTWRIGHT_DATABASE_URL ?? '')
    const begun = { ...read.file, products: read.file.products?.slice(0, 3) ?? [] }
    delete begun.promotions
    await applyShop(storage, begun, { now, stock: false, dryRun: false })
    await storage.close()

    const server = await serveHere(settings)
    const key = keyIn(server.printed())
    const response = await fetch(`${server.origin}/api/v1/open/catalog/products`, { headers: { authorization: key } })
    assert.equal(response.status, 200)
    assert.ok(((await response.json()) as { data: unknown[] }).data.length >= 38)
    assert.equal(await server.stop(), 0)
    const second = await serveHere(settings)
    assert.equal(keyIn(second.printed()), '', 'a demo shop with keys is left as it is')
    assert.equal(await second.stop(), 0)
  })

  // Nothing says that the last run ended cleanly, and one page is lost, of a table that no start looks at.
  async function damage(file: string): Promise<void> {
    const db = new DatabaseSync(file)
    const table = db.prepare("select rootpage from sqlite_master where name = 'webhook_attempts'").get()
    db.close()
    const bytes = await readFile(file)
    const from = (Number(table?.rootpage) - 1) * 4096
    await writeFile(file, bytes.fill('x', from, from + 4096))
    await rm(`${file}.lock`)
  }

  const damageLine = /^cartwright: the database file .*shop\.db is damaged: restore a backup \(.* page .*$/m

  test('ends when its check finds that the database file is damaged, and the next start is refused', async () => {
    const settings = await migrated()
    const file = (settings.CARTWRIGHT_DATABASE_URL ?? '').slice('sqlite:'.length)
    assert.equal(await (await serveHere(settings, ['--no-demo'])).stop(), 0)
    await damage(file)

    const gate = supporting('gate.js', { gate: `${file}.gate` })
    const server = await serve({ ...settings, NODE_OPTIONS: `--import ${gate}` }, ['--no-demo'])
    // Nobody waits for the check, which does not end before it is let.
    await ready(server.origin)
    await writeFile(`${file}.gate`, '')
    assert.equal(await server.ended, 1)
    assert.match(server.printed(), damageLine)
    assert.match(server.printed(), /"level":"error","message":"the database file is damaged; stopping"/)
    assert.doesNotMatch(server.printed(), /uncaughtException|unhandledRejection/)

    const { code, err, out } = await cartwright(['serve'], { ...settings, PORT: '0' })
    assert.match(err, damageLine)
    assert.deepEqual([code, err.split('\n').length], [1, 2])
    assert.doesNotMatch(out, /listening/)
  })

  test('creates no demo shop beside an existing shop, even if that has no keys', async () => {
    const settings = await migrated()
    const storage = await openStorage(settings.CARTWRIGHT_DATABASE_URL ?? '')
    await applyShop(storage, bloom, { now: Date.now(), stock: false, dryRun: false })
    await storage.close()
    const server = await serveHere(settings)
    assert.equal(keyIn(server.printed()), '')
    assert.equal(await server.stop(), 0)
  })

  test('reports in one line that a folder cannot be created', async () => {
    for (const settings of [{}, { CARTWRIGHT_SECRET: 'a-root-secret-that-only-this-test-knows' }]) {
      const { code, err } = await cartwright(['serve'], {
        CARTWRIGHT_DATABASE_URL: 'sqlite:/dev/null/deep/a.db',
        ...settings,
      })
      assert.match(err, /^cartwright: .*\/dev\/null\/deep.*\n$/)
      assert.equal(code, 1)
    }
  })

  test('uses one root secret if several commands start concurrently in a new folder', async () => {
    const settings = await environment()
    const made = await Promise.all(Array.from({ length: 3 }, () => runProcess(['demo', '--json'], settings)))
    assert.deepEqual(
      made.map(({ code, err }) => [code, err]),
      Array(3).fill([0, '']),
    )
    const server = await serveHere(settings)
    for (const { out } of made) {
      const response = await fetch(`${server.origin}/api/v1/open/installation/identity`, {
        headers: { authorization: JSON.parse(out).keys.full },
      })
      assert.equal(response.status, 200)
    }
    assert.equal(await server.stop(), 0)
    const folder = join((settings.CARTWRIGHT_DATABASE_URL ?? '').slice('sqlite:'.length), '..')
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('secret')),
      ['secret'],
    )
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
  })

  // What is in the cache is run: on a machine that is shared, nobody else may have written it.
  test('stores Node’s compile cache in a folder that only its user can write, or not at all', {
    skip: process.platform === 'win32',
  }, async () => {
    for (const mode of [0o700, 0o777]) {
      const temporary = await tempFolder()
      const cache = join(temporary, `cartwright-cache-${process.getuid?.()}`)
      if (mode !== 0o700) {
        await mkdir(cache)
        await chmod(cache, mode)
      }
      const { code, err } = await runProcess(['--version'], { TMPDIR: temporary })
      assert.deepEqual([code, err], [0, ''])
      assert.equal((await stat(cache)).mode & 0o777, mode)
      assert.equal((await readdir(cache)).length > 0, mode === 0o700)
    }
    assert.equal((await runProcess(['--version'], { TMPDIR: '/dev/null' })).code, 0)
  })

  test('reports in one line that its output cannot be written', {
    skip: process.platform !== 'linux',
  }, () => {
    for (const args of [['--help'], ['openapi']]) {
      const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
        env: { PATH: process.env.PATH ?? '' },
        stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
        encoding: 'utf8',
      })
      assert.match(stderr, /^cartwright: the output cannot be written: ENOSPC.*\n$/m)
      assert.doesNotMatch(stderr, /\n {4}at /)
      assert.equal(status, 1)
    }
  })

  // A limit on the size of files is a full disk that needs no disk.
  test('leaves no incomplete root secret on a full disk', { skip: process.platform === 'win32' }, async () => {
    const settings = await environment()
    const env = { PATH: process.env.PATH ?? '', ...settings }
    const limited = spawnSync('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, main, 'migrate'], {
      env,
      encoding: 'utf8',
    })
    assert.equal(limited.status, 1)
    assert.match(limited.stderr, /cartwright: Cannot write the root secret to .*secret: EFBIG.*\n$/)
    assert.equal((await cartwright(['migrate'], settings)).code, 0)
  })
})

const hasLimits = spawnSync('prlimit', ['--version']).status === 0

describe('a stop on a full disk', () => {
  test('is reported, and the next start works', { skip: !hasLimits }, async () => {
    const settings = await environment()
    const server = await serve(settings)
    const key = keyIn(server.printed())
    execFileSync('prlimit', ['--pid', String(server.pid), '--fsize=4096:4096'])
    assert.equal(await server.stop(), 0, server.printed())
    assert.match(server.printed(), /"level":"warn","message":"checkpoint at shutdown failed/)
    assert.doesNotMatch(server.printed(), /cartwright stopped|at closeFile/)
    const again = await serveHere(settings)
    assert.match(again.printed(), /^ {2}storefront {3}http:\/\/\S+\/shop$/m)
    const { status } = await fetch(`${again.origin}/api/v1/open/installation/identity`, {
      headers: { authorization: key },
    })
    assert.equal(status, 200)
    assert.equal(await again.stop(), 0)
  })
})

describe('the log of a server', () => {
  function start(settings: Environment, port: number, out: number | 'pipe'): ChildProcess {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'serve', '--no-demo'], {
      env: { PATH: process.env.PATH ?? '', ...settings, PORT: String(port) },
      stdio: ['ignore', out, 'pipe'],
    })
    after(() => child.kill('SIGKILL'))
    return child
  }

  async function askMuch(origin: string, times: number): Promise<void> {
    for (let i = 0; i < times; i += 50) {
      const asked = Array.from({ length: 50 }, () => fetch(`${origin}/api/v1/nothing`).then((r) => r.text()))
      await Promise.all(asked)
    }
  }

  test('does not stop the server on a full disk; the metrics count the lost lines', {
    timeout: 60_000,
  }, async (t) => {
    if (
      await access('/dev/full').then(
        () => false,
        () => true,
      )
    )
      return t.skip('there is no /dev/full')
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const child = start(await migrated(), port, openSync('/dev/full', 'w'))
    await ready(origin)
    await askMuch(origin, 200)
    assert.equal((await fetch(`${origin}/healthz`)).status, 200)
    assert.match(await (await fetch(`${origin}/metrics`)).text(), /^cartwright_log_lines_dropped_total \d+$/m)
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
  })

  test('blocks nothing while it is not read, and has only complete lines afterwards', {
    timeout: 60_000,
  }, async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const child = start(await migrated(), port, 'pipe')
    await ready(origin)
    // More than twice of what a pipe holds.
    await askMuch(origin, 1_000)
    assert.equal((await fetch(`${origin}/healthz`)).status, 200)
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    child.kill('SIGTERM')
    const [code] = await once(child, 'close')
    assert.equal(code, 0)
    const lines = text
      .slice(text.indexOf('{'))
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(' '))
      .map((line) => JSON.parse(line) as { message: string })
    assert.ok(lines.filter(({ message }) => message === 'request').length >= 1_000)
    assert.equal(lines.at(-1)?.message, 'stopped')
  })
})
