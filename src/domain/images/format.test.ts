import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { leastOf, threadCpuMs } from '../../../harness/timed.ts'
import { type Picture, readImage } from './format.ts'

const fixture = (name: string) => readFileSync(new URL(`../../../tests/fixtures/pictures/${name}`, import.meta.url))
const read = (bytes: Buffer): Picture => {
  const picture = readImage(bytes)
  assert.ok(typeof picture === 'object', `refused: ${JSON.stringify(picture)}`)
  return picture
}

describe('the kind and size of a picture', () => {
  for (const [name, kind] of [
    ['camera.jpg', 'jpeg'],
    ['progressive.jpg', 'jpeg'],
    ['text.png', 'png'],
    ['lossy.webp', 'webp'],
    ['lossless.webp', 'webp'],
    ['camera.webp', 'webp'],
    ['plain.avif', 'avif'],
  ] as const)
    test(`are read from ${name}`, () => {
      const { kind: found, width, height } = read(fixture(name))
      assert.deepEqual([found, width, height], [kind, 30, 20])
    })

  test('a file without camera metadata stays unchanged', () => {
    for (const name of ['progressive.jpg', 'lossy.webp', 'lossless.webp', 'plain.avif'])
      assert.ok(read(fixture(name)).bytes.equals(fixture(name)), name)
  })
})

describe('cleaning a picture', () => {
  test('removes location, camera, names and comments', () => {
    for (const name of ['camera.jpg', 'camera.webp', 'text.png']) {
      const text = read(fixture(name)).bytes.toString('latin1')
      for (const word of ['GPS', 'Camera', 'Ada', 'hello', 'xmp', 'TRAILER'])
        assert.ok(!text.includes(word), `${name}: ${word}`)
    }
  })

  test('keeps the orientation of a photograph', () => {
    const exif = read(fixture('camera.jpg')).bytes.indexOf('Exif')
    assert.equal(read(fixture('camera.jpg')).bytes.readUInt16BE(exif + 6 + 18), 6)
  })

  test('keeps the orientation of a little-endian photograph', () => {
    const bytes = fixture('progressive.jpg')
    const tiff = Buffer.from('49492a0008000000010012010300010000000800000000000000', 'hex')
    const head = Buffer.from([0xff, 0xe1, 0, 2 + 6 + tiff.length])
    const turned = Buffer.concat([bytes.subarray(0, 2), head, Buffer.from('Exif\0\0'), tiff, bytes.subarray(2)])
    const cleaned = read(turned).bytes
    assert.equal(cleaned.readUInt16BE(cleaned.indexOf('Exif') + 6 + 18), 8)
  })

  test('changes nothing in a cleaned picture', () => {
    for (const name of ['camera.jpg', 'camera.webp', 'text.png']) {
      const once = read(fixture(name)).bytes
      assert.ok(read(once).bytes.equals(once), name)
    }
  })

  test('removes data after the end of the picture', () => {
    for (const name of ['lossy.webp', 'text.png', 'progressive.jpg']) {
      const polyglot = Buffer.concat([fixture(name), Buffer.from('<script>alert(1)</script>')])
      assert.ok(!read(polyglot).bytes.includes('script'), name)
    }
  })
})

describe('a picture', () => {
  test('in an unsupported file format is refused', () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')
    for (const bytes of [
      svg,
      Buffer.from('GIF89a0123456789'),
      Buffer.alloc(0),
      Buffer.alloc(64),
      Buffer.from('%PDF-1.7 01234567'),
    ])
      assert.equal(readImage(bytes), 'unknown')
  })

  test('with camera metadata in a format that cannot be cleaned is refused', () => {
    assert.equal(readImage(fixture('camera.avif')), 'has_metadata')
  })

  test('with a side that is too long is refused', () => {
    const png = fixture('text.png')
    png.writeUInt32BE(4_097, 16)
    assert.equal(readImage(png), 'too_large')
  })

  test('with a side of 0 is refused', () => {
    const png = fixture('text.png')
    png.writeUInt32BE(0, 16)
    assert.equal(readImage(png), 'broken')
  })

  test('that is truncated anywhere is refused or read, and never throws', () => {
    for (const name of [
      'camera.jpg',
      'progressive.jpg',
      'text.png',
      'lossy.webp',
      'lossless.webp',
      'camera.webp',
      'plain.avif',
    ]) {
      const whole = fixture(name)
      for (let length = 0; length < whole.length; length += 1) readImage(whole.subarray(0, length))
    }
  })

  test('with any byte changed is refused or read, and never throws', () => {
    for (const name of ['progressive.jpg', 'text.png', 'lossless.webp', 'camera.webp', 'camera.avif', 'plain.avif'])
      for (let at = 0; at < Math.min(600, fixture(name).length); at += 1)
        for (const value of [0x00, 0x7f, 0xff]) {
          const bytes = fixture(name)
          bytes[at] = value
          readImage(bytes)
        }
  })

  test('that is truncated is refused', () => {
    for (const name of ['progressive.jpg', 'text.png', 'lossy.webp', 'lossless.webp'])
      assert.equal(readImage(fixture(name).subarray(0, -5)), 'broken', name)
  })
})

describe('files made to be slow', () => {
  const jpeg = fixture('progressive.jpg')
  const png = fixture('text.png')
  const webp = fixture('lossy.webp')
  const comments = Buffer.alloc(1_000_000, Buffer.from([0xff, 0xfe, 0, 2]))
  const chunks = Buffer.alloc(960_000, Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1'))
  const riff = Buffer.from(webp)
  riff.writeUInt32LE(webp.length - 8 + 960_000, 4)
  for (const [name, bytes] of [
    ['250,000 comments', Buffer.concat([jpeg.subarray(0, 2), comments, jpeg.subarray(2)])],
    ['80,000 chunks of a PNG', Buffer.concat([png.subarray(0, 33), chunks, png.subarray(33)])],
    ['120,000 chunks of a WebP', Buffer.concat([riff, Buffer.alloc(960_000, Buffer.from('XXXX\0\0\0\0', 'latin1'))])],
  ] as const)
    test(`with ${name} are refused`, () => assert.equal(readImage(bytes), 'broken'))

  test('with a long scan of escaped bytes are read quickly', async () => {
    const scan = Buffer.alloc(1_000_000, Buffer.from([0xff, 0x00]))
    const bytes = Buffer.concat([jpeg.subarray(0, jpeg.length - 2), scan, jpeg.subarray(jpeg.length - 2)])
    const tookMs = await leastOf(100, () => threadCpuMs(() => read(bytes)))
    assert.ok(tookMs < 100, `${tookMs} ms`)
  })
})
