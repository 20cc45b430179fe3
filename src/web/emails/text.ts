// A letter as plain text. Pure.

import { frameTexts, type LetterFrame } from './frame.ts'
import type { Letter, LetterPart } from './letters.ts'

export function letterText(letter: Letter, frame: LetterFrame): string {
  const { test, help, reason, links } = frameTexts(frame)
  const blocks = [
    frame.merchant.name,
    ...(test === null ? [] : [`[${test}]`]),
    underlined(letter.title),
    ...letter.parts.map(partText),
    ['--', ...(help === null ? [] : [help]), reason, ...links.map(({ name, url }) => `${name}: ${url}`)].join('\n'),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function underlined(title: string): string {
  return `${title}\n${'='.repeat(Math.min(60, [...title].length))}`
}

function partText(part: LetterPart): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'box':
      return [part.title, ...part.texts].join('\n')
    case 'facts':
      return part.rows.map(({ name, value }) => `${name}: ${value}`).join('\n')
    case 'items': {
      const rows = part.rows.map(({ name, detail, amount }) => {
        const last = amount === '' ? detail : `${detail} — ${amount}`
        return `- ${name}\n  ${last}`
      })
      return [part.title, ...rows].join('\n')
    }
    case 'totals':
      return part.rows
        .map(({ name, value, note }) => `${name}: ${value}${note === undefined ? '' : ` (${note})`}`)
        .join('\n')
    case 'button':
      return `${part.label}:\n${part.url}`
  }
}
