// The dashboard's pages, for the router. Their code is loaded with the first request to one of them, so a server without such requests
// never loads it.

import type { Mode } from '../../contract/words.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { HtmlPage, PageAnswer } from '../../platform/http/pages.ts'
import { loadOnce } from '../../platform/kit/late.ts'
import type { DashboardParts } from './answer.ts'
import { assetPages } from './assets.ts'

const loadAnswer = loadOnce(() => import('./answer.ts'))
const loadError = loadOnce(() => import('./error.ts'))

const failed = async (request: Incoming, status: number): Promise<PageAnswer> =>
  (await loadError()).failedPage(request, status)

export function createDashboard(parts: DashboardParts): readonly HtmlPage[] {
  return [
    ...assetPages,
    {
      path: '/admin/:shop',
      name: 'dashboard entrance',
      isExpensive: true,
      answer: async (request) => (await loadAnswer()).answerDashboardStart(parts, request),
      failed,
    },
    screensIn(parts, 'live', '/admin/:shop/*'),
    screensIn(parts, 'test', '/admin/:shop/test/*'),
    {
      // Paths that cannot belong to a shop.
      path: '/admin/*',
      name: 'dashboard lost',
      methods: ['GET', 'POST'],
      answer: (request) => failed(request, 404),
      failed,
    },
  ]
}

// All screens of a mode. Once a screen is found, the log and the metrics use its own name. The name below is for unknown paths.
function screensIn(parts: DashboardParts, mode: Mode, path: string): HtmlPage {
  return {
    path,
    name: 'dashboard lost',
    methods: ['GET', 'POST'],
    isExpensive: true,
    answer: async (request) =>
      (await loadAnswer()).answerScreen(parts, request, { mode, rest: request.path['*'] ?? '' }),
    failed,
  }
}
