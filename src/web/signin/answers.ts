// Handlers of the sign-in pages, by the name of the page.

import type { ServerResponse } from 'node:http'
import type { StaffPageName } from '../../domain/users/places.ts'
import { createCountedSignIn } from '../../domain/users/signin.ts'
import { readForm } from '../../platform/html/form.ts'
import { isSameOrigin } from '../../platform/html/origin.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { AccountPages } from './account.ts'
import { SignInEntrancePages } from './entrance.ts'
import { errorSheet } from './page/frame.ts'
import { signInWordsFor } from './page/words.ts'
import { createSetup } from './setup.ts'
import {
  readVisit,
  type SignInAnswer,
  type SignInPageParts,
  type SignInPost,
  type SignInTools,
  type SignInVisit,
} from './visit.ts'

interface PlaceAnswers {
  get?: (visit: SignInVisit) => SignInAnswer
  post?: (visit: SignInPost) => SignInAnswer
}

export interface SignInAnswers {
  answer(name: StaffPageName, request: Incoming, response: ServerResponse, requestId: string): Promise<PageAnswer>
  failed(status: number, acceptLanguage: string | undefined): PageAnswer
}

export function createSignInHandlers(parts: SignInPageParts): SignInAnswers {
  const tools: SignInTools = { ...parts, signIn: createCountedSignIn(parts) }
  const entrance = new SignInEntrancePages(tools)
  const setup = createSetup(tools)
  const account = new AccountPages(tools)
  const answers: Readonly<Record<StaffPageName, PlaceAnswers>> = {
    home: { get: account.showHome },
    'sign-in': { get: (visit) => entrance.showSignIn(visit), post: (visit) => entrance.postSignIn(visit) },
    'sign-out': { post: (visit) => entrance.postSignOut(visit) },
    forgotten: { get: (visit) => entrance.showForgotten(visit), post: (visit) => entrance.postForgotten(visit) },
    reset: { get: (visit) => entrance.showReset(visit), post: (visit) => entrance.postReset(visit) },
    invitation: { get: (visit) => entrance.showInvitation(visit), post: (visit) => entrance.postInvitation(visit) },
    setup: { get: (visit) => setup.showSetup(visit), post: setup.postSetup },
    account: { get: account.showAccount },
    'passkey options': { post: (visit) => account.postOptions(visit) },
    confirm: { get: account.showConfirm, post: account.postConfirm },
  }
  return {
    async answer(name, request, response, requestId) {
      const { get, post } = answers[name]
      const isPost = request.raw.method === 'POST'
      const visit = await readVisit(tools, request, response, requestId)
      if (!isPost) return get ? get(visit) : errorSheet(visit.words, 'lost')
      if (!isSameOrigin(request.raw, parts.publicOrigin())) return errorSheet(visit.words, 'foreign')
      const form = await readForm(request.raw)
      if (typeof form === 'number' || !post) return errorSheet(visit.words, 'unreadable')
      return post({ ...visit, form })
    },
    failed: (status, acceptLanguage) =>
      errorSheet(signInWordsFor(acceptLanguage), status === 429 ? 'limited' : status < 500 ? 'unreadable' : 'server'),
  }
}
