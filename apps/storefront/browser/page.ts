// Adds to pages of the shop what a page in a shared cache cannot contain, and suggestions to the search field. Every page works without
// this script.

function showCartCount(): void {
  const badge = document.querySelector<HTMLElement>('[data-cart-count]')
  if (!badge) return
  const [, count = '0'] = /(?:^|; )storefront_count=(\d{1,5})(?:;|$)/.exec(document.cookie) ?? []
  // The server renders both children, and the texts by plural form.
  const forms = JSON.parse(badge.dataset.cartCount ?? '{}') as Record<string, string>
  const { lang } = document.documentElement
  const text = forms[new Intl.PluralRules(lang).select(Number(count))] ?? forms.other ?? ''
  const [shown, spoken] = badge.children
  if (shown) shown.textContent = count
  if (spoken) spoken.textContent = text.replace('{count}', Number(count).toLocaleString(lang))
  badge.hidden = count === '0'
}

// A form is performed once, however often its button is pressed. A page that is shown again from the history sends a new key.
function keyForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-once]')) {
    const field = form.querySelector<HTMLInputElement>('input[name="once"]') ?? document.createElement('input')
    field.type = 'hidden'
    field.name = 'once'
    field.value = newKey()
    form.append(field)
  }
}

// crypto.randomUUID is missing if the shop is served without TLS.
function newKey(): string {
  const digits = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0'))
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

interface Suggestion {
  href: string
  name: string
  detail: string
  image: string | null
}

interface Suggestions {
  items: Suggestion[]
  label?: string
  said?: string
}

// A combobox with a list (WAI-ARIA APG): the focus stays in the field, arrows choose, Enter follows, Escape closes.
class Suggesting {
  readonly #list = document.createElement('div')
  readonly #status = document.createElement('span')
  readonly #field: HTMLInputElement
  #url = ''
  #chosen = -1
  #asked = new AbortController()
  #waiting = 0

  constructor(form: HTMLFormElement, field: HTMLInputElement) {
    this.#url = form.dataset.suggest ?? ''
    this.#field = field
    this.#list.id = 'suggestions'
    this.#list.className = 'suggestions'
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
    // Keeps the focus in the field, so a press on the list does not close it.
    this.#list.addEventListener('mousedown', (event) => event.preventDefault())
  }

  #askLater(): void {
    this.#stopAsking()
    this.#waiting = setTimeout(() => void this.#ask(), 150)
  }

  // Cancels the request for the previous text, whose suggestions do not match the text that is typed now.
  #stopAsking(): void {
    clearTimeout(this.#waiting)
    this.#asked.abort()
  }

  async #ask(): Promise<void> {
    this.#asked = new AbortController()
    const { signal } = this.#asked
    const words = this.#field.value.trim()
    if (words.length < 2) return this.#close()
    try {
      const answer = await fetch(`${this.#url}?q=${encodeURIComponent(words)}`, { signal })
      // The cast holds: this server wrote the answer.
      const suggestions = answer.ok ? ((await answer.json()) as Suggestions) : { items: [] }
      if (!signal.aborted && document.activeElement === this.#field) this.#show(suggestions)
    } catch {
      // A newer request replaced this one, or the network failed. The field works without suggestions.
      if (!signal.aborted) this.#close()
    }
  }

  #show({ items, label = '', said = '' }: Suggestions): void {
    this.#hide()
    if (items.length === 0) return
    this.#list.setAttribute('aria-label', label)
    this.#list.replaceChildren(...items.map(optionOf))
    this.#list.hidden = false
    this.#field.setAttribute('aria-expanded', 'true')
    this.#status.textContent = said
  }

  #close(): void {
    this.#stopAsking()
    this.#hide()
  }

  #hide(): void {
    this.#list.hidden = true
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
    if (this.#list.hidden || event.isComposing) return
    const { key } = event
    const [chosen, count] = [this.#chosen, this.#list.children.length]
    // The arrows also stop at the field itself (-1).
    if (key === 'ArrowDown') this.#choose(chosen + 1 === count ? -1 : chosen + 1)
    else if (key === 'ArrowUp') this.#choose(chosen === -1 ? count - 1 : chosen - 1)
    else if (key === 'Escape') this.#close()
    else if (key === 'Enter' && chosen >= 0) (this.#list.children[chosen] as HTMLElement).click()
    else return
    event.preventDefault()
  }
}

function optionOf({ href, name, detail, image }: Suggestion, at: number): HTMLAnchorElement {
  const option = document.createElement('a')
  option.id = `suggestion-${at + 1}`
  option.href = href
  option.tabIndex = -1
  option.setAttribute('role', 'option')
  const picture = image === null ? document.createElement('span') : document.createElement('img')
  picture.className = 'suggestion-picture'
  if (picture instanceof HTMLImageElement && image !== null) {
    picture.src = image
    picture.alt = ''
  }
  const [title, more] = [document.createElement('span'), document.createElement('span')]
  title.className = 'suggestion-name'
  title.dir = 'auto'
  title.textContent = name
  more.className = 'suggestion-detail'
  more.textContent = detail
  option.append(picture, title, more)
  return option
}

// After a product is added to the cart, shows the cart page in a dialog beside the page. Its forms are sent from the dialog, and their
// answers are shown in it.
class Drawer {
  readonly #dialog = document.createElement('dialog')
  readonly #link: HTMLAnchorElement
  #isSending = false

  constructor(link: HTMLAnchorElement) {
    this.#link = link
    this.#dialog.className = 'drawer'
    this.#dialog.setAttribute('aria-labelledby', 'drawer-title')
    this.#dialog.addEventListener('click', ({ target }) => {
      if (target === this.#dialog) this.#dialog.close()
    })
    document.body.append(this.#dialog)
    document.addEventListener('submit', (event) => this.#submit(event))
  }

  #submit(event: SubmitEvent): void {
    const form = event.target as HTMLFormElement
    const isAdded = form.matches('form.add') && !event.submitter?.hasAttribute('name')
    const isInside = this.#dialog.contains(form) && !form.action.endsWith('/checkout')
    if (!isAdded && !isInside) return
    event.preventDefault()
    if (this.#isSending) return
    this.#isSending = true
    void this.#send(form, event.submitter).catch(() => form.submit())
  }

  async #send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
    const fields = new FormData(form, submitter)
    // The cast holds: all fields are text.
    const body = new URLSearchParams([...fields] as [string, string][])
    const answer = await fetch(form.action, { method: 'POST', body }).finally(() => {
      this.#isSending = false
    })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    // Any other page is opened as a page: the chosen product is not available any more, or the server explains why it cannot answer.
    if (new URL(answer.url).pathname !== new URL(this.#link.href).pathname) location.assign(`${answer.url}#said`)
    else this.#show(page)
  }

  #show(page: Document): void {
    const content = page.querySelector('main')
    if (!content) return
    const title = document.createElement('h2')
    title.id = 'drawer-title'
    title.textContent = content.querySelector('h1')?.textContent ?? ''
    const close = document.createElement('button')
    close.className = 'drawer-close'
    close.type = 'button'
    close.textContent = '×'
    close.setAttribute('aria-label', this.#link.dataset.close ?? '')
    close.addEventListener('click', () => this.#dialog.close())
    document.querySelector('main #said')?.removeAttribute('id')
    // The content security policy of this page may not allow the hosts of the cart's images.
    const hosts = new Set([location.origin, ...[...document.images].map(({ src }) => new URL(src).origin)])
    for (const picture of content.querySelectorAll('img')) if (!hosts.has(new URL(picture.src).origin)) picture.remove()
    const parts = content.querySelectorAll('.notice, .cart, .lead')
    this.#dialog.replaceChildren(title, close, ...parts)
    keyForms()
    showCartCount()
    const counted = page.querySelector('.to-cart')
    if (counted && !this.#link.querySelector('[data-cart-count]')) this.#link.replaceChildren(...counted.childNodes)
    if (!this.#dialog.open) this.#dialog.showModal()
    this.#dialog.querySelector<HTMLElement>('#said')?.focus()
  }
}

const cartLink = document.querySelector<HTMLAnchorElement>('.to-cart:not([aria-current])')
if (cartLink) new Drawer(cartLink)

const search = document.querySelector<HTMLFormElement>('form[data-suggest]')
const words = search?.querySelector<HTMLInputElement>('input[type="search"]')
if (search && words) new Suggesting(search, words)

// Also runs when a page is shown again from the history.
addEventListener('pageshow', () => {
  showCartCount()
  keyForms()
})
