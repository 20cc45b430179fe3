// Finds the screen for a path.

import type { Screen } from './screen.ts'
import { screens } from './screens.ts'

export interface FoundScreen {
  screen: Screen
  // Parameters of the path, by name.
  path: Readonly<Record<string, string>>
}

// A fixed segment takes precedence over a parameter, as in the router: `products/new` is not a product. U+FFFF sorts last.
const order = (path: string) => path.replaceAll(/:\w+/g, '\uffff').replaceAll('/', '\u0000')

const known = screens
  .toSorted((one, other) => (order(one.path) < order(other.path) ? -1 : 1))
  .map((screen) => ({ screen, segments: screen.path.split('/') }))

// `rest`: the decoded path below the shop and the mode.
export function findScreen(method: 'get' | 'post', rest: string): FoundScreen | undefined {
  const asked = rest.split('/')
  for (const { screen, segments } of known) {
    const path = screen[method] && segments.length === asked.length ? parametersIn(segments, asked) : undefined
    if (path) return { screen, path }
  }
  return undefined
}

function parametersIn(segments: readonly string[], asked: readonly string[]): Record<string, string> | undefined {
  const path: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const value = asked[index] ?? ''
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined
    } else if (value === '') return undefined
    else path[segment.slice(1)] = value
  }
  return path
}
