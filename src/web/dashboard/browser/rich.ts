// An editor for formatted text: a field for HTML becomes an area that looks like the result, with buttons above it. Without this script
// the person types HTML. The server sanitizes what is sent. Pasted text is cleaned here, so it brings no styles of its own.

import { pageIn } from './dom.ts'

const block = (name: string) => () => document.execCommand('formatBlock', false, name)
const simple = (name: string) => () => document.execCommand(name)

const commands: Readonly<Record<string, () => void>> = {
  bold: simple('bold'),
  italic: simple('italic'),
  heading: block('h2'),
  subheading: block('h3'),
  text: block('p'),
  list: simple('insertUnorderedList'),
  numbers: simple('insertOrderedList'),
}

// Commands whose button shows whether they apply to the selection.
const states: Readonly<Record<string, string>> = {
  bold: 'bold',
  italic: 'italic',
  list: 'insertUnorderedList',
  numbers: 'insertOrderedList',
}

function addEditor(area: HTMLTextAreaElement): void {
  const tools = document.querySelector<HTMLElement>(`[data-rich-tools="${area.id}"]`)
  const [label] = area.labels
  if (!tools || !label) return
  label.id ||= `${area.id}-label`
  const page = pageFor(area, label)
  page.replaceChildren(cleaned(area.value))
  area.after(page)
  area.hidden = true
  tools.hidden = false
  document.execCommand('defaultParagraphSeparator', false, 'p')
  label.addEventListener('click', () => page.focus())

  page.addEventListener('input', send)
  page.addEventListener('paste', (event) => {
    const pasted = event.clipboardData?.getData('text/html')
    if (!pasted) return
    event.preventDefault()
    const holder = document.createElement('div')
    holder.append(cleaned(pasted))
    document.execCommand('insertHTML', false, holder.innerHTML)
  })
  tools.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-command]') : null
    const name = button?.dataset.command ?? ''
    if (name === 'source') return swap()
    page.focus()
    if (name === 'link') addLink(tools.dataset.ask ?? '')
    else commands[name]?.()
    send()
  })
  document.addEventListener('selectionchange', () => {
    if (!page.contains(document.getSelection()?.anchorNode ?? null)) return
    for (const [name, command] of Object.entries(states))
      tools
        .querySelector(`[data-command="${name}"]`)
        ?.setAttribute('aria-pressed', String(document.queryCommandState(command)))
  })

  // A text with only empty lines is sent as an empty text.
  function send(): void {
    area.value = page.textContent?.trim() === '' ? '' : page.innerHTML
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }

  function swap(): void {
    if (page.hidden) page.replaceChildren(cleaned(area.value))
    page.hidden = !page.hidden
    area.hidden = !page.hidden
    tools?.querySelector('[data-command="source"]')?.setAttribute('aria-pressed', String(page.hidden))
  }
}

function pageFor(area: HTMLTextAreaElement, label: HTMLLabelElement): HTMLDivElement {
  const page = document.createElement('div')
  page.className = 'rich-page'
  page.contentEditable = 'true'
  page.dir = 'auto'
  for (const [name, value] of [
    ['role', 'textbox'],
    ['aria-multiline', 'true'],
    ['aria-labelledby', label.id],
    ['aria-describedby', area.getAttribute('aria-describedby') ?? ''],
  ] as const)
    if (value !== '') page.setAttribute(name, value)
  return page
}

// Asks for the URL of a link. An empty one removes the link.
function addLink(question: string): void {
  const present = document.getSelection()?.anchorNode?.parentElement?.closest('a')?.getAttribute('href')
  const typed = prompt(question, present ?? 'https://')?.trim()
  if (typed === undefined) return
  if (/^(?:https?:\/\/[^/]|mailto:|tel:|\/(?!\/))/i.test(typed)) document.execCommand('createLink', false, typed)
  else if (typed === '' || typed === 'https://') document.execCommand('unlink')
}

// Elements that the server's sanitizer allows.
const kept = new Set(
  'P H2 H3 H4 UL OL LI A B STRONG I EM U S BR BLOCKQUOTE CODE PRE SUB SUP TABLE THEAD TBODY TR TD TH'.split(' '),
)
const dropped = new Set(['SCRIPT', 'STYLE', 'TITLE', 'TEMPLATE', 'IFRAME', 'SVG', 'HEAD'])

function cleaned(source: string): DocumentFragment {
  const made = document.createDocumentFragment()
  copy(pageIn(source).body, made)
  return made
}

function copy(from: Node, to: Node): void {
  for (const node of from.childNodes) {
    if (node instanceof Text) to.appendChild(document.createTextNode(node.data))
    if (!(node instanceof Element) || dropped.has(node.tagName.toUpperCase())) continue
    const name = node.tagName === 'H1' ? 'H2' : node.tagName
    const place = kept.has(name) ? to.appendChild(document.createElement(name)) : to
    const href = node.getAttribute('href') ?? ''
    if (place instanceof HTMLAnchorElement && /^(?:https?:|mailto:|tel:|\/)/i.test(href))
      place.setAttribute('href', href)
    copy(node, place)
  }
}

for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-rich]')) addEditor(area)
