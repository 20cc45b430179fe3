// The sign-in pages, for the router. Their code is loaded with the first request to one of them.

import { staffPages } from '../../domain/users/places.ts'
import { addressBucket, type Throttle } from '../../platform/access/throttle.ts'
import type { HandOffRoute, HtmlPage } from '../../platform/http/pages.ts'
import { loadOnce } from '../../platform/kit/late.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { AccountPerson, OwnAccount } from './ownaccount.ts'
import { passkeyScript, style } from './page/assets.ts'
import type { SignInPageParts } from './visit.ts'

export interface SignInPagesParts extends SignInPageParts {
  // Limits requests per IP address. Null: no limit.
  throttle: Throttle | null
}

// Loads the account of a signed-in person, for the dashboard's account pages.
export type LoadOwnAccount = (person: AccountPerson) => Promise<OwnAccount>

export interface SignInPages {
  handOffs: readonly HandOffRoute[]
  pages: readonly HtmlPage[]
  accountOf: LoadOwnAccount
}

export function createSignInPages(parts: SignInPagesParts): SignInPages {
  const { throttle, clock } = parts
  const load = loadOnce(async () => {
    const { createSignInHandlers } = await import('./answers.ts')
    return createSignInHandlers(parts)
  })
  const loadAccount = loadOnce(() => import('./ownaccount.ts'))
  return {
    accountOf: async (person) => new (await loadAccount()).OwnAccount(parts, person),
    pages: [style.page, passkeyScript.page],
    handOffs: staffPages.map(({ name, path, methods }) => ({
      name: `staff ${name}`,
      path,
      methods,
      async handle(request, response, requestId) {
        const waitMs = throttle?.take(addressBucket(request.address), clock().getTime()) ?? 0
        if (waitMs > 0) throw refuse('rate_limited', { retryAfterMs: waitMs })
        const { status, body, headers } = await (await load()).answer(name, request, response, requestId)
        response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
      },
      failed: async ({ status, acceptLanguage }) => (await load()).failed(status, acceptLanguage),
    })),
  }
}
