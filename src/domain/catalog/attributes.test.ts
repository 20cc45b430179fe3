import assert from 'node:assert/strict'
import { test } from 'node:test'
import { optionAttributeOf } from './attributes.ts'

test('option names are recognized in many languages, in any letter case and without accents', () => {
  for (const name of ['Colour', 'COLOR ', 'Farbe', 'Couleur', 'カラー', 'اللون', 'Kleur'])
    assert.equal(optionAttributeOf(name), 'color', name)
  for (const name of ['Size', 'GRÖSSE', 'Grösse', 'Groesse', 'Tamano', 'サイズ'])
    assert.equal(optionAttributeOf(name), 'size', name)
  assert.deepEqual(['Matière', 'Materiał', '素材'].map(optionAttributeOf), ['material', 'material', 'material'])
  assert.deepEqual(['Muster', 'Wzór'].map(optionAttributeOf), ['pattern', 'pattern'])
  for (const name of ['Volume', 'Title', '', 'Sizes of it']) assert.equal(optionAttributeOf(name), undefined, name)
})
