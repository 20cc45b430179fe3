// The moves that a withdrawal may make. A withdrawal is a statement that was received: nothing makes it invalid, and it does not expire.

import type { EventKind, WithdrawalStatus } from '../../contract/words.ts'

// biome-ignore format: one row is one move
export const withdrawalLifecycle = [
  // verb      from        to          announces
  ['receive', null,       'received', 'withdrawal.received'],
  ['settle',  'received', 'settled',  null                 ],
  // The merchant corrects the outcome.
  ['settle',  'settled',  'settled',  null                 ],
] as const satisfies readonly (readonly [string, WithdrawalStatus | null, WithdrawalStatus, EventKind | null])[]
