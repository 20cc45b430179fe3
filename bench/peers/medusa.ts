// The shop on Medusa, by its store API as its storefront guides use it.

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buyer, callerOf, emailOf, type Ground, materials, type Peer, runProgram, startProgram } from './peer.ts'

export const medusaPackages = ['@medusajs/medusa', '@medusajs/framework', '@medusajs/cli']

interface Cart {
  cart: { id: string; items: { id: string }[] }
}

export async function startMedusa(ground: Ground, databaseUrl: string, version: string): Promise<Peer> {
  const folder = join(ground.packages, 'medusa')
  await mkdir(join(folder, 'src', 'scripts'), { recursive: true })
  await copyFile(join(import.meta.dirname, 'medusaConfig.cjs'), join(folder, 'medusa-config.js'))
  await copyFile(join(import.meta.dirname, 'medusaSeed.cjs'), join(folder, 'src', 'scripts', 'seed.js'))
  const [products, made] = [join(ground.folder, 'medusa-products.json'), join(ground.folder, 'medusa-made.json')]
  await writeFile(products, JSON.stringify({ products: ground.products }))
  const port = await ground.port()
  const origin = `http://127.0.0.1:${port}`
  const settings = {
    DATABASE_URL: databaseUrl,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    MEDUSA_DISABLE_TELEMETRY: 'true',
    PORT: String(port),
    ORIGIN: origin,
    PRODUCTS: products,
    MADE: made,
  }
  const command = (...args: string[]) => ({
    args: [join('node_modules', '@medusajs', 'cli', 'cli.js'), ...args],
    folder,
    settings,
    log: join(ground.folder, 'medusa.log'),
  })
  await runProgram(command('db:migrate'))
  await runProgram(command('exec', './src/scripts/seed.js'))
  const { key, regionId } = JSON.parse(await readFile(made, 'utf8')) as { key: string; regionId: string }
  const { call, close } = callerOf(origin, ground.connections)
  const running = await startProgram(command('start'), async () => {
    const response = await fetch(`${origin}/health`)
    if (response.status !== 200) throw new Error('not ready')
  })
  const headers = { 'x-publishable-api-key': key }
  const prices = `region_id=${regionId}&fields=*variants.calculated_price,%2Bvariants.inventory_quantity`
  const ask = async <Answer>(method: string, path: string, body?: object) =>
    (await call(method, `/store${path}`, headers, body)).json as Answer

  const { products: listed } = await ask<{ products: { variants: { id: string }[] }[] }>(
    'GET',
    `/products?limit=200&${prices}`,
  )
  const variants = listed.map((product) => product.variants[0]?.id ?? '')
  const variant = (number: number) => variants[number % variants.length] as string
  const newCart = (items: readonly string[]) =>
    ask<Cart>('POST', '/carts', { region_id: regionId, items: items.map((id) => ({ variant_id: id, quantity: 1 })) })
  const carts = await Promise.all(Array.from({ length: 16 }, (_, number) => newCart([variant(number)])))
  const address = {
    first_name: buyer.first,
    last_name: buyer.last,
    address_1: buyer.line1,
    city: buyer.city,
    postal_code: buyer.postalCode,
    country_code: 'de',
  }
  return {
    name: `Medusa ${version}`,
    settings:
      'one process in shared worker mode, modules in memory where it recommends Redis, dashboard off, its system payment provider',
    requestsOfOrder: 7,
    doing: {
      product: async (number) => {
        const { products: found } = await ask<{ products: unknown[] }>(
          'GET',
          `/products?handle=p${number % variants.length}&${prices}`,
        )
        if (found.length !== 1) throw new Error('Medusa does not find its product')
      },
      'list of 20': (number) => twenty(ask('GET', `/products?limit=20&offset=${(number * 20) % 180}&${prices}`)),
      search: (number) => twenty(ask('GET', `/products?limit=20&q=${materials[number % materials.length]}&${prices}`)),
      'new cart': async (number) => void (await newCart([variant(number)])),
      quantity: async (number) => {
        const { cart } = carts[number % carts.length] as Cart
        await ask('POST', `/carts/${cart.id}/line-items/${cart.items[0]?.id}`, { quantity: 2 + (number % 90) })
      },
      'order of three': async (number) => {
        const { cart } = await newCart([variant(number), variant(number + 31), variant(number + 62)])
        await ask('POST', `/carts/${cart.id}`, {
          email: emailOf(number),
          shipping_address: address,
          billing_address: address,
        })
        const { shipping_options: options } = await ask<{ shipping_options: { id: string }[] }>(
          'GET',
          `/shipping-options?cart_id=${cart.id}`,
        )
        await ask('POST', `/carts/${cart.id}/shipping-methods`, { option_id: options[0]?.id })
        const { payment_collection: payment } = await ask<{ payment_collection: { id: string } }>(
          'POST',
          '/payment-collections',
          { cart_id: cart.id },
        )
        await ask('POST', `/payment-collections/${payment.id}/payment-sessions`, { provider_id: 'pp_system_default' })
        const { type } = await ask<{ type: string }>('POST', `/carts/${cart.id}/complete`, {})
        if (type !== 'order') throw new Error('Medusa completed no order')
      },
    },
    usage: running.usage,
    async stop() {
      await close()
      await running.stop()
    },
  }
}

async function twenty(answer: Promise<unknown>): Promise<void> {
  const { products } = (await answer) as { products: unknown[] }
  if (products.length !== 20) throw new Error(`Medusa lists ${products.length} products`)
}
