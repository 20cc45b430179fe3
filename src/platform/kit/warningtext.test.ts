import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { textLanguages } from '../../contract/words.ts'
import { warningsIn, warningsText, warningText } from './warningtext.ts'

test('each paragraph of a warning text is a warning with its language', () => {
  const typed = 'Keep dry.\n\nde: Nicht für Kinder\nunter 3 Jahren.\r\n\r\nFR:  Garder au sec.\n \n*: es: not Spanish'
  assert.deepEqual(warningsIn(typed), [
    { language: null, text: 'Keep dry.' },
    { language: 'de', text: 'Nicht für Kinder\nunter 3 Jahren.' },
    { language: 'fr', text: 'Garder au sec.' },
    { language: null, text: 'es: not Spanish' },
  ])
})

test('any warnings are parsed as they were written', () => {
  const parts = fc.constantFrom('de:', '*:', ' ', '\n', '\n\n', 'x', 'Keep dry', '\r\n')
  const text = fc
    .array(parts, { maxLength: 8 })
    .map((some) => warningText(some.join('')))
    .filter((one) => one !== '')
  const warning = fc.record({ language: fc.constantFrom(null, ...textLanguages), text }, { noNullPrototype: true })
  fc.assert(
    fc.property(fc.array(warning, { maxLength: 4 }), (warnings) => {
      assert.deepEqual(warningsIn(warningsText(warnings)), warnings)
    }),
    { numRuns: 200 },
  )
})
