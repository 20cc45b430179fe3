// The cart of this browser: the server has it, and the browser has its id in a cookie that no script can read.

import 'server-only'
import { cookies } from 'next/headers'
import { cache } from 'react'
import { foundOrNull, getSite, shop } from './shop'

export const cartCookie = 'cart'
export const countryCookie = 'country'

const days = 30

export const findCart = cache(async () => {
  const id = (await cookies()).get(cartCookie)?.value
  const cart = id === undefined ? null : await foundOrNull(shop.carts.get(id))
  return cart?.status === 'open' || cart?.status === 'locked' ? cart : null
})

export async function remember(name: string, value: string): Promise<void> {
  const traits = { httpOnly: true, sameSite: 'lax', path: '/', maxAge: days * 86_400 } as const
  ;(await cookies()).set(name, value, { ...traits, secure: process.env.NODE_ENV === 'production' && isSecure() })
}

// What it costs to send the cart, before there is an address.
export async function estimateShipping(cartId: string) {
  const { shipsTo, merchant } = await getSite()
  const wanted = (await cookies()).get(countryCookie)?.value
  const countries = shipsTo.filter((country) => country !== '*')
  const country = countries.find((one) => one === wanted) ?? countries.find((one) => one === merchant.country)
  const to = country ?? countries[0]
  const estimate = to === undefined ? null : await foundOrNull(shop.carts.estimateShipping(cartId, { country: to }))
  return estimate && { estimate, countries }
}

export function ownOrigin(): string {
  return process.env.PUBLIC_URL ?? 'http://localhost:3000'
}

function isSecure(): boolean {
  return ownOrigin().startsWith('https:')
}
