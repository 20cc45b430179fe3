import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFormula } from './formula.ts'

test('texts that a spreadsheet may take for formulas are recognized', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', "'=", "''＝"])
    assert.equal(isFormula(`${start}1`), true, JSON.stringify(start))
  for (const text of ['', 'a=1', ' =1', '1-1', "'a", '１']) assert.equal(isFormula(text), false, text)
})
