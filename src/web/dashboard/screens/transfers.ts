// Imports: uploading a file, the planned changes, refused rows with their reasons, and performing or discarding the import.

import type { AdminPlannedChange, AdminTransfer, AdminTransferSummary } from '../../../contract/admin/transfers.ts'
import { limits } from '../../../contract/limits.ts'
import { type ImportKind, importKinds } from '../../../contract/words.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { Refusal } from '../../../platform/kit/refuse.ts'
import { postButton } from '../controls.ts'
import { columnsCard, columnsIn, columnsProblem, type TypedColumns } from '../filecolumns.ts'
import { keyField, readKey } from '../form.ts'
import { linkToGuide } from '../guide.ts'
import { memberName, memberValues } from '../members.ts'
import { button, exactTime, linkButton, renderCard, renderNotice, renderTime, statusPill } from '../parts.ts'
import {
  catchRefusal,
  type PostedScreen,
  redirectTo,
  type Screen,
  type ScreenSheet,
  type ScreenVisit,
} from '../screen.ts'
import { renderSections, settingSections } from '../sections.ts'
import { renderTable } from '../table.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'
import { exportCard } from './exports.ts'

// Maximum size of a file in one form, as browsers send it without script. With script, a file that exceeds one piece is sent in pieces
// (browser/pieces.ts).
const fileBytesMax = 8_000_000
// Slightly less than the limit of a piece. A piece ends between two characters, so its length varies by some bytes.
const pieceBytes = limits.transferPieceBytesMax - 16
// Encodings other than UTF-8 in which spreadsheet programs on Windows and macOS write. Each has one byte per character, so a piece may
// end anywhere.
const encodings = ['windows-1252', 'windows-1250', 'windows-1251', 'macintosh'] as const

export const transfersScreen: Screen = {
  path: 'settings/transfers',
  name: 'dashboard transfers',
  place: 'settings',
  needs: 'listAdminTransfers',
  get: (visit) => transferList(visit),
}

async function transferList(visit: ScreenVisit, problem?: string): Promise<ScreenSheet> {
  const { words, query, to, may } = visit
  const { data, meta } = await visit.ask('listAdminTransfers', { cursor: query.get('cursor') ?? undefined })
  return {
    title: words.say('settings.title'),
    status: problem === undefined ? 200 : 400,
    body: html`${renderSections(visit, settingSections, 'transfers')}
<div class="columns">
  <div>
    ${may('createAdminTransfer') && renderCard({ title: words.say('transfers.import'), body: uploadForm(visit, problem) })}
  </div>
  <div>
    ${may('getAdminRemotePictures') && (await picturesCard(visit))}
    ${may('listAdminExport') && (await exportCard(visit))}
  </div></div>
<h2 class="list-head">${words.say('transfers.list')}</h2>
${renderTable(visit, {
  label: words.say('transfers.list'),
  columns: [
    { head: words.say('transfers.file'), cell: ({ name }) => html`<span dir="auto">${name}</span>`, isMain: true },
    { head: words.say('transfers.kind'), cell: ({ kind }) => words.say(`transfers.kind.${kind}`), isMinor: true },
    { head: words.say('transfers.state'), cell: ({ state }) => statusPill(words, 'transfer', state), isPlain: true },
    { head: words.say('transfers.changed'), cell: (row) => words.number(row.created + row.changed), align: 'end' },
    { head: words.say('transfers.refused'), cell: ({ refused }) => words.number(refused), align: 'end' },
    { head: words.say('transfers.made'), cell: ({ createdAt }) => renderTime(words, createdAt), isMinor: true },
  ],
  rows: data,
  idOf: ({ id }) => id,
  hrefOf: ({ id }) => to(`settings/transfers/${id}`),
  next: meta.next,
  empty: { title: words.say('transfers.empty'), text: words.say('transfers.emptyText') },
})}`,
  }
}

// Shows the progress of copying pictures of imported products from other servers. Omitted if no import had such pictures.
async function picturesCard({ words, ask, to }: ScreenVisit): Promise<Html | false> {
  const { broughtOver, waiting, givenUp, problems } = (await ask('getAdminRemotePictures', {})).data
  const all = broughtOver + waiting + givenUp
  if (all === 0) return false
  const said = words.say('transfers.picturesHere', { count: broughtOver, all })
  return renderCard({
    title: words.say('transfers.pictures'),
    body: html`<p>${said}${waiting > 0 && ` ${words.say('transfers.picturesWaiting', { count: waiting })}`}</p>
${
  waiting > 0 &&
  html`<progress
    class="bar-progress"
    max="${all}"
    value="${broughtOver + givenUp}"
    aria-label="${words.say('transfers.pictures')}"></progress>`
}
${
  givenUp > 0 &&
  html`<details>
    <summary>${words.say('transfers.picturesGivenUp', { count: givenUp })}</summary>
    <ul class="plain-list">
      ${problems.map(
        ({ url, productSlug, problem }) =>
          html`<li>
          <a href="${to(`products?q=${encodeURIComponent(productSlug)}`)}">${productSlug}</a>: ${words.say(
            `transfers.pictureProblem.${problem}`,
          )}
          <br>
          <small dir="ltr">${url}</small>
        </li>`,
      )}
    </ul>
  </details>`
}`,
  })
}

function uploadForm({ words, to }: ScreenVisit, problem: string | undefined): Html {
  const mb = (bytes: number) => Math.floor(bytes / 1_000_000)
  const sizes = { most: mb(limits.transferPiecesMax * pieceBytes), form: mb(fileBytesMax) }
  return html`<form
    class="form"
    method="post"
    enctype="multipart/form-data"
    action="${to('settings/transfers/new')}"
    data-pieces="${pieceBytes}"
    data-pieces-max="${limits.transferPiecesMax}">
    ${keyField()}
${problem !== undefined && renderNotice('bad', problem, 'alert')}
<div class="fields">
  <div class="field whole">
    <label for="field-kind">${words.say('transfers.kind')}</label>
    <select id="field-kind" name="kind">
      ${importKinds.map((kind) => html`<option value="${kind}">${words.say(`transfers.kindLong.${kind}`)}</option>`)}
    </select>
  </div>
<div class="field whole">
  <label for="field-file">${words.say('transfers.file')}</label>
  <input
    id="field-file"
    type="file"
    name="file"
    accept=".csv,.tsv,.txt,.xml,text/csv,text/xml"
    required
    aria-describedby="field-file-help">
  <p class="help" id="field-file-help">
    ${words.say('transfers.fileHelp', sizes)} <a href="/docs/admin">${words.say('apiKeys.docsLink')}</a>
  </p></div>
<div class="field whole">
  <label for="field-encoding">${words.say('transfers.encoding')}</label>
  <select id="field-encoding" name="encoding">
    <option value="">UTF-8</option>
    ${encodings.map((name) => html`<option value="${name}">${words.say(`transfers.encoding.${name}`)}</option>`)}
  </select></div></div>
<p
  role="status"
  data-pieces-status
  data-busy="${words.say('transfers.sending')}"
  data-failed="${words.say('transfers.sendFailed')}"
  data-large="${words.say('transfers.tooLarge', sizes)}"></p>
<div class="form-foot">${button({ label: words.say('transfers.send'), kind: 'first' })}</div>
</form>`
}

// Receives a whole file, or one of its pieces. All pieces have the same idempotency key, so they are one import however often they are
// sent.
export const newTransferScreen: Screen = {
  path: 'settings/transfers/new',
  name: 'dashboard new transfer',
  place: 'settings',
  needs: 'createAdminTransfer',
  filesBytesMax: fileBytesMax + 65_536,
  async post(posted) {
    const { words, form, files, fileNames, to } = posted
    const [file] = files
    if (!file) return transferList(posted, words.say('transfers.noFile'))
    const asked = pieceIn(form)
    const bytes = inUtf8(file, form.get('encoding'))
    const texts = (asked ? [bytes] : cut(bytes)).map(textOf)
    if (!texts.every((text) => text !== undefined)) return transferList(posted, words.say('transfers.notText'))
    const kind = form.get('kind') as ImportKind
    const key = readKey(form)
    const body = { kind, name: nameOf(fileNames[0], kind), pieces: asked?.pieces ?? texts.length }
    const outcome = await catchRefusal(posted.ask('createAdminTransfer', { body, key }))
    if ('refusal' in outcome) return transferList(posted, words.refusal(outcome.refusal))
    const { id } = outcome.reply.data
    for (const [at, text] of texts.entries()) {
      const piece = String(asked?.piece ?? at + 1)
      await posted.ask('appendAdminTransfer', {
        path: { transferId: id, piece },
        body: { text },
        key: `${key}-${piece}`,
      })
    }
    return redirectTo(to(`settings/transfers/${id}`))
  },
}

// Invalid numbers are refused by the operations.
function pieceIn(form: FormFields): { piece: number; pieces: number } | undefined {
  const [piece, pieces] = [Number(form.get('piece')), Number(form.get('pieces'))]
  return piece > 0 ? { piece, pieces } : undefined
}

function inUtf8(file: Buffer, asked: string | null): Buffer {
  const encoding = encodings.find((name) => name === asked)
  return encoding === undefined ? file : Buffer.from(new TextDecoder(encoding).decode(file))
}

// Splits between two characters of UTF-8. Continuation bytes begin with the bits 10.
function cut(file: Buffer): Buffer[] {
  const parts: Buffer[] = []
  let from = 0
  while (from < file.length) {
    let end = Math.min(from + pieceBytes, file.length)
    while (end > from + pieceBytes - 4 && ((file[end] ?? 0) & 0xc0) === 0x80) end -= 1
    parts.push(file.subarray(from, end))
    from = end
  }
  return parts
}

// Returns undefined if the bytes are not text in UTF-8. Text contains no zero byte, but every UTF-16 file does.
function textOf(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function nameOf(given: string | undefined, kind: string): string {
  const name = (given ?? '')
    .toWellFormed()
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()
  return name === '' ? `${kind}.csv` : name
}

export const transferScreen: Screen = {
  path: 'settings/transfers/:transferId',
  name: 'dashboard transfer',
  place: 'settings',
  needs: 'getAdminTransfer',
  get: (visit) => transferPage(visit),
}

async function transferPage(visit: ScreenVisit, typed?: TypedColumns): Promise<ScreenSheet> {
  const { words, to, path } = visit
  const { data } = await visit.ask('getAdminTransfer', { path: { transferId: path.transferId ?? '' } })
  return {
    title: data.name,
    status: typed ? 400 : 200,
    back: { href: to('settings/transfers'), label: words.say('developers.transfers') },
    actions: await linkToGuide(visit),
    body: html`<div data-live="transfer">${stateCard(visit, data)}
${columnsCard(visit, data, typed)}
${data.refusedRows.length > 0 && refusedCard(visit, data)}
${data.changes.length > 0 && changesCard(visit, data)}
${
  data.notes.length > 0 &&
  renderCard({
    title: words.say('transfers.notes'),
    body: html`<ul>${data.notes.map((note) => html`<li dir="auto">${words.remark(note)}</li>`)}</ul>`,
  })
}</div>`,
  }
}

export const assignColumnsScreen: Screen = {
  path: 'settings/transfers/:transferId/columns',
  name: 'dashboard assign columns',
  place: 'settings',
  needs: 'assignAdminTransferColumns',
  async post(posted) {
    const { ask, to, form } = posted
    const transferId = posted.path.transferId ?? ''
    const columns = columnsIn(form)
    const problem = columnsProblem(posted.words, columns)
    if (problem !== undefined) return transferPage(posted, { columns, problem })
    await ask('assignAdminTransferColumns', { path: { transferId }, body: { columns }, key: readKey(form) })
    return redirectTo(to(`settings/transfers/${transferId}`))
  },
}

function isUnderWay({ state }: AdminTransferSummary): boolean {
  return state === 'planning' || state === 'writing'
}

function stateCard(visit: ScreenVisit, data: AdminTransfer): Html {
  const { words } = visit
  return renderCard({
    title: words.say(`transfers.kind.${data.kind}`),
    aside: html`<span class="row-actions">
      <span class="soft small">${exactTime(words, data.createdAt)}</span>
      ${statusPill(words, 'transfer', data.state)}
    </span>`,
    body: html`<p class="lead" role="status"${isUnderWay(data) && html` data-live-soon`}>${stateText(visit, data)}</p>
${data.problem !== null && renderNotice('bad', words.remark(data.problem), 'alert')}
<dl class="sums-row">${countsOf(visit, data).map(([label, text]) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>
${actions(visit, data)}`,
  })
}

function countsOf({ words }: ScreenVisit, data: AdminTransfer): (readonly [label: string, text: string])[] {
  const isWritten = data.state === 'writing' || data.state === 'done'
  return [
    [words.say('transfers.created'), words.number(data.created)],
    [words.say('transfers.changed'), words.number(data.changed)],
    [words.say('transfers.unchanged'), words.number(data.unchanged)],
    [words.say('transfers.refused'), words.number(data.refused)],
    ...(isWritten ? [[words.say('transfers.written'), words.number(data.written)] as const] : []),
  ]
}

function stateText({ words }: ScreenVisit, data: AdminTransfer): string {
  const { state, received, pieces, written } = data
  if (state === 'receiving') return words.say('transfers.receiving', { received, pieces })
  if (state === 'ready') {
    const count = data.created + data.changed
    return count === 0 ? words.say('transfers.nothing') : words.say('transfers.ready', { count })
  }
  return state === 'done' ? words.say('transfers.done', { count: written }) : words.say(`transfers.${state}`)
}

function actions({ words, to, may, here }: ScreenVisit, data: AdminTransfer): Html {
  const { id, state, created, changed } = data
  const at = to(`settings/transfers/${id}`)
  return html`<div class="form-foot">
${
  state === 'ready' &&
  created + changed > 0 &&
  may('confirmAdminTransfer') &&
  postButton({ action: `${at}/confirm`, label: words.say('transfers.confirm'), kind: 'first' })
}
${
  (state === 'ready' || state === 'receiving' || state === 'failed') &&
  may('discardAdminTransfer') &&
  postButton({ action: `${at}/discard`, label: words.say('transfers.discard') })
}
${isUnderWay(data) && linkButton({ label: words.say('transfers.reload'), href: here })}
</div>`
}

function refusedCard({ words }: ScreenVisit, { refused, refusedRows }: AdminTransfer): Html {
  return renderCard({
    title: words.say('transfers.refusedRows'),
    aside: html`<span class="soft">${shownOf(words, refusedRows.length, refused)}</span>`,
    isFlush: true,
    body: html`<div class="scroll">
      <table class="rows"><caption class="hidden">${words.say('transfers.refusedRows')}</caption>
<thead>
  <tr>
    <th scope="col">${words.say('transfers.line')}</th>
    <th scope="col">${words.say('transfers.name')}</th>
    <th scope="col">${words.say('transfers.reason')}</th>
  </tr></thead>
<tbody>
  ${refusedRows.map(
    (row) => html`<tr>
      <th scope="row" class="main">${words.say('transfers.lineOf', { line: String(row.line) })}</th>
      <td data-head="${words.say('transfers.name')}" dir="auto">${row.name}</td>
      <td data-head="${words.say('transfers.reason')}" dir="auto">${words.refusedRow(row)}</td>
    </tr>`,
  )}</tbody></table></div>`,
  })
}

function changesCard(visit: ScreenVisit, { changes, changesCount, state }: AdminTransfer): Html {
  const { words } = visit
  return renderCard({
    title: words.say(state === 'writing' || state === 'done' ? 'transfers.changed' : 'transfers.changes'),
    aside: html`<span class="soft">${shownOf(words, changes.length, changesCount)}</span>`,
    isFlush: true,
    body: html`<div class="scroll">
      <table class="rows"><caption class="hidden">${words.say('transfers.changes')}</caption>
<thead>
  <tr>
    <th scope="col">${words.say('transfers.line')}</th>
    <th scope="col">${words.say('transfers.name')}</th>
    <th scope="col">${words.say('transfers.values')}</th>
  </tr></thead>
<tbody>
  ${changes.map(
    (change) => html`<tr>
      <th scope="row" class="main">${words.say('transfers.lineOf', { line: String(change.line) })}</th>
      <td data-head="${words.say('transfers.name')}">
        <span class="soft">${words.say(`changes.kind.${change.kind}`)} ${words.say(`subject.${change.type}`)}</span> <span
          dir="auto">
          ${change.name}
        </span>
      </td>
      ${
        change.members.length > 0
          ? html`<td data-head="${words.say('transfers.values')}">${memberList(visit, change)}</td>`
          : html`<td class="minor"></td>`
      }
    </tr>`,
  )}</tbody></table></div>`,
  })
}

const membersShown = 6

function memberList(visit: ScreenVisit, { type, members }: AdminPlannedChange): Html {
  const rest = members.length - membersShown
  return html`${members
    .slice(0, membersShown)
    .map(
      (change) =>
        html`<div class="small">${memberName(visit, change.member)}: ${memberValues(visit, type, change)}</div>`,
    )}${rest > 0 && html`<div class="small soft">${visit.words.say('changes.moreMembers', { count: rest })}</div>`}`
}

function shownOf(words: ScreenVisit['words'], shown: number, count: number): string {
  return shown < count ? words.say('transfers.first', { shown, count }) : words.number(count)
}

export const confirmTransferScreen: Screen = {
  path: 'settings/transfers/:transferId/confirm',
  name: 'dashboard confirm transfer',
  place: 'settings',
  needs: 'confirmAdminTransfer',
  async post(posted) {
    const { ask, to, form } = posted
    const transferId = posted.path.transferId ?? ''
    await ask('confirmAdminTransfer', { path: { transferId }, body: {}, key: readKey(form) })
    return redirectWithToast(to(`settings/transfers/${transferId}`), 'done.transferConfirmed')
  },
}

export const discardTransferScreen: Screen = {
  path: 'settings/transfers/:transferId/discard',
  name: 'dashboard discard transfer',
  place: 'settings',
  needs: 'discardAdminTransfer',
  async post(posted: PostedScreen) {
    const { ask, to, form } = posted
    const transferId = posted.path.transferId ?? ''
    // Another tab has performed the import meanwhile. Its products stay, so nothing is discarded.
    if ((await stateOf(posted, transferId)) === 'done')
      return redirectWithRefusal(to(`settings/transfers/${transferId}`), { code: 'transfer_not_ready' })
    await ask('discardAdminTransfer', { path: { transferId }, body: {}, key: readKey(form) })
    return redirectWithToast(to('settings/transfers'), 'done.transferDiscarded')
  },
}

// Returns undefined if the import was discarded.
async function stateOf({ ask }: PostedScreen, transferId: string): Promise<AdminTransfer['state'] | undefined> {
  try {
    return (await ask('getAdminTransfer', { path: { transferId } })).data.state
  } catch (error) {
    if (error instanceof Refusal && error.code === 'transfer_not_found') return undefined
    throw error
  }
}
