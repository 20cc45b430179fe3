// Finds the route of a request by method and path. The tree of patterns contains no handlers, so servers with the same routes in one
// process share it: building a tree takes 17 ms, and the tests open thousands of servers.

import findMyWay from 'find-my-way'
import type { Route } from './serve.ts'

export interface FoundRoute {
  route: Route
  path: Record<string, string>
}

// The path exists, but not for this method.
export interface OtherMethods {
  allowed: readonly string[]
}

// Returns undefined if the path does not exist.
export type FindRoute = (method: string, url: string) => FoundRoute | OtherMethods | 'bad path' | undefined

type Tree = ReturnType<typeof findMyWay>

// The tree stores the index of each route. For a path that cannot be decoded, it returns no index.
interface Stored {
  place: number
}

const trees = new Map<string, Tree>()
const treesMax = 16

export function createRouter(routes: readonly Route[]): FindRoute {
  const tree = treeOf(routes)
  const find = (method: string, url: string) => {
    // The cast holds: the HTTP parser accepts no other methods.
    const found = tree.find(method as Parameters<Tree['find']>[0], url)
    if (!found) return undefined
    const route = routes[(found.store as Stored | null)?.place ?? -1]
    // The cast holds: no pattern has optional parameters, so every parameter is set.
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
    // The query string is parsed later, by the operation's row.
    querystringParser: () => noQuery,
    // With this option, find() returns a result without stored data for a path that cannot be decoded.
    onBadUrl: () => {},
  })
  for (const [place, { methods, pattern }] of routes.entries())
    tree.on(methods.includes('GET') ? [...methods, 'HEAD'] : [...methods], pattern, () => {}, {
      place,
    } satisfies Stored)
  return tree
}

const noQuery = {}
