// The command `search`: the search index of the catalog.

import { rebuildIndex } from '../../domain/catalog/reindex.ts'
import { type Command, printResult, withStorage } from './command.ts'

const productsAtOnce = 200

export const searchCommand: Command = {
  summary: 'Manage the search index.',
  verbs: {
    rebuild: {
      summary: 'Rebuild the search index of all merchants; until the command ends, searches find fewer products.',
      effect: 'changes',
      run: (given, terminal) =>
        withStorage(given, async (storage) => {
          const products = await rebuildIndex(storage, { now: Date.now(), limit: productsAtOnce })
          printResult(terminal, given, { products }, () => [`The search index was rebuilt from ${products} products.`])
          return 0
        }),
    },
  },
}
