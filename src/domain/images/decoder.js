// The process that decodes pictures (copier.ts). Decoders are native code that parses untrusted files, so this process has no access to
// the secrets of the server, and is ended if a picture takes too much time or memory. Plain JavaScript, so no types have to be stripped
// at start.

import { setPriority } from 'node:os'

const { pixelsMax, memoryBytesMax, widths } = JSON.parse(process.argv[2] ?? '')

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
try {
  // Gives way to processes that answer requests.
  setPriority(15)
} catch {
  // If this is not allowed, the process runs at normal priority.
}

const sharp = await import('sharp').then(
  (loaded) => loaded.default,
  () => undefined,
)
if (sharp) {
  sharp.cache(false)
  sharp.concurrency(1)
  // Loads only the formats that shops show: no SVG, PDF or TIFF.
  sharp.block({ operation: ['VipsForeignLoad'] })
  const loaders = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif']
  sharp.unblock({ operation: loaders.map((name) => `VipsForeignLoad${name}`) })
}

// Id of the picture that is being decoded; undefined if there is none.
let current
process.on('message', ({ id, bytes }) => {
  current = id
  copiesOf(bytes)
    .then(
      (value) => process.send?.({ id, value }),
      (error) => process.send?.({ id, problem: problemOf(error) }),
    )
    .finally(() => {
      current = undefined
    })
})

setInterval(() => {
  if (current === undefined || process.memoryUsage.rss() <= memoryBytesMax) return
  process.send?.({ id: current, problem: 'too_much_memory' }, () => process.kill(process.pid, 'SIGKILL'))
}, 50).unref()

process.send?.({ isAvailable: sharp !== undefined })

function problemOf({ message = '' }) {
  if (message === 'animated') return 'animated'
  return /exceeds pixel limit/i.test(message) ? 'too_many_pixels' : 'unreadable'
}

const opened = (bytes) => sharp(bytes, { limitInputPixels: pixelsMax, failOn: 'error' })

// Returns the copies and the main colour. The picture is decoded once, turned upright and converted to sRGB. Everything else that the
// camera wrote into the file is left out.
async function copiesOf(bytes) {
  const { pages = 1 } = await opened(bytes).metadata()
  // A copy of an animation would contain only one frame.
  if (pages > 1) throw new Error('animated')
  const { data, info } = await opened(bytes)
    .autoOrient()
    .resize({ width: widths.at(-1), withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const decoded = () => sharp(data, { raw: { width, height, channels } })
  const copies = []
  for (const wanted of new Set(widths.map((side) => Math.min(side, width))))
    for (const kind of ['avif', 'webp']) {
      const made = await encoded(decoded().resize({ width: wanted }), kind)
      copies.push({ kind, width: wanted, bytes: made })
    }
  return { copies, color: await colorOf(decoded()) }
}

// Effort 4 of AVIF takes twenty times as long as effort 1 and saves 4 %.
function encoded(picture, kind) {
  return (
    kind === 'avif' ? picture.avif({ quality: 50, effort: 1 }) : picture.webp({ quality: 78, effort: 4 })
  ).toBuffer()
}

// Returns null if the picture has transparent parts.
async function colorOf(picture) {
  const small = await picture.resize(64, 64, { fit: 'inside' }).png().toBuffer()
  const { isOpaque, dominant } = await sharp(small).stats()
  if (!isOpaque) return null
  const { r, g, b } = dominant
  return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
