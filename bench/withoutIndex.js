// Loaded into a measured process (`node --import`): products are changed there without their search index, of which `noIndex.ts`
// takes the place. Everything else runs as it stands. Plain JavaScript, because it is loaded before Node strips types.

import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    const isIndex = specifier === './indexing.ts' && context.parentURL?.endsWith('/src/catalog/change.ts')
    return isIndex ? next(new URL('./noIndex.ts', import.meta.url).href, context) : next(specifier, context)
  },
})
