// Assistants: chat programs that manage the shop. Shows how to connect one, the connected ones, and a key for assistants without OAuth.

import type { AdminInstallation } from '../../../contract/admin/developers.ts'
import type { Scope } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { dialog } from '../dialog.ts'
import { type Field, readKey, renderForm } from '../form.ts'
import { linkButton, renderCard, renderNotice, renderTime } from '../parts.ts'
import { allRows } from '../rows.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { copyField, secretSheet } from '../secret.ts'
import { developerSections, renderSections } from '../sections.ts'
import { renderTable } from '../table.ts'

export const assistantsScreen: Screen = {
  path: 'developers/assistants',
  name: 'dashboard assistants',
  place: 'developers',
  needs: 'listAdminInstallations',
  async get(visit) {
    const { words, may } = visit
    const [{ data }, installations, people] = await Promise.all([
      visit.ask('getAdminAgents'),
      allRows((cursor) => visit.ask('listAdminInstallations', { cursor })),
      may('listAdminMembers') ? allRows((cursor) => visit.ask('listAdminMembers', { cursor })) : [],
    ])
    const connected = installations.filter(({ app, status }) => status === 'active' && app && app.clientUrl !== null)
    const emails = new Map(people.map(({ id, email }) => [id, email]))
    return {
      title: words.say('developers.title'),
      body: html`${renderSections(visit, developerSections, 'assistants')}
${connectCard(visit, data.addresses.assistants)}
${connected.length > 0 && connectedTable(visit, connected, emails)}`,
    }
  },
}

function connectCard({ words, to, may }: ScreenVisit, url: string): Html {
  return renderCard({
    title: words.say('assistants.connect'),
    body: html`<div class="form"><p>${words.say('assistants.text')}</p>
${copyField({
  id: 'assistant-url',
  label: words.say('assistants.address'),
  text: url,
  copy: words.say('secret.copy'),
  copied: words.say('secret.copied'),
})}
<p class="help">${words.say('assistants.addressHelp')}</p>
${
  may('createAdminKey') &&
  may('createAdminInstallation') &&
  html`<p>${words.say('assistants.noOAuth')}</p>
  <div class="form-foot">
    ${linkButton({ label: words.say('assistants.makeKey'), href: to('developers/assistants/key'), isDialog: true })}
  </div>`
}</div>`,
  })
}

function connectedTable(
  visit: ScreenVisit,
  rows: readonly AdminInstallation[],
  emails: ReadonlyMap<string, string>,
): Html {
  const { words, to, may } = visit
  return renderTable(visit, {
    label: words.say('assistants.connected'),
    columns: [
      {
        head: words.say('apps.name'),
        cell: ({ name, app }) => html`<span title="${app?.clientUrl ?? ''}">${name}</span>`,
        isMain: true,
      },
      { head: words.say('assistants.by'), cell: ({ approvedBy }) => emails.get(approvedBy ?? '') ?? '–' },
      { head: words.say('apps.may'), cell: ({ grantedScopes }) => grantedScopes?.join(', '), isMinor: true },
      {
        head: words.say('apiKeys.lastUsed'),
        cell: ({ lastTokenAt }) => (lastTokenAt === null ? words.say('apiKeys.never') : renderTime(words, lastTokenAt)),
      },
      {
        head: words.say('developers.actions'),
        align: 'end',
        cell: ({ id, name }) =>
          may('endAdminInstallation') &&
          html`<span class="row-actions">
            <a class="danger-link" href="${to(`developers/apps/${id}/end`)}" data-dialog>
              ${words.say('apps.end')}
              <span class="hidden"> ${name}</span>
            </a>
          </span>`,
      },
    ],
    rows,
    idOf: ({ id }) => id,
    next: null,
    empty: { title: words.say('assistants.none'), text: words.say('assistants.text') },
  })
}

// Scopes of a key for an assistant. There are only a few choices; the page of API keys offers all scopes.
const rights: Readonly<Record<'read' | 'work', readonly Scope[]>> = {
  read: ['admin:read'],
  work: ['admin:read', 'admin:catalog', 'admin:orders'],
}

async function keyForm(visit: ScreenVisit, problem?: string): Promise<ScreenSheet> {
  const { words, to } = visit
  const own = (await allRows((cursor) => visit.ask('listAdminInstallations', { cursor }))).filter(
    ({ app, status }) => app === null && status === 'active',
  )
  const back = { href: to('developers/assistants'), label: words.say('developers.assistants') }
  return dialog({
    title: words.say('assistants.makeKey'),
    back,
    lead: words.say('assistants.keyLead'),
    status: problem === undefined ? 200 : 400,
    body: html`${problem !== undefined && renderNotice('bad', problem, 'alert')}${renderForm(visit, {
      action: to('developers/assistants/key'),
      fields: [
        {
          name: 'rights',
          label: words.say('apps.may'),
          kind: 'choice',
          options: [
            { value: 'read', label: words.say('assistants.rights.read') },
            { value: 'work', label: words.say('assistants.rights.work') },
          ],
          isRequired: true,
        },
        ...(own.length === 0 ? [] : [installationField(visit, own)]),
      ],
      submit: words.say('apiKeys.create'),
      cancel: back.href,
    })}`,
  })
}

// The first option creates an installation, so a key is never added to an installation that the person did not choose.
function installationField({ words }: ScreenVisit, own: readonly AdminInstallation[]): Field {
  return {
    name: 'installationId',
    label: words.say('apiKeys.installation'),
    kind: 'choice',
    help: words.say('apiKeys.installationHelp'),
    options: [{ value: '', label: words.say('apps.new') }, ...own.map(({ id, name }) => ({ value: id, label: name }))],
  }
}

export const newAssistantKeyScreen: Screen = {
  path: 'developers/assistants/key',
  name: 'dashboard new assistant key',
  place: 'developers',
  needs: 'createAdminKey',
  asksAgain: true,
  get: (visit) => keyForm(visit),
  async post(posted) {
    const { words, to, form: sent, now } = posted
    const scopes = rights[sent.get('rights') === 'work' ? 'work' : 'read']
    const made = await catchRefusal(makeKey(posted, scopes, now), ['installation_not_found'])
    if ('refusal' in made) return keyForm(posted, words.refusal(made.refusal))
    const { data } = await posted.ask('getAdminAgents')
    const { key, secret } = made.reply.data
    return secretSheet(posted, {
      title: words.say('apiKeys.made', { name: key.name }),
      lead: words.say('assistants.keyMade'),
      label: words.say('apiKeys.key'),
      secret,
      back: { href: to('developers/assistants'), label: words.say('developers.assistants') },
      more: html`<div class="field"><label for="config">${words.say('assistants.config')}</label>
<textarea id="config" class="mono" readonly rows="9" spellcheck="false" dir="ltr">${configText(
        data.addresses.assistants,
        secret,
      )}</textarea>
<div class="form-foot">
  <button
    type="button"
    class="button second with-script"
    data-copy="config"
    data-copied="${words.say('secret.copied')}">
    ${words.say('secret.copy')}
  </button></div></div>`,
    })
  },
}

// The configuration that most MCP clients accept.
function configText(url: string, secret: string): string {
  const shop = { type: 'http', url, headers: { Authorization: `Bearer ${secret}` } }
  return JSON.stringify({ mcpServers: { shop } }, null, 2)
}

async function makeKey(posted: PostedScreen, scopes: readonly Scope[], now: Date) {
  const { words, form: sent } = posted
  const chosen = sent.getAll('installationId').find((id) => id !== '')
  const installationId = chosen ?? (await makeInstallation(posted)).id
  const name = `${words.say('developers.assistants')} ${now.toISOString().slice(0, 10)}`
  return posted.ask('createAdminKey', { body: { name, installationId, scopes: [...scopes] }, key: readKey(sent) })
}

const namesMax = 100

// Tries names until one is free. Names of ended installations and of the other mode are taken.
async function makeInstallation(posted: PostedScreen): Promise<AdminInstallation> {
  const { words, form: sent, mode } = posted
  const title = words.say('developers.assistants')
  const base = mode === 'test' ? `${title} (test)` : title
  for (let number = 1; ; number += 1) {
    const body = { name: number === 1 ? base : `${base} ${number}`, redirectHosts: [] }
    const made = await catchRefusal(posted.ask('createAdminInstallation', { body, key: `${readKey(sent)}-${number}` }))
    if ('reply' in made) return made.reply.data
    if (made.refusal.code !== 'installation_exists' || number === namesMax) throw made.refusal
  }
}
