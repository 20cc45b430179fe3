'use server'

import { CartwrightError } from '@cartwright/client'
import { redirect } from 'next/navigation'
import { cartCookie, countryCookie, findCart, ownOrigin, remember } from '../../lib/cart'
import { getSite, shop } from '../../lib/shop'
import { type Notice, noticeFor } from '../../lib/words'

export async function addItem(form: FormData): Promise<void> {
  const fields = fieldsOf(form)
  const said = await saying('added', async () => remember(cartCookie, await withItem(fields)))
  if (said === 'added') redirect('/cart?say=added')
  const query = new URLSearchParams({ sku: textIn(form, 'code'), say: said })
  redirect(`/products/${encodeURIComponent(textIn(form, 'product'))}?${query}`)
}

// The server sets quantities and does not add to them. With the version of the cart, two windows that add at once both count.
async function withItem({ skuId, quantity, once }: Fields): Promise<string> {
  const cart = await findCart()
  if (!cart) return (await shop.carts.create({ items: [{ skuId, quantity }], idempotencyKey: once })).data.id
  const before = cart.items.find((item) => item.skuId === skuId)?.quantity ?? 0
  const change = { quantity: before + quantity, expectedVersion: cart.version, idempotencyKey: once }
  return (await shop.carts.putItem(cart.id, skuId, change)).data.id
}

export async function changeItem(form: FormData): Promise<void> {
  const { skuId, quantity, step, version, once } = fieldsOf(form)
  const wanted = Math.max(0, quantity + step)
  await changed(wanted === 0 ? 'removed' : 'changed', (cartId) =>
    shop.carts.updateItem(cartId, skuId, { quantity: wanted, expectedVersion: version, idempotencyKey: once }),
  )
}

export async function applyCode(form: FormData): Promise<void> {
  const cart = await findCart()
  const code = textIn(form, 'code').trim() || null
  let notice: Notice = 'trouble'
  const said = await saying('code_applied', async () => {
    if (!cart) return
    const change = { code, idempotencyKey: textIn(form, 'once') }
    const { state } = (await shop.carts.applyPromotion(cart.id, change)).data.promotion
    notice = state === 'none' ? 'code_removed' : `code_${state}`
  })
  redirect(`/cart?say=${said === 'code_applied' ? notice : said}`)
}

export async function nameCountry(form: FormData): Promise<void> {
  const country = textIn(form, 'country')
  if ((await getSite()).shipsTo.includes(country)) await remember(countryCookie, country)
  redirect('/cart')
}

export async function checkOut(form: FormData): Promise<void> {
  const cart = await findCart()
  if (!cart) redirect('/cart')
  let url = '/cart?say=trouble'
  const said = await saying('changed', async () => {
    const { data: session } = await shop.checkout.create({
      cartId: cart.id,
      expectedCartVersion: fieldsOf(form).version,
      successUrl: `${ownOrigin()}/thanks?session={sessionId}`,
      cancelUrl: `${ownOrigin()}/cart`,
      idempotencyKey: textIn(form, 'once'),
    })
    url = session.url ?? url
  })
  redirect(said === 'changed' ? url : `/cart?say=${said}`)
}

async function changed(notice: Notice, change: (cartId: string) => Promise<unknown>): Promise<never> {
  const cart = await findCart()
  redirect(cart ? `/cart?say=${await saying(notice, () => change(cart.id))}` : '/cart')
}

// What to say: that it worked, or why the server refused. Redirects are thrown, so none happens in here.
async function saying<Name extends Notice>(notice: Name, work: () => Promise<unknown>): Promise<Notice> {
  try {
    await work()
    return notice
  } catch (error) {
    if (error instanceof CartwrightError) return noticeFor(error)
    throw error
  }
}

interface Fields {
  skuId: string
  quantity: number
  step: number
  version: number
  once: string
}

function fieldsOf(form: FormData): Fields {
  return {
    skuId: textIn(form, 'sku'),
    quantity: Number(textIn(form, 'quantity')),
    step: Number(textIn(form, 'step')),
    version: Number(textIn(form, 'version')),
    once: textIn(form, 'once'),
  }
}

function textIn(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
