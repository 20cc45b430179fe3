import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { type Copier, createCopier, type PictureCopies } from './copier.ts'
import { readImage } from './format.ts'

const copier = createCopier()
const isThere = await copier.isAvailable()
const fixture = (name: string) => readFile(new URL(`../../../tests/fixtures/pictures/${name}`, import.meta.url))

// A complete PNG of one colour.
function png(width: number, height: number, [r, g, b] = [200, 40, 40] as readonly number[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const line = Buffer.alloc(1 + width * 3)
  for (let at = 1; at < line.length; at += 3) line.set([r ?? 0, g ?? 0, b ?? 0], at)
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  return pngFile({ IHDR: header, IDAT: data, IEND: Buffer.alloc(0) })
}

function pngFile(parts: Readonly<Record<string, Buffer>>): Buffer {
  const chunks = Object.entries(parts).map(([name, content]) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(content.length)
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  })
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...chunks])
}

// Two frames of one pixel.
const animatedGif = Buffer.from(
  '47494638396101000100800000ff0000ffffff21ff0b4e45545343415045322e300301000000' +
    '21f904000a0000002c00000000010001000002024401002' +
    '1f904000a0000002c00000000010001000002024c01003b',
  'hex',
)

describe('copies of pictures', { skip: !isThere && 'sharp is not installed' }, () => {
  after(() => copier.close())
  const copied = async (bytes: Buffer) => {
    const made = await copier.copiesOf(bytes)
    assert.ok(typeof made !== 'string', String(made))
    return made
  }
  const shapes = ({ copies }: PictureCopies) => copies.map(({ kind, width }) => `${kind} ${width}`)

  test('have four widths as AVIF and WebP, none wider than the picture, and the color of the picture is returned', async () => {
    const made = await copied(png(1000, 100))
    assert.deepEqual(
      shapes(made),
      [160, 480, 960, 1000].flatMap((width) => [`avif ${width}`, `webp ${width}`]),
    )
    assert.match(made.color ?? '', /^#c[0-9a-f]2[0-9a-f]2[0-9a-f]$/)
    for (const { kind, width, bytes } of made.copies) {
      const read = readImage(bytes)
      assert.ok(typeof read !== 'string')
      assert.deepEqual([read.kind, read.width, read.height], [kind, width, width / 10])
    }
  })

  test('are upright and contain no camera metadata', async () => {
    const file = await fixture('located.jpg')
    assert.ok(file.includes('Exif') && file.includes('a photographer') && file.includes('ICC_PROFILE'))
    const { copies, color } = await copied(file)
    assert.match(color ?? '', /^#[d-f]/)
    for (const { bytes } of copies) {
      for (const trace of ['Exif', 'EXIF', 'a photographer', 'ICC', 'prof']) assert.ok(!bytes.includes(trace), trace)
      const read = readImage(bytes)
      assert.ok(typeof read !== 'string')
      // 24 by 16 pixels, with an orientation that turns the picture upright.
      assert.deepEqual([read.width, read.height], [16, 24])
    }
  })

  test('are converted from CMYK to RGB', async () => {
    const { color } = await copied(await fixture('cmyk.jpg'))
    assert.match(color ?? '', /^#[c-f][0-9a-f][0-4]/)
  })

  for (const name of ['progressive.jpg', 'lossless.webp', 'lossy.webp', 'plain.avif', 'text.png'])
    test(`are made of ${name}`, async () => {
      assert.ok((await copied(await fixture(name))).copies.length >= 2)
    })

  test('are not made of a decompression bomb, a truncated file, an animation, an SVG or a text; each gets its reason', async () => {
    const header = Buffer.alloc(13)
    header.writeUInt32BE(60_000, 0)
    header.writeUInt32BE(60_000, 4)
    header.set([8, 0], 8)
    // Ten billion pixels in a few bytes.
    const bomb = pngFile({ IHDR: header, IDAT: deflateSync(Buffer.alloc(1_000)), IEND: Buffer.alloc(0) })
    const half = (await fixture('progressive.jpg')).subarray(0, -200)
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="9" height="9"/></svg>',
    )
    const reasons = []
    for (const bytes of [bomb, half, animatedGif, svg, Buffer.from('no picture at all'), Buffer.alloc(0)])
      reasons.push(await copier.copiesOf(bytes))
    assert.deepEqual(reasons, [
      ...['too_many_pixels', 'unreadable', 'animated', 'unreadable', 'unreadable', 'unreadable'],
    ])
    assert.ok((await copied(png(2, 2))).copies.length > 0, 'the next picture has copies')
  })
})

describe('the process that decodes pictures', { skip: !isThere && 'sharp is not installed' }, () => {
  let slow: Copier
  before(() => {
    slow = createCopier({ pictureMsMax: 1 })
  })
  after(() => slow.close())

  test('is stopped when it takes too long', async () => {
    assert.equal(await slow.copiesOf(png(2_000, 2_000)), 'too_slow')
    assert.equal(await slow.copiesOf(png(2_000, 2_000)), 'too_slow')
  })

  test('is stopped when it takes too much memory', async () => {
    const small = createCopier({ memoryBytesMax: 1_000_000 })
    try {
      assert.equal(await small.copiesOf(png(3_000, 3_000)), 'too_much_memory')
    } finally {
      small.close()
    }
  })
})

test('without the image library no picture is decoded', async () => {
  const none = createCopier({ program: new URL('nothing.js', import.meta.url).pathname })
  assert.equal(await none.isAvailable(), false)
  await assert.rejects(none.copiesOf(png(1, 1)))
  none.close()
})

test('a decoder whose start failed is started again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'copier-'))
  const program = join(folder, 'decoder.mjs')
  await writeFile(program, 'process.exit(1)')
  const failing = createCopier({ program })
  try {
    assert.equal(await failing.isAvailable(), false)
    await writeFile(program, `process.on('message', () => {}); process.send({ isAvailable: true })`)
    assert.equal(await failing.isAvailable(), true)
  } finally {
    failing.close()
    await rm(folder, { recursive: true })
  }
})
