// Settings for agents: whether software may find products and buy for shoppers, who may pay, and the shop's URLs for agents.

import type { AdminAgentPlatform, AdminAgents } from '../../../contract/admin/agents.ts'
import {
  type AgentLevel,
  type AgentPayers,
  agentLevels,
  agentPayers,
  platformStatuses,
} from '../../../contract/agents/settings.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  field,
  keyField,
  moneyText,
  type Problems,
  problemNote,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { button, linkButton, renderCard, renderTime, statusPill } from '../parts.ts'
import {
  catchRefusal,
  type PostedScreen,
  type Screen,
  type ScreenResult,
  type ScreenSheet,
  type ScreenVisit,
} from '../screen.ts'
import { copyField, secretSheet } from '../secret.ts'
import { renderSections, settingSections } from '../sections.ts'
import { refuseUnlessAllowed } from '../shop.ts'
import { renderTable } from '../table.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'

export const agentsScreen: Screen = {
  path: 'settings/agents',
  name: 'dashboard agents',
  place: 'settings',
  needs: 'getAdminAgents',
  get: async (visit) => agentsSheet(visit, (await visit.ask('getAdminAgents')).data),
  async post(posted) {
    const { form: fields, to, words, shop } = posted
    refuseUnlessAllowed(posted, 'updateAdminAgents')
    const drawn = [reviewField(words, shop.currency)]
    const read = buildBody(words, drawn, fields)
    const who = agentPayers.find((known) => known === fields.get('who'))
    const chosen = {
      level: agentLevels.find((known) => known === fields.get('level')) ?? 'off',
      ...(who && { who }),
      orderWebhooks: fields.get('orderWebhooks') !== null,
    }
    const again = async (problems: Problems) => {
      const { data } = await posted.ask('getAdminAgents')
      return agentsSheet(posted, { ...data, ...chosen }, { values: readTypedValues(drawn, fields), problems })
    }
    if ('problems' in read) return again(read.problems)
    const body = { expectedVersion: Number(fields.get('version')), ...chosen, ...read.body }
    const outcome = await catchRefusal(posted.change('updateAdminAgents', { body, key: readKey(fields) }))
    if (!('refusal' in outcome))
      return redirectWithToast(to('settings/agents'), 'done.settings', { change: outcome.reply.change })
    if (outcome.refusal.code !== 'invalid_request') return redirectWithRefusal(to('settings/agents'), outcome.refusal)
    return again(problemsFromRefusal(words, outcome.refusal, drawn))
  },
}

interface Typed {
  values: FieldValues
  problems: Problems
}

function agentsSheet(visit: ScreenVisit, settings: AdminAgents, typed?: Typed): ScreenSheet {
  return {
    title: visit.words.say('settings.title'),
    status: typed ? 400 : 200,
    body: html`${renderSections(visit, settingSections, 'agents')}
${levelCard(visit, settings, typed)}
${settings.level !== 'off' && html`${platformsCard(visit)}${addressCard(visit, settings)}`}`,
  }
}

function reviewField(words: DashboardWords, currency: string): Field {
  return {
    name: 'reviewFrom',
    label: words.say('agents.reviewFrom'),
    help: words.say('agents.reviewFromHelp'),
    kind: 'money',
    currency,
    isNullable: true,
  }
}

function levelCard({ words, to, may, mode, shop }: ScreenVisit, settings: AdminAgents, typed: Typed | undefined): Html {
  const { level, who, reviewFrom, orderWebhooks, version } = settings
  const review = reviewField(words, shop.currency)
  const stored = reviewFrom === null ? '' : moneyText(reviewFrom, shop.currency)
  const mayChange = may('updateAdminAgents')
  const payers = agentPayers.filter((one) => one !== 'anyone' || mode === 'test')
  return renderCard({
    title: words.say('agents.title'),
    body: html`<form class="form" method="post" action="${to('settings/agents')}">
      ${keyField()}
      <input type="hidden" name="version" value="${version}">
${problemNote(typed?.problems, [review], words)}
<p>${words.say('agents.text')}</p>
<fieldset class="pick-down"${!mayChange && html` disabled`}><legend class="hidden">${words.say('agents.title')}</legend>
${agentLevels.map((one) => levelChoice(one))}</fieldset>
${
  mode === 'test'
    ? html`<p class="help">${words.say('agents.test')}</p>`
    : html`<p class="help">${words.say('agents.live')}</p>`
}
<fieldset class="pick-down"${!mayChange && html` disabled`}><legend>${words.say('agents.who')}</legend>
${payers.map((one) => payerChoice(one))}</fieldset>
${field(words, review, typed ? typed.values.reviewFrom : stored, typed?.problems)}
<label class="check">
  <input
    type="checkbox"
    name="orderWebhooks"
    value="yes"${orderWebhooks && html` checked`}${!mayChange && html` disabled`}> <span>
    ${words.say('agents.orderWebhooks')}
  </span></label>
${mayChange && html`<div class="form-foot">${button({ label: words.say('action.save'), kind: 'first' })}</div>`}
</form>`,
  })

  function levelChoice(one: AgentLevel): Html {
    return choice('level', one, one === level, words.say(`agents.${one}`), words.say(`agents.${one}Text`))
  }

  function payerChoice(one: AgentPayers): Html {
    return choice('who', one, one === who, words.say(`agents.who.${one}`), words.say(`agents.who.${one}Text`))
  }
}

function choice(name: string, value: string, isChosen: boolean, label: string, text: string): Html {
  return html`<label class="pick-one">
    <input type="radio" name="${name}" value="${value}"${isChosen && html` checked`}> <span>
      <b>${label}</b>
      <span class="soft">${text}</span>
    </span>
  </label>`
}

function platformsCard({ words, to, may }: ScreenVisit): Html | false {
  if (!may('listAdminAgentPlatforms')) return false
  return renderCard({
    title: words.say('agents.platforms'),
    body: html`<div class="form"><p>${words.say('agents.platformsText')}</p>
<div class="form-foot">${linkButton({ label: words.say('agents.platformsShow'), href: to('settings/agents/platforms') })}</div></div>`,
  })
}

function addressCard({ words }: ScreenVisit, { addresses }: AdminAgents): Html {
  const copied = (id: string, label: string, text: string) =>
    copyField({ id, label, text, copy: words.say('secret.copy'), copied: words.say('secret.copied') })
  return renderCard({
    title: words.say('agents.addresses'),
    body: html`<div class="form"><p>${words.say('agents.addressesText')}</p>
${copied('agent-mcp', words.say('agents.mcp'), addresses.mcp)}
${copied('agent-profile', words.say('agents.profile'), addresses.profile)}
${copied('agent-rest', words.say('agents.rest'), addresses.rest)}
${copied('agent-acp', words.say('agents.acp'), addresses.acp)}</div>`,
  })
}

// Lists the platforms that called the shop or that the merchant entered, with their status.
export const agentPlatformsScreen: Screen = {
  path: 'settings/agents/platforms',
  name: 'dashboard agent platforms',
  place: 'settings',
  needs: 'listAdminAgentPlatforms',
  get: (visit) => platformsSheet(visit),
  async post(posted) {
    const { form: fields, to } = posted
    const here = to('settings/agents/platforms')
    const platformId = fields.get('platform')
    const status = platformStatuses.find((known) => known === fields.get('status')) ?? 'approved'
    const key = readKey(fields)
    if (platformId === null) return enterPlatform(posted)
    refuseUnlessAllowed(posted, 'updateAdminAgentPlatform')
    const body = { expectedVersion: Number(fields.get('version')), status }
    const outcome = await catchRefusal(posted.change('updateAdminAgentPlatform', { path: { platformId }, body, key }))
    if ('refusal' in outcome) return redirectWithRefusal(here, outcome.refusal)
    return redirectWithToast(here, 'done.saved', { change: outcome.reply.change })
  },
}

function profileField(words: DashboardWords): Field {
  return {
    name: 'profileUrl',
    label: words.say('agents.profileUrl'),
    help: words.say('agents.profileUrlHelp'),
    kind: 'url',
    isRequired: true,
    lengthMax: 2_000,
  }
}

async function enterPlatform(posted: PostedScreen): Promise<ScreenResult> {
  const { form: sent, to, words } = posted
  refuseUnlessAllowed(posted, 'createAdminAgentPlatform')
  const fields = [profileField(words)]
  const again = (problems: Problems) => platformsSheet(posted, { values: readTypedValues(fields, sent), problems })
  const read = buildBody(words, fields, sent)
  if ('problems' in read) return again(read.problems)
  // The cast holds: the field is required.
  const body = { ...(read.body as { profileUrl: string }), status: 'approved' as const }
  const outcome = await catchRefusal(posted.change('createAdminAgentPlatform', { body, key: readKey(sent) }))
  if ('refusal' in outcome) return again(problemsFromRefusal(words, outcome.refusal, fields))
  return redirectWithToast(to('settings/agents/platforms'), 'done.saved', { change: outcome.reply.change })
}

async function platformsSheet(visit: ScreenVisit, typed?: Typed): Promise<ScreenSheet> {
  const { words, query, to, may } = visit
  const { data, meta } = await visit.ask('listAdminAgentPlatforms', { cursor: query.get('cursor') ?? undefined })
  return {
    title: words.say('agents.platforms'),
    status: typed ? 400 : 200,
    back: { href: to('settings/agents'), label: words.say('settings.agents') },
    body: html`${renderTable(visit, {
      label: words.say('agents.platforms'),
      columns: [
        {
          head: words.say('agents.platform'),
          cell: ({ host, profileUrl }) => html`<span title="${profileUrl}">${host}</span>`,
          isMain: true,
        },
        {
          head: words.say('agents.status'),
          cell: ({ status }) => statusPill(words, 'platform', status),
          isCorner: true,
        },
        { head: words.say('agents.lastSeen'), cell: ({ lastSeenAt }) => renderTime(words, lastSeenAt) },
        { head: words.say('developers.actions'), align: 'end', cell: (row) => platformActions(visit, row) },
      ],
      rows: data,
      idOf: ({ id }) => id,
      next: meta.next,
      empty: { title: words.say('agents.noPlatforms'), text: words.say('agents.noPlatformsText') },
    })}
${
  may('createAdminAgentPlatform') &&
  renderCard({
    title: words.say('agents.enter'),
    body: renderForm(visit, {
      action: to('settings/agents/platforms'),
      fields: [profileField(words)],
      ...typed,
      submit: words.say('agents.approve'),
    }),
  })
}
${
  data.length > 0 &&
  may('createAdminAgentKey') &&
  renderCard({
    title: words.say('agents.connect'),
    body: html`<div class="form"><p>${words.say('agents.connectText')}</p>
<div class="form-foot">${linkButton({ label: words.say('agents.connect'), href: to('settings/agents/platforms/connect') })}</div></div>`,
  })
}`,
  }
}

// Shows what a platform needs to call the shop and to verify calls from the shop.
export const connectAgentScreen: Screen = {
  path: 'settings/agents/platforms/connect',
  name: 'dashboard agent connect',
  place: 'settings',
  needs: 'createAdminAgentKey',
  asksAgain: true,
  get: (visit) => connectSheet(visit),
  post: makeSecret,
}

async function connectSheet(visit: ScreenVisit, typed?: Typed): Promise<ScreenSheet> {
  const { words, to, query } = visit
  const { data } = await visit.ask('listAdminAgentPlatforms', { cursor: query.get('cursor') ?? undefined })
  return {
    title: words.say('agents.connect'),
    back: { href: to('settings/agents/platforms'), label: words.say('agents.platforms') },
    width: 'narrow',
    status: typed ? 400 : 200,
    body: html`<p class="lead">${words.say('agents.connectText')}</p>
${data.length > 0 && html`${keyCard(visit, data)}${webhookCard(visit, data, typed)}`}`,
  }
}

// A platform that buys by ACP, or that does not sign its requests, needs a key from the merchant.
function keyCard(visit: ScreenVisit, platforms: readonly AdminAgentPlatform[]): Html | false {
  const { words, to, may } = visit
  if (!may('createAdminAgentKey')) return false
  return renderCard({
    title: words.say('agents.key'),
    body: renderForm(visit, {
      action: to('settings/agents/platforms/connect'),
      fields: [platformField(visit, 'keyFor', platforms, words.say('agents.keyHelp'))],
      submit: words.say('agents.keyMake'),
    }),
  })
}

function urlField(words: DashboardWords): Field {
  return { name: 'url', label: words.say('agents.webhookUrl'), kind: 'url', lengthMax: 2_000, isRequired: true }
}

function webhookCard(
  visit: ScreenVisit,
  platforms: readonly AdminAgentPlatform[],
  typed: Typed | undefined,
): Html | false {
  const { words, to, may } = visit
  if (!may('createAdminAgentWebhook')) return false
  return renderCard({
    title: words.say('agents.webhook'),
    body: renderForm(visit, {
      action: to('settings/agents/platforms/connect'),
      fields: [platformField(visit, 'webhookFor', platforms, words.say('agents.webhookHelp')), urlField(words)],
      ...typed,
      submit: words.say('agents.webhookEnter'),
    }),
  })
}

function platformField(
  { words }: ScreenVisit,
  name: string,
  platforms: readonly AdminAgentPlatform[],
  help: string,
): Field {
  const options = platforms.map(({ id, host, profileUrl }) => ({
    value: id,
    label: platforms.filter((other) => other.host === host).length > 1 ? profileUrl : host,
  }))
  // No platform is preselected, because a new key revokes the platform's current key.
  const none = { value: '', label: words.say('agents.choose') }
  return {
    name,
    label: words.say('agents.platform'),
    kind: 'choice',
    help,
    options: [none, ...options],
    isRequired: true,
  }
}

async function makeSecret(posted: PostedScreen): Promise<ScreenResult> {
  const { form: fields, to, words } = posted
  const here = to('settings/agents/platforms')
  const isKey = fields.get('keyFor') !== null
  const path = { platformId: fields.get(isKey ? 'keyFor' : 'webhookFor') ?? '' }
  const key = readKey(fields)
  refuseUnlessAllowed(posted, isKey ? 'createAdminAgentKey' : 'createAdminAgentWebhook')
  const url = (fields.get('url') ?? '').trim()
  const outcome = await catchRefusal(
    isKey
      ? posted.ask('createAdminAgentKey', { path, body: {}, key })
      : posted.ask('createAdminAgentWebhook', { path, body: { url }, key }),
  )
  if ('refusal' in outcome && !isKey && outcome.refusal.code === 'invalid_request') {
    const values = { url, webhookFor: path.platformId }
    return connectSheet(posted, { values, problems: problemsFromRefusal(words, outcome.refusal, [urlField(words)]) })
  }
  if ('refusal' in outcome) return redirectWithRefusal(to('settings/agents/platforms/connect'), outcome.refusal)
  const { platform, secret } = outcome.reply.data
  const { host } = platform
  return secretSheet(posted, {
    title: words.say(isKey ? 'agents.keyMade' : 'agents.webhookMade', { host }),
    lead: words.say(isKey ? 'agents.keyLead' : 'agents.webhookLead'),
    label: words.say(isKey ? 'agents.keyLabel' : 'agents.webhookSecret'),
    secret,
    back: { href: here, label: words.say('agents.platforms') },
  })
}

function platformActions(
  { words, to, may }: ScreenVisit,
  { id, version, status, host }: { id: string; version: number; status: string; host: string },
): Html | false {
  if (!may('updateAdminAgentPlatform')) return false
  const wanted = [
    status !== 'approved' && (['approved', words.say('agents.approve')] as const),
    status !== 'blocked' && (['blocked', words.say('agents.block')] as const),
    status === 'blocked' && (['seen', words.say('agents.unblock')] as const),
  ].filter((one) => one !== false)
  return html`<form class="row-actions" method="post" action="${to('settings/agents/platforms')}">
    ${keyField()}
    <input type="hidden" name="platform" value="${id}">
    <input type="hidden" name="version" value="${version}">
    ${wanted.map(
      ([value, label]) =>
        html`<button class="button plain small" name="status" value="${value}">
        ${label}
        <span class="hidden"> ${host}</span>
      </button>`,
    )}
  </form>`
}
