// A browser for tests of pages: the one of an npm package, which runs on Linux on x64 only, or elsewhere one that is installed.
// Several test processes start at once, and the package unpacks 207 MB into the temporary folder without checking for others.
// Here one process unpacks and the others wait.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat, statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as runner from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import { actWhenLoaded } from './actions.ts'
import { laterAlone } from './later.ts'
import { canShare, endLast } from './shared.ts'
import { isWide } from './wide.ts'

const installed = [
  // Takes a third of the processor time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]
// A file, or `none`.
const chosen = process.env.CARTWRIGHT_TEST_BROWSER || undefined
const isPackaged = chosen === undefined && process.platform === 'linux' && process.arch === 'x64'
const found = chosen ?? installed.find((file) => existsSync(file))
const program = isPackaged || found === 'none' ? undefined : found

// Why no browser can be started, or undefined. No package has one for every machine.
export const noBrowser =
  isPackaged || program !== undefined
    ? undefined
    : chosen === 'none'
      ? 'CARTWRIGHT_TEST_BROWSER is none'
      : 'no browser here: install Chromium, or name its file in CARTWRIGHT_TEST_BROWSER'

// What `node:test` exports, for tests in a browser: they are skipped where there is none.
export const browserSuite: Pick<typeof runner, 'after' | 'before' | 'describe' | 'test'> =
  noBrowser === undefined
    ? runner
    : {
        after() {},
        before() {},
        describe: Object.assign((name?: unknown) => skipped(name), runner.describe),
        test: Object.assign((name?: unknown) => skipped(name), runner.test),
      }

function skipped(name: unknown): Promise<void> {
  return runner.test(String(name), { skip: noBrowser ?? false })
}

let shared: Browser | undefined

// The files of one process have one browser, and closing it closes only what the file opened.
export async function launchBrowser(): Promise<Browser> {
  if (shared?.isConnected()) return shared
  if (noBrowser !== undefined) throw new Error(noBrowser)
  const launched = await playwright.launch({
    executablePath: await browserFile(),
    args: [...given(), ...quiet, unoptimized],
    ignoreDefaultArgs: (await hasSharedMemory()) ? ['--disable-dev-shm-usage'] : [],
    headless: true,
  })
  const newContext = launched.newContext.bind(launched)
  launched.newContext = async (options) => {
    const context = await newContext({ reducedMotion, ...options })
    context.on('page', actWhenLoaded)
    return context
  }
  if (!canShare()) {
    laterAlone(() => launched.close())
    return launched
  }
  const close = launched.close.bind(launched)
  endLast(close)
  launched.close = async () => void (await Promise.all(launched.contexts().map((context) => context.close())))
  shared = launched
  return launched
}

// For programs that start it by themselves.
export async function browserFile(): Promise<string> {
  return program ?? join(await unpacked(), 'chromium')
}

// Without a graphics card each frame of a transition between two pages takes 25 ms, a quarter of the browser's processor time.
const reducedMotion = isWide ? 'no-preference' : 'reduce'

const sharedBytesMin = 2 ** 30

// Playwright has the browser exchange pictures of pages through files in the temporary folder, because a container may have
// little shared memory. On a disk that is a sixth of its processor time.
async function hasSharedMemory(): Promise<boolean> {
  const found = await statfs('/dev/shm').catch(() => undefined)
  return found !== undefined && found.bavail * found.bsize >= sharedBytesMin
}

// The browser must not make requests of its own.
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-proxy-server',
]

// No page lives long enough to repay the compilers that make its code fast, and axe is compiled anew on each: they were a seventh of
// the browser's processor time.
const unoptimized = '--js-flags=--no-opt --no-maglev'

// The package is made for scraping and turns off security features. Our pages are tested with them on.
const lowered = ['--disable-web-security', '--allow-running-insecure-content', '--single-process']

// Emulating a graphics card costs half of the browser's processor time, and our pages do not need it.
const graphics = [
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]

function given(): string[] {
  // Without a zygote every tab starts by loading the whole program.
  const unwanted = [...lowered, ...graphics, '--no-zygote']
  return [...chromium.args.filter((flag) => !unwanted.includes(flag)), '--disable-gpu']
}

const lockAgeMaxMs = 60_000

// The folder appears complete or not at all, by a rename. A lock that outlived its owner is removed; if two processes
// then unpack anyway, the second rename fails and its folder is deleted.
async function unpacked(): Promise<string> {
  const packed = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const { size } = await stat(join(dirname(packed), '../bin/chromium.br'))
  const folder = join(tmpdir(), `cartwright-browser-${process.getuid?.() ?? 0}-${size}`)
  const lock = `${folder}.lock`
  for (;;) {
    if (await ageMs(folder)) return folder
    const isOurs = await mkdir(lock).then(
      () => true,
      () => false,
    )
    if (isOurs) {
      try {
        await unpackInto(folder, packed)
      } finally {
        await rm(lock, { recursive: true, force: true })
      }
    } else {
      if (((await ageMs(lock)) ?? 0) > lockAgeMaxMs) await rm(lock, { recursive: true, force: true })
      await pause(100)
    }
  }
}

// The package takes its folder from the environment, so it unpacks in a process with a different one.
async function unpackInto(folder: string, packed: string): Promise<void> {
  const own = await mkdtemp(`${folder}-`)
  const program = `import(${JSON.stringify(pathToFileURL(packed).href)}).then((it) => it.default.executablePath())`
  await promisify(execFile)(process.execPath, ['-e', program], { env: { ...process.env, TMPDIR: own } })
  await rename(own, folder).catch(async (error: unknown) => {
    await rm(own, { recursive: true, force: true })
    if (!(await ageMs(folder))) throw error
  })
}

async function ageMs(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && Math.max(1, Date.now() - found.mtimeMs)
}
