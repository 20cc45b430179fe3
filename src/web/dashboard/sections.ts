// The sections of a place, such as Developers, as links above the page. A link is only shown if the person has the scope of its operation.
//
//   renderSections(visit, developerSections, 'keys')

import type { AdminOperationId } from '../../contract/admin/operations.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { ScreenVisit } from './screen.ts'
import type { TextKey } from './words.ts'

export interface SectionList<Id extends string = string> {
  label: TextKey
  parts: readonly { id: Id; path: string; text: TextKey; needs: AdminOperationId }[]
}

export const developerSections = {
  label: 'developers.sections',
  parts: [
    { id: 'webhooks', path: 'developers', text: 'developers.webhooks', needs: 'listAdminWebhookEndpoints' },
    {
      id: 'deliveries',
      path: 'developers/deliveries',
      text: 'developers.deliveries',
      needs: 'listAdminWebhookDeliveries',
    },
    { id: 'keys', path: 'developers/keys', text: 'developers.keys', needs: 'listAdminKeys' },
    { id: 'apps', path: 'developers/apps', text: 'developers.apps', needs: 'listAdminInstallations' },
    {
      id: 'assistants',
      path: 'developers/assistants',
      text: 'developers.assistants',
      needs: 'listAdminInstallations',
    },
  ],
} as const satisfies SectionList

export const settingSections = {
  label: 'settings.sections',
  parts: [
    { id: 'shop', path: 'settings', text: 'settings.shop', needs: 'getAdminShop' },
    { id: 'taxes', path: 'settings/taxes', text: 'settings.taxes', needs: 'getAdminShop' },
    { id: 'shipping', path: 'settings/shipping', text: 'settings.shipping', needs: 'getAdminShop' },
    { id: 'payments', path: 'settings/payments', text: 'settings.payments', needs: 'getAdminShop' },
    { id: 'agents', path: 'settings/agents', text: 'settings.agents', needs: 'getAdminAgents' },
    { id: 'texts', path: 'settings/texts', text: 'settings.texts', needs: 'getAdminTexts' },
    { id: 'duties', path: 'settings/duties', text: 'settings.duties', needs: 'getAdminDuties' },
    { id: 'people', path: 'settings/people', text: 'settings.people', needs: 'listAdminMembers' },
    { id: 'transfers', path: 'settings/transfers', text: 'developers.transfers', needs: 'listAdminTransfers' },
    { id: 'changes', path: 'settings/changes', text: 'developers.changes', needs: 'listAdminChanges' },
  ],
} as const satisfies SectionList

export const storeSections = {
  label: 'store.sections',
  parts: [
    { id: 'store', path: 'store', text: 'store.state', needs: 'getAdminSite' },
    { id: 'look', path: 'store/look', text: 'look.title', needs: 'getAdminSite' },
    { id: 'home', path: 'store/home', text: 'section.home', needs: 'getAdminSite' },
    { id: 'menus', path: 'store/menus', text: 'menus.title', needs: 'getAdminSite' },
    { id: 'pages', path: 'store/pages', text: 'pages.list', needs: 'getAdminPages' },
    { id: 'redirects', path: 'store/redirects', text: 'redirects.list', needs: 'listAdminRedirects' },
  ],
} as const satisfies SectionList

export function renderSections<const Given extends SectionList>(
  { words, may, to }: ScreenVisit,
  { label, parts }: Given,
  current: Given['parts'][number]['id'],
): Html {
  return html`<nav class="tabs" aria-label="${words.say(label)}">${parts
    .filter(({ needs }) => may(needs))
    .map(
      ({ id, path, text }) =>
        html`<a href="${to(path)}"${id === current && html` aria-current="page"`}>${words.say(text)}</a>`,
    )}</nav>`
}
