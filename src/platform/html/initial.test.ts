import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialOf } from './initial.ts'

test('the initial is the first character as readers see it', () => {
  const initials = [
    ['oak & linen', 'O'],
    ['  Ärger', 'Ä'],
    ['e\u0301clair', 'E\u0301'],
    ['👩‍🍳 bakes', '👩‍🍳'],
    ['日本', '日'],
    ['ßtraße', 'SS'],
    ['', ''],
    ['   ', ''],
  ] as const
  for (const [name, initial] of initials) assert.equal(initialOf(name), initial, name)
})
