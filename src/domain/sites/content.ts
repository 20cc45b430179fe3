// A merchant's settings of the online store: which values are valid, how they are stored, and the defaults. Pure.

import { issueAt } from '../../contract/issues.ts'
import {
  columnBodyLengthMax,
  type SiteContent,
  type SiteHome,
  type SiteLink,
  type SiteLook,
  type SiteMenus,
  type SiteSection,
  sectionBodyLengthMax,
} from '../../contract/sitecontent.ts'
import type { SectionKind } from '../../contract/words.ts'
import { controlCharacterProblems, type EntryProblem, isBlank } from '../../platform/kit/problems.ts'
import { isSlug } from '../../platform/kit/slug.ts'
import { isPicture } from '../catalog/problems.ts'
import { sanitizeHtml } from '../catalog/safehtml.ts'
import type { Merchant } from '../merchants/store.ts'
import type { ContentRow } from './contentstore.ts'

const automaticMenus: SiteMenus = { head: null, foot: null }

export function publishedContent(
  { logo, color, look }: Pick<Merchant, 'logo' | 'color' | 'look'>,
  row: Pick<ContentRow, 'home' | 'menus'> | undefined,
): SiteContent {
  return {
    look: { logo, color, ...storedLook(look) },
    home: row?.home == null ? null : (JSON.parse(row.home) as SiteHome),
    menus: row?.menus == null ? automaticMenus : (JSON.parse(row.menus) as SiteMenus),
  }
}

export function draftContent(row: Pick<ContentRow, 'draft'> | undefined): SiteContent | null {
  return row?.draft == null ? null : (JSON.parse(row.draft) as SiteContent)
}

type MerchantLook = Omit<SiteLook, 'logo' | 'color'>

const defaultLook: MerchantLook = { font: 'classic', corners: 'round', density: 'airy', scheme: 'auto' }

export function storedLook(look: string | null): MerchantLook {
  return look === null ? defaultLook : { ...defaultLook, ...(JSON.parse(look) as Partial<MerchantLook>) }
}

// Returns null for the default, so a merchant who never chose a look follows changes of the default.
export function lookText({ font, corners, density, scheme }: SiteLook): string | null {
  const text = JSON.stringify({ font, corners, density, scheme })
  return text === JSON.stringify(defaultLook) ? null : text
}

// Returns the content with its members in a fixed order, safe HTML, and no members that the kind of a section does not have.
export function normalizeContent({ look, home, menus }: SiteContent): SiteContent {
  const { logo, color, font, corners, density, scheme } = look
  return {
    look: { logo, color: color?.toLowerCase() ?? null, font, corners, density, scheme },
    home: home?.map(normalSection) ?? null,
    menus: { head: menus.head?.map(normalLink) ?? null, foot: menus.foot?.map(normalLink) ?? null },
  }
}

export const sectionMembers = {
  hero: ['title', 'bodyHtml', 'image', 'imageAlt', 'link'],
  products: ['title', 'source', 'category', 'products', 'limit'],
  categories: ['title'],
  text: ['title', 'bodyHtml'],
  picture: ['title', 'bodyHtml', 'image', 'imageAlt', 'imageSide', 'link'],
  columns: ['title', 'columns'],
  notice: ['bodyHtml', 'link'],
} as const satisfies Readonly<Record<SectionKind, readonly (keyof SiteSection)[]>>

function normalSection(section: SiteSection): SiteSection {
  const { kind, bodyHtml = '', link, columns = [] } = section
  const whole: SiteSection = {
    ...section,
    bodyHtml: sanitizeHtml(bodyHtml),
    link: link ? normalLink(link) : null,
    columns: columns.map((column) => ({ title: column.title, bodyHtml: sanitizeHtml(column.bodyHtml) })),
  }
  const members = sectionMembers[kind].flatMap((name) => (whole[name] === undefined ? [] : [[name, whole[name]]]))
  // The cast holds because these are members of a section, and those that may be missing are optional.
  return { kind, ...Object.fromEntries(members) } as SiteSection
}

function normalLink({ kind, target, label }: SiteLink): SiteLink {
  return { kind, target: kind === 'all' ? '' : target, label }
}

export function* contentProblems(content: SiteContent): Generator<EntryProblem> {
  yield* controlCharacterProblems(content, '')
  const { look, home, menus } = content
  if (look.logo !== null && !isPicture(look.logo)) yield issueAt('/look/logo', 'not_an_image_address')
  for (const [at, section] of (home ?? []).entries()) yield* sectionProblems(section, `/home/${at}`)
  for (const name of ['head', 'foot'] as const)
    for (const [at, link] of (menus[name] ?? []).entries()) yield* linkProblems(link, `/menus/${name}/${at}`)
}

function* sectionProblems(section: SiteSection, path: string): Generator<EntryProblem> {
  const { kind, bodyHtml = '', image, link, source, category, products = [], columns = [] } = section
  if (sanitizeHtml(bodyHtml).length > sectionBodyLengthMax)
    yield issueAt(`${path}/bodyHtml`, 'too_long', { max: sectionBodyLengthMax })
  if (image != null && !isPicture(image)) yield issueAt(`${path}/image`, 'not_an_image_address')
  if (link) yield* linkProblems(link, `${path}/link`)
  if (kind === 'products' && source === 'category' && category === undefined)
    yield issueAt(`${path}/category`, 'needed')
  if (kind === 'products' && source === 'chosen' && products.length === 0) yield issueAt(`${path}/products`, 'needed')
  for (const [at, column] of columns.entries())
    if (sanitizeHtml(column.bodyHtml).length > columnBodyLengthMax)
      yield issueAt(`${path}/columns/${at}/bodyHtml`, 'too_long', { max: columnBodyLengthMax })
}

function* linkProblems({ kind, target, label }: SiteLink, path: string): Generator<EntryProblem> {
  if (kind === 'all') return
  const isNamed = kind === 'category' || kind === 'page'
  if (!isNamed && isBlank(label)) yield issueAt(`${path}/label`, 'needed')
  if (kind === 'address' && !isLinkAddress(target)) yield issueAt(`${path}/target`, 'link_not_allowed')
  if (kind !== 'address' && !isSlug(target)) yield issueAt(`${path}/target`, 'not_a_slug')
}

const linkProtocols: ReadonlySet<string> = new Set(['https:', 'http:', 'mailto:', 'tel:'])

// A path must stay in the shop: browsers read two slashes as the start of another host, and a backslash as a slash.
export function isLinkAddress(address: string): boolean {
  if (/[\s\\\p{Cc}]/u.test(address)) return false
  if (address.startsWith('/')) return !address.startsWith('//')
  const url = URL.parse(address)
  if (!url || !linkProtocols.has(url.protocol)) return false
  return /^https?:$/.test(url.protocol) ? /^https?:\/\/[^/?#@]+/i.test(address) && url.username === '' : true
}
