import { randomInt } from 'node:crypto'
import type { pictureOperationRows } from '../../src/contract/admin/pictures.ts'
import type { Given } from './world.ts'

// A PNG of this size with a resolution drawn at random, so each is another file.
export function pngOf(width = 1, height = 1): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 4], 8)
  const resolution = Buffer.alloc(9)
  resolution.writeUInt32BE(randomInt(2 ** 32), 0)
  const data = Buffer.from('78da63640f0001050101', 'hex')
  const parts = { IHDR: header, pHYs: resolution, IDAT: data, IEND: Buffer.alloc(0) }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, ...Object.entries(parts).map(([name, content]) => chunk(name, content))])
}

// The checksum at its end is left out: this server does not read it.
function chunk(name: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, Buffer.from(name, 'latin1'), content, Buffer.alloc(4)])
}

export const pictureGivens: Readonly<Record<keyof typeof pictureOperationRows, Given>> = {
  uploadAdminPicture: async () => ({ body: { content: pngOf().toString('base64') } }),
  getAdminRemotePictures: async () => ({}),
}
