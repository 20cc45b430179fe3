// Pictures of a product. Selected or dropped files are converted to WebP or JPEG in several sizes here, so the server gets no camera data
// and needs no decoder. Rows are moved by buttons or by dragging, and the form saves their order.

import { closest, pageIn } from './dom.ts'
import { shrunk } from './shrinking.ts'

interface Uploaded {
  url: string
  width: number
  height: number
}

// The server refused an upload; `shown` is a text for the person.
class Refused extends Error {
  readonly shown: string | undefined
  constructor(shown: string | undefined) {
    super('refused')
    this.shown = shown
  }
}

const list = document.querySelector<HTMLElement>('[data-pictures]')
const input = document.querySelector<HTMLInputElement>('[data-picture-input]')
const drop = document.querySelector<HTMLElement>('[data-drop]')
const row = document.querySelector<HTMLTemplateElement>('#picture-row')
if (list && input && drop && row) addUploads({ list, input, drop, row })

interface UploadParts {
  list: HTMLElement
  input: HTMLInputElement
  drop: HTMLElement
  row: HTMLTemplateElement
}

function addUploads({ list, input, drop, row }: UploadParts): void {
  // The casts hold: the list is in the form of the product, whose page has an element for problems.
  const form = list.closest('form') as HTMLFormElement
  const status = document.querySelector('[data-picture-status]') as HTMLElement
  let number = list.children.length
  let uploads = 0
  // Sends the form once all uploads are finished.
  let save: (() => void) | undefined

  input.addEventListener('change', () => {
    void take([...(input.files ?? [])])
    input.value = ''
  })
  for (const kind of ['dragover', 'dragleave', 'drop'] as const)
    drop.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      drop.classList.toggle('over', kind === 'dragover')
      if (kind === 'drop') void take([...event.dataTransfer.files])
    })
  form.addEventListener('submit', (event) => {
    if (uploads === 0 || event.submitter?.getAttribute('formtarget') === '_blank') return
    event.preventDefault()
    save = () => form.requestSubmit(event.submitter)
  })
  addMoving(list)

  async function take(files: readonly File[]): Promise<void> {
    const failed: string[] = []
    uploads += 1
    for (const [at, file] of files.entries()) {
      status.textContent = `${status.dataset.busy} ${at + 1}/${files.length}`
      try {
        add(await upload(list.dataset.pictures ?? '', await shrunk(file)))
      } catch (error) {
        failed.push(`${file.name}: ${(error instanceof Refused && error.shown) || status.dataset.failed}`)
      }
    }
    uploads -= 1
    status.textContent = failed.join(' ')
    status.classList.toggle('wrong', failed.length > 0)
    // A form that lacks an expected picture is not sent.
    if (failed.length > 0) save = undefined
    if (uploads > 0) return
    save?.()
    save = undefined
  }

  function add(uploaded: Uploaded): void {
    // The casts hold: the template contains one row with these fields.
    const made = row.content.querySelector('[data-picture]')?.cloneNode(true) as HTMLElement
    const at = number++
    for (const field of made.querySelectorAll<HTMLInputElement>('[name]'))
      field.name = field.name.replace('.N.', `.${at}.`)
    for (const part of ['url', 'width', 'height'] as const)
      (made.querySelector(`[name="image.${at}.${part}"]`) as HTMLInputElement).value = String(uploaded[part])
    ;(made.querySelector('img') as HTMLImageElement).src = uploaded.url
    list.append(made)
    renumber(list)
    // The focus stays if the person is typing elsewhere in the form.
    if (!form.contains(document.activeElement) || drop.contains(document.activeElement))
      made.querySelector<HTMLElement>('input[maxlength="500"]')?.focus()
  }
}

async function upload(href: string, sizes: readonly Blob[]): Promise<Uploaded> {
  const body = new FormData()
  body.append('key', crypto.randomUUID())
  for (const size of sizes) body.append('file', size, 'picture')
  const answer = await fetch(href, { method: 'POST', body })
  if (answer.headers.get('content-type') === 'application/json') {
    const read = await answer.json()
    if (answer.ok) return read
    throw new Refused(read.message)
  }
  // If the session has expired or there are too many requests, the response is a page.
  throw new Refused(pageIn(await answer.text()).querySelector('.lead, .empty-title')?.textContent)
}

// Numbers the rows in their order on the page, which is the order that is saved.
function renumber(list: HTMLElement): void {
  for (const [at, field] of list.querySelectorAll<HTMLInputElement>('[data-position]').entries())
    field.value = String(at + 1)
  list.dispatchEvent(new Event('input', { bubbles: true }))
}

function addMoving(list: HTMLElement): void {
  list.addEventListener('click', (event) => {
    const button = closest(event, '[data-move]')
    const one = button?.closest('[data-picture]')
    if (!button || !one) return
    if (button.dataset.move === '-1') one.previousElementSibling?.before(one)
    else one.nextElementSibling?.after(one)
    renumber(list)
    button.focus()
  })
  let dragged: HTMLElement | null = null
  list.addEventListener('dragstart', (event) => {
    dragged = closest(event, '[data-picture]')
  })
  list.addEventListener('dragover', (event) => {
    const over = closest(event, '[data-picture]')
    if (!dragged || !over || over === dragged) return
    event.preventDefault()
    const isAfter = dragged.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING
    if (isAfter) over.after(dragged)
    else over.before(dragged)
  })
  list.addEventListener('dragend', () => {
    if (dragged) renumber(list)
    dragged = null
  })
}
