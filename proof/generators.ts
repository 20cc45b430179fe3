// Clients that others generate from docs/openapi.json and docs/openapi.admin.json: each generator is installed from the registry into an empty folder,
// and programs are compiled against what it generates. `npm test` compiles them only where `npm run generators:print` was run,
// because generators need the registry, 154 packages and a second TypeScript (docs/decisions/0031).

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { bareDocument } from './baredocument.ts'
import {
  adminSurface,
  clientDigest,
  compileClients,
  type Generator,
  generatedText,
  generators,
  openSurface,
  readPrinted,
  type Surface,
  storedFolder,
} from './clients.ts'
import type { OpenApiDocument } from './curlrequests.ts'
import type { RunResult, ServerRun } from './runs.ts'

const timeoutMs = 300_000
const run = promisify(execFile)

export const generatorsRun: ServerRun = {
  name: 'generators',
  method:
    'three generators in exact versions, each installed from the registry into an empty folder, generate from docs/openapi.json and docs/openapi.admin.json; the requests of README, a program with those of the tour, and those of docs/admin-api.md are compiled strictly against each client',
  numbers: {},
  // No engine takes part.
  engines: ['sqlite'],
  runOn: (_, __, { tell }) => runGenerators(tell),
}

async function runGenerators(tell: (text: string) => void): Promise<RunResult> {
  const seen: Record<string, string> = {}
  const violations: string[] = []
  for (const generator of generators) {
    tell(generator.name)
    try {
      await withInstalled(generator, async (folder, installMs) => {
        const open = await generateAndCompile(generator, folder, openSurface)
        const admin = await generateAndCompile(generator, folder, adminSurface)
        const found = [...(await differences(generator, folder)), ...open.violations, ...admin.violations]
        violations.push(...found.map((text) => `${generator.name}: ${text}`))
        const { count, bytes } = await installedIn(folder)
        seen[generator.name] = [
          ...Object.entries(generator.packages).map(([part, version]) => `${part} ${version}`),
          `${count} packages of ${Math.round(bytes / 1e6)} MB`,
          `installed in ${seconds(installMs)}`,
          open.seen,
          `admin ${admin.seen}`,
        ].join(', ')
      })
    } catch (error) {
      const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
      violations.push(`${generator.name}: ${[message, stdout, stderr].join('\n').trim().slice(0, 2_000)}`)
    }
  }
  return { seen, violations }
}

// In a folder of its own, which is named as its folder in proof/generators and removed afterwards.
export async function withInstalled(
  { folder: name, packages }: Generator,
  use: (folder: string, installMs: number) => Promise<void>,
): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'cartwright-generators-'))
  const folder = join(place, name)
  try {
    await mkdir(folder)
    const settings = { private: true, type: 'module', dependencies: packages }
    await writeFile(join(folder, 'package.json'), JSON.stringify(settings))
    await use(folder, await timed('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], folder))
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

// Without what only people read, as for the digests.
export async function generateBare(generator: Generator, folder: string): Promise<void> {
  const document = join(folder, 'bare.json')
  await writeFile(document, bareDocument(await readFile(openSurface.document, 'utf8')))
  await generate(generator, folder, document)
}

// Into the folder `generated` of this one.
async function generate({ command }: Generator, folder: string, document: string): Promise<number> {
  await rm(join(folder, 'generated'), { recursive: true, force: true })
  const [name = '', ...args] = command(document)
  return timed(join(folder, 'node_modules/.bin', name), args, folder)
}

async function differences(generator: Generator, folder: string): Promise<string[]> {
  await generateBare(generator, folder)
  const { clients } = await readPrinted()
  return clients[generator.name] === (await clientDigest(join(folder, 'generated')))
    ? []
    : ['prints other files than printed.json has the digests of: npm run generators:print']
}

async function generateAndCompile(
  generator: Generator,
  folder: string,
  surface: Surface,
): Promise<{ seen: string; violations: string[] }> {
  const generateMs = await generate(generator, folder, surface.document)
  const document = await readFile(surface.document, 'utf8')
  const missing = missingOperations(document, await generatedText(join(folder, 'generated')))
  await cp(join(storedFolder, generator.folder, 'program.ts'), join(folder, 'program.ts'))
  const startedAt = performance.now()
  const complaints = await compileClients(dirname(folder), [generator], surface)
  return {
    seen: `generated in ${seconds(generateMs)}, compiled in ${seconds(performance.now() - startedAt)}`,
    violations: [...missing.map((id) => `generated without ${id}`), ...complaints],
  }
}

// The generators are started by their own first line, which takes the Node of the path.
async function timed(file: string, args: readonly string[], cwd: string): Promise<number> {
  const startedAt = performance.now()
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`
  await run(file, [...args], { cwd, timeout: timeoutMs, env: { ...process.env, PATH: path } })
  return performance.now() - startedAt
}

function missingOperations(document: string, generated: string): string[] {
  const { paths } = JSON.parse(document) as OpenApiDocument
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  return ids.filter((id) => !new RegExp(`\\b${id}\\b`).test(generated))
}

async function installedIn(folder: string): Promise<{ count: number; bytes: number }> {
  const lock = await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: object }
  let bytes = 0
  for (const entry of await readdir(join(folder, 'node_modules'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return { count: Object.keys(packages).length, bytes }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
