// Runs the shop on Vendure: `fill` makes its tables and products, `serve` and `work` are the two processes of its guide for production.
const { readFileSync, writeFileSync } = require('node:fs')
const core = require('@vendure/core')
const { populate } = require('@vendure/core/cli')
const { config } = require('./vendureConfig.cjs')

const commands = { fill, serve: () => core.bootstrap(config), work }

async function work() {
  const worker = await core.bootstrapWorker(config)
  await worker.startJobQueue()
}

async function fill() {
  const { products } = JSON.parse(readFileSync(process.env.PRODUCTS, 'utf8'))
  writeFileSync(process.env.CSV, csvOf(products))
  const initialData = {
    defaultLanguage: core.LanguageCode.en,
    defaultZone: 'Germany',
    countries: [{ name: 'Germany', code: 'DE', zone: 'Germany' }],
    taxRates: [{ name: 'VAT', percentage: 19 }],
    shippingMethods: [{ name: 'Standard', price: 490 }],
    paymentMethods: [
      {
        name: 'Test',
        handler: {
          code: core.dummyPaymentHandler.code,
          arguments: [{ name: 'automaticSettle', value: 'true' }],
        },
      },
    ],
    collections: [],
  }
  const app = await populate(
    async () => {
      const made = await core.bootstrap(config)
      const channels = made.get(core.ChannelService)
      const context = await made.get(core.RequestContextService).create({ apiType: 'admin' })
      const channel = await channels.getDefaultChannel(context)
      await channels.update(context, {
        id: channel.id,
        pricesIncludeTax: true,
        defaultCurrencyCode: 'EUR',
        availableCurrencyCodes: ['EUR'],
      })
      return made
    },
    initialData,
    process.env.CSV,
  )
  const context = await app.get(core.RequestContextService).create({ apiType: 'admin' })
  const indexing = await app.get(core.SearchService).reindex(context)
  await app.get(core.JobQueueService).start()
  while (
    (await app.get(core.TransactionalConnection).getRepository(context, 'job_record').findOneBy({ id: indexing.id }))
      ?.isSettled !== true
  )
    await new Promise((resolve) => setTimeout(resolve, 200))
  await app.close()
  process.exit(0)
}

const columns =
  'name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets'

// The first line of a product names it, and the others are more variants.
function csvOf(products) {
  const lines = products.flatMap(({ slug, name, description, options: [option], skus }) =>
    skus.map(({ code, price, options }, at) => {
      const head = at === 0 ? [name, slug, description, '', '', option.name] : ['', '', '', '', '', '']
      const value = options[option.name]
      return [...head, value, code, price / 100, 'VAT', 10_000_000, 'true', '', '']
        .map((cell) => JSON.stringify(String(cell)))
        .join(',')
    }),
  )
  return [columns, ...lines, ''].join('\n')
}

commands[process.argv[2]]().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
