import type { Cart, CartItem } from '@cartwright/client'
import type { Metadata } from 'next'
import Link from 'next/link'
import { estimateShipping, findCart } from '../../lib/cart'
import { countryName, money, sentenceFor } from '../../lib/words'
import { Once } from '../components/once'
import { Picture } from '../components/picture'
import { applyCode, changeItem, checkOut, nameCountry } from './actions'

export const metadata: Metadata = { title: 'Cart', robots: { index: false } }

export default async function CartPage({ searchParams }: { searchParams: Promise<{ say?: string }> }) {
  const cart = await findCart()
  const said = sentenceFor((await searchParams).say)
  const isEmpty = cart === null || cart.items.length === 0
  return (
    <>
      <h1>Your cart</h1>
      {said !== null && (
        <p className="notice" role="status">
          {said}
        </p>
      )}
      {isEmpty ? (
        <>
          <p className="lead">It is empty.</p>
          <Link className="button" href="/">
            Look around
          </Link>
        </>
      ) : (
        <div className="cart">
          <ul className="lines">
            {cart.items.map((item) => (
              <Line key={item.skuId} cart={cart} item={item} />
            ))}
          </ul>
          <Summary cart={cart} />
        </div>
      )}
    </>
  )
}

function Line({ cart: { version, currency, messages }, item }: { cart: Cart; item: CartItem }) {
  const { skuId, productSlug, code, name, options, quantity, imageUrl, unitPrice, subtotal } = item
  const values = options.map(({ value }) => value)
  const label = [name, ...values].join(', ')
  return (
    <li className="line">
      <Picture src={imageUrl} alt="" />
      <div>
        <h2>
          <Link href={`/products/${productSlug}?sku=${encodeURIComponent(code)}`}>{name}</Link>
        </h2>
        <p>{values.join(' · ')}</p>
        <p>{money(unitPrice, currency)}</p>
        {messages
          .filter((message) => message.skuId === skuId)
          .map(({ code: problem, message }) => (
            <p key={problem} className="warning">
              {message}
            </p>
          ))}
      </div>
      <form action={changeItem} className="stepper" aria-label={`Quantity of ${label}`}>
        <Once />
        <input type="hidden" name="sku" value={skuId} />
        <input type="hidden" name="version" value={version} />
        <button className="hidden" tabIndex={-1} aria-hidden="true">
          Update
        </button>
        <button name="step" value="-1" aria-label={`One ${label} less`}>
          −
        </button>
        <input
          key={quantity}
          type="number"
          name="quantity"
          defaultValue={quantity}
          min={0}
          max={999}
          aria-label={`Quantity of ${label}`}
        />
        <button name="step" value="1" aria-label={`One ${label} more`}>
          +
        </button>
      </form>
      <p className="line-total">{money(subtotal, currency)}</p>
    </li>
  )
}

async function Summary({ cart }: { cart: Cart }) {
  const { currency, promotion } = cart
  const isKnown = cart.shipping.optionId !== null
  const view = isKnown ? null : await estimateShipping(cart.id)
  const totals = view?.estimate.totals ?? cart.totals
  const { subtotal, discount, shipping, tax, taxIncluded, total } = totals
  const isPriced = isKnown || view?.estimate.optionId != null
  const amount = shipping === 0 ? 'Free' : money(shipping, currency)
  return (
    <aside className="summary" aria-label="Summary">
      <form action={applyCode}>
        <Once />
        <label htmlFor="code">Promotion code</label>
        <div className="pair">
          <input id="code" name="code" maxLength={64} autoComplete="off" />
          <button className="quiet">Apply</button>
        </div>
        {promotion.code !== null && (
          <p>
            {promotion.code} is {promotion.state === 'applied' ? 'applied' : 'waiting for its condition'}
          </p>
        )}
      </form>
      {view?.estimate.requiresShipping && (
        <form action={nameCountry}>
          <label htmlFor="country">Country of delivery</label>
          <div className="pair">
            <select id="country" name="country" key={view.estimate.country} defaultValue={view.estimate.country}>
              {view.countries.map((code) => (
                <option key={code} value={code}>
                  {countryName(code)}
                </option>
              ))}
            </select>
            <button className="quiet">Estimate</button>
          </div>
        </form>
      )}
      <dl>
        <Row name="Subtotal" value={money(subtotal, currency)} />
        {discount > 0 && <Row name="Discount" value={`−${money(discount, currency)}`} />}
        <Row
          name={view ? `Shipping (${countryName(view.estimate.country)})` : 'Shipping'}
          value={isPriced ? amount : 'At the checkout'}
        />
        {!taxIncluded && <Row name="Tax" value={money(tax, currency)} />}
        <Row name="Total" value={money(total, currency)} />
      </dl>
      <form action={checkOut}>
        <Once />
        <input type="hidden" name="version" value={cart.version} />
        <button>Check out</button>
      </form>
    </aside>
  )
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
