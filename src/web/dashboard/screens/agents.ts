// Settings of agents: whether software may find products and buy for shoppers, and where it finds the shop.

import type { AdminAgents } from '../../../contract/admin/agents.ts'
import { type AgentLevel, agentLevels } from '../../../contract/agents/settings.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { keyField, keyIn } from '../form.ts'
import { button, card } from '../parts.ts'
import { attempt, type Screen, type Visit } from '../screen.ts'
import { copyField } from '../secret.ts'
import { sections, settingSections } from '../sections.ts'
import { refuseUnless } from '../shop.ts'
import { done, refusedBy } from '../toast.ts'

export const agents: Screen = {
  path: 'settings/agents',
  name: 'dashboard agents',
  place: 'settings',
  needs: 'getAdminAgents',
  async get(visit) {
    const { data } = await visit.ask('getAdminAgents')
    return {
      title: visit.words.say('settings.title'),
      body: html`${sections(visit, settingSections, 'agents')}
${levelCard(visit, data)}
${data.level !== 'off' && addressCard(visit, data)}`,
    }
  },
  async post(posted) {
    const { form, to } = posted
    refuseUnless(posted, 'updateAdminAgents')
    const level = agentLevels.find((known) => known === form.get('level')) ?? 'off'
    const body = { expectedVersion: Number(form.get('version')), level }
    const outcome = await attempt(posted.change('updateAdminAgents', { body, key: keyIn(form) }))
    if ('refusal' in outcome) return refusedBy(to('settings/agents'), outcome.refusal)
    return done(to('settings/agents'), 'done.settings', { change: outcome.reply.change })
  },
}

function levelCard({ words, to, may, mode }: Visit, { level, version }: AdminAgents): Html {
  const mayChange = may('updateAdminAgents')
  return card({
    title: words.say('agents.title'),
    body: html`<form class="form" method="post" action="${to('settings/agents')}">${keyField()}<input type="hidden" name="version" value="${version}">
<p>${words.say('agents.text')}</p>
<fieldset class="pick-down"${!mayChange && html` disabled`}><legend class="hidden">${words.say('agents.title')}</legend>
${agentLevels.map((one) => choice(one))}</fieldset>
${mode === 'test' ? html`<p class="help">${words.say('agents.test')}</p>` : html`<p class="help">${words.say('agents.live')}</p>`}
${mayChange && html`<div class="form-foot">${button({ label: words.say('action.save'), kind: 'first' })}</div>`}
</form>`,
  })

  function choice(one: AgentLevel): Html {
    return html`<label class="pick-one"><input type="radio" name="level" value="${one}"${one === level && html` checked`}> <span><b>${words.say(`agents.${one}`)}</b><span class="soft">${words.say(`agents.${one}Text`)}</span></span></label>`
  }
}

function addressCard({ words }: Visit, { addresses }: AdminAgents): Html {
  const field = (id: string, label: string, text: string) =>
    copyField({ id, label, text, copy: words.say('secret.copy'), copied: words.say('secret.copied') })
  return card({
    title: words.say('agents.addresses'),
    body: html`<div class="form"><p>${words.say('agents.addressesText')}</p>
${field('agent-mcp', words.say('agents.mcp'), addresses.mcp)}
${field('agent-profile', words.say('agents.profile'), addresses.profile)}
${field('agent-rest', words.say('agents.rest'), addresses.rest)}</div>`,
  })
}
