// Clients that others generate from docs/openapi.json: each generator is installed from the registry into an empty folder,
// and a program with the requests of the tour is compiled strictly against what it generates, by our own TypeScript.
// Not a test, because generators need the registry, 154 packages and a second TypeScript (docs/decisions/0031).

import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { RunResult, ServerRun } from './runs.ts'

interface Generator {
  name: string
  // Exact versions: the generator, the library that its clients import, and the TypeScript whose API it calls.
  packages: Readonly<Record<string, string>>
  // The command in node_modules/.bin, with its arguments for a document.
  command: (document: string) => readonly string[]
  // The program in proof/generators that imports what is generated.
  program: string
}

const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    packages: { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0', typescript: '5.9.3' },
    command: (document) => ['openapi-typescript', document, '-o', 'generated/schema.ts'],
    program: 'openapi-typescript.ts',
  },
  {
    name: '@hey-api/openapi-ts',
    packages: { '@hey-api/openapi-ts': '0.99.0', typescript: '5.9.3' },
    command: (document) => [
      'openapi-ts',
      ...['-i', document],
      ...['-o', 'generated'],
      ...['-c', '@hey-api/client-fetch'],
      '--no-log-file',
    ],
    program: 'hey-api.ts',
  },
  {
    name: 'orval',
    packages: { orval: '8.38.0' },
    command: (document) => [
      'orval',
      ...['--input', document],
      ...['--output', 'generated/client.ts'],
      ...['--client', 'fetch'],
      '--fail-on-warnings',
    ],
    program: 'orval.ts',
  },
]

// Without exactOptionalPropertyTypes, under which the request code of @hey-api/openapi-ts does not compile for any document.
const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  noEmit: true,
  allowImportingTsExtensions: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  skipLibCheck: false,
}

const root = join(import.meta.dirname, '..')
const timeoutMs = 300_000
const run = promisify(execFile)

export const generatorsRun: ServerRun = {
  name: 'generators',
  method:
    'three generators in exact versions, each installed from the registry into an empty folder, generate from docs/openapi.json; a program with the requests of the tour is compiled strictly against each client',
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
    const folder = await mkdtemp(join(tmpdir(), 'cartwright-generators-'))
    try {
      seen[generator.name] = await generateAndCompile(generator, folder)
    } catch (error) {
      const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
      violations.push(`${generator.name}: ${[message, stdout, stderr].join('\n').trim().slice(0, 2_000)}`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return { seen, violations }
}

async function generateAndCompile({ packages, command, program }: Generator, folder: string): Promise<string> {
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: packages }),
  )
  const installMs = await timed('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], folder)

  const [name = '', ...args] = command(join(root, 'docs/openapi.json'))
  const generateMs = await timed(join(folder, 'node_modules/.bin', name), args, folder)
  const missing = missingOperations(
    await readFile(join(root, 'docs/openapi.json'), 'utf8'),
    await textOf(join(folder, 'generated')),
  )
  if (missing.length > 0) throw new Error(`generated without ${missing.join(', ')}`)

  await cp(join(import.meta.dirname, 'generators', program), join(folder, program))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [program] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const compileMs = await timed(process.execPath, [tsc, '-p', 'tsconfig.json'], folder)

  const { count, bytes } = await installedIn(folder)
  return [
    Object.entries(packages).map(([part, version]) => `${part} ${version}`),
    `${count} packages of ${Math.round(bytes / 1e6)} MB`,
    `installed in ${seconds(installMs)}`,
    `generated in ${seconds(generateMs)}`,
    `compiled in ${seconds(compileMs)}`,
  ]
    .flat()
    .join(', ')
}

// The generators are started by their own first line, which takes the Node of the path.
async function timed(file: string, args: readonly string[], cwd: string): Promise<number> {
  const startedAt = performance.now()
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`
  await run(file, [...args], { cwd, timeout: timeoutMs, env: { ...process.env, PATH: path } })
  return performance.now() - startedAt
}

function missingOperations(document: string, generated: string): string[] {
  const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, { operationId: string }>> }
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  return ids.filter((id) => !new RegExp(`\\b${id}\\b`).test(generated))
}

async function textOf(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'))
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
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
