// Fills the shop on Medusa (`medusa exec`), after its own starter: the products come as JSON in a file.
const { readFileSync, writeFileSync } = require('node:fs')
const { Modules, ContainerRegistrationKeys } = require('@medusajs/framework/utils')
const flows = require('@medusajs/medusa/core-flows')

module.exports.default = async function seed({ container }) {
  const { products } = JSON.parse(readFileSync(process.env.PRODUCTS, 'utf8'))
  const run = async (workflow, input) => (await flows[workflow](container).run({ input })).result
  const link = container.resolve(ContainerRegistrationKeys.LINK)
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const country = 'de'

  const [known] = await container.resolve(Modules.SALES_CHANNEL).listSalesChannels({})
  const channel =
    known ?? (await run('createSalesChannelsWorkflow', { salesChannelsData: [{ name: 'Default Sales Channel' }] }))[0]
  const [store] = await container.resolve(Modules.STORE).listStores()
  await run('updateStoresWorkflow', {
    selector: { id: store.id },
    update: {
      supported_currencies: [{ currency_code: 'eur', is_default: true }],
      default_sales_channel_id: channel.id,
    },
  })
  const [region] = await run('createRegionsWorkflow', {
    regions: [
      {
        name: 'Germany',
        currency_code: 'eur',
        countries: [country],
        payment_providers: ['pp_system_default'],
        is_tax_inclusive: true,
      },
    ],
  })
  await run('createTaxRegionsWorkflow', [
    { country_code: country, provider_id: 'tp_system', default_tax_rate: { rate: 19, code: 'vat', name: 'VAT' } },
  ])
  const [location] = await run('createStockLocationsWorkflow', {
    locations: [{ name: 'Warehouse', address: { city: 'Berlin', country_code: 'DE', address_1: '' } }],
  })
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_provider_id: 'manual_manual' },
  })
  const fulfillment = container.resolve(Modules.FULFILLMENT)
  const [profile] = await run('createShippingProfilesWorkflow', { data: [{ name: 'Bench', type: 'default' }] })
  const set = await fulfillment.createFulfillmentSets({
    name: 'Delivery',
    type: 'shipping',
    service_zones: [{ name: 'Germany', geo_zones: [{ country_code: country, type: 'country' }] }],
  })
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_set_id: set.id },
  })
  await run('createShippingOptionsWorkflow', [
    {
      name: 'Standard',
      price_type: 'flat',
      provider_id: 'manual_manual',
      service_zone_id: set.service_zones[0].id,
      shipping_profile_id: profile.id,
      type: { label: 'Standard', description: 'Standard', code: 'standard' },
      prices: [{ currency_code: 'eur', amount: 4.9 }],
      rules: [
        { attribute: 'enabled_in_store', value: 'true', operator: 'eq' },
        { attribute: 'is_return', value: 'false', operator: 'eq' },
      ],
    },
  ])
  await run('linkSalesChannelsToStockLocationWorkflow', { id: location.id, add: [channel.id] })
  const [key] = await run('createApiKeysWorkflow', {
    api_keys: [{ title: 'Bench', type: 'publishable', created_by: '' }],
  })
  await run('linkSalesChannelsToApiKeyWorkflow', { id: key.id, add: [channel.id] })
  for (let from = 0; from < products.length; from += 20)
    await run('createProductsWorkflow', {
      products: products.slice(from, from + 20).map(({ slug, name, description, options, skus }) => ({
        title: name,
        handle: slug,
        description,
        status: 'published',
        shipping_profile_id: profile.id,
        sales_channels: [{ id: channel.id }],
        options: options.map((option) => ({ title: option.name, values: option.values })),
        variants: skus.map(({ code, price, options: chosen }) => ({
          title: Object.values(chosen).join(' / '),
          sku: code,
          options: chosen,
          manage_inventory: true,
          prices: [{ currency_code: 'eur', amount: price / 100 }],
        })),
      })),
    })
  const { data: items } = await query.graph({ entity: 'inventory_item', fields: ['id'] })
  await run('createInventoryLevelsWorkflow', {
    inventory_levels: items.map(({ id }) => ({
      location_id: location.id,
      inventory_item_id: id,
      stocked_quantity: 10_000_000,
    })),
  })
  writeFileSync(process.env.MADE, JSON.stringify({ key: key.token, regionId: region.id }))
}
