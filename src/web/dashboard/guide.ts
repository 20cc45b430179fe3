// The setup guide of a new shop: its steps in order, and which of them are done. Progress is not stored but derived from what each step
// has written, so the guide can be left and continued at any time. Home lists the required steps.

import { type Html, html } from '../../platform/html/html.ts'
import type { Problems } from './form.ts'
import { icon } from './icons.ts'
import { linkButton } from './parts.ts'
import { redirectTo, type ScreenResult, type ScreenSheet, type ScreenVisit } from './screen.ts'

export const guideSteps = ['shop', 'taxes', 'look', 'products', 'delivery', 'payment', 'legal', 'open'] as const
export type GuideStep = (typeof guideSteps)[number]

// Steps that a shop does not need before it opens.
export const isOptional: Readonly<Partial<Record<GuideStep, true>>> = { look: true }

export type Progress = Readonly<Record<GuideStep, boolean>>

export async function loadGuideProgress(visit: ScreenVisit): Promise<Progress> {
  const [{ data }, products, site] = await Promise.all([
    visit.ask('getAdminShop'),
    visit.ask('listAdminProducts'),
    visit.inMode('live').ask('getAdminSite'),
  ])
  const { shop, taxes, shipping, paymentMethods, paymentAccounts } = data
  const { links = {} } = shop
  return {
    shop: shop.legal !== undefined,
    taxes: taxes.length > 0,
    look: (shop.logo ?? null) !== null || (shop.color ?? null) !== null,
    products: products.data.length > 0,
    delivery: shipping.length > 0,
    payment: paymentAccounts.length > 0 || paymentMethods.some(({ enabled }) => enabled),
    legal: (links.terms !== undefined && links.privacy !== undefined) || (await hasLegalTexts(visit)),
    open: site.data.status === 'open',
  }
}

async function hasLegalTexts(visit: ScreenVisit): Promise<boolean> {
  const { data } = await visit.ask('getAdminTexts')
  return ['terms', 'privacy'].every((kind) => data.some((text) => text.kind === kind && text.text !== ''))
}

export function nextGuideStep(progress: Progress, after?: GuideStep): GuideStep | undefined {
  const from = after === undefined ? 0 : guideSteps.indexOf(after) + 1
  const open = (step: GuideStep) => !progress[step]
  return guideSteps.slice(from).find(open) ?? guideSteps.find((step) => open(step) && !isOptional[step])
}

// The list of steps, shown above the page of each step.
export function guideNav({ words, to }: ScreenVisit, progress: Progress, current: GuideStep | 'end'): Html {
  return html`<nav class="guide" aria-label="${words.say('guide.title')}">
    <ol>
      ${guideSteps.map(
        (step, at) =>
          html`<li${progress[step] && html` class="done"`}>
          <a href="${to(`start/${step}`)}"${step === current && html` aria-current="step"`}>
            <span class="guide-sign" aria-hidden="true">${progress[step] ? icon('check') : at + 1}</span>
            ${words.say(`guide.${step}`)}
            ${progress[step] && html`<span class="hidden"> ${words.say('home.setup.done')}</span>`}
          </a>
        </li>`,
      )}
    </ol>
  </nav>`
}

// Renders the page of a step, with a link to the next step.
export async function guideStepSheet(
  visit: ScreenVisit,
  step: GuideStep,
  body: Html,
  problems?: Problems,
): Promise<ScreenSheet> {
  const { words, to } = visit
  const progress = await loadGuideProgress(visit)
  const next = guideSteps[guideSteps.indexOf(step) + 1]
  return {
    title: words.say(`guide.${step}`),
    sub: words.say(`guide.${step}Lead`),
    status: problems ? 400 : 200,
    body: html`${guideNav(visit, progress, step)}
${body}
<div class="guide-foot">${
      progress[step] || isOptional[step]
        ? linkButton({ label: words.say('guide.continue'), href: to(next ? `start/${next}` : 'start') })
        : html`<a class="button plain" href="${to(next ? `start/${next}` : 'home')}">${words.say('guide.later')}</a>`
    }</div>`,
  }
}

export async function goToNextStep(visit: ScreenVisit, step: GuideStep): Promise<ScreenResult> {
  const next = nextGuideStep(await loadGuideProgress(visit), step)
  return redirectTo(visit.to(next ? `start/${next}` : 'start'))
}

// Returns the link back to the guide, for pages that the guide links to. Returns undefined once the shop is open, or if the person may
// not open it.
export async function linkToGuide(visit: ScreenVisit): Promise<Html | undefined> {
  const { words, to, may } = visit
  if (!may('openAdminSite')) return undefined
  const { data: site } = await visit.inMode('live').ask('getAdminSite')
  return site.status === 'open' ? undefined : linkButton({ label: words.say('guide.title'), href: to('start') })
}
