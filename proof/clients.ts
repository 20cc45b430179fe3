// Programs against clients that others generate from docs/openapi.json, compiled strictly by our own TypeScript.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../harness/prose.ts'
import { digestOf } from './baredocument.ts'
import { type CurlRequest, requestsOf } from './curlrequests.ts'

export interface Generator {
  name: string
  // In proof/generators: program.ts, and beside it what is generated, which is not in git.
  folder: string
  // Exact versions: the generator, the library that its clients import, and the TypeScript whose API it calls.
  packages: Readonly<Record<string, string>>
  // The command in node_modules/.bin, with its arguments for a document.
  command: (document: string) => readonly string[]
  // The beginning of a function with requests, and one request.
  head: string
  request: (request: CurlRequest) => string
}

export const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    folder: 'openapi-typescript',
    packages: { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0', typescript: '5.9.3' },
    command: (document) => ['openapi-typescript', document, '-o', 'generated/schema.ts'],
    head: `import type { Client } from 'openapi-fetch'
import type { paths } from './generated/schema.ts'
export async function requests(client: Client<paths>) {`,
    request: ({ method, path, names, query, body }) =>
      `await client.${method}(${JSON.stringify(path)}, ${JSON.stringify({ params: { path: names, query }, body })})`,
  },
  {
    name: '@hey-api/openapi-ts',
    folder: 'hey-api',
    packages: { '@hey-api/openapi-ts': '0.99.0', typescript: '5.9.3' },
    command: (document) => [
      'openapi-ts',
      ...['-i', document],
      ...['-o', 'generated'],
      ...['-c', '@hey-api/client-fetch'],
      '--no-log-file',
    ],
    head: `import * as shop from './generated'
export async function requests() {`,
    request: ({ operationId, names, query, body }) =>
      `await shop.${operationId}(${JSON.stringify({ path: names, query, body })})`,
  },
  {
    name: 'orval',
    folder: 'orval',
    // By itself it takes a newer parser, one of whose packages could not be installed on 17 November 2026.
    packages: { orval: '8.38.0', '@scalar/openapi-parser': '0.29.8' },
    command: (document) => [
      'orval',
      ...['--input', document],
      ...['--output', 'generated/client.ts'],
      ...['--client', 'fetch'],
      '--fail-on-warnings',
    ],
    head: `import * as shop from './generated/client'
export async function requests(options: RequestInit) {`,
    request: ({ operationId, names = {}, query, body }) => {
      const values = [...Object.values(names), body, query].filter((value) => value !== undefined)
      return `await shop.${operationId}(${[...values.map((value) => JSON.stringify(value)), 'options'].join(', ')})`
    },
  },
]

// Why the compiler refuses the mistakes of a program, in their order.
const reasons: readonly RegExp[] = [
  /'successUrl' is missing/,
  /'string' is not assignable to type 'number'/,
  /'item' does not exist/,
  /have no overlap/,
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

export interface Surface {
  document: string
  // Whose curl commands are compiled.
  page: string
  heading: string
  // Whether there is a program for each generator, with mistakes.
  hasPrograms: boolean
}

export const openSurface: Surface = {
  document: join(root, 'docs/openapi.json'),
  page: 'README.md',
  heading: '## A tour',
  hasPrograms: true,
}

export const adminSurface: Surface = {
  document: join(root, 'docs/openapi.admin.json'),
  page: 'docs/admin-api.md',
  heading: "## A merchant's day",
  hasPrograms: false,
}

// The programs, and beside them what the generators print of the open document without its prose, if `npm run generators:print`
// was run here. printed.json says of which document, and has the digests.
export const storedFolder = join(import.meta.dirname, 'generators')
export const printedPath = join(storedFolder, 'printed.json')

export interface Printed {
  document: string
  packages: Readonly<Record<string, Generator['packages']>>
  // Digests of the printed files.
  clients: Readonly<Record<string, string>>
}

// What the digests are of, as of today.
export function sourcesOf(document: string): Pick<Printed, 'document' | 'packages'> {
  return {
    document: digestOf(document),
    packages: Object.fromEntries(generators.map(({ name, packages }) => [name, packages])),
  }
}

// Of the clients in `folder`, which has a folder for each of the generators.
export async function clientDigests(folder: string): Promise<Printed['clients']> {
  const digests = generators.map(
    async (generator) => [generator.name, await clientDigest(join(folder, generator.folder, 'generated'))] as const,
  )
  return Object.fromEntries(await Promise.all(digests))
}

export async function clientDigest(generated: string): Promise<string> {
  return createHash('sha256')
    .update(await generatedText(generated))
    .digest('hex')
}

export async function readPrinted(): Promise<Printed> {
  // Written by printclients.ts.
  return JSON.parse(await readFile(printedPath, 'utf8')) as Printed
}

export async function generatedText(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).sort()
  const files = names.map(async (name) => `// ${name}\n${await readFile(join(folder, name), 'utf8')}`)
  return (await Promise.all(files)).join('\n')
}

const run = promisify(execFile)

// Compiles in `folder`, which has a folder for each of the generators with generated/ and program.ts: the requests of the
// page, that program, and its mistakes without the comments that expect them. Answers with what is wrong.
export async function compileClients(
  folder: string,
  used: readonly Generator[],
  { document, page, heading, hasPrograms }: Surface,
): Promise<string[]> {
  const requests = await requestsOf(page, heading, JSON.parse(await readFile(document, 'utf8')))
  for (const { folder: name, head, request } of used) {
    await writeFile(join(folder, name, 'requests.ts'), [head, ...requests.map(request), '}\n'].join('\n'))
    if (!hasPrograms) continue
    const program = await readFile(join(folder, name, 'program.ts'), 'utf8')
    await writeFile(join(folder, name, 'mistakes.ts'), program.replaceAll('@ts-expect-error', 'Refused:'))
  }
  const names = ['requests.ts', ...(hasPrograms ? ['program.ts', 'mistakes.ts'] : [])]
  const files = used.flatMap(({ folder: name }) => names.map((file) => `${name}/${file}`))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const compiled = run(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], { cwd: folder })
  const { stdout } = await compiled.catch((error: Error & { stdout: string }) => {
    if (error.stdout.includes('error TS')) return error
    throw error
  })
  return judged(stdout, hasPrograms ? used : [])
}

// The compiler must complain of every mistake, for its reason, and of nothing else.
function judged(output: string, withMistakes: readonly Generator[]): string[] {
  // Further lines of a complaint are indented.
  const complaints = output.split(/\n(?! )/).filter((text) => text !== '')
  const expected = withMistakes.flatMap(({ folder }) =>
    reasons.map((reason) => ({ file: `${folder}/mistakes.ts(`, reason })),
  )
  return [
    ...complaints.filter((text) => !expected.some(({ file, reason }) => text.startsWith(file) && reason.test(text))),
    ...expected
      .filter(
        ({ file, reason }) => complaints.filter((text) => text.startsWith(file) && reason.test(text)).length !== 1,
      )
      .map(({ file, reason }) => `${file}): not refused once for ${reason}`),
  ]
}
