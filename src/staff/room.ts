// The pages of people for the rest of the code: their addresses.

import type { ServerResponse } from 'node:http'
import { addressBucket, type Throttle } from '../access/throttle.ts'
import type { Incoming } from '../http/message.ts'
import type { HandOff, HtmlPage, PageAnswer } from '../http/pages.ts'
import { refuse } from '../kit/refuse.ts'
import { readForm } from '../pages/form.ts'
import { isSameOrigin } from '../pages/origin.ts'
import { createAccountPages } from './account.ts'
import { createEntrance } from './entrance.ts'
import { linkPaths } from './invitations.ts'
import { errorSheet, passkeyScript, style } from './page/frame.ts'
import { wordsOf } from './page/words.ts'
import { createSignIn, type SignInParts } from './signin.ts'
import { type Posted, readVisit, type Shown, type StaffTools, type Visit } from './visit.ts'

export interface StaffRoomParts extends SignInParts {
  // By address; null: no limit.
  throttle: Throttle | null
}

export interface StaffRoom {
  handOffs: readonly HandOff[]
  pages: readonly HtmlPage[]
}

interface Place {
  name: string
  path: string
  get?: (visit: Visit) => Shown
  post?: (visit: Posted) => Shown
}

export function createStaffRoom(parts: StaffRoomParts): StaffRoom {
  const tools: StaffTools = { ...parts, signIn: createSignIn(parts) }
  const entrance = createEntrance(tools)
  const account = createAccountPages(tools)
  const places: readonly Place[] = [
    { name: 'staff home', path: '/admin', get: account.showHome },
    {
      name: 'staff sign-in',
      path: '/admin/sign-in',
      get: (visit) => entrance.showSignIn(visit),
      post: entrance.postSignIn,
    },
    { name: 'staff sign-out', path: '/admin/sign-out', post: entrance.postSignOut },
    {
      name: 'staff forgotten',
      path: '/admin/forgotten',
      get: entrance.showForgotten,
      post: entrance.postForgotten,
    },
    {
      name: 'staff reset',
      path: `${linkPaths.password_reset}/:token`,
      get: (visit) => entrance.showReset(visit),
      post: entrance.postReset,
    },
    {
      name: 'staff invitation',
      path: `${linkPaths.invitation}/:token`,
      get: (visit) => entrance.showInvitation(visit),
      post: entrance.postInvitation,
    },
    { name: 'staff account', path: '/admin/account', get: account.showAccount, post: account.postAccount },
    { name: 'staff passkey options', path: '/admin/passkeys/options', post: account.postOptions },
    { name: 'staff confirm', path: '/admin/confirm', get: account.showConfirm, post: account.postConfirm },
  ]
  return { handOffs: places.map((place) => handOffOf(parts, tools, place)), pages: [style.page, passkeyScript.page] }
}

function handOffOf(
  { throttle, clock, publicOrigin }: StaffRoomParts,
  tools: StaffTools,
  { name, path, get, post }: Place,
): HandOff {
  function admit({ address }: Incoming): void {
    const waitMs = throttle?.take(addressBucket(address), clock().getTime()) ?? 0
    if (waitMs > 0) throw refuse('rate_limited', { retryAfterMs: waitMs })
  }

  async function answer(request: Incoming, response: ServerResponse, requestId: string): Promise<PageAnswer> {
    admit(request)
    const isPost = request.raw.method === 'POST'
    const visit = await readVisit(tools, request, response, requestId)
    if (!isPost) return get ? get(visit) : errorSheet(visit.words, 'lost')
    if (!isSameOrigin(request.raw, publicOrigin())) return errorSheet(visit.words, 'foreign')
    const form = await readForm(request.raw)
    if (typeof form === 'number' || !post) return errorSheet(visit.words, 'unreadable')
    return post({ ...visit, form })
  }

  return {
    name,
    path,
    methods: [...(get ? (['GET'] as const) : []), ...(post ? (['POST'] as const) : [])],
    async handle(request, response, requestId) {
      const { status, body, headers } = await answer(request, response, requestId)
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
    },
    failed({ status }) {
      return errorSheet(wordsOf('en'), status === 429 ? 'limited' : status < 500 ? 'unreadable' : 'server')
    },
  }
}
