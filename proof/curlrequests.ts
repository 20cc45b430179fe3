// The requests of a page of the documentation, as bash reads its curl commands: nothing is sent.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { blocksBelow, pageText } from '../harness/prose.ts'

export interface CurlRequest {
  operationId: string
  method: string
  // As the document has it, such as `/carts/{cartId}`, with what stands for its names.
  path: string
  names: Readonly<Record<string, string>>
  body: unknown
}

export interface OpenApiDocument {
  paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>
}

const run = promisify(execFile)
const shop = 'http://shop.test'
// Ends the arguments of one command; each argument ends with NUL.
const end = '\n'
// Its output is the id that a later command looks for.
const curl = `curl() { printf '%s\\0' "$@" $'\\n' >&2; echo sku_1; }`

export async function requestsOf(page: string, heading: string, document: OpenApiDocument): Promise<CurlRequest[]> {
  const blocks = blocksBelow(await pageText(page), heading).filter(({ language }) => language === 'sh')
  const script = blocks.map(({ text }) => text.replaceAll('http://localhost:4000', shop)).join('\n')
  const { stderr } = await run('bash', ['-ec', `${curl}\n${script}`])
  return stderr
    .split(`${end}\0`)
    .slice(0, -1)
    .map((args) => requestOf(args.split('\0').slice(0, -1), document))
}

function requestOf(args: readonly string[], { paths }: OpenApiDocument): CurlRequest {
  let [method, url, body] = ['GET', '', undefined as unknown]
  const left = [...args]
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === '-X') method = left.shift() ?? ''
    else if (arg === '-d') body = JSON.parse(left.shift() ?? '')
    else if (arg === '-H') left.shift()
    else if (arg.startsWith(shop)) url = arg.slice(shop.length)
    else if (arg !== '-s') throw new Error(`curl ${args.join(' ')}: what is ${arg}?`)
  }
  for (const [path, methods] of Object.entries(paths)) {
    const found = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/?]+)')}$`).exec(url)
    const operation = methods[method.toLowerCase()]
    if (found && operation)
      return { operationId: operation.operationId, method, path, names: { ...found.groups }, body }
  }
  throw new Error(`the document has no ${method} ${url}`)
}
