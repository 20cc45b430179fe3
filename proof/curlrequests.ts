// The requests of a page of the documentation, as bash reads its curl commands: nothing is sent.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { blocksBelow, pageText } from '../harness/prose.ts'

export interface CurlRequest {
  operationId: string
  method: string
  // As the document has it, such as `/carts/{cartId}`, with what stands for its names.
  path: string
  names?: Readonly<Record<string, string>>
  // Where the operation has query parameters.
  query?: Readonly<Record<string, unknown>>
  body?: unknown
}

interface Parameter {
  name: string
  in: string
  schema: { type?: string }
}

interface Operation {
  operationId: string
  parameters?: readonly (Parameter | { $ref: string })[]
}

export interface OpenApiDocument {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { parameters?: Readonly<Record<string, Parameter>> }
}

const run = promisify(execFile)
const shop = 'http://shop.test'
// Ends the arguments of one command; each argument ends with NUL.
const end = '\n'
// They print what a later command takes from an answer.
const stubs = `
curl() { printf '%s\\0' "$@" $'\\n' >&2; echo sku_1; }
jq() { cat > /dev/null; echo id_1; }
`

export async function requestsOf(page: string, heading: string, document: OpenApiDocument): Promise<CurlRequest[]> {
  const blocks = blocksBelow(await pageText(page), heading).filter(({ language }) => language === 'sh')
  const script = blocks.map(({ text }) => text.replaceAll('http://localhost:4000', shop)).join('\n')
  const { stderr } = await run('bash', ['-ec', stubs + script], { env: { ...process.env, BASE: shop } })
  const commands = stderr.split(`${end}\0`).slice(0, -1)
  if (commands.length === 0) throw new Error(`${page} has no requests below ${heading}`)
  return commands.map((args) => requestOf(args.split('\0').slice(0, -1), document))
}

function requestOf(args: readonly string[], document: OpenApiDocument): CurlRequest {
  let [method, url, body] = ['GET', '', undefined as unknown]
  const left = [...args]
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === '-X') method = left.shift() ?? ''
    else if (arg === '-d') body = JSON.parse(left.shift() ?? '')
    else if (arg === '-H') left.shift()
    else if (arg.startsWith(shop)) url = arg
    else if (!arg.startsWith('-s')) throw new Error(`curl ${args.join(' ')}: what is ${arg}?`)
  }
  const { pathname, searchParams } = new URL(url)
  for (const [path, methods] of Object.entries(document.paths)) {
    const found = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname)
    const operation = methods[method.toLowerCase()]
    if (!found || !operation) continue
    const { operationId } = operation
    const query = queryOf(operation, searchParams, document)
    return { operationId, method, path, ...(found.groups && { names: found.groups }), ...(query && { query }), body }
  }
  throw new Error(`the document has no ${method} ${url}`)
}

// A parameter that the document does not have stays, and does not compile.
function queryOf({ parameters = [] }: Operation, given: URLSearchParams, { components }: OpenApiDocument) {
  const known = parameters
    .map((item) => ('$ref' in item ? components.parameters?.[item.$ref.split('/').at(-1) ?? ''] : item))
    .filter((item) => item?.in === 'query')
  if (known.length === 0 && given.size === 0) return undefined
  const typeOf = (name: string) => known.find((item) => item?.name === name)?.schema.type ?? 'string'
  return Object.fromEntries(
    [...given].map(([name, value]) => [name, typeOf(name) === 'string' ? value : (JSON.parse(value) as unknown)]),
  )
}
