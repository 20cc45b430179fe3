// The picture of the harmonised notice on the legal guarantee, in one language. The merchant gets it from the European Commission: the
// law fixes its design, so this server does not draw it.

import type { AdminText } from '../../../contract/admin/texts.ts'
import { limits } from '../../../contract/limits.ts'
import { noticeLanguages, type TextLanguage } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { type Problems, problemsFromRefusal, readKey, renderForm } from '../form.ts'
import { linkButton, renderCard } from '../parts.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { pictureField, uploadFormPicture } from '../storedraft.ts'
import { redirectWithToast } from '../toast.ts'
import { languageName } from './texts.ts'

// The European Commission's page with the notice in 24 languages.
const filesUrl =
  'https://commission.europa.eu/publications/practical-guidelines-and-high-resolution-vector-files-eu-notice-and-label-product-guarantees_en'

export const guaranteePictureScreen: Screen = {
  path: 'settings/texts/guarantee/:language',
  name: 'dashboard guarantee notice',
  place: 'settings',
  needs: 'getAdminTexts',
  filesBytesMax: limits.pictureBytesMax + 100_000,
  async get(visit) {
    return noticeSheet(visit, await findNotice(visit))
  },
  async post(posted) {
    const { words, form: sent } = posted
    const found = await findNotice(posted)
    const uploaded = await uploadFormPicture(posted)
    if ('problems' in uploaded) return noticeSheet(posted, found, uploaded.problems)
    const text = uploaded.url ?? (sent.get('noPicture') === 'on' ? '' : (found?.text ?? ''))
    const body = { kind: 'guarantee' as const, language: languageIn(posted), text }
    const saved = await catchRefusal(posted.ask('saveAdminText', { body, key: readKey(sent) }))
    if ('refusal' in saved) return noticeSheet(posted, found, problemsFromRefusal(words, saved.refusal))
    return redirectWithToast(posted.to('settings/texts'), 'done.settings')
  },
}

async function findNotice(visit: ScreenVisit): Promise<AdminText | undefined> {
  const language = languageIn(visit)
  const { data } = await visit.ask('getAdminTexts')
  return data.find((text) => text.kind === 'guarantee' && text.language === language)
}

function languageIn({ path }: ScreenVisit): TextLanguage {
  const language = noticeLanguages.find((one) => one === path.language)
  if (!language) throw refuse('route_not_found')
  return language
}

function noticeSheet(visit: ScreenVisit, found: AdminText | undefined, problems?: Problems): ScreenSheet {
  const { words, to, may, shop } = visit
  const language = languageIn(visit)
  const kind = words.say('settings.texts.kind.guarantee')
  const body = html`<p>${words.say('notice.how')}</p>
<p><a href="${filesUrl}" target="_blank" rel="noopener noreferrer">${words.say('notice.files')}</a></p>
${
  may('saveAdminText')
    ? renderForm(visit, {
        action: to(`settings/texts/guarantee/${language}`),
        takesFiles: true,
        fields: [],
        more: fieldOf(visit, kind, found),
        problems,
        submit: words.say('action.save'),
      })
    : found && html`<p><img src="${found.text}" alt="${kind}"></p>`
}`
  return {
    title: words.say('settings.texts.edit', { kind, language: languageName(words, language) }),
    ...(problems && { status: 400 }),
    back: { href: to('settings/texts'), label: words.say('settings.texts') },
    actions: found && linkButton({ label: words.say('settings.texts.see'), href: `/legal/${shop.slug}/guarantee` }),
    sub: found && words.say('settings.texts.version', { version: found.version }),
    body: renderCard({ body }),
  }
}

function fieldOf(visit: ScreenVisit, label: string, found: AdminText | undefined): Html {
  const present = found?.text ?? null
  return html`<div class="fields">${pictureField(visit, { label, present, removes: visit.words.say('notice.remove') })}</div>`
}
