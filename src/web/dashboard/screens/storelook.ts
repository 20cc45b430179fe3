// The design of the online store: logo, colour, typefaces, corners, density and colour scheme. The design is edited as a draft, with the
// store as its preview.

import type { AdminSite } from '../../../contract/admin/site.ts'
import { limits } from '../../../contract/limits.ts'
import type { SiteLook } from '../../../contract/sitecontent.ts'
import { siteCorners, siteDensities, siteFonts, siteSchemes } from '../../../contract/words.ts'
import { contrast, inkOn, parseColor, white } from '../../../platform/html/color.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { type Field, field, keyField, type Problems, problemNote, problemsFromRefusal, readKey } from '../form.ts'
import { button, renderCard, renderNotice } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { refuseUnlessAllowed } from '../shop.ts'
import {
  currentSiteDraft,
  draftHead,
  draftPaths,
  draftPreview,
  pictureField,
  readSiteVersion,
  replaceSiteDraft,
  uploadFormPicture,
} from '../storedraft.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'

const usualColor = '#2c4c3e'

export const storeLookScreen: Screen = {
  path: 'store/look',
  name: 'dashboard store look',
  place: 'store',
  needs: 'getAdminSite',
  filesBytesMax: limits.pictureBytesMax + 100_000,
  async get(visit) {
    const { data: site } = await visit.ask('getAdminSite')
    return lookSheet(visit, site, currentSiteDraft(site).look)
  },
  async post(posted) {
    refuseUnlessAllowed(posted, 'replaceAdminSite')
    const { words, to } = posted
    const { data: site } = await posted.ask('getAdminSite')
    const typed = typedLook(posted, currentSiteDraft(site).look)
    const uploaded = await uploadFormPicture(posted)
    if ('problems' in uploaded) return lookSheet(posted, site, typed, uploaded.problems)
    const look = uploaded.url === undefined ? typed : { ...typed, logo: uploaded.url }
    const outcome = await replaceSiteDraft(posted, { ...currentSiteDraft(site), look })
    if ('refusal' in outcome) {
      const isStale = outcome.refusal.code === 'version_conflict'
      const problems = problemsFromRefusal(words, outcome.refusal, choices(posted))
      return { ...lookSheet(posted, site, look, problems), status: isStale ? 409 : 400 }
    }
    return redirectWithToast(to(draftPaths.look), 'done.draftSaved', { change: outcome.reply.change })
  },
}

function typedLook({ form }: PostedScreen, before: SiteLook): SiteLook {
  const word = <Word extends string>(name: string, words: readonly Word[], usual: Word): Word =>
    words.find((one) => one === form.get(name)) ?? usual
  const color = form.get('color') ?? ''
  return {
    logo: form.get('noPicture') === 'on' ? null : before.logo,
    color: form.get('ownColor') === 'on' && /^#[0-9a-f]{6}$/i.test(color) ? color : null,
    font: word('font', siteFonts, before.font),
    corners: word('corners', siteCorners, before.corners),
    density: word('density', siteDensities, before.density),
    scheme: word('scheme', siteSchemes, before.scheme),
  }
}

function choices({ words }: ScreenVisit): Field[] {
  const choice = (name: 'font' | 'corners' | 'density' | 'scheme', values: readonly string[]): Field => ({
    name,
    label: words.say(`look.${name}`),
    kind: 'choice',
    pointer: `/look/${name}`,
    isRequired: true,
    // All values of the contract have texts.
    options: values.map((value) => ({ value, label: words.sayKnown(`look.${name}.${value}`, value) })),
  })
  return [
    choice('font', siteFonts),
    choice('corners', siteCorners),
    choice('density', siteDensities),
    choice('scheme', siteSchemes),
  ]
}

function lookSheet(visit: ScreenVisit, site: AdminSite, look: SiteLook, problems?: Problems): ScreenSheet {
  const { words, may } = visit
  return {
    title: words.say('store.title'),
    status: problems ? 400 : 200,
    body: html`${draftHead(visit, site, 'look')}<div class="columns preview-columns"><div>${
      may('replaceAdminSite')
        ? renderCard({ title: words.say('look.title'), body: lookForm(visit, site, look, problems) })
        : renderNotice('info', words.say('draft.readOnly'))
    }</div>${draftPreview(visit, site)}</div>`,
  }
}

function lookForm(visit: ScreenVisit, site: AdminSite, look: SiteLook, problems?: Problems): Html {
  const { words, to } = visit
  const version = 'form' in visit ? readSiteVersion(visit as PostedScreen) : site.version
  const values: Readonly<Record<string, string>> = { ...look, logo: '', color: '' }
  return html`<form class="form" method="post" action="${to('store/look')}" enctype="multipart/form-data">
    ${keyField()}
    <input type="hidden" name="version" value="${version}">
${problemNote(problems, choices(visit), words)}
<div class="fields">
  ${pictureField(visit, { label: words.say('guide.logo'), present: look.logo, removes: words.say('look.noLogo') })}
  ${colorField(visit, look)}
  ${choices(visit).map((one) => field(words, one, values[one.name], problems))}</div>
<div class="form-foot">${button({ label: words.say('draft.save'), kind: 'first', shortcut: 'save' })}</div></form>`
}

function colorField({ words }: ScreenVisit, { color }: SiteLook): Html {
  return html`<div class="field whole">
    <label for="field-color">${words.say('look.color')}</label>
    <input
      id="field-color"
      type="color"
      name="color"
      value="${color ?? usualColor}"
      aria-describedby="field-color-help">
<label class="check">
  <input type="checkbox" name="ownColor" value="on"${color !== null && html` checked`}> ${words.say('look.ownColor')}</label>
<p class="help" id="field-color-help">
  ${words.say('look.colorHelp')}
  ${color !== null && html` ${contrastWords(words, color)}`}</p></div>`
}

// The text on a button is always readable. The shown ratio helps to choose a colour with more contrast.
function contrastWords(words: ScreenVisit['words'], color: string): string {
  const given = parseColor(color)
  if (!given) return ''
  const ink = inkOn(given)
  const ratio = words.number(Math.floor(contrast(given, ink) * 10) / 10)
  return words.say(ink === white ? 'look.whiteText' : 'look.blackText', { ratio })
}

export const storeDraftScreen: Screen = {
  path: 'store/draft',
  name: 'dashboard store draft',
  place: 'store',
  needs: 'publishAdminSite',
  async post(posted) {
    const { form, to } = posted
    const back = form.get('back')
    const href = to(draftPaths[back === 'home' || back === 'menus' ? back : 'look'])
    if (form.get('do') === 'discard') {
      const { data: site } = await posted.ask('getAdminSite')
      const outcome = await replaceSiteDraft(posted, site.published)
      if ('refusal' in outcome) return redirectWithRefusal(href, outcome.refusal)
      return redirectWithToast(href, 'done.draftDiscarded', { change: outcome.reply.change })
    }
    const body = { expectedVersion: readSiteVersion(posted) }
    const outcome = await catchRefusal(posted.change('publishAdminSite', { body, key: readKey(form) }))
    if ('refusal' in outcome) return redirectWithRefusal(href, outcome.refusal)
    return redirectWithToast(href, 'done.draftPublished', { change: outcome.reply.change })
  },
}
