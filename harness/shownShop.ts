// A shop at /shop whose pages are all alike, for what happens before a page is asked.

import type { Shops } from '../src/ops/cli/storefront.ts'

export const shownShop: Pick<Shops, 'find' | 'answer' | 'publicOrigin'> = {
  publicOrigin: () => '',
  find: async () => ({
    ...{ slug: 'bloom', base: '/shop', isOpen: true, isDemo: false, installationId: '', origin: '', hasHost: false },
    seller: { merchantId: '', mode: 'live' },
  }),
  answer: async () => ({ status: 200, headers: {}, body: 'shown' }),
}
