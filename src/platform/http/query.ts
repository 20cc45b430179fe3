// Parses the query string of a request by the operation's row. Unknown parameters are refused, and nothing is guessed.

import { type Issue, issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { TSchema } from '../../contract/schema.ts'
import type { Operation } from '../../contract/surface.ts'
import { compileSchema } from '../../contract/validator.ts'
import { badCursorRefusal } from '../kit/cursor.ts'
import { refuse } from '../kit/refuse.ts'

export type QueryValues = Readonly<Record<string, unknown>>

export interface QueryReader {
  // Parses the text after the question mark.
  read(text: string): { values: QueryValues; cursor: string | null }
  // Refuses values that the row does not allow.
  check(values: QueryValues): void
}

interface QuerySchema {
  properties?: Readonly<Record<string, TSchema>>
}

const nothing = { values: {}, cursor: null } as const

export function createQueryReader({ query: schema, paged }: Pick<Operation, 'query' | 'paged'>): QueryReader {
  const { properties = {} } = (schema ?? {}) as QuerySchema
  const validate = schema ? compileSchema(schema) : undefined

  function check(values: QueryValues): void {
    const zero = Object.keys(values).filter((name) => [values[name]].flat().some(hasZero))
    if (zero.length > 0)
      throw refuse('invalid_request', {
        // The database cannot store U+0000. Bodies that contain it are also refused.
        issues: zero.map((name) => issueAt(`/query/${escaped(name)}`, 'contains_zero')),
      })
    const issues = validate
      ? validate(values).map((one) => ({ ...one, path: `/query${one.path}` }))
      : unknownIn(Object.keys(values))
    if (issues.length > 0) throw refuse('invalid_request', { issues })
  }

  function unknownIn(names: readonly string[]): Issue[] {
    return names
      .filter((name) => !Object.hasOwn(properties, name))
      .slice(0, limits.issuesMax)
      .map((name) => issueAt(`/query/${escaped(name)}`, 'unknown_parameter'))
  }

  return {
    check,
    read(text) {
      if (text === '' && !validate) return nothing
      const sent = new URLSearchParams(text)
      const names = [...new Set(sent.keys())].filter((name) => !(paged && name === 'cursor'))
      const unknown = unknownIn(names)
      if (unknown.length > 0) throw refuse('invalid_request', { issues: unknown })
      const values = Object.fromEntries(names.map((name) => [name, valueFor(properties[name], sent.getAll(name))]))
      if (validate) check(values)
      const [cursor = null, second] = paged ? sent.getAll('cursor') : []
      if (second !== undefined) throw badCursorRefusal()
      return { values, cursor }
    },
  }
}

// A value that cannot be parsed as the declared type remains a string, so the schema refuses it with its path.
function valueFor(
  schema: (TSchema & { type?: string; items?: TSchema }) | undefined,
  texts: readonly string[],
): unknown {
  if (schema?.type === 'array') return texts.map((text) => valueFor(schema.items, [text]))
  // A repeated parameter remains an array, so the schema refuses it unless it declares an array.
  const [text = '', second] = texts
  if (second !== undefined) return texts
  if (schema?.type === 'integer') return /^(0|-?[1-9]\d{0,15})$/.test(text) ? Number(text) : text
  if (schema?.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

function hasZero(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0')
}

// Escapes a name for a JSON Pointer.
function escaped(name: string): string {
  return name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
}
