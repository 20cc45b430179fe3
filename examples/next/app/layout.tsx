import type { Metadata } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { findCart } from '../lib/cart'
import { getSite, listCategories } from '../lib/shop'
import './globals.css'

// Every page shows how many things are in the cart.
export const dynamic = 'force-dynamic'

export async function generateMetadata(): Promise<Metadata> {
  const { merchant } = await getSite()
  return {
    title: { default: merchant.name, template: `%s · ${merchant.name}` },
    description: `${merchant.name}: everything in the shop.`,
  }
}

export default async function Layout({ children }: { children: ReactNode }) {
  const [{ merchant, mode, links, withdrawalUrl }, categories, cart] = await Promise.all([
    getSite(),
    listCategories(),
    findCart(),
  ])
  const count = cart?.itemCount ?? 0
  return (
    <html lang="en">
      <body>
        <a className="skip" href="#main">
          Skip to the content
        </a>
        <header className="top">
          <Link className="name" href="/">
            {merchant.name}
          </Link>
          <search>
            <form action="/search">
              <input
                type="search"
                name="q"
                aria-label="Search the shop"
                placeholder="Search"
                maxLength={200}
                required
              />
            </form>
          </search>
          <Link className="to-cart" href="/cart">
            Cart{count > 0 && <span className="count">{count}</span>}
          </Link>
          <nav aria-label="Categories">
            <ul>
              {categories
                .filter(({ path }) => path.length === 1)
                .map(({ slug, name }) => (
                  <li key={slug}>
                    <Link href={`/categories/${slug}`}>{name}</Link>
                  </li>
                ))}
            </ul>
          </nav>
        </header>
        <main id="main">{children}</main>
        <footer>
          <p>{merchant.name}</p>
          <ul>
            {withdrawalUrl !== null && (
              <li>
                <a href={withdrawalUrl}>Withdraw from contract here</a>
              </li>
            )}
            {Object.entries(links).map(([name, href]) => (
              <li key={name}>
                <a href={href}>{name}</a>
              </li>
            ))}
          </ul>
          {mode === 'test' && <p>A test shop: no money moves and nothing is sent.</p>}
        </footer>
      </body>
    </html>
  )
}
