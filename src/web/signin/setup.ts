// Handlers for the page of the setup link, on which the first person of an empty server creates an account and a shop. The person is then
// signed in.

import { hashPassword, passwordFault } from '../../domain/users/password.ts'
import { createSession } from '../../domain/users/sessions.ts'
import { isSetupLink, useSetupLink } from '../../domain/users/setup.ts'
import { emailProblem, normalizeEmail } from '../../domain/users/users.ts'
import { readLineField } from '../../platform/html/form.ts'
import { acceptedLocales, localeOf } from '../../platform/html/locale.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { isCountry } from '../../platform/kit/country.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import { answerSheet, errorSheet } from './page/frame.ts'
import { type SetupProblem, type SetupView, setupSheet } from './page/setup.ts'
import { redirectToPath, type SignInPost, type SignInTools, type SignInVisit, setSessionCookie } from './visit.ts'

const nameLengthMax = 200

export function createSetup(tools: SignInTools) {
  const { storage, rootSecret, log } = tools
  const tokenIn = ({ request }: SignInVisit) => request.path.token ?? ''

  async function showSetup(
    visit: SignInVisit,
    view: SetupView = { email: '', shop: '', problem: null },
  ): Promise<PageAnswer> {
    if (!(await storage.read((db) => isSetupLink(db, tokenIn(visit), visit.now))))
      return errorSheet(visit.words, 'lost')
    return answerSheet(view.problem === null ? 200 : view.problem === 'busy' ? 503 : 400, setupSheet(visit.words, view))
  }

  async function postSetup(visit: SignInPost): Promise<PageAnswer> {
    const { form, words, now, requestId, request } = visit
    const token = tokenIn(visit)
    if (!(await storage.read((db) => isSetupLink(db, token, now)))) return errorSheet(words, 'lost')
    const [email, shop] = [
      readLineField(form, 'email').slice(0, 254),
      readLineField(form, 'shop').trim().slice(0, nameLengthMax),
    ]
    const again = (problem: SetupProblem) => showSetup(visit, { email, shop, problem })
    if (emailProblem(email) !== undefined) return again('email')
    if (shop === '') return again('shop')
    const password = form.get('password') ?? ''
    const fault = passwordFault(password)
    if (fault !== undefined) return again(fault)
    const passwordHash = await orBusy(hashPassword(password, tools.passwordCost))
    if (passwordHash === undefined) return again('busy')
    const country = countryIn(request.raw.headers['accept-language'])
    const owner = { token, email: normalizeEmail(email), passwordHash, shopName: shop, country, requestId }
    const made = await orLost(
      storage.write(async (tx) => {
        const done = await useSetupLink(tx, rootSecret, owner, now)
        const userAgent = request.raw.headers['user-agent']
        const input = { userId: done.userId, passwordHash, userAgent, hasSecondFactor: false }
        return { ...done, session: await createSession(tx, input, now) }
      }),
    )
    if (!made) return errorSheet(words, 'lost')
    log.info('the server was set up', { requestId, userId: made.userId })
    if (made.session) setSessionCookie(tools, visit, made.session.token)
    return redirectToPath(`/admin/${made.slug}/start`)
  }

  return { showSetup, postSetup }
}

// Returns the country that the browser's languages name or most likely mean: AT for de-AT, FR for fr (default: DE).
function countryIn(acceptLanguage: string | undefined): string {
  const regions = acceptedLocales(acceptLanguage).map((tag) => localeOf(tag)?.maximize().region ?? '')
  return regions.find(isCountry) ?? 'DE'
}

async function orBusy<Done>(work: Promise<Done>): Promise<Done | undefined> {
  return orUndefined(work, 'unavailable')
}

// Returns undefined if the link was used or a shop was created meanwhile.
async function orLost<Done>(work: Promise<Done>): Promise<Done | undefined> {
  return orUndefined(work, 'invitation_not_found')
}

async function orUndefined<Done>(work: Promise<Done>, code: Refusal['code']): Promise<Done | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && error.code === code) return undefined
    throw error
  }
}
