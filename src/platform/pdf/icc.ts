// The ICC profile of the sRGB colours, version 2.1, which a PDF/A must contain. Pure.

const headBytes = 128

// X, Y and Z of white and of the three primary colours, adapted to D50.
const colours: readonly (readonly [tag: string, x: number, y: number, z: number])[] = [
  ['wtpt', 0.9642, 1, 0.8249],
  ['rXYZ', 0.43607, 0.22249, 0.01392],
  ['gXYZ', 0.38515, 0.71687, 0.09708],
  ['bXYZ', 0.14307, 0.06061, 0.7141],
]

export const srgbProfile: Buffer = makeProfile()

function makeProfile(): Buffer {
  const text = Buffer.from('sRGB\0')
  const description = Buffer.alloc(12 + text.length + 78)
  description.write('desc', 'latin1')
  description.writeUInt32BE(text.length, 8)
  text.copy(description, 12)
  const curve = Buffer.alloc(16)
  curve.write('curv', 'latin1')
  curve.writeUInt32BE(1, 8)
  // A gamma of 2.2, in units of 1/256.
  curve.writeUInt16BE(0x0233, 12)
  const rights = Buffer.concat([Buffer.from('text\0\0\0\0'), Buffer.from('No rights reserved.\0')])
  const shared: [string, Buffer][] = ['rTRC', 'gTRC', 'bTRC'].map((tag) => [tag, curve])
  const tags: [string, Buffer][] = [
    ['desc', description],
    ['cprt', rights],
    ...colours.map(([tag, ...xyz]): [string, Buffer] => [tag, xyzOf(xyz)]),
    ...shared,
  ]
  return assemble(tags)
}

function xyzOf(xyz: readonly number[]): Buffer {
  const bytes = Buffer.alloc(20)
  bytes.write('XYZ ', 'latin1')
  for (const [i, value] of xyz.entries()) bytes.writeInt32BE(Math.round(value * 65_536), 8 + 4 * i)
  return bytes
}

function assemble(tags: readonly [string, Buffer][]): Buffer {
  const table = Buffer.alloc(4 + 12 * tags.length)
  table.writeUInt32BE(tags.length)
  let at = headBytes + table.length
  const bodies = tags.map(([tag, bytes], i) => {
    table.write(tag, 4 + 12 * i, 'latin1')
    table.writeUInt32BE(at, 8 + 12 * i)
    table.writeUInt32BE(bytes.length, 12 + 12 * i)
    const body = Buffer.alloc(Math.ceil(bytes.length / 4) * 4)
    bytes.copy(body)
    at += body.length
    return body
  })
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(at, 0)
  head.writeUInt32BE(0x02100000, 8)
  head.write('mntrRGB XYZ ', 12, 'latin1')
  for (const [i, part] of [2026, 1, 1].entries()) head.writeUInt16BE(part, 24 + 2 * i)
  head.write('acsp', 36, 'latin1')
  xyzOf([0.9642, 1, 0.8249]).copy(head, 68, 8)
  return Buffer.concat([head, table, ...bodies])
}
