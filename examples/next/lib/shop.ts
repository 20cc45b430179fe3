// The shop behind these pages. Only the server of this app imports it, so the key never reaches a browser.

import 'server-only'
import { CartwrightError, createClient } from '@cartwright/client'
import { cache } from 'react'

const options = {
  baseUrl: process.env.CARTWRIGHT_URL ?? 'http://localhost:4000',
  key: process.env.CARTWRIGHT_KEY,
}

// Prices, stock and carts, as they are now.
export const shop = createClient(options)

// What changes seldom is asked once a minute.
const lasting = createClient({
  ...options,
  fetch: (url, request) => fetch(url, { ...(request as RequestInit), next: { revalidate: 60 } }),
})

export const getSite = cache(async () => (await lasting.site.get()).data)

export const listCategories = cache(async () => {
  const found = []
  for await (const category of lasting.catalog.categories()) found.push(category)
  return found
})

export const findProduct = cache((slug: string) => foundOrNull(shop.catalog.product(slug)))

// Null for what is not there. Everything else that the server refuses is an error of the page.
export async function foundOrNull<Data>(asked: Promise<{ data: Data }>): Promise<Data | null> {
  try {
    return (await asked).data
  } catch (error) {
    if (error instanceof CartwrightError && error.status === 404) return null
    throw error
  }
}
