// Legal texts: the existing texts by language, and the form for one text. Each save creates a version.

import type { AdminText } from '../../../contract/admin/texts.ts'
import {
  type LegalTextKind,
  legalTextKinds,
  noticeLanguages,
  type TextLanguage,
  textLanguages,
} from '../../../contract/words.ts'
import { html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { type Field, problemsFromRefusal, readKey, renderForm } from '../form.ts'
import { linkButton, renderCard } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { renderSections, settingSections } from '../sections.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'

export const legalTextsScreen: Screen = {
  path: 'settings/texts',
  name: 'dashboard texts',
  place: 'settings',
  needs: 'getAdminTexts',
  async get(visit) {
    const { words, to } = visit
    const { data } = await visit.ask('getAdminTexts')
    const cell = (kind: LegalTextKind, language: TextLanguage) => {
      const found = data.find((text) => text.kind === kind && text.language === language)
      const label = found
        ? words.say('settings.texts.version', { version: found.version })
        : words.say('settings.texts.none')
      return html`<li>
        <a href="${to(`settings/texts/${kind}/${language}`)}">${languageName(words, language)}</a> <span
          class="soft small">
          ${label}
        </span>
      </li>`
    }
    return {
      title: words.say('settings.title'),
      body: html`${renderSections(visit, settingSections, 'texts')}
<p class="lead gap">${words.say('settings.texts.lead')}</p>
<div class="columns even">${legalTextKinds.map((kind) =>
        renderCard({
          title: words.say(`settings.texts.kind.${kind}`),
          body: html`<ul>${languagesOf(kind).map((language) => cell(kind, language))}</ul>`,
        }),
      )}</div>`,
    }
  },
}

function languagesOf(kind: LegalTextKind): readonly TextLanguage[] {
  return kind === 'guarantee' ? noticeLanguages : textLanguages
}

export const legalTextScreen: Screen = {
  path: 'settings/texts/:kind/:language',
  name: 'dashboard text',
  place: 'settings',
  needs: 'getAdminTexts',
  formBytesMax: 1_048_576,
  async get(visit) {
    const { kind, language } = named(visit)
    const { data } = await visit.ask('getAdminTexts')
    const found = data.find((text) => text.kind === kind && text.language === language)
    return textSheet(visit, { found, text: found?.text ?? '' })
  },
  async post(posted: PostedScreen) {
    const { words, form: sent } = posted
    const text = (sent.get('text') ?? '').replaceAll('\r\n', '\n').trim()
    const saved = await catchRefusal(
      posted.ask('saveAdminText', { body: { ...named(posted), text }, key: readKey(sent) }),
    )
    if (!('refusal' in saved)) return redirectWithToast(posted.to('settings/texts'), 'done.settings')
    return {
      ...textSheet(posted, { text, problems: problemsFromRefusal(words, saved.refusal, fields(words)) }),
      status: 409,
    }
  },
}

function named({ path }: ScreenVisit): { kind: LegalTextKind; language: TextLanguage } {
  // The notice on the legal guarantee is a picture and has a page of its own.
  const kind = legalTextKinds.find((one) => one === path.kind && one !== 'guarantee')
  const language = textLanguages.find((one) => one === path.language)
  if (!kind || !language) throw refuse('route_not_found')
  return { kind, language }
}

function fields(words: DashboardWords): Field[] {
  return [
    {
      name: 'text',
      label: words.say('settings.texts.text'),
      kind: 'text',
      rows: 24,
      lengthMax: 100_000,
      help: words.say('settings.texts.textHelp'),
    },
  ]
}

interface Shown {
  found?: AdminText | undefined
  text: string
  problems?: ReturnType<typeof problemsFromRefusal>
}

function textSheet(visit: ScreenVisit, { found, text, problems }: Shown): ScreenSheet {
  const { words, to, may, shop } = visit
  const { kind, language } = named(visit)
  const title = words.say('settings.texts.edit', {
    kind: words.say(`settings.texts.kind.${kind}`),
    language: languageName(words, language),
  })
  return {
    title,
    back: { href: to('settings/texts'), label: words.say('settings.texts') },
    actions: found && linkButton({ label: words.say('settings.texts.see'), href: `/legal/${shop.slug}/${kind}` }),
    sub: found && words.say('settings.texts.version', { version: found.version }),
    body: may('saveAdminText')
      ? renderForm(visit, {
          action: to(`settings/texts/${kind}/${language}`),
          fields: fields(words),
          values: { text },
          problems,
          submit: words.say('action.save'),
        })
      : html`<p>${text}</p>`,
  }
}

export function languageName({ language }: DashboardWords, code: TextLanguage): string {
  return new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code
}
