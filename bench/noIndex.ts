// In place of what `src/catalog/change.ts` imports of the search index: makes nothing and writes nothing.

import type * as indexed from '../src/catalog/indexed.ts'
import type * as store from '../src/catalog/indexStore.ts'

const nothing = () => {}

export const figuresOf = nothing as unknown as typeof indexed.figuresOf
export const hasSameTexts: typeof indexed.hasSameTexts = () => true
export const textsOf = nothing as unknown as typeof indexed.textsOf
export const putIndexed: typeof store.putIndexed = nothing
export const updateFigures: typeof store.updateFigures = nothing
export const deleteIndexed: typeof store.deleteIndexed = nothing
