// Opens a product or stock file: CSV, or an XML feed, which begins with `<`.

import { TextDecoder } from 'node:util'
import { remark } from '../../../contract/remarks.ts'
import { type CsvOptions, type CsvRow, decodeToUtf8, FileError, readCsv } from '../csv.ts'
import { readFeed } from './feed.ts'

export interface FileOptions extends CsvOptions {
  // The file was already decoded to UTF-8, so the encoding that it declares no longer applies.
  isUtf8?: boolean
}

const beginBytes = 1024

export async function* readFile(chunks: AsyncIterable<Buffer>, options: FileOptions = {}): AsyncGenerator<CsvRow> {
  const iterator = chunks[Symbol.asyncIterator]()
  let begin = Buffer.alloc(0)
  let next = await iterator.next()
  for (; !next.done && begin.length < beginBytes; next = await iterator.next())
    begin = Buffer.concat([begin, next.value])
  const last = next
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield begin
      for (let one = last; !one.done; one = await iterator.next()) yield one.value
    } finally {
      await iterator.return?.()
    }
  }
  const text = begin.toString('latin1', 0, beginBytes).replaceAll('\0', '')
  if (!/^(?:ï»¿|ÿþ|þÿ)?\s*</.test(text)) {
    yield* readCsv(all(), options)
    return
  }
  const encoding = options.isUtf8 ? 'utf-8' : (options.encoding ?? declaredIn(text))
  yield* readFeed(textOf(decodeToUtf8(all(), encoding)))
}

// A UTF-16 file is recognised by its byte order mark, so a declaration of UTF-16 adds nothing.
function declaredIn(text: string): string | undefined {
  const name = /^[^<]*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(text)?.[1]?.toLowerCase()
  if (name === undefined || name === 'utf-8' || name.startsWith('utf-16')) return undefined
  return name
}

async function* textOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  const decoded = (chunk?: Buffer) => {
    try {
      const text = decoder.decode(chunk, { stream: chunk !== undefined })
      line += text.split('\n').length - 1
      return text
    } catch {
      throw new FileError(line, remark('feed_not_utf8'))
    }
  }
  for await (const chunk of chunks) yield decoded(chunk)
  yield decoded()
}
