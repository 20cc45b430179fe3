// Verbs that perform an admin operation. Their arguments and their effect come from the operation's row in the contract. The call is
// checked, performed and recorded like a request to the admin API, with the operator as its actor.

import type { AdminOperation } from '../../contract/admin/row.ts'
import type { Issue } from '../../contract/issues.ts'
import type { TSchema } from '../../contract/schema.ts'
import type { ReplyOf } from '../../contract/surface.ts'
import { compileSchema } from '../../contract/validator.ts'
import { demoSlug } from '../../domain/sites/places.ts'
import type { Config } from '../../platform/config.ts'
import { operatorCaller } from '../../platform/http/admin.ts'
import { createOperationCaller } from '../../platform/http/asked.ts'
import { createChecks } from '../../platform/http/checks.ts'
import { createCursors } from '../../platform/http/cursors.ts'
import { type AnyHandler, createPerform } from '../../platform/http/perform.ts'
import type { QueryReader } from '../../platform/http/query.ts'
import { encryptedAnswerCodec } from '../../platform/idempotency/once.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import { deriveKeys } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { AdminHandlerParts } from '../handlers.ts'
import {
  type CommandVerb,
  chooseInstallation,
  chooseMerchant,
  configuredOrigin,
  installationOption,
  Misuse,
  merchantOption,
  type OptionFacts,
  type ParsedArguments,
  printResult,
  type Terminal,
  withStorage,
} from './command.ts'
import { type HandlerGroup, handlerGroups } from './handlers.ts'
import { type Column, recordLines, tableLines } from './printer.ts'

// Parameters of the path and the query, and members of the body, by their names.
export type Members = Readonly<Record<string, unknown>>

// The merchant and mode for which the operation is performed, and what the words after the verb name.
export interface CommandTarget {
  words?: readonly string[]
  options?: Readonly<Record<string, OptionFacts>>
  // Members that `find` returns. They are not options.
  finds?: readonly string[]
  find(given: ParsedArguments, storage: Storage, config: Config): Promise<{ of: MerchantMode; members?: Members }>
}

export const forInstallation: CommandTarget = {
  options: { installation: installationOption, merchant: merchantOption },
  finds: ['installationId'],
  async find(given, storage) {
    const { id: installationId, merchantId, mode } = await chooseInstallation(storage, given)
    return { of: { merchantId, mode }, members: { installationId } }
  },
}

export const forMerchant: CommandTarget = {
  options: { merchant: merchantOption },
  async find(given, storage) {
    return { of: await chooseMode(given, storage) }
  },
}

export async function chooseMode(given: ParsedArguments, storage: Storage): Promise<MerchantMode> {
  const { id: merchantId } = await chooseMerchant(storage, given.texts.merchant)
  return { merchantId, mode: given.flags.has('test') ? 'test' : 'live' }
}

// How the options of the verb differ from the members of the operation's row.
export interface MemberFacts {
  // Member of the body whose members become the options, instead of those of the body itself.
  within?: string
  // Members that are not options.
  omits?: readonly string[]
  // Names of options that differ from those of their members, and placeholders and help texts that differ from those in the row.
  names?: Readonly<Record<string, string>>
  values?: Readonly<Record<string, string>>
  helps?: Readonly<Record<string, string>>
}

interface VerbFacts extends MemberFacts {
  summary: string
  target: CommandTarget
  // Further options, which are not members, and a function that makes members of them.
  options?: Readonly<Record<string, OptionFacts>>
  read?(given: ParsedArguments): Members
}

export interface OperationFacts<Row extends AdminOperation> extends VerbFacts {
  // Lines printed without --json (default: one per member).
  lines?(data: DataOf<Row>): readonly string[]
}

export interface ListFacts<Row extends AdminOperation> extends VerbFacts {
  // Member of the JSON output that contains the rows.
  name: string
  // Columns of the table that is printed without --json.
  columns: readonly Column<RowOf<Row>>[]
  // Default of --limit. Undefined: there is no such option, and all rows are printed.
  limit?: number
}

export type DataOf<Row extends AdminOperation> = ReplyOf<Row> extends { data: infer Data } ? Data : never

type RowOf<Row extends AdminOperation> = DataOf<Row> extends readonly (infer One extends object)[] ? One : never

export interface OperationVerbs<Rows> {
  one<Id extends keyof Rows & string>(id: Id, facts: OperationFacts<Rows[Id] & AdminOperation>): CommandVerb
  list<Id extends keyof Rows & string>(id: Id, facts: ListFacts<Rows[Id] & AdminOperation>): CommandVerb
  // Performs an operation inside a verb that performs several.
  perform<Id extends keyof Rows & string>(
    shop: OpenedShop,
    id: Id,
    of: MerchantMode,
    members?: Members,
  ): Promise<DataOf<Rows[Id] & AdminOperation>>
}

export interface OpenedShop {
  storage: Storage
  config: Config
}

export function operationVerbs<const Rows extends Readonly<Record<string, AdminOperation>>>(
  rows: Rows,
  group: HandlerGroup,
  more: MoreParts = () => ({}),
): OperationVerbs<Rows> {
  const rowOf = (id: string): AdminOperation => {
    const row = rows[id]
    if (!row) throw new Error(`there is no operation ${id}`)
    return row
  }
  const ask = (shop: OpenedShop, id: string, question: Question) =>
    performRow(shop, { group, id, row: rowOf(id), more }, question)
  return {
    one: (id, facts) => {
      const row = rowOf(id)
      return verbFor(row, facts, async (shop, question, given, terminal) => {
        const { data } = await ask(shop, id, question)
        printResult(terminal, given, data as object, () => facts.lines?.(data as never) ?? recordLines(data as object))
      })
    },
    list: (id, facts) => {
      const { name, columns, limit, options } = facts
      const limitOption =
        limit === undefined ? {} : { limit: { value: 'N', help: `number of rows (default: ${limit})` } }
      const listed = { ...facts, options: { ...options, ...limitOption } }
      return verbFor(rowOf(id), listed, async (shop, question, given, terminal) => {
        const most = limit === undefined ? Number.POSITIVE_INFINITY : (readWholeNumber(given, 'limit', 1_000) ?? limit)
        const found: object[] = []
        let cursor: string | undefined
        do {
          const { data, meta } = (await ask(shop, id, { ...question, cursor })) as List
          found.push(...data)
          cursor = meta.next === null ? undefined : (new URLSearchParams(meta.next.split('?')[1]).get('cursor') ?? '')
        } while (cursor !== undefined && found.length < most)
        const shown = found.slice(0, most)
        printResult(terminal, given, { [name]: shown }, () => tableLines(shown, columns as readonly Column<object>[]))
      })
    },
    perform: async (shop, id, of, members = {}) => {
      const { data } = await ask(shop, id, { of, members })
      return data as never
    },
  }
}

interface List {
  data: object[]
  meta: { next: string | null }
}

interface Question {
  of: MerchantMode
  members: Members
  cursor?: string | undefined
}

function verbFor(
  row: AdminOperation,
  facts: VerbFacts,
  work: (shop: OpenedShop, question: Question, given: ParsedArguments, terminal: Terminal) => Promise<void>,
): CommandVerb {
  const { summary, target, within } = facts
  const options = memberOptions(row, facts)
  return {
    summary,
    effect: row.method === 'GET' && row.audit === 'none' ? 'reads' : 'changes',
    ...(target.words && { words: target.words }),
    options: {
      ...Object.fromEntries(options.map(({ name, facts: option }) => [name, option])),
      ...facts.options,
      ...target.options,
    },
    async run(given, terminal) {
      // Checked before the database is opened.
      const named = { ...readMembers(options, given), ...facts.read?.(given) }
      return withStorage(given, async (storage, config) => {
        const { of, members } = await target.find(given, storage, config)
        const said = within === undefined ? named : { [within]: named }
        await naming(options, within, () =>
          work({ storage, config }, { of, members: { ...said, ...members } }, given, terminal),
        )
        return 0
      })
    },
  }
}

interface MemberOption {
  member: string
  schema: TSchema
  name: string
  facts: OptionFacts
}

// The part of JSON Schema that options are made from.
interface Node {
  type?: string
  format?: string
  enum?: readonly string[]
  items?: Node
  anyOf?: readonly Node[]
  description?: string
  properties?: Readonly<Record<string, TSchema & Node>>
  required?: readonly string[]
}

// Members that make changes by programs safe (idempotency, optimistic locks, trial runs). They are not options.
const forMachines = ['idempotencyKey', 'expectedVersion', 'dryRun']

export function memberOptions(row: AdminOperation, facts: MemberFacts & { target?: CommandTarget }): MemberOption[] {
  const { within, omits = [], names = {}, values = {}, helps = {} } = facts
  const body = (within === undefined ? row.body : (row.body as Node | null)?.properties?.[within]) as Node | null
  const left = new Set([...forMachines, ...omits, ...(facts.target?.finds ?? [])])
  return [row.query as Node | undefined, body]
    .flatMap((node) => Object.entries(node?.properties ?? {}).map(([member, schema]) => ({ node, member, schema })))
    .filter(({ member, schema }) => !left.has(member) && isOption(meantBy(schema)))
    .map(({ node, member, schema }) => {
      const meant = meantBy(schema)
      const isRequired = node?.required?.includes(member) && meant.type !== 'array'
      const option: OptionFacts = {
        ...(meant.type !== 'boolean' && { value: values[member] ?? placeholderFor(member, meant) }),
        help: helps[member] ?? helpOf(member, schema.description, meant),
        ...(isRequired && { isRequired }),
      }
      return { member, schema, name: names[member] ?? spelled(member, '-'), facts: option }
    })
}

// Returns the schema without `null` if the member is nullable.
function meantBy(schema: Node): Node {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
}

function isOption({ type, items }: Node): boolean {
  return type === 'array' ? items?.type === 'string' : type !== 'object' && type !== undefined
}

function placeholderFor(member: string, { type, format }: Node): string {
  if (type === 'integer') return 'N'
  if (format === 'date-time') return 'INSTANT'
  return spelled(member, '-').split('-').at(-1)?.toUpperCase() ?? ''
}

function helpOf(member: string, description: string | undefined, { type, items, enum: own }: Node): string {
  const words = own ?? items?.enum
  const text = (description ?? (words ? '' : spelled(member, ' ')))
    .replace(/\.$/, '')
    .replace(/^[A-Z](?=[a-z ])/, lower)
  return [text, type === 'array' ? 'comma-separated' : '', words?.join(', ') ?? ''].filter(Boolean).join('; ')
}

function spelled(member: string, between: string): string {
  return member.replace(/[A-Z]/g, (letter) => between + lower(letter))
}

function lower(text: string): string {
  return text.toLowerCase()
}

// Checks every value by its own schema, so a wrong value is refused before the database is opened.
function readMembers(options: readonly MemberOption[], given: ParsedArguments): Members {
  const members: Record<string, unknown> = {}
  for (const option of options) {
    const value = valueFrom(option, given)
    if (value !== undefined) members[option.member] = value
  }
  return members
}

function valueFrom(
  { name, schema, facts: { value: takes, isRequired } }: MemberOption,
  given: ParsedArguments,
): unknown {
  if (takes === undefined) return given.flags.has(name) || undefined
  const text = given.texts[name]
  const meant = meantBy(schema)
  // A required list whose option is not given is empty.
  if (text === undefined) return meant.type === 'array' && !isRequired && !isOptional(schema) ? [] : undefined
  const value = read(meant, text, name)
  if (typeof value === 'string' && controls.test(value))
    throw new Misuse(`--${name} must not contain control characters or half of a surrogate pair`)
  const [issue] = compileSchema(schema)(value)
  if (issue) throw new Misuse(`--${name} ${sentence(issue, value)}`)
  return value
}

// Control characters, which a terminal would interpret, even if the schema accepts them. The schema decides about line breaks and tabs.
const controls = /[^\P{Cc}\r\n\t]/u

function isOptional(schema: object): boolean {
  return '~optional' in schema
}

function read({ type }: Node, text: string, name: string): unknown {
  if (type === 'array') return splitWords(text)
  if (type !== 'integer') return text
  if (!/^\d{1,16}$/.test(text)) throw new Misuse(`--${name} must be a whole number`)
  return Number(text)
}

// If the issue is about one word of a list, the sentence begins with that word.
function sentence({ path, message }: Issue, value: unknown): string {
  const [, at] = path.split('/')
  const word = Array.isArray(value) && at !== undefined ? value[Number(at)] : undefined
  return word === undefined ? message : `${word} ${message}`
}

export function splitWords(text: string): string[] {
  const words = text.split(',').map((word) => word.trim())
  return [...new Set(words.filter(Boolean))]
}

export function readWholeNumber(given: ParsedArguments, name: string, max: number): number | undefined {
  const text = given.texts[name]
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > max)
    throw new Misuse(`--${name} must be a whole number from 1 to ${max}`)
  return Number(text)
}

// Names the option instead of the member in refusals of the operation.
async function naming(options: readonly MemberOption[], within: string | undefined, work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_request') {
      const [issue] = error.details.issues ?? []
      const [place, ...deeper] = issue?.path.split('/').slice(1) ?? []
      const member = place === 'query' || place === within ? deeper[0] : place
      const option = options.find((one) => one.member === member)
      if (issue && option) throw new Misuse(`--${option.name} ${issue.message}`)
    }
    throw error
  }
}

type MoreParts = (config: Config) => Partial<AdminHandlerParts>

async function performRow(
  { storage, config }: OpenedShop,
  { group, id, row, more }: { group: HandlerGroup; id: string; row: AdminOperation; more: MoreParts },
  { of, members, cursor }: Question,
): Promise<{ data: unknown }> {
  const { rootSecret, retentionMs, webhookAllowPrivate } = config
  const handlers: Readonly<Record<string, unknown>> = await handlerGroups[group]({
    rootSecret,
    publicOrigin: configuredOrigin(config),
    sites: { publicOrigin: configuredOrigin(config), showsShops: true, demo: config.production ? undefined : demoSlug },
    forget: () => {},
    allowPrivate: webhookAllowPrivate,
    textsMs: retentionMs.texts,
    withAccount: {},
    providerUrls: config.providerUrls,
    accountThrottle: null,
    clock: () => new Date(),
    ...more(config),
  })
  const parts = {
    storage,
    cursors: createCursors(deriveKeys(rootSecret, 'list cursor')),
    sealedKeeper: encryptedAnswerCodec(rootSecret),
    answersMs: retentionMs.answers,
    clock: () => new Date(),
  }
  const perform = createOperationCaller(parts, createPerform(parts))
  // The options were checked by their schemas, and the ids were found in the database. Checking the query as a whole would take 70 ms
  // more, a third of a command.
  const checks = { ...createChecks(row), query: uncheckedQuery }
  // The cast holds: each handler was checked against its row where it is defined.
  const performable = { id, operation: row, handler: handlers[id] as AnyHandler, checks }
  const answer = await perform(performable, {
    principal: operatorCaller(of),
    ...placed(row, members),
    ...(cursor !== undefined && { cursor }),
    ...(row.idempotency === 'required' && { key: newId('req') }),
    requestId: null,
  })
  return JSON.parse(String(answer.body)) as { data: unknown }
}

const uncheckedQuery: QueryReader = {
  check: () => {},
  read: () => ({ values: {}, cursor: null }),
}

// Puts each member into the path, the query or the body, as in the row.
function placed(row: AdminOperation, members: Members) {
  const inQuery = (row.query as Node | undefined)?.properties ?? {}
  const path: Record<string, string> = {}
  const query: Record<string, unknown> = {}
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(members))
    if (row.path.includes(`{${name}}`)) path[name] = String(value)
    else if (name in inQuery) query[name] = value
    else body[name] = value
  return { path, query, body: row.body ? body : null }
}
