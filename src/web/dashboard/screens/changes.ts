// The list of changes: person, time, subject, old and new values. Reversible changes have *Undo*, which first shows its effect.

import {
  type AdminActor,
  type AdminChange,
  type AdminSubjectChange,
  hasOwnEffect,
} from '../../../contract/admin/changes.ts'
import { type AdminOperationId, adminOperations } from '../../../contract/admin/operations.ts'
import { type AdminScope, type ChangeSubject, undoScopes } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { isId } from '../../../platform/kit/ids.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import { dialog } from '../dialog.ts'
import { renderForm } from '../form.ts'
import { memberName, memberValues } from '../members.ts'
import { emptyState, exactTime, renderNotice } from '../parts.ts'
import { loadActorNames } from '../people.ts'
import type { Screen, ScreenVisit } from '../screen.ts'
import { renderSections, settingSections } from '../sections.ts'
import { cursorFromLink, hrefWith } from '../table.ts'

const listPath = 'settings/changes'

export const changesScreen: Screen = {
  path: listPath,
  name: 'dashboard changes',
  place: 'settings',
  needs: 'listAdminChanges',
  async get(visit) {
    const { words, query } = visit
    const filter = filterOf(query)
    const { data, meta } = await visit.ask('listAdminChanges', {
      query: filter,
      cursor: query.get('cursor') ?? undefined,
    })
    const named = await loadActorNames(
      visit,
      data.map(({ actor }) => actor),
    )
    const isFiltered = Object.keys(filter).length > 0
    const cursor = cursorFromLink(meta.next)
    return {
      title: words.say('settings.title'),
      body: html`${renderSections(visit, settingSections, 'changes')}
${
  isFiltered &&
  html`<p class="filter-line">
    ${words.say('changes.filtered')} <a
      href="${hrefWith(visit, { subject: undefined, actor: undefined, operation: undefined, cursor: undefined })}">
      ${words.say('changes.all')}
    </a>
  </p>`
}
<div class="card flush list">
  ${
    data.length === 0
      ? emptyState({ title: words.say('changes.empty'), text: words.say('changes.emptyText') })
      : html`<ol class="entries">
      ${data.map((entry) => entryItem(visit, { ...entry, actor: named(entry.actor) }, shownInList))}
    </ol>`
  }
  ${pager(visit, cursor)}</div>`,
    }
  },
}

// One entry of the list, with all of its changes, divided into pages.
export const changeScreen: Screen = {
  path: `${listPath}/:changeId`,
  name: 'dashboard change',
  place: 'settings',
  needs: 'listAdminChanges',
  async get(visit) {
    const { words, query, to } = visit
    const { entry, next } = await findChange(visit, query.get('cursor') ?? undefined)
    const named = await loadActorNames(visit, [entry.actor])
    return {
      title: words.say('changes.one'),
      back: { href: to(listPath), label: words.say('developers.changes') },
      body: html`<p class="filter-line">${words.say('changes.count', { count: entry.changesCount })}</p>
<div class="card flush list">
  <ol class="entries">${entryItem(visit, { ...entry, actor: named(entry.actor) }, entry.changes.length)}</ol>
  ${pager(visit, cursorFromLink(next))}</div>`,
    }
  },
}

async function findChange(visit: ScreenVisit, cursor?: string): Promise<{ entry: AdminChange; next: string | null }> {
  const { changeId = '' } = visit.path
  if (!isId('chg', changeId)) throw refuse('change_not_found')
  const { data, meta } = await visit.ask('listAdminChanges', { query: { changeId }, cursor })
  const [entry] = data
  if (!entry) throw refuse('change_not_found')
  return { entry, next: meta.next }
}

function filterOf(query: URLSearchParams) {
  const [subjectId, actorId, operation] = ['subject', 'actor', 'operation'].map(
    (name) => query.get(name)?.slice(0, 64) || undefined,
  )
  return { ...(subjectId && { subjectId }), ...(actorId && { actorId }), ...(operation && { operation }) }
}

function pager(visit: ScreenVisit, cursor: string | undefined): Html | false {
  const isFirst = !visit.query.has('cursor')
  if (isFirst && cursor === undefined) return false
  const { words } = visit
  return html`<nav class="pager" aria-label="${words.say('table.pages')}">${
    isFirst
      ? html`<span></span>`
      : html`<a class="button second" href="${hrefWith(visit, { cursor: undefined })}">${words.say('table.first')}</a>`
  }${
    cursor !== undefined &&
    html`<a class="button second" href="${hrefWith(visit, { cursor })}" rel="next" data-next>${words.say('table.next')}</a>`
  }</nav>`
}

// An entry of a bulk operation may have hundreds of subjects. All of them are on the page of the entry.
const shownInList = 4
const membersShown = 8

function entryItem(visit: ScreenVisit, entry: AdminChange, subjectsShown: number): Html {
  const { words, to } = visit
  const { actor, at, undoneBy, undoes } = entry
  const [first, rest] = [entry.changes.slice(0, subjectsShown), entry.changes.slice(subjectsShown)]
  const page = to(`${listPath}/${entry.id}`)
  const isOnPage = visit.path.changeId === entry.id
  return html`<li class="entry${undoneBy === null ? '' : ' undone'}" id="${entry.id}">
<div class="entry-head">
  <p><span class="entry-who">${actorLink(visit, actor)}</span> ${operationText(visit, entry.operation)}</p>
<span class="entry-side">
  ${exactTime(words, at)}
  ${
    undoneBy !== null &&
    html`<a class="soft" href="${to(`${listPath}/${undoneBy}`)}">${words.say('changes.undone')}</a>`
  }
  ${undoes !== null && html`<a class="soft" href="${to(`${listPath}/${undoes}`)}">${words.say('changes.undoes')}</a>`}
  ${mayUndo(visit, entry) && html`<a href="${page}/undo" data-dialog>${words.say('action.undo')}</a>`}</span></div>
${first.map((change) => subjectPart(visit, change))}
${
  rest.length > 0 &&
  html`<details>
    <summary>${words.say('changes.more', { count: rest.length })}</summary>
    ${rest.map((change) => subjectPart(visit, change))}
  </details>`
}
${
  !isOnPage &&
  entry.changesCount > entry.changes.length &&
  html`<p class="small"><a href="${page}">${words.say('changes.seeAll', { count: entry.changesCount })}</a></p>`
}
</li>`
}

function actorLink(visit: ScreenVisit, { kind, id, name }: AdminActor): Html | string {
  const { words } = visit
  const text = name ?? words.say(`actor.${kind}`)
  return id === null ? text : html`<a href="${listWith(visit, { actor: id })}" dir="auto">${text}</a>`
}

// Returns the URL of the list with `filter`. On the page of the list, the current filters are added.
function listWith(visit: ScreenVisit, filter: Readonly<Record<string, string>>): string {
  const isList = visit.path.changeId === undefined
  return isList ? hrefWith(visit, { ...filter, cursor: undefined }) : visit.to(listPath, filter)
}

function operationText({ words }: ScreenVisit, operation: string): string {
  return words.sayKnown(`change.${operation}`, words.say('change.other', { operation }))
}

function subjectPart(visit: ScreenVisit, { kind, subject, members }: AdminSubjectChange): Html {
  const { words } = visit
  const [first, rest] = [members.slice(0, membersShown), members.slice(membersShown)]
  const row = (change: AdminSubjectChange['members'][number]) =>
    html`<div><dt>${memberName(visit, change.member)}</dt><dd>${memberValues(visit, subject.type, change)}</dd></div>`
  return html`<div class="entry-subject">
    <p class="small">
      <span class="soft">${words.say(`changes.kind.${kind}`)} ${words.say(`subject.${subject.type}`)}</span> <a
        href="${listWith(visit, { subject: subject.id })}"
        dir="auto">
        ${subject.name === '' ? subject.id : subject.name}
      </a>
    </p>
${first.length > 0 && html`<dl class="members">${first.map(row)}</dl>`}
${
  rest.length > 0 &&
  html`<details>
    <summary>${words.say('changes.moreMembers', { count: rest.length })}</summary>
    <dl class="members">${rest.map(row)}</dl>
  </details>`
}</div>`
}

// Whether the person may undo the entry, unless something was changed since; otherwise the button is not shown.
function mayUndo(visit: ScreenVisit, { changes: all, undoneBy }: AdminChange): boolean {
  const effective = all.filter(hasOwnEffect)
  return (
    undoneBy === null &&
    effective.length > 0 &&
    effective.every(({ kind, subject: { type } }) => {
      const scope = (undoScopes as Partial<Record<ChangeSubject, AdminScope>>)[type]
      if ((type === 'fulfillment' || type === 'merchant') && kind !== 'change') return false
      return kind !== 'look' && scope !== undefined && holds(visit, scope)
    })
  )
}

function holds({ may }: ScreenVisit, scope: AdminScope): boolean {
  const ids = Object.keys(adminOperations) as AdminOperationId[]
  return ids.some((id) => adminOperations[id].scope === scope && may(id))
}

// Previews an undo. The preview is computed from the entry, without calling the operation.
export const undoChangeScreen: Screen = {
  path: `${listPath}/:changeId/undo`,
  name: 'dashboard undo preview',
  place: 'settings',
  needs: 'undoAdminChange',
  async get(visit) {
    const { words, to } = visit
    const back = { href: to(listPath), label: words.say('developers.changes') }
    const { entry } = await findChange(visit)
    const title = words.say('changes.undoTitle')
    if (!mayUndo(visit, entry)) {
      const isUndone = entry.undoneBy !== null
      return dialog({
        title,
        back,
        status: 409,
        body: renderNotice('bad', words.say(isUndone ? 'changes.undone' : 'changes.notUndoable'), 'alert'),
      })
    }
    const rest = entry.changesCount - entry.changes.length
    return dialog({
      title,
      back,
      lead: words.say('changes.undoLead'),
      body: renderForm(visit, {
        action: to('undo'),
        fields: [],
        hidden: { change: entry.id, back: back.href },
        before: html`<div class="entry-preview">${entry.changes.map((change) => subjectPart(visit, reverseOf(change)))}${
          rest > 0 &&
          html`<p class="small"><a href="${to(`${listPath}/${entry.id}`)}">${words.say('changes.more', { count: rest })}</a></p>`
        }</div>`,
        submit: words.say('action.undo'),
        cancel: back.href,
      }),
    })
  },
}

function reverseOf({ kind, subject, members }: AdminSubjectChange): AdminSubjectChange {
  const opposite = { create: 'retire', retire: 'create', change: 'change', look: 'look' } as const
  return {
    kind: opposite[kind],
    subject,
    members: members.map(({ member, from, to }) => ({ member, from: to, to: from })),
  }
}
