// Cheap passwords for the command line in the process of a test. The cost of one is 0.3 s on purpose, is not for the operator to
// choose, and has tests of its own. Only where nobody in another process opens what was hashed here: it would not.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { later } from './later.ts'

export function makePasswordsCheap(): void {
  const real = crypto.scrypt
  const cheap = { N: 16, r: 1, p: 1 }
  crypto.scrypt = ((password, salt, length, _, done) => real(password, salt, length, cheap, done)) as typeof real
  syncBuiltinESMExports()
  later(() => {
    crypto.scrypt = real
    syncBuiltinESMExports()
  })
}
