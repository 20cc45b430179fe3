// `export`: the products of a merchant as a file, on standard output.

import { modes } from '../../contract/words.ts'
import { googleFeed, linkProblem, shopifyFile } from '../imports/exports.ts'
import { leftOutOf } from '../imports/googlefeed.ts'
import { command, Misuse, merchantOption, withMerchant } from './command.ts'

const formats = ['shopify', 'google'] as const

export const exportCommand = command({
  summary: 'Write the products as a product file of Shopify or a feed for Google Merchant Center.',
  effect: 'reads',
  options: {
    format: { value: 'FORMAT', help: formats.join(', '), isRequired: true },
    link: { value: 'URL', help: 'for google: the page of a product, such as https://shop.example/products/{slug}' },
    origin: { value: 'URL', help: 'of this server, before its own pictures (default: CARTWRIGHT_PUBLIC_URL)' },
    mode: { value: 'MODE', help: 'for google: whose stock is told, test or live (default: live)' },
    merchant: merchantOption,
  },
  async run(given, terminal) {
    const { format, link = '', mode: asked = 'live' } = given.texts
    const mode = modes.find((known) => known === asked)
    if (!mode) throw new Misuse('--mode must be test or live')
    if (!formats.some((known) => known === format)) throw new Misuse(`--format must be ${formats.join(' or ')}`)
    const problem = format === 'google' ? linkProblem(link) : undefined
    if (problem !== undefined) throw new Misuse(`--link ${problem.message}`)
    return withMerchant(given, async ({ id: merchantId }, storage, config) => {
      const seller = { merchantId, mode }
      const origin = given.texts.origin ?? config.publicUrl ?? ''
      const texts =
        format === 'google'
          ? googleFeed(storage.read, seller, { origin, link, now: Date.now() })
          : shopifyFile(storage.read, seller, { origin })
      const leftOut = new Map<string, number>()
      for await (const text of texts) {
        terminal.out(text)
        if (format !== 'google') continue
        for (const [why, count] of leftOutOf(text)) leftOut.set(why, (leftOut.get(why) ?? 0) + count)
      }
      for (const [why, count] of leftOut)
        terminal.err(`left out, since Merchant Center would refuse them: ${count} SKUs with ${why}\n`)
      return 0
    })
  },
})
