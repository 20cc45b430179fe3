// Code blocks of our own documentation, so tests can run what readers are asked to run.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

export interface Block {
  language: string
  text: string
}

export async function pageText(name: string): Promise<string> {
  return readFile(join(root, name), 'utf8')
}

// The code blocks below a heading, up to the next one of the same level or above.
export function blocksBelow(page: string, heading: string): Block[] {
  const lines = page.split('\n')
  const start = lines.indexOf(heading)
  if (start < 0) throw new Error(`there is no heading ${heading}`)
  const level = heading.indexOf(' ')
  const blocks: Block[] = []
  let open: { language: string; lines: string[] } | undefined
  for (const line of lines.slice(start + 1)) {
    const [, language] = /^ *```(\w*)$/.exec(line) ?? []
    if (open && language === '') {
      blocks.push({ language: open.language, text: `${open.lines.join('\n')}\n` })
      open = undefined
    } else if (open) open.lines.push(line)
    else if (language !== undefined) open = { language, lines: [] }
    else if (new RegExp(`^#{1,${level}} `).test(line)) break
  }
  return blocks
}
