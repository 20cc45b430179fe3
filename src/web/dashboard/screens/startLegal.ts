// The guide's step for legal texts: the stored text, or a template filled with facts about the shop. A text can be saved once it has no
// gaps.

import type { AdminShop } from '../../../contract/admin/shop.ts'
import { type LegalTextKind, type TextLanguage, textLanguages } from '../../../contract/words.ts'
import { html } from '../../../platform/html/html.ts'
import { dutyList } from '../duties.ts'
import { type Field, type Problems, problemsFromRefusal, readKey, renderForm } from '../form.ts'
import { goToNextStep, guideStepSheet } from '../guide.ts'
import { renderCard, renderNotice } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import type { DashboardWords } from '../words.ts'

const kinds = ['terms', 'withdrawal', 'privacy', 'imprint'] as const satisfies readonly LegalTextKind[]
type Texts = Readonly<Record<(typeof kinds)[number], string>>

function fieldsOf(words: DashboardWords): Field[] {
  return kinds.map((name) => ({
    name,
    label: words.say(`settings.texts.kind.${name}`),
    kind: 'text',
    rows: 12,
    lengthMax: 100_000,
  }))
}

function languageOf({ language }: DashboardWords): TextLanguage {
  return textLanguages.find((one) => one === language) ?? 'en'
}

function templatesOf(words: DashboardWords, { shop }: AdminShop): Texts {
  const gap = words.say('guide.gap')
  const known = {
    seller: shop.legal?.name ?? gap,
    address: (shop.legal?.address ?? [gap]).join(', '),
    email: shop.supportEmail ?? gap,
    vatId: shop.legal?.vatId ?? gap,
    shop: shop.name,
    country: words.country(shop.country),
  }
  return eachKind((kind) => `${words.say('guide.templateMark')}\n\n${words.say(`guide.template.${kind}`, known)}`)
}

function eachKind(textOf: (kind: keyof Texts) => string): Texts {
  return Object.fromEntries(kinds.map((kind) => [kind, textOf(kind)])) as Record<keyof Texts, string>
}

interface Known {
  stored: Texts
  templates: Texts
}

async function knownOf(visit: ScreenVisit): Promise<Known> {
  const { words } = visit
  const [shop, { data }] = await Promise.all([visit.ask('getAdminShop'), visit.ask('getAdminTexts')])
  const language = languageOf(words)
  const stored = eachKind((kind) => data.find((text) => text.kind === kind && text.language === language)?.text ?? '')
  return { stored, templates: templatesOf(words, shop.data) }
}

async function legalSheet(visit: ScreenVisit, values: Texts, problems?: Problems): Promise<ScreenSheet> {
  const { words, to } = visit
  const { data } = await visit.ask('getAdminDuties')
  const missing = data.duties.filter(({ status }) => status === 'missing')
  const texts = renderCard({
    body: html`${renderNotice('info', words.say('guide.legalWarning'))}
<p class="gap">${words.say('guide.legalHow')}</p>
${renderForm(visit, { action: to('start/legal'), fields: fieldsOf(words), values, problems, submit: words.say('guide.save') })}`,
  })
  // Lists all missing duties, including those that are met on other pages, such as the seller's address.
  const list =
    missing.length > 0 &&
    renderCard({ title: words.say('guide.legalMissing'), body: dutyList(visit, { ...data, duties: missing }) })
  return guideStepSheet(visit, 'legal', html`${texts}${list}`, problems)
}

// Returns the texts that differ from both the stored text and the template. A text with gaps is a problem.
function changedIn(
  { words, form: sent }: PostedScreen,
  { stored, templates }: Known,
): { typed: Texts; problems?: Problems; changed: (keyof Texts)[] } {
  const typed = eachKind((kind) => (sent.get(kind) ?? '').replaceAll('\r\n', '\n').trim())
  const changed = kinds.filter((kind) => typed[kind] !== stored[kind] && typed[kind] !== templates[kind].trim())
  const hasGap = (text: string) => /\[[^\]]*\]/.test(text) || text.includes(words.say('guide.templateMark'))
  const at = Object.fromEntries(
    changed.filter((kind) => hasGap(typed[kind])).map((kind) => [`/${kind}`, words.say('guide.legalGap')]),
  )
  if (Object.keys(at).length === 0) return { typed, changed }
  return { typed, changed, problems: { summary: words.say('form.problem'), at } }
}

export const legalStepScreen: Screen = {
  path: 'start/legal',
  name: 'dashboard guide legal',
  place: 'home',
  needs: 'saveAdminText',
  formBytesMax: 1_048_576,
  async get(visit) {
    const { stored, templates } = await knownOf(visit)
    return legalSheet(
      visit,
      eachKind((kind) => stored[kind] || templates[kind]),
    )
  },
  async post(posted) {
    const { words } = posted
    const { typed, changed, problems } = changedIn(posted, await knownOf(posted))
    if (problems) return legalSheet(posted, typed, problems)
    const language = languageOf(words)
    for (const kind of changed) {
      const body = { kind, language, text: typed[kind] }
      const saved = await catchRefusal(posted.ask('saveAdminText', { body, key: `${readKey(posted.form)}-${kind}` }))
      if ('refusal' in saved) {
        const fields = fieldsOf(words).filter(({ name }) => name === kind)
        const asked = fields.map((one) => ({ ...one, pointer: '/text' }))
        const { summary, at } = problemsFromRefusal(words, saved.refusal, asked)
        return legalSheet(posted, typed, {
          summary,
          at: at['/text'] === undefined ? at : { [`/${kind}`]: at['/text'] },
        })
      }
    }
    return goToNextStep(posted, 'legal')
  },
}
