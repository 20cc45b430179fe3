// One walk of a shopper through every storefront that we give away: /shop of the server, the same program on its own, and the starter for
// Next.js, which is installed from the registry and built in a folder of its own, because only this run needs it.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { launchBrowser } from '../harness/browser.ts'
import { freePort } from '../harness/ports.ts'
import { begin, runProcess } from '../harness/process.ts'
import { type WalkOptions, walkShop } from '../harness/shopWalk.ts'
import { until } from '../harness/until.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
const timeoutMs = 600_000

export const startersRun: ServerRun = {
  name: 'starters',
  method:
    'one walk of a shopper, from an address that leads nowhere to a paid order, with axe on the way: through /shop, apps/storefront on its own, and examples/next, which is installed from the registry into an empty folder, built and started',
  numbers: {},
  engines: ['sqlite'],
  runOn: (ground, _, tools) => runStarters(ground, tools),
}

const walks: readonly WalkOptions[] = [
  { size: 'desktop', hasScript: true, colorScheme: 'light' },
  { size: 'telephone', hasScript: true, colorScheme: 'dark' },
  { size: 'telephone', hasScript: false, colorScheme: 'light' },
]

async function runStarters(ground: Ground, { tell }: RunTools): Promise<RunResult> {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-starters-'))
  const children: ChildProcess[] = []
  const seen: Record<string, string> = {}
  const violations: string[] = []
  const browser = await launchBrowser()
  try {
    const port = await freePort()
    const apiUrl = `http://localhost:${port}`
    const settings = { CARTWRIGHT_DATABASE_URL: await ground.freshUrl(), PORT: String(port), HOST: '127.0.0.1' }
    const { keys } = JSON.parse((await runProcess(['demo', '--json'], settings)).out)
    children.push(begin(['serve'], settings))
    await isUp(`${apiUrl}/shop/`)
    const alone = await started((shopPort) =>
      spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'apps/storefront/server.ts'], {
        ...{ cwd: root, stdio: 'ignore' },
        env: { ...process.env, CARTWRIGHT_URL: apiUrl, CARTWRIGHT_KEY: keys.full, PORT: String(shopPort) },
      }),
    )
    tell('installing')
    const next = join(folder, 'next')
    seen['examples/next'] = await install(next)
    const settingsOfNext = { CARTWRIGHT_URL: apiUrl, CARTWRIGHT_KEY: keys.full, NEXT_TELEMETRY_DISABLED: '1' }
    await inFolder(next, 'npm', ['run', 'build'], settingsOfNext)
    const starter = await started((shopPort) =>
      spawn(process.execPath, ['node_modules/next/dist/bin/next', 'start', '-p', String(shopPort), '-H', '127.0.0.1'], {
        ...{ cwd: next, stdio: 'ignore' },
        env: { ...process.env, ...settingsOfNext, PUBLIC_URL: `http://localhost:${shopPort}` },
      }),
    )
    const shops = { '/shop': `${apiUrl}/shop`, 'apps/storefront': alone, 'examples/next': starter }
    for (const [name, url] of Object.entries(shops))
      for (const options of walks) {
        const walk = `${name}, ${options.size}, ${options.hasScript ? options.colorScheme : 'without script'}`
        tell(walk)
        try {
          seen[walk] = `${await walkShop(browser, { url }, options)}`
        } catch (error) {
          violations.push(`${walk}: ${String(error).slice(0, 1_500)}`)
        }
      }
    return { seen, violations }
  } finally {
    await browser.close()
    for (const child of children) child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }

  async function started(start: (port: number) => ChildProcess): Promise<string> {
    const port = await freePort()
    const child = start(port)
    children.push(child)
    process.once('exit', () => child.kill('SIGKILL'))
    await isUp(`http://localhost:${port}/`)
    return `http://localhost:${port}`
  }
}

async function isUp(url: string): Promise<void> {
  await until(
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    url,
  )
}

// As someone has it who copied the folder, with the client as it would be published now.
async function install(folder: string): Promise<string> {
  await cp(join(root, 'examples', 'next'), folder, { recursive: true })
  await inFolder(join(root, 'packages', 'client'), 'npm', ['pack', '--pack-destination', folder], {})
  const file = join(folder, 'package.json')
  const settings = JSON.parse(await readFile(file, 'utf8'))
  const { version } = JSON.parse(await readFile(join(root, 'packages', 'client', 'package.json'), 'utf8'))
  settings.dependencies['@cartwright/client'] = `file:./cartwright-client-${version}.tgz`
  await writeFile(file, JSON.stringify(settings))
  await inFolder(folder, 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {})
  const { packages } = JSON.parse(await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
  return `Next.js ${settings.dependencies.next}, ${Object.keys(packages).length} packages`
}

async function inFolder(
  cwd: string,
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<void> {
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`
  await run(program, [...args], { cwd, timeout: timeoutMs, env: { ...process.env, ...more, PATH } }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      const { message, stdout = '', stderr = '' } = error
      throw new Error([message, stdout, stderr].join('\n').slice(0, 4_000))
    },
  )
}
