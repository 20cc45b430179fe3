import type { textOperationRows } from '../../src/contract/admin/texts.ts'
import { unusedName } from './catalog.ts'
import type { Given } from './world.ts'

export const textGivens: Readonly<Record<keyof typeof textOperationRows, Given>> = {
  getAdminTexts: async () => ({}),
  saveAdminText: async () => ({ body: { kind: 'terms', language: 'en', text: unusedName('Terms') } }),
}
