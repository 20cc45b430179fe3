// The command `search`: the search index of the catalog.

import { rebuildIndex } from '../../domain/catalog/reindex.ts'
import { type Command, printResult, withStorage } from './command.ts'

const productsAtOnce = 200

export const searchCommand: Command = {
  summary: 'Manage the search index.',
  verbs: {
    rebuild: {
      summary: 'Empty the search index of all merchants and fill it again; until it is done, a search finds less.',
      effect: 'changes',
      run: (given, terminal) =>
        withStorage(given, async (storage) => {
          const products = await rebuildIndex(storage, { now: Date.now(), limit: productsAtOnce })
          printResult(terminal, given, { products }, () => [`The search index is rebuilt from ${products} products.`])
          return 0
        }),
    },
  },
}
