// The frame of every e-mail: the sender, the reason for the e-mail, and the contact. Pure.

import type { EmailAudience } from '../../platform/outbox/emails.ts'
import type { Speaker } from '../languages/language.ts'
import { emailSentence } from './texts.ts'

export interface EmailFrame {
  speaker: Speaker
  audience: EmailAudience
  merchant: MerchantFacts
  isTest: boolean
  // The server's own origin, for the URLs of its pictures.
  origin: string
}

export interface MerchantFacts {
  name: string
  // The e-mail address for replies.
  replyTo: string | null
  links: { terms?: string; privacy?: string; refunds?: string; imprint?: string }
  // Contains the order's number if the e-mail is about an order. Null if the merchant has no withdrawal form.
  withdrawalUrl: string | null
  // The https URL of a picture, a colour as #rrggbb, and the design as JSON; null if the merchant has none.
  logo: string | null
  color: string | null
  look: string | null
}

export interface FrameTexts {
  test: string | null
  // Lines at the end of the e-mail: help, the reason for the e-mail, and links.
  help: string | null
  reason: string
  links: readonly { name: string; url: string }[]
}

const reasons = {
  shopper: 'email.reason',
  merchant: 'email.reasonMerchant',
  person: 'email.reasonPerson',
} as const

export function frameTexts({ speaker, audience, merchant, isTest }: EmailFrame): FrameTexts {
  const named = { merchant: merchant.name }
  const links = (['terms', 'privacy', 'refunds', 'imprint'] as const).flatMap((name) => {
    const url = merchant.links[name]
    return url !== undefined && /^https?:\/\//i.test(url) ? [{ name: speaker.say(`legal.${name}`), url }] : []
  })
  const withdrawal =
    merchant.withdrawalUrl === null ? [] : [{ name: speaker.say('withdrawal.link'), url: merchant.withdrawalUrl }]
  return {
    test: isTest ? speaker.say('status.test') : null,
    help: audience === 'shopper' && merchant.replyTo !== null ? emailSentence(speaker, 'email.reply') : null,
    reason: emailSentence(speaker, reasons[audience], named),
    links: audience === 'shopper' ? [...withdrawal, ...links] : [],
  }
}

// Returns the URL of a picture for mail programs, or null for SVG, which they do not show. Pictures of this server are requested in their
// smallest size, which is wide enough for a line.
export function pictureUrl(origin: string, address: string | null): string | null {
  if (address === null || /\.svg(?:$|[?#])/i.test(address)) return null
  if (!address.startsWith('/')) return /^https?:\/\//i.test(address) ? address : null
  return origin + (address.startsWith('/media/mer_') ? `${address}?width=160` : address)
}
