import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attributeOf } from './attributes.ts'

test('option names are recognized in many languages, ignoring case and accents', () => {
  for (const name of ['Colour', 'COLOR ', 'Farbe', 'Couleur', 'カラー', 'اللون', 'Kleur'])
    assert.equal(attributeOf(name), 'color', name)
  for (const name of ['Size', 'GRÖSSE', 'Grösse', 'Groesse', 'Tamano', 'サイズ'])
    assert.equal(attributeOf(name), 'size', name)
  assert.deepEqual(['Matière', 'Materiał', '素材'].map(attributeOf), ['material', 'material', 'material'])
  assert.deepEqual(['Muster', 'Wzór'].map(attributeOf), ['pattern', 'pattern'])
  for (const name of ['Volume', 'Title', '', 'Sizes of it']) assert.equal(attributeOf(name), undefined, name)
})
