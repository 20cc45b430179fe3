// Reads the texts of a PDF that we wrote, as a reader does that copies them: by its fonts' maps to Unicode.

import { inflateSync } from 'node:zlib'

export interface ReadPdf {
  pages: number
  texts: readonly string[]
  // Files inside, by name.
  files: ReadonlyMap<string, string>
}

export function readPdf(bytes: Buffer): ReadPdf {
  const text = bytes.toString('latin1')
  const objects = new Map<string, string>()
  for (const [, id = '', body = ''] of text.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj\n/g)) objects.set(id, body)
  const referred = (body: string, name: string) => new RegExp(`/${name} \\[?(\\d+) 0 R`).exec(body)?.[1] ?? ''
  const object = (id: string) => objects.get(id) ?? ''
  const all = [...objects.values()]
  const pages = all.filter((body) => body.includes('/Type /Page '))
  const fonts = new Map(
    [...(pages[0] ?? '').matchAll(/\/(F\d) (\d+) 0 R/g)].map(([, name = '', id = '']) => [
      name,
      letters(streamOf(object(referred(object(id), 'ToUnicode')))),
    ]),
  )
  const texts = pages.flatMap((page) =>
    [...streamOf(object(referred(page, 'Contents'))).matchAll(/\/(F\d) [\s\S]*?<([0-9a-f]+)> Tj/g)].map(
      ([, font = '', codes = '']) => codes.replace(/.{4}/g, (code) => fonts.get(font)?.get(code) ?? '\ufffd'),
    ),
  )
  const files = new Map(
    all
      .filter((body) => body.includes('/Type /Filespec'))
      .map((body) => {
        const name = Buffer.from(/\/UF <feff([0-9a-f]+)>/.exec(body)?.[1] ?? '', 'hex')
        return [
          name.swap16().toString('utf16le'),
          Buffer.from(streamOf(object(referred(body, 'UF'))), 'latin1').toString(),
        ]
      }),
  )
  return { pages: pages.length, texts, files }
}

function streamOf(body: string): string {
  const [, bytes = ''] = /stream\n([\s\S]*)\nendstream$/.exec(body) ?? []
  return inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1')
}

function letters(map: string): Map<string, string> {
  return new Map(
    [...map.matchAll(/<([0-9a-f]{4})> <([0-9a-f]{4})>\n/g)].map(([, code = '', letter = '']) => [
      code,
      String.fromCharCode(Number.parseInt(letter, 16)),
    ]),
  )
}
