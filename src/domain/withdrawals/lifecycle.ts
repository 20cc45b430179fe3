// What may happen to a withdrawal. It is a statement that was received: nothing makes it invalid, and no time ends it.

import type { EventKind, WithdrawalStatus } from '../../contract/words.ts'

// biome-ignore format: one row is one move
export const withdrawalLifecycle = [
  // verb      from        to          announces
  ['receive', null,       'received', 'withdrawal.received'],
  ['settle',  'received', 'settled',  null                 ],
  // With another outcome.
  ['settle',  'settled',  'settled',  null                 ],
] as const satisfies readonly (readonly [string, WithdrawalStatus | null, WithdrawalStatus, EventKind | null])[]
