import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SitePalette } from '../../contract/open/site.ts'
import { contrast, edgeContrast, parseColor, textContrast } from '../../platform/html/color.ts'
import { palettesFor } from './palette.ts'

const grounds = ['paper', 'sheet', 'well'] as const

function ratio(palette: SitePalette, one: keyof SitePalette, other: keyof SitePalette): number {
  const [first, second] = [parseColor(palette[one]), parseColor(palette[other])]
  assert.ok(first && second)
  return contrast(first, second)
}

function assertReadable(color: string): void {
  const palettes = palettesFor(color)
  assert.ok(palettes)
  for (const palette of [palettes.light, palettes.dark]) {
    for (const ground of grounds) {
      for (const ink of ['ink', 'inkSoft', 'link'] as const)
        assert.ok(ratio(palette, ink, ground) >= textContrast, `${color}: ${ink} on ${ground}`)
      for (const edge of ['lineStrong', 'action'] as const)
        assert.ok(ratio(palette, edge, ground) >= edgeContrast, `${color}: ${edge} on ${ground}`)
    }
    for (const ground of ['action', 'actionOver'] as const)
      assert.ok(ratio(palette, 'onAction', ground) >= textContrast, `${color}: text on ${ground}`)
  }
}

test('the palette of any colour has readable contrast, in light and dark mode', () => {
  for (const color of ['#000000', '#ffffff', '#ffff00', '#0000ff', '#ff0000', '#808080', '#00ff00', '#777777'])
    assertReadable(color)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) =>
      assertReadable(`#${number.toString(16).padStart(6, '0')}`),
    ),
    { numRuns: 300 },
  )
})

test('a sufficiently visible colour is used for buttons unchanged', () => {
  assert.equal(palettesFor('#7A1F3D')?.light.action, '#7a1f3d')
  assert.notEqual(palettesFor('#fffbe0')?.light.action, '#fffbe0')
  assert.equal(palettesFor('red'), null)
})
