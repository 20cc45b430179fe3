// Writes a PDF/A-3 (ISO 19005-3, level B): pages, embedded fonts and an attached file. The same document always gives the same bytes.
// Pure.

import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { FontSubset } from './font.ts'
import { srgbProfile } from './icc.ts'
import { metadataOf } from './metadata.ts'

export interface PdfPage {
  width: number
  height: number
  // Content operators of the page. Fonts are named F0, F1 and so on.
  content: string
}

export interface PdfAttachment {
  name: string
  mediaType: string
  // Relationship of the attachment to the document (PDF/A-3, 6.8).
  relationship: 'Alternative' | 'Data'
  description: string
  bytes: Buffer
}

export interface PdfDocument {
  title: string
  author: string
  // Language tag (BCP 47).
  language: string
  // Instant of creation in ISO 8601, in UTC.
  madeAt: string
  pages: readonly PdfPage[]
  fonts: readonly FontSubset[]
  attachment: PdfAttachment | null
  // RDF to add to the metadata.
  extension: string
}

// Yields after each part, so a large document does not block the event loop.
export function* pdfFile(document: PdfDocument): Generator<void, Buffer> {
  const { pages, fonts, attachment, title, author, language, madeAt } = document
  const objects = new ObjectList()
  const [catalog, tree] = [objects.reserve(), objects.reserve()]
  const names: string[] = []
  for (const [i, font] of fonts.entries()) {
    names.push(`/F${i} ${addFont(objects, font)} 0 R`)
    yield
  }
  const resources = `<< /Font << ${names.join(' ')} >> >>`
  const kids: number[] = []
  for (const { width, height, content } of pages) {
    const stream = objects.addStream('', Buffer.from(content, 'latin1'))
    kids.push(
      objects.add(
        `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 ${width} ${height}] /Resources ${resources} /Contents ${stream} 0 R >>`,
      ),
    )
    yield
  }
  objects.set(tree, `<< /Type /Pages /Kids [${kids.map((id) => `${id} 0 R`).join(' ')}] /Count ${kids.length} >>`)
  const profile = objects.addStream('/N 3', srgbProfile)
  const metadata = objects.addPlainStream('/Type /Metadata /Subtype /XML', Buffer.from(metadataOf(document)))
  const attached = attachment && addAttachment(objects, attachment, madeAt)
  const parts = [
    `/Type /Catalog /Pages ${tree} 0 R /Metadata ${metadata} 0 R /Lang ${textString(language)}`,
    '/ViewerPreferences << /DisplayDocTitle true >>',
    `/OutputIntents [<< /Type /OutputIntent /S /GTS_PDFA1 /OutputConditionIdentifier (sRGB) /Info (sRGB) /DestOutputProfile ${profile} 0 R >>]`,
    attachment &&
      `/AF [${attached} 0 R] /Names << /EmbeddedFiles << /Names [${textString(attachment.name)} ${attached} 0 R] >> >>`,
  ]
  objects.set(catalog, `<< ${parts.filter(Boolean).join(' ')} >>`)
  const dates = `/CreationDate ${dateString(madeAt)} /ModDate ${dateString(madeAt)}`
  const info = objects.add(
    `<< /Title ${textString(title)} /Author ${textString(author)} /Producer (Cartwright) ${dates} >>`,
  )
  return objects.file(catalog, info)
}

class ObjectList {
  readonly #bodies: (Buffer | undefined)[] = []

  reserve(): number {
    return this.#bodies.push(undefined)
  }

  set(id: number, body: string | Buffer): void {
    this.#bodies[id - 1] = Buffer.from(body)
  }

  add(body: string | Buffer): number {
    const id = this.reserve()
    this.set(id, body)
    return id
  }

  addStream(entries: string, bytes: Buffer): number {
    return this.addPlainStream(`${entries} /Filter /FlateDecode`, deflateSync(bytes))
  }

  addPlainStream(entries: string, bytes: Buffer): number {
    const head = Buffer.from(`<< ${entries} /Length ${bytes.length} >>\nstream\n`)
    return this.add(Buffer.concat([head, bytes, Buffer.from('\nendstream')]))
  }

  file(root: number, info: number): Buffer {
    // The bytes of the second line mark the file as binary.
    const parts = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
    let size = parts[0]?.length ?? 0
    const offsets = this.#bodies.map((body = Buffer.from('null'), i) => {
      const at = size
      const object = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')])
      parts.push(object)
      size += object.length
      return at
    })
    const id = createHash('sha256').update(Buffer.concat(parts)).digest('hex').slice(0, 32)
    const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
    const count = offsets.length + 1
    parts.push(
      Buffer.from(
        `xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${count} /Root ${root} 0 R /Info ${info} 0 R /ID [<${id}> <${id}>] >>\nstartxref\n${size}\n%%EOF\n`,
      ),
    )
    return Buffer.concat(parts)
  }
}

// Adds a composite font whose character codes are its glyph numbers (ISO 32000-1, 9.7).
function addFont(objects: ObjectList, subset: FontSubset): number {
  const { font } = subset
  const bytes = subset.bytes()
  const scaled = (units: number) => Math.round((units * 1000) / font.unitsPerEm)
  const file = objects.addStream(`/Length1 ${bytes.length}`, bytes)
  const name = `${subsetTag(bytes)}+${font.name}`
  const symbolic = 4
  const weight = font.name.endsWith('Bold') ? 140 : 80
  const descriptor = objects.add(
    `<< /Type /FontDescriptor /FontName /${name} /Flags ${symbolic} /FontBBox [${font.box.map(scaled).join(' ')}] /ItalicAngle 0 /Ascent ${scaled(font.ascent)} /Descent ${scaled(font.descent)} /CapHeight 714 /StemV ${weight} /FontFile2 ${file} 0 R >>`,
  )
  const descendant = objects.add(
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${descriptor} 0 R /W [0 [${subset.widths().join(' ')}]] /CIDToGIDMap /Identity >>`,
  )
  const unicode = objects.addStream('', Buffer.from(toUnicode(subset.letters)))
  return objects.add(
    `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${unicode} 0 R >>`,
  )
}

// Returns six capital letters, as the format requires for subsets.
function subsetTag(bytes: Buffer): string {
  const digest = createHash('sha256').update(bytes).digest()
  return String.fromCharCode(...[...digest.subarray(0, 6)].map((byte) => 65 + (byte % 26)))
}

const cmapBlockMax = 100

function toUnicode(letters: ReadonlyMap<number, number>): string {
  const hex = (number: number) => number.toString(16).padStart(4, '0')
  const rows = [...letters].map(([number, letter]) => `<${hex(number)}> <${hex(letter)}>`)
  const blocks = Array.from({ length: Math.ceil(rows.length / cmapBlockMax) }, (_, i) => {
    const some = rows.slice(i * cmapBlockMax, (i + 1) * cmapBlockMax)
    return `${some.length} beginbfchar\n${some.join('\n')}\nendbfchar\n`
  })
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${blocks.join('')}endcmap
CMapName currentdict /CMap defineresource pop
end
end`
}

function addAttachment(
  objects: ObjectList,
  { name, mediaType, relationship, description, bytes }: PdfAttachment,
  madeAt: string,
): number {
  const type = mediaType.replace('/', '#2F')
  const params = `/Params << /ModDate ${dateString(madeAt)} /Size ${bytes.length} >>`
  const file = objects.addStream(`/Type /EmbeddedFile /Subtype /${type} ${params}`, bytes)
  return objects.add(
    `<< /Type /Filespec /F ${textString(name)} /UF ${textString(name)} /Desc ${textString(description)} /AFRelationship /${relationship} /EF << /F ${file} 0 R /UF ${file} 0 R >> >>`,
  )
}

// Writes text as the hexadecimal digits of UTF-16 with a byte order mark, so nothing must be escaped.
function textString(text: string): string {
  return `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
}

function dateString(instant: string): string {
  return `(D:${instant.replace(/\D/g, '').slice(0, 14)}Z)`
}
