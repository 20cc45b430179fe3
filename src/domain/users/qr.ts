// QR codes for telephones that scan our pages: byte text at error correction level M, in versions 1 to 20, which hold 666 bytes.

import { encode } from 'uqr'

const versionMax = 20

// Returns rows of modules, true for dark ones. Undefined if the text is too long.
export function qrModules(text: string): boolean[][] | undefined {
  const bytes = [...new TextEncoder().encode(text)]
  if (bytes.length > bytesMax) return undefined
  return encode(bytes, { ecc: 'M', boostEcc: false, maxVersion: versionMax, border: 0 }).data
}

// Capacity of version 20 at level M.
const bytesMax = 666

// Returns one SVG path with one unit per module, and the quiet zone of four modules that readers need.
export function qrPath(modules: readonly (readonly boolean[])[]): { side: number; path: string } {
  const quiet = 4
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')))
    .join('')
  return { side: modules.length + quiet * 2, path }
}
