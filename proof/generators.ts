// Clients that others generate from docs/openapi.json: each generator is installed from the registry into an empty folder,
// and programs are compiled against what it generates. `npm test` compiles them against what is stored in proof/generators,
// because generators need the registry, 154 packages and a second TypeScript (docs/decisions/0031).

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { bareDocument } from './baredocument.ts'
import { compileClients, documentPath, type Generator, generators, storedFolder } from './clients.ts'
import type { OpenApiDocument } from './curlrequests.ts'
import type { RunResult, ServerRun } from './runs.ts'

const timeoutMs = 300_000
const run = promisify(execFile)

export const generatorsRun: ServerRun = {
  name: 'generators',
  method:
    'three generators in exact versions, each installed from the registry into an empty folder, generate from docs/openapi.json; the requests of README and a program with those of the tour are compiled strictly against each client',
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
        const tried = await generateAndCompile(generator, folder)
        violations.push(...tried.violations.map((text) => `${generator.name}: ${text}`))
        const { count, bytes } = await installedIn(folder)
        seen[generator.name] = [
          ...Object.entries(generator.packages).map(([part, version]) => `${part} ${version}`),
          `${count} packages of ${Math.round(bytes / 1e6)} MB`,
          `installed in ${seconds(installMs)}`,
          tried.seen,
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

// Into the folder `generated` of this one.
export async function generate({ command }: Generator, folder: string, document: string): Promise<number> {
  const [name = '', ...args] = command(document)
  return timed(join(folder, 'node_modules/.bin', name), args, folder)
}

// Without what only people read, as for the files that are stored.
export async function generateBare(generator: Generator, folder: string): Promise<void> {
  const document = join(folder, 'bare.json')
  await writeFile(document, bareDocument(await readFile(documentPath, 'utf8')))
  await generate(generator, folder, document)
}

async function generateAndCompile(
  generator: Generator,
  folder: string,
): Promise<{ seen: string; violations: string[] }> {
  const generated = join(folder, 'generated')
  await generateBare(generator, folder)
  const isStored = (await textOf(generated)) === (await textOf(join(storedFolder, generator.folder, 'generated')))
  await rm(generated, { recursive: true })

  const generateMs = await generate(generator, folder, documentPath)
  const missing = missingOperations(await readFile(documentPath, 'utf8'), await textOf(generated))
  await cp(join(storedFolder, generator.folder, 'program.ts'), join(folder, 'program.ts'))
  const startedAt = performance.now()
  const complaints = await compileClients(dirname(folder), [generator])
  return {
    seen: `generated in ${seconds(generateMs)}, compiled in ${seconds(performance.now() - startedAt)}`,
    violations: [
      ...missing.map((id) => `generated without ${id}`),
      ...complaints,
      ...(isStored ? [] : ['prints other files than those that are stored: npm run generators:print']),
    ],
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

async function textOf(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).sort()
  const files = names.map(async (name) => `// ${name}\n${await readFile(join(folder, name), 'utf8')}`)
  return (await Promise.all(files)).join('\n')
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
