// The pages of a shop: which paths they may have, which entries of the list of changes they cause, and how a change is undone.

import type { AdminPage, PageEntry } from '../../contract/admin/pages.ts'
import { pageBodyLengthMax, pagesMax } from '../../contract/admin/pages.ts'
import { issueAt } from '../../contract/issues.ts'
import { type AuditedChange, membersChanged } from '../../platform/audit/change.ts'
import { overtakenRefusal, refuseIfOvertaken, type UndoAsk, valuesBefore } from '../../platform/audit/undo.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { controlCharacterProblems, type EntryProblem } from '../../platform/kit/problems.ts'
import { sanitizeHtml } from '../catalog/safehtml.ts'
import { claimPaths } from '../redirects/change.ts'
import { pagePath } from '../redirects/paths.ts'
import { deletePage, findPage, insertPage, listPages, type PageRow, updatePage } from './pagestore.ts'

// Paths of the shop itself, other paths that its hosts serve, and paths of the server beside a shop without a host.
const reserved: ReadonlySet<string> = new Set([
  ...['cart', 'search', 'thanks', 'products', 'categories', 'sitemap', 'feed', 'robots', 'pages', 'account'],
  ...[
    'c',
    'o',
    'r',
    'w',
    'media',
    'checkout',
    'admin',
    'api',
    'shop',
    'shops',
    'preview',
    'test',
    'hosts',
    'docs',
    'oauth',
    'mcp',
  ],
])

export const pageMembers = ['title', 'body', 'description', 'menu', 'position', 'isPublished'] as const

export function pageProblems({ slug, title, description = '', bodyHtml }: PageEntry): EntryProblem[] {
  return [
    ...controlCharacterProblems({ title, description }, ''),
    ...(reserved.has(slug) ? [issueAt('/slug', 'page_reserved')] : []),
    ...(sanitizeHtml(bodyHtml).length > pageBodyLengthMax
      ? [issueAt('/bodyHtml', 'too_long', { max: pageBodyLengthMax })]
      : []),
  ]
}

export function pageRowOf(entry: PageEntry, version: number, now: number): PageRow {
  const { slug, title, bodyHtml, description = '', menu = 'none', position = 0, published = true } = entry
  return {
    ...{ slug, title, description, menu, position, version },
    body: sanitizeHtml(bodyHtml),
    isPublished: published,
    updatedAt: now,
  }
}

export function pageView({
  slug,
  title,
  body,
  description,
  menu,
  position,
  isPublished,
  version,
  updatedAt,
}: PageRow): AdminPage {
  return {
    version,
    updatedAt: toInstant(updatedAt),
    page: { slug, title, bodyHtml: body, description, menu, position, published: isPublished },
  }
}

export function pageChange(
  kind: 'create' | 'change' | 'retire',
  before: PageRow | undefined,
  after: PageRow | undefined,
): AuditedChange {
  const { slug, title } = after ?? before ?? { slug: '', title: '' }
  const nothing = {} as PageRow
  const members = kind === 'create' ? [] : membersChanged(before ?? nothing, after ?? nothing, pageMembers)
  return { kind, what: 'site_page', id: slug, name: title, members }
}

export async function undoPage(
  { tx, seller, dryRun, context: { now } }: UndoAsk,
  change: AuditedChange,
): Promise<void> {
  const { merchantId } = seller
  const present = await findPage(tx, merchantId, change.id)
  if (change.kind === 'create') {
    if (present?.version !== 1) throw overtakenRefusal(change, `${change.name} was changed since.`)
    if (!dryRun) await deletePage(tx, merchantId, change.id)
  } else if (change.kind === 'retire') {
    const isFull = (await listPages(tx, merchantId)).length >= pagesMax
    if (present || isFull) throw overtakenRefusal(change, `The page ${change.name} cannot be created again.`)
    const values = valuesBefore<PageRow>(change, pageMembers) as PageRow
    if (!dryRun) {
      await insertPage(tx, merchantId, { ...values, slug: change.id, version: 2, updatedAt: now })
      await claimPaths(tx, merchantId, [pagePath(change.id)])
    }
  } else {
    refuseIfOvertaken(change, present)
    const values = valuesBefore<PageRow>(change, pageMembers)
    if (!dryRun && present)
      await updatePage(tx, merchantId, { ...present, ...values, version: present.version + 1, updatedAt: now })
  }
  if (!dryRun) tx.signal('sites')
}
