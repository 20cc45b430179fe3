// The design of the online store: logo, colour, typefaces, corners, density and scheme, as a draft with the store as its preview.

import type { AdminSite } from '../../../contract/admin/site.ts'
import { limits } from '../../../contract/limits.ts'
import type { SiteLook } from '../../../contract/sitecontent.ts'
import { siteCorners, siteDensities, siteFonts, siteSchemes } from '../../../contract/words.ts'
import { contrast, inkOn, parseColor, white } from '../../../platform/html/color.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { type Field, field, keyField, keyIn, type Problems, problemNote, problemsOf } from '../form.ts'
import { button, card, notice } from '../parts.ts'
import { attempt, type Posted, type Screen, type Sheet, type Visit } from '../screen.ts'
import { refuseUnless } from '../shop.ts'
import {
  draftHead,
  draftPaths,
  draftPreview,
  pictureField,
  replaceDraft,
  siteDraftOf,
  uploadedPicture,
  versionIn,
} from '../storedraft.ts'
import { done, refusedBy } from '../toast.ts'

const usualColor = '#2c4c3e'

export const storeLook: Screen = {
  path: 'store/look',
  name: 'dashboard store look',
  place: 'store',
  needs: 'getAdminSite',
  filesBytesMax: limits.pictureBytesMax + 100_000,
  async get(visit) {
    const { data: site } = await visit.ask('getAdminSite')
    return lookSheet(visit, site, siteDraftOf(site).look)
  },
  async post(posted) {
    refuseUnless(posted, 'replaceAdminSite')
    const { words, to } = posted
    const { data: site } = await posted.ask('getAdminSite')
    const typed = typedLook(posted, siteDraftOf(site).look)
    const uploaded = await uploadedPicture(posted)
    if ('problems' in uploaded) return lookSheet(posted, site, typed, uploaded.problems)
    const look = uploaded.url === undefined ? typed : { ...typed, logo: uploaded.url }
    const outcome = await replaceDraft(posted, { ...siteDraftOf(site), look })
    if ('refusal' in outcome) {
      const isStale = outcome.refusal.code === 'version_conflict'
      const problems = problemsOf(words, outcome.refusal, choices(posted))
      return { ...lookSheet(posted, site, look, problems), status: isStale ? 409 : 400 }
    }
    return done(to(draftPaths.look), 'done.draftSaved', { change: outcome.reply.change })
  },
}

function typedLook({ form }: Posted, before: SiteLook): SiteLook {
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

function choices({ words }: Visit): Field[] {
  const choice = (name: 'font' | 'corners' | 'density' | 'scheme', values: readonly string[]): Field => ({
    name,
    label: words.say(`look.${name}`),
    kind: 'choice',
    pointer: `/look/${name}`,
    isRequired: true,
    // Each word of the contract has a text.
    options: values.map((value) => ({ value, label: words.sayKnown(`look.${name}.${value}`, value) })),
  })
  return [
    choice('font', siteFonts),
    choice('corners', siteCorners),
    choice('density', siteDensities),
    choice('scheme', siteSchemes),
  ]
}

function lookSheet(visit: Visit, site: AdminSite, look: SiteLook, problems?: Problems): Sheet {
  const { words, may } = visit
  return {
    title: words.say('store.title'),
    status: problems ? 400 : 200,
    body: html`${draftHead(visit, site, 'look')}<div class="columns preview-columns"><div>${
      may('replaceAdminSite')
        ? card({ title: words.say('look.title'), body: lookForm(visit, site, look, problems) })
        : notice('info', words.say('draft.readOnly'))
    }</div>${draftPreview(visit, site)}</div>`,
  }
}

function lookForm(visit: Visit, site: AdminSite, look: SiteLook, problems?: Problems): Html {
  const { words, to } = visit
  const version = 'form' in visit ? versionIn(visit as Posted) : site.version
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

function colorField({ words }: Visit, { color }: SiteLook): Html {
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

// A readable text colour is always found; the number helps to choose a colour with more contrast.
function contrastWords(words: Visit['words'], color: string): string {
  const given = parseColor(color)
  if (!given) return ''
  const ink = inkOn(given)
  const ratio = words.number(Math.floor(contrast(given, ink) * 10) / 10)
  return words.say(ink === white ? 'look.whiteText' : 'look.blackText', { ratio })
}

export const storeDraft: Screen = {
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
      const outcome = await replaceDraft(posted, site.published)
      if ('refusal' in outcome) return refusedBy(href, outcome.refusal)
      return done(href, 'done.draftDiscarded', { change: outcome.reply.change })
    }
    const body = { expectedVersion: versionIn(posted) }
    const outcome = await attempt(posted.change('publishAdminSite', { body, key: keyIn(form) }))
    if ('refusal' in outcome) return refusedBy(href, outcome.refusal)
    return done(href, 'done.draftPublished', { change: outcome.reply.change })
  },
}
