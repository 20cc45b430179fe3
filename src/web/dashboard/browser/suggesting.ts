// Results below a search field while the person types: a combobox with a list (WAI-ARIA APG). The focus stays in the field, arrow keys
// select, Enter follows a link, Escape closes. Enter without a selection sends the form, as without script.

import type { SearchAnswer, SearchAnswers } from './names.ts'

const answerMs = 150
const lettersMin = 2

export function suggestAnswers(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-suggest]')) {
    const field = form.querySelector<HTMLInputElement>('input[type=search]')
    // Without support for popovers the menu would cut off the list.
    if (field && 'popover' in field) new Suggesting(form, field)
  }
}

class Suggesting {
  readonly #list = document.createElement('div')
  readonly #status = document.createElement('span')
  readonly #field: HTMLInputElement
  #url = ''
  #chosen = -1
  #asked = new AbortController()
  #timer = 0

  constructor(form: HTMLFormElement, field: HTMLInputElement) {
    this.#field = field
    this.#url = form.dataset.suggest ?? ''
    this.#list.id = `answers-${form.className}`
    this.#list.className = 'answers'
    this.#list.popover = 'manual'
    this.#list.setAttribute('role', 'listbox')
    this.#status.className = 'hidden'
    this.#status.setAttribute('role', 'status')
    form.append(this.#list, this.#status)
    field.setAttribute('role', 'combobox')
    field.setAttribute('aria-autocomplete', 'list')
    field.setAttribute('aria-controls', this.#list.id)
    this.#close()
    field.addEventListener('input', (event) => {
      if (!(event instanceof InputEvent && event.isComposing)) this.#askLater()
    })
    field.addEventListener('compositionend', () => this.#askLater())
    field.addEventListener('keydown', (event) => this.#press(event))
    field.addEventListener('blur', () => this.#close())
    form.addEventListener('submit', () => this.#close())
    // Keeps the focus in the field, since losing it would close the list before the click.
    this.#list.addEventListener('mousedown', (event) => event.preventDefault())
  }

  #askLater(): void {
    this.#stopAsking()
    this.#timer = setTimeout(() => void this.#ask(), answerMs)
  }

  // Aborts the request: its results would be for an earlier text.
  #stopAsking(): void {
    clearTimeout(this.#timer)
    this.#asked.abort()
  }

  async #ask(): Promise<void> {
    this.#asked = new AbortController()
    const { signal } = this.#asked
    const words = this.#field.value.trim()
    if (words.length < lettersMin) return this.#close()
    try {
      const answer = await fetch(`${this.#url}?q=${encodeURIComponent(words)}`, {
        signal,
        headers: { accept: 'application/json' },
      })
      // If the session has expired, the response is a page rather than JSON. The cast holds: JSON from this server has the type in
      // names.ts.
      const isOurs = answer.ok && (answer.headers.get('content-type') ?? '').startsWith('application/json')
      const answers = isOurs ? ((await answer.json()) as SearchAnswers) : undefined
      if (signal.aborted) return
      if (answers && document.activeElement === this.#field) this.#show(answers)
      else this.#close()
    } catch {
      // A newer request replaced this one, or the network failed. The field also works without results.
      if (!signal.aborted) this.#close()
    }
  }

  #show({ items, label, said }: SearchAnswers): void {
    this.#hide()
    this.#status.textContent = said
    if (items.length === 0) return
    this.#list.setAttribute('aria-label', label)
    this.#list.replaceChildren(...items.map((item, at) => answerOption(item, `${this.#list.id}-${at}`)))
    const { left, right, bottom, width } = (this.#field.form ?? this.#field).getBoundingClientRect()
    const isRtl = document.dir === 'rtl'
    this.#list.style.insetInlineStart = `${isRtl ? innerWidth - right : left}px`
    this.#list.style.insetBlockStart = `${bottom + 6}px`
    this.#list.style.minInlineSize = `${width}px`
    this.#list.showPopover()
    this.#field.setAttribute('aria-expanded', 'true')
  }

  #close(): void {
    this.#stopAsking()
    this.#hide()
  }

  #hide(): void {
    if (this.#list.matches(':popover-open')) this.#list.hidePopover()
    this.#status.textContent = ''
    this.#field.setAttribute('aria-expanded', 'false')
    this.#choose(-1)
  }

  #choose(index: number): void {
    this.#chosen = index
    const options = [...this.#list.children]
    for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === index))
    const option = options[index]
    if (option) this.#field.setAttribute('aria-activedescendant', option.id)
    else this.#field.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }

  #press(event: KeyboardEvent): void {
    if (!this.#list.matches(':popover-open') || event.isComposing) return
    const { key } = event
    const [chosen, count] = [this.#chosen, this.#list.children.length]
    // The arrow keys cycle through the list and the field itself.
    if (key === 'ArrowDown') this.#choose(chosen + 1 === count ? -1 : chosen + 1)
    else if (key === 'ArrowUp') this.#choose(chosen === -1 ? count - 1 : chosen - 1)
    else if (key === 'Escape') this.#close()
    else if (key === 'Enter' && chosen >= 0) (this.#list.children[chosen] as HTMLElement).click()
    else return
    event.preventDefault()
  }
}

function answerOption({ href, name, detail, kind }: SearchAnswer, id: string): HTMLAnchorElement {
  const option = document.createElement('a')
  option.id = id
  option.href = href
  option.tabIndex = -1
  option.setAttribute('role', 'option')
  const parts = [name, detail, kind].map((text) => {
    const part = document.createElement('span')
    part.dir = 'auto'
    part.textContent = text
    return part
  })
  for (const [at, name] of ['answer-name', 'answer-detail', 'answer-kind'].entries()) parts[at]?.classList.add(name)
  option.append(...parts)
  return option
}
