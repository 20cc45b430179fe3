// Finds the route of a request by its method and path. The tree knows patterns and no handlers, so servers of one process
// with the same routes share it: building one takes 17 ms, and the tests open thousands of servers.

import findMyWay from 'find-my-way'
import type { Route } from './serve.ts'

export interface FoundRoute {
  route: Route
  path: Record<string, string>
}

// The path is known, and has other methods.
export interface OtherMethods {
  allowed: readonly string[]
}

// Undefined where there is no such path.
export type FindRoute = (method: string, url: string) => FoundRoute | OtherMethods | 'bad path' | undefined

type Tree = ReturnType<typeof findMyWay>

// A path that cannot be decoded has none.
interface Stored {
  place: number
}

const trees = new Map<string, Tree>()
const treesMax = 16

export function createRouter(routes: readonly Route[]): FindRoute {
  const tree = treeOf(routes)
  const find = (method: string, url: string) => {
    // The parser accepts no other method.
    const found = tree.find(method as Parameters<Tree['find']>[0], url)
    if (!found) return undefined
    const route = routes[(found.store as Stored | null)?.place ?? -1]
    // Its parameters are all there: none of our patterns has an optional one.
    return route ? { route, path: found.params as Record<string, string> } : 'bad path'
  }

  function otherMethods(url: string): OtherMethods | undefined {
    const allowed = routedMethods.filter((method) => typeof find(method, url) === 'object')
    return allowed.length === 0 ? undefined : { allowed }
  }

  return (method, url) => find(method, url) ?? otherMethods(url)
}

const routedMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function treeOf(routes: readonly Route[]): Tree {
  const key = routes.map(({ methods, pattern }) => `${methods.join()} ${pattern}`).join('\n')
  const tree = trees.get(key) ?? buildTree(routes)
  if (trees.size >= treesMax) trees.clear()
  trees.set(key, tree)
  return tree
}

function buildTree(routes: readonly Route[]): Tree {
  const tree = findMyWay({
    maxParamLength: 1_000,
    caseSensitive: true,
    // What stands behind the question mark is read by the row.
    querystringParser: () => noQuery,
    // With it, a path that cannot be read is found, without what is stored for a route.
    onBadUrl: () => {},
  })
  for (const [place, { methods, pattern }] of routes.entries())
    tree.on(methods.includes('GET') ? [...methods, 'HEAD'] : [...methods], pattern, () => {}, {
      place,
    } satisfies Stored)
  return tree
}

const noQuery = {}
