import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import type jsQrModule from 'jsqr'
import { qrModules, qrPath } from './qr.ts'

// The package is CommonJS, although its types declare an ES module.
const jsQR = createRequire(import.meta.url)('jsqr') as (typeof jsQrModule)['default']

// Reads the code as a camera sees it: four pixels per module, with the quiet zone.
function read(modules: readonly (readonly boolean[])[]): string | undefined {
  const [scale, quiet] = [4, 4]
  const side = (modules.length + quiet * 2) * scale
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1)
      if (modules[Math.floor(y / scale) - quiet]?.[Math.floor(x / scale) - quiet])
        pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3)
  return jsQR(pixels, side, side)?.data
}

describe('a QR code', () => {
  test('is readable by an independent decoder in every version', () => {
    const lengths = [
      1, 14, 15, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666,
    ]
    const seen = lengths.map((length) => {
      const text = Array.from({ length }, (_, i) => String.fromCharCode(97 + ((i * 7) % 26))).join('')
      const modules = qrModules(text)
      assert.ok(modules)
      assert.equal(read(modules), text)
      return (modules.length - 17) / 4
    })
    assert.deepEqual([seen[0], seen.at(-1), new Set(seen).size], [1, 20, 20])
    assert.equal(qrModules('x'.repeat(667)), undefined)
  })

  test('contains the address for an authenticator app', () => {
    const uri =
      'otpauth://totp/Cartwright:zo%C3%AB%40tea.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Cartwright'
    assert.equal(read(qrModules(uri) ?? []), uri)
  })

  test('is one path with a margin of four modules', () => {
    assert.deepEqual(
      qrPath([
        [true, false],
        [false, true],
      ]),
      { side: 10, path: 'M4 4h1v1h-1zM5 5h1v1h-1z' },
    )
  })
})
