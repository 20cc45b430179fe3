// Three elements for pages of any site: <cartwright-product>, <cartwright-buy> and <cartwright-cart>. The cart is on the server and its
// id in the page's local storage; payment is on the hosted checkout. Texts of the shop are only inserted as text, never as HTML.

import { BuyElement } from './buy.ts'
import { CartElement } from './cart.ts'
import { ProductElement } from './product.ts'
import { shop } from './shop.ts'

if (shop.key === '') throw new Error('elements.js: the attribute data-key is required')
customElements.define('cartwright-buy', BuyElement)
customElements.define('cartwright-product', ProductElement)
customElements.define('cartwright-cart', CartElement)
