// Loaded into a measured process (`node --import`): no invoice is made there, as in a server that has none. The row that asks for it is still
// written. Plain JavaScript, because it is loaded before Node strips types.

import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    const isIssue = specifier.endsWith('/documents/issue.ts') && context.parentURL?.endsWith('/src/ops/cli/loops.ts')
    return isIssue ? next(new URL('./noDocuments.ts', import.meta.url).href, context) : next(specifier, context)
  },
})
