// Prints the types and the table of operations of the client from the rows of the contract (`npm run client:print`).
// `npm run client:check` compares instead of writing, as for the OpenAPI documents.

import { readFileSync, writeFileSync } from 'node:fs'
import { adminDocument } from '../../src/contract/admin/document.ts'
import { createComponents } from '../../src/contract/components.ts'
import { clientMethodNames } from '../../src/contract/methods.ts'
import { openInterfaceDocument } from '../../src/contract/open/document.ts'
import { eventSchemaName } from '../../src/contract/open/events.ts'
import type { SurfaceDocument } from '../../src/contract/openapi.ts'
import type { Operation } from '../../src/contract/surface.ts'
import { eventKinds } from '../../src/contract/words.ts'
import { typeOf, typesFrom } from './types.ts'

interface Printed {
  document: SurfaceDocument
  // The interface of the client, and its table.
  client: string
  table: string
  // The same of the operations that are called with an access token.
  tokenClient?: string
  tokenTable?: string
  // Types beside those of the operations.
  more: string
}

const openPrinted: Printed = {
  document: openInterfaceDocument,
  client: 'ShopClient',
  table: 'openTable',
  tokenClient: 'InstallationClient',
  tokenTable: 'installationTable',
  more: `/** Every event that is sent to webhook endpoints, told apart by \`type\`. */
export type WebhookEvent =
${eventKinds.map((kind) => `  | ${eventSchemaName(kind)}`).join('\n')}
`,
}

const adminPrinted: Printed = {
  document: adminDocument,
  client: 'AdminClient',
  table: 'adminTable',
  more: '',
}

// OperationResponse holds one of four objects. Which of them an operation answers with is fixed.
const answeredKinds: Readonly<Record<string, string>> = {
  listInstallationWebhooks: 'WebhookEndpoints',
  getInstallationWebhookSignatureFixture: 'WebhookSignatureFixture',
  replayInstallationWebhookDelivery: 'WebhookReplay',
  describeOAuthAuthorization: 'OAuthAuthorization',
}

export function printedTypes({ document, client, tokenClient, more }: Printed): string {
  const { surface } = document
  const { componentsOf } = createComponents(document.schemas)
  const rows = Object.values(surface.operations)
  const schemas = componentsOf(
    [
      document.errorSchema,
      ...rows.flatMap(({ body, reply }) => [body, reply.schema]),
      ...(document.events?.schemas ?? []),
    ].filter((schema) => schema !== null),
  )
  const names = new Map(document.schemas.map(([name, schema]) => [schema as object, name]))
  const { types, refs } = typesFrom(schemas)
  const members = membersOf(document)
  const withToken = members.filter(({ row }) => row.caller === 'oauth')
  const others = members.filter(({ row }) => row.caller !== 'oauth')

  const interfaceOf = (name: string, listed: readonly Member[]) =>
    `export interface ${name} {\n${inGroups(
      listed,
      ({ id, method, row }) => signature(id, method, row, names, schemas, refs),
      (group, lines) => `${group}: {\n${lines}\n}`,
    )}\n}`
  return `// Printed from the contract by \`npm run client:print\`. Do not edit.

import type { CallOptions, List, ListOptions } from '../call.ts'

/** One method for each operation of the ${surface.name} surface. */
${interfaceOf(client, others)}
${tokenClient ? `\n/** The operations that take the access token of an installation. */\n${interfaceOf(tokenClient, withToken)}\n` : ''}
${more}${more && '\n'}${types}
`
}

// Apart from the types, so a program that runs the source loads little.
export function printedTables({ document, table, tokenTable }: Printed): string {
  const members = membersOf(document)
  const tableOf = (name: string, listed: readonly Member[]) =>
    `export const ${name} = {\n${inGroups(
      listed,
      ({ method, row }) => `${method}: '${specOf(row)}',`,
      (group, lines) => `${group}: {\n${lines}\n},`,
    )}\n} as const\n`
  const withToken = members.filter(({ row }) => row.caller === 'oauth')
  return `// Printed from the contract by \`npm run client:print\`. Do not edit.
// Method, arguments and path of each operation: b body, q query, p pages of a list, a for anyone.

${tableOf(
  table,
  members.filter(({ row }) => row.caller !== 'oauth'),
)}${tokenTable ? `\n${tableOf(tokenTable, withToken)}` : ''}`
}

interface Member {
  id: string
  method: string
  row: Operation
}

function membersOf({ surface }: SurfaceDocument): Member[] {
  return Object.entries(surface.operations).map(([id, row]) => ({
    id,
    method: clientMethodNames[surface.name as 'open' | 'admin'].get(id) ?? '',
    row,
  }))
}

// A method without a group stands at the top.
function inGroups(
  members: readonly Member[],
  print: (member: Member) => string,
  printGroup: (group: string, lines: string) => string,
): string {
  const groups = Map.groupBy(members, ({ method }) => (method.includes('.') ? (method.split('.')[0] ?? '') : method))
  return [...groups]
    .map(([group, listed]) => {
      const lines = listed.map((member) => print({ ...member, method: member.method.split('.').at(-1) ?? '' }))
      return listed[0]?.method === group ? lines.join('\n') : printGroup(group, lines.map(indent).join('\n'))
    })
    .map(indent)
    .join('\n')
}

function specOf({ method, path, body, query, paged, caller }: Operation): string {
  const flags = `${body ? 'b' : ''}${query ? 'q' : ''}${paged ? 'p' : ''}${caller === 'anyone' ? 'a' : ''}`
  return `${method} ${flags} ${path}`
}

function signature(
  id: string,
  method: string,
  row: Operation,
  names: ReadonlyMap<object, string>,
  schemas: Readonly<Record<string, object>>,
  refs: (schema: object) => string,
): string {
  const replyName = row.reply.schema ? (names.get(row.reply.schema) ?? '') : ''
  const kind = answeredKinds[id]
  const reply = kind ? `{ data: ${kind} }` : replyName === '' ? 'void' : replyName
  const input = row.body
    ? inputOf('input', names.get(row.body) ?? '', schemas[names.get(row.body) ?? ''] ?? {})
    : row.query
      ? inputOf('query', typeOf(row.query, refs), row.query)
      : []
  const parameters = [
    ...[...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string`),
    ...input,
    `options?: ${row.paged ? 'ListOptions' : 'CallOptions'}`,
  ]
  const answer = row.paged
    ? `List<${reply}, ${rowOf(reply, schemas[replyName] as unknown as Rows)}>`
    : `Promise<${reply}>`
  const scope = row.scope ? ` Needs the scope \`${row.scope}\`.` : ''
  return `/** ${row.summary}. ${row.description.replaceAll('*/', '')}${scope} (${id}) */\n${method}(${parameters.join(', ')}): ${answer}`
}

// What may be left out as a whole is optional.
function inputOf(name: string, type: string, schema: object): string[] {
  const { required = [], oneOf } = schema as { required?: readonly string[]; oneOf?: unknown }
  return [`${name}${required.length === 0 && !oneOf ? '?' : ''}: ${type}`]
}

interface Rows {
  properties: { data: RowArray & { properties?: Record<string, RowArray> } }
}

interface RowArray {
  type?: string
  items?: { $ref?: string }
}

// The rows of a list are in `data`, or in the one array of `data`. Where there is none, each page is one piece of a text.
function rowOf(reply: string, { properties: { data } }: Rows): string {
  const array = data.type === 'array' ? data : Object.values(data.properties ?? {}).find(({ type }) => type === 'array')
  if (!array) return `${reply}['data']`
  const name = array.items?.$ref?.split('/').at(-1)
  if (!name) throw new Error(`a list has rows without a name: ${JSON.stringify(data).slice(0, 200)}`)
  return name
}

const indent = (text: string) =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')

export const printedFiles = [openPrinted, adminPrinted].flatMap((printed) => {
  const at = (name: string) => new URL(`src/printed/${name}.ts`, import.meta.url)
  return [
    { file: at(printed.document.surface.name), text: () => printedTypes(printed) },
    { file: at(printed.table), text: () => printedTables(printed) },
  ]
})

if (import.meta.main) {
  const isChecking = process.argv.includes('--check')
  for (const { file, text } of printedFiles) {
    if (!isChecking) writeFileSync(file, text())
    else if (readFileSync(file, 'utf8') !== text()) {
      process.stderr.write(`${file.pathname} is not what the contract says: run npm run client:print\n`)
      process.exitCode = 1
    }
  }
}
