// The command `export`: a shop, or its products, as a file on standard output.

import { modes } from '../../contract/words.ts'
import { acpFeed, googleFeed, linkProblem, shopifyFile } from '../imports/exports.ts'
import { countLeftOutItems } from '../imports/googlefeed.ts'
import { shopFileOf } from '../provisioning/export.ts'
import { fileBytesMax, writeShopFile } from '../provisioning/read.ts'
import { CommandFailure, commandOf, Misuse, merchantOption, withMerchant } from './command.ts'

const formats = ['shop', 'shopify', 'google', 'acp'] as const

export const exportCommand = commandOf({
  summary:
    'Write the shop as a shop file, or its products for Shopify, Google Merchant Center or agents (ACP), to standard output.',
  effect: 'reads',
  words: ['[FORMAT]'],
  options: {
    format: {
      value: 'FORMAT',
      help: `the format of the export: ${formats.join(', ')}; also possible without --format, as in \`export shop\``,
    },
    'without-products': {
      help: 'for the format shop: leave out the products, which a large shop needs to stay below the file size limit',
    },
    link: {
      value: 'URL',
      help: 'for the formats google and acp: the address of a product page, such as https://shop.example/products/{slug}',
    },
    origin: {
      value: 'URL',
      help: 'the origin of this server in the addresses of its own pictures (default: CARTWRIGHT_PUBLIC_URL)',
    },
    mode: {
      value: 'MODE',
      help: 'for the formats google and acp: the mode whose stock is exported, test or live (default: live)',
    },
    merchant: merchantOption,
  },
  async run(given, terminal) {
    const { format = given.word, link = '', mode: asked = 'live' } = given.texts
    const mode = modes.find((known) => known === asked)
    if (!mode) throw new Misuse('--mode must be test or live')
    if (!formats.some((known) => known === format)) throw new Misuse(`the format must be one of ${formats.join(', ')}`)
    const problem = format === 'google' || format === 'acp' ? linkProblem(link) : undefined
    if (problem !== undefined) throw new Misuse(`--link ${problem.message}`)
    return withMerchant(given, async (merchant, storage, config) => {
      if (format === 'shop') {
        const { products, ...rest } = await storage.read((db) => shopFileOf(db, merchant))
        const text = writeShopFile(
          given.flags.has('without-products') ? rest : { ...rest, ...(products && { products }) },
        )
        if (Buffer.byteLength(text) > fileBytesMax)
          throw new CommandFailure(
            'the shop file would be larger than `apply` accepts: use --without-products, and export the products with --format shopify',
          )
        terminal.out(text)
        return 0
      }
      const merchantId = merchant.id
      const seller = { merchantId, mode }
      const origin = given.texts.origin ?? config.publicUrl ?? ''
      const texts =
        format === 'shopify'
          ? shopifyFile(storage.read, seller, { origin })
          : (format === 'google' ? googleFeed : acpFeed)(storage.read, seller, { origin, link, now: Date.now() })
      const leftOut = new Map<string, number>()
      for await (const text of texts) {
        terminal.out(text)
        if (format !== 'google') continue
        for (const [why, count] of countLeftOutItems(text)) leftOut.set(why, (leftOut.get(why) ?? 0) + count)
      }
      for (const [why, count] of leftOut)
        terminal.err(`${count} SKUs with ${why} were left out, because Merchant Center would refuse them\n`)
      return 0
    })
  },
})
