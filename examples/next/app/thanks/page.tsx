import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { foundOrNull, shop } from '../../lib/shop'
import { money } from '../../lib/words'

export const metadata: Metadata = { title: 'Thank you', robots: { index: false } }

// Anyone with the address of this page can see it, so it shows no name.
export default async function ThanksPage({ searchParams }: { searchParams: Promise<{ session?: string }> }) {
  const { session: id } = await searchParams
  const session = id === undefined ? null : await foundOrNull(shop.checkout.get(id))
  if (!session) notFound()
  if (session.orderId === null)
    return (
      <>
        <h1>Your payment is being checked</h1>
        <p className="lead">This takes a moment. You need not pay again.</p>
        <a className="button" href={`/thanks?session=${session.id}`}>
          Look again
        </a>
      </>
    )
  const { data: order } = await shop.orders.get(session.orderId)
  return (
    <>
      <h1>Thank you!</h1>
      <p className="lead">Order {order.number} is placed.</p>
      <ul className="lines">
        {order.items.map(({ skuId, name, quantity, subtotal }) => (
          <li key={skuId} className="ordered">
            <span>
              {quantity} × {name}
            </span>
            <span>{money(subtotal, order.currency)}</span>
          </li>
        ))}
      </ul>
      <p className="price">{money(order.totals.total, order.currency)}</p>
      <Link className="button" href="/">
        Back to the shop
      </Link>
    </>
  )
}
