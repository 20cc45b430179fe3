// Lists, newest first, with cursors: https://docs.stripe.com/api/pagination.

import { invalid } from './errors.ts'

export interface ListParams {
  limit?: number
  starting_after?: string
  ending_before?: string
  created?: number | { gt?: number; gte?: number; lt?: number; lte?: number }
}

export interface ApiListAnswer<Item> {
  object: 'list'
  data: Item[]
  has_more: boolean
  url: string
}

const limitMax = 100

// `items` in the order in which they were made.
export function listed<Item extends { id: string; created: number }>(
  items: Iterable<Item>,
  { limit = 10, starting_after: after, ending_before: before, created }: ListParams,
  url: string,
): ApiListAnswer<Item> {
  if (limit < 1 || limit > limitMax)
    throw invalid('This value must be between 1 and 100.', { code: 'parameter_invalid_integer', param: 'limit' })
  if (after !== undefined && before !== undefined)
    throw invalid('You may only specify one of these parameters: starting_after, ending_before.', {
      code: 'parameters_exclusive',
    })
  const all = [...items].reverse()
  const indexOf = (id: string, param: string) => {
    const index = all.findIndex((item) => item.id === id)
    if (index < 0) throw invalid(`No such object: '${id}'`, { code: 'resource_missing', param })
    return index
  }
  let left = all
  if (after !== undefined) left = all.slice(indexOf(after, 'starting_after') + 1)
  if (before !== undefined) left = all.slice(0, indexOf(before, 'ending_before'))
  const found = left.filter((item) => isWithin(item.created, created))
  // Before an item means: nearest to it.
  const data = before === undefined ? found.slice(0, limit) : found.slice(-limit)
  return { object: 'list', data, has_more: found.length > data.length, url }
}

function isWithin(at: number, range: ListParams['created']): boolean {
  if (range === undefined) return true
  if (typeof range === 'number') return at === range
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range
  return at > gt && at >= gte && at < lt && at <= lte
}
