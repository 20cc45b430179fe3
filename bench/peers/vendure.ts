// The shop on Vendure, by its shop API as its storefront guides use it: a server and a worker.

import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buyer, callerOf, emailOf, type Ground, materials, type Peer, runProgram, startProgram } from './peer.ts'

export const vendurePackages = ['@vendure/core', 'pg']

const variants = 'variants { id sku name priceWithTax currencyCode stockLevel options { code name } }'
const product = `id slug name description optionGroups { name options { code name } } ${variants}`
const order =
  'id code state totalWithTax subTotalWithTax shippingWithTax taxSummary { taxRate taxTotal } lines { id quantity linePriceWithTax productVariant { id sku name } }'
const outcome = `{ __typename ... on Order { ${order} } ... on ErrorResult { errorCode message } }`

interface Order {
  __typename: string
  id: string
  state: string
  lines: { id: string }[]
}

export async function startVendure(ground: Ground, databaseUrl: string, version: string): Promise<Peer> {
  const folder = join(ground.packages, 'vendure')
  for (const file of ['vendure.cjs', 'vendureConfig.cjs'])
    await copyFile(join(import.meta.dirname, file), join(folder, file))
  const products = join(ground.folder, 'vendure-products.json')
  await writeFile(products, JSON.stringify({ products: ground.products }))
  const port = await ground.port()
  const origin = `http://127.0.0.1:${port}`
  const settings = {
    DATABASE_URL: databaseUrl,
    NODE_ENV: 'production',
    VENDURE_DISABLE_TELEMETRY: 'true',
    PORT: String(port),
    ORIGIN: origin,
    PRODUCTS: products,
    CSV: join(ground.folder, 'vendure-products.csv'),
  }
  const command = (verb: string, more = {}) => ({
    args: ['vendure.cjs', verb],
    folder,
    settings: { ...settings, ...more },
    log: join(ground.folder, 'vendure.log'),
  })
  await runProgram(command('fill', { MAKES_TABLES: '1' }))
  const { call, close } = callerOf(origin, ground.connections)
  const ask = async <Answer>(query: string, input: object = {}, token?: string) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const answer = await call('POST', '/shop-api', headers, { query, variables: input })
    const { data, errors } = answer.json as { data: Answer; errors?: unknown }
    if (errors) throw new Error(`Vendure: ${JSON.stringify(errors).slice(0, 400)}`)
    return { data, token: String(answer.headers['vendure-auth-token'] ?? token) }
  }
  const running = await startProgram(command('serve'), () => ask('{ __typename }'))
  const worker = await startProgram(command('work', { PORT: '0' }), async () => {})

  const { data: listed } = await ask<{ products: { items: { variants: { id: string }[] }[] } }>(
    `{ products(options: { take: 100 }) { items { ${product} } } }`,
  )
  const ids = listed.products.items.map((item) => item.variants[0]?.id ?? '')
  const id = (number: number) => ids[number % ids.length] as string
  const add = `mutation ($id: ID!) { addItemToOrder(productVariantId: $id, quantity: 1) ${outcome} }`
  const newCart = async (number: number, token?: string) => {
    const made = await ask<{ addItemToOrder: Order }>(add, { id: id(number) }, token)
    if (made.data.addItemToOrder.__typename !== 'Order') throw new Error(`Vendure: ${JSON.stringify(made.data)}`)
    return { token: made.token, order: made.data.addItemToOrder }
  }
  const carts: Awaited<ReturnType<typeof newCart>>[] = []
  for (let number = 0; number < 16; number += 1) carts.push(await newCart(number))
  const address = {
    fullName: `${buyer.first} ${buyer.last}`,
    streetLine1: buyer.line1,
    city: buyer.city,
    postalCode: buyer.postalCode,
    countryCode: 'DE',
  }
  const list = `query ($skip: Int!) { products(options: { take: 20, skip: $skip }) { items { ${product} } } }`
  const found =
    'query ($term: String!) { search(input: { term: $term, groupByProduct: true, take: 20 }) { totalItems items { productId slug productName priceWithTax { ... on PriceRange { min max } } } } }'
  return {
    name: `Vendure ${version}`,
    settings:
      'a server and a worker process, its default plugins for jobs, schedules and search, jobs in the database, its dummy payment handler',
    requestsOfOrder: 9,
    doing: {
      product: async (number) => {
        const { data } = await ask<{ product: object | null }>(
          `query ($slug: String!) { product(slug: $slug) { ${product} } }`,
          {
            slug: `p${number % ground.products.length}`,
          },
        )
        if (!data.product) throw new Error('Vendure does not find its product')
      },
      'list of 20': async (number) => {
        const { data } = await ask<{ products: { items: unknown[] } }>(list, { skip: (number * 20) % 180 })
        if (data.products.items.length !== 20) throw new Error('Vendure lists too few products')
      },
      search: async (number) => {
        const { data } = await ask<{ search: { items: unknown[] } }>(found, {
          term: materials[number % materials.length],
        })
        if (data.search.items.length !== 20) throw new Error(`Vendure finds ${data.search.items.length} products`)
      },
      'new cart': async (number) => void (await newCart(number)),
      quantity: async (number) => {
        const { token, order: cart } = carts[number % carts.length] as (typeof carts)[number]
        await ask(
          `mutation ($line: ID!, $quantity: Int!) { adjustOrderLine(orderLineId: $line, quantity: $quantity) ${outcome} }`,
          { line: cart.lines[0]?.id, quantity: 2 + (number % 90) },
          token,
        )
      },
      'order of three': async (number) => {
        const { token } = await newCart(number)
        await newCart(number + 31, token)
        await newCart(number + 62, token)
        await ask(
          `mutation ($customer: CreateCustomerInput!) { setCustomerForOrder(input: $customer) ${outcome} }`,
          { customer: { emailAddress: emailOf(number), firstName: buyer.first, lastName: buyer.last } },
          token,
        )
        await ask(
          `mutation ($address: CreateAddressInput!) { setOrderShippingAddress(input: $address) ${outcome} }`,
          { address },
          token,
        )
        const { data: methods } = await ask<{ eligibleShippingMethods: { id: string }[] }>(
          '{ eligibleShippingMethods { id name priceWithTax } }',
          {},
          token,
        )
        await ask(
          `mutation ($id: [ID!]!) { setOrderShippingMethod(shippingMethodId: $id) ${outcome} }`,
          { id: [methods.eligibleShippingMethods[0]?.id] },
          token,
        )
        await ask(
          'mutation { transitionOrderToState(state: "ArrangingPayment") { __typename ... on Order { id state } ... on OrderStateTransitionError { message transitionError } } }',
          {},
          token,
        )
        const { data: paid } = await ask<{ addPaymentToOrder: Order }>(
          `mutation ($payment: PaymentInput!) { addPaymentToOrder(input: $payment) ${outcome} }`,
          { payment: { method: 'test', metadata: {} } },
          token,
        )
        if (paid.addPaymentToOrder.state !== 'PaymentSettled') throw new Error(`Vendure: ${JSON.stringify(paid)}`)
      },
    },
    usage() {
      const [server, jobs] = [running.usage(), worker.usage()]
      return { cpuUs: server.cpuUs + jobs.cpuUs, rssBytes: server.rssBytes + jobs.rssBytes }
    },
    async stop() {
      await close()
      await worker.stop()
      await running.stop()
    },
  }
}
