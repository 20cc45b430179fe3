// A link of the online store in forms. Its target is chosen from a list or typed as a URL.

import type { SiteLink } from '../../contract/sitecontent.ts'
import { linkKinds } from '../../contract/words.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import { type CategoryNode, listShopCategories } from './catalog.ts'
import type { Field, FieldValues } from './form.ts'
import type { ScreenVisit } from './screen.ts'

interface LinkTarget {
  kind: SiteLink['kind']
  target: string
  name: string
}

export async function loadLinkTargets(visit: ScreenVisit): Promise<LinkTarget[]> {
  const [categories, pages] = await Promise.all([listShopCategories(visit), visit.ask('getAdminPages')])
  return [
    { kind: 'all', target: '', name: visit.words.say('link.all') },
    ...categories.map(({ category, depth }: CategoryNode) => ({
      kind: 'category' as const,
      target: category.slug,
      name: `${'– '.repeat(depth)}${category.name}`,
    })),
    ...pages.data.map(({ page }) => ({ kind: 'page' as const, target: page.slug, name: page.title })),
  ]
}

export interface LinkFormParts {
  targets: readonly LinkTarget[]
  // Pointer of the link in the body of the operation.
  pointer: string
  // Whether the link may be empty.
  isOptional: boolean
  present?: SiteLink | null | undefined
}

export function linkFields({ words }: ScreenVisit, { targets, pointer, isOptional, present }: LinkFormParts): Field[] {
  const known = targets.map(({ kind, target, name }) => ({
    value: `${kind}:${target}`,
    label: kind === 'all' ? name : `${words.say(`link.${kind}`)}: ${name}`,
  }))
  // The target may have been removed, or the list may be incomplete.
  const own = present && present.kind !== 'address' ? `${present.kind}:${present.target}` : undefined
  const isKnown = own === undefined || known.some(({ value }) => value === own)
  return [
    {
      name: 'linkTo',
      label: words.say('link.to'),
      kind: 'choice',
      pointer: `${pointer}/to`,
      isRequired: true,
      options: [
        ...(isOptional ? [{ value: '', label: words.say('link.none') }] : []),
        ...known,
        ...(isKnown ? [] : [{ value: own, label: present?.target ?? '' }]),
        { value: 'address:', label: words.say('link.address') },
      ],
    },
    {
      ...{ name: 'linkAddress', label: words.say('link.typed'), kind: 'line', lengthMax: 2_000 },
      ...{ pointer: `${pointer}/target`, help: words.say('link.typedHelp'), isHalf: true },
    },
    {
      ...{ name: 'linkLabel', label: words.say('link.label'), kind: 'line', lengthMax: 100 },
      ...{ pointer: `${pointer}/label`, help: words.say('link.labelHelp'), isHalf: true },
    },
  ]
}

export function linkValues(link: SiteLink | null | undefined): FieldValues {
  if (!link) return { linkTo: '', linkAddress: '', linkLabel: '' }
  const isAddress = link.kind === 'address'
  return {
    linkTo: isAddress ? 'address:' : `${link.kind}:${link.target}`,
    linkAddress: isAddress ? link.target : '',
    linkLabel: link.label,
  }
}

export function readLink(form: FormFields): SiteLink | null {
  const text = (name: string) => (form.get(name) ?? '').trim().slice(0, 2_000)
  const [kindName = '', target = ''] = text('linkTo').split(':', 2)
  const kind = linkKinds.find((one) => one === kindName)
  if (kind === undefined) return null
  return { kind, target: kind === 'address' ? text('linkAddress') : target, label: text('linkLabel').slice(0, 100) }
}

// Returns the text of a link for a list of links.
export function linkText({ words }: ScreenVisit, targets: readonly LinkTarget[], link: SiteLink): string {
  if (link.kind === 'address') return link.target
  const found = targets.find(({ kind, target }) => kind === link.kind && target === link.target)
  const name = found?.name.replace(/^(?:– )+/, '') ?? link.target
  return link.kind === 'all' ? name : `${words.say(`link.${link.kind}`)}: ${name}`
}
