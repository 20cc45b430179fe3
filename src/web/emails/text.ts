// An e-mail as plain text. Pure.

import type { Email, EmailPart } from './content.ts'
import { type EmailFrame, frameTexts } from './frame.ts'

export function emailText(email: Email, frame: EmailFrame): string {
  const { test, help, reason, links } = frameTexts(frame)
  const blocks = [
    frame.merchant.name,
    ...(test === null ? [] : [`[${test}]`]),
    underlined(email.title),
    ...email.parts.map(partText),
    ['--', ...(help === null ? [] : [help]), reason, ...links.map(({ name, url }) => `${name}: ${url}`)].join('\n'),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function underlined(title: string): string {
  return `${title}\n${'='.repeat(Math.min(60, [...title].length))}`
}

function partText(part: EmailPart): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'box':
      return [part.title, ...part.texts].join('\n')
    case 'facts':
      return part.rows.map(({ name, value, url }) => `${name}: ${value}${url ? ` (${url})` : ''}`).join('\n')
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
    case 'legal':
      return `${underlined(part.title)}\n${part.text}`
    case 'button':
      return `${part.label}:\n${part.url}`
  }
}
