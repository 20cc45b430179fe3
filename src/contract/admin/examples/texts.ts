import type { AdminExamples } from '../row.ts'
import type { AdminText, textOperationRows } from '../texts.ts'

const terms: AdminText = {
  kind: 'terms',
  language: 'en',
  version: 2,
  text: '1. These terms hold for all orders at Bloom.',
  since: '2026-06-01T08:00:00.000Z',
}

export const textExamples: AdminExamples<typeof textOperationRows> = {
  getAdminTexts: { path: {}, body: undefined, reply: { data: [terms] } },
  saveAdminText: {
    path: {},
    body: {
      idempotencyKey: '2b9e8c1e-3a55-4c1d-8f0a-6c7b5a4d3e21',
      kind: terms.kind,
      language: terms.language,
      text: terms.text,
    },
    reply: { data: terms },
  },
}
