// Adds copy buttons, a filter for the contents, and a mark at the current section. The pages are complete without script.

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  const label = block.querySelector('pre')?.getAttribute('aria-label')
  button.setAttribute('aria-label', `Copy: ${label}`)
  button.addEventListener('click', async () => {
    const code = block.querySelector('code')
    const done = await copy(code?.textContent ?? '')
    if (!done && code) getSelection()?.selectAllChildren(code)
    button.textContent = done ? 'Copied' : 'Press Ctrl+C'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  block.append(button)
}

// The clipboard requires a secure origin. Elsewhere the button selects the text, and asks the reader to copy it with the keyboard.
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

const contents = document.querySelector<HTMLElement>('.contents')
if (contents) {
  addFilter(contents)
  markPresent(contents)
  foldByWidth(contents)
}

function addFilter(nav: HTMLElement): void {
  const inside = nav.querySelector('.contents-inside')
  if (!inside) return
  const field = document.createElement('input')
  field.type = 'search'
  field.className = 'find'
  field.placeholder = 'Filter'
  field.setAttribute('aria-label', 'Filter the contents')
  inside.prepend(field)

  // Each heading with its list. A link matches by its words, its heading and its anchor, which is the operation's id.
  const groups = [...inside.querySelectorAll('h2')].map((heading) => {
    // The cast holds: each heading is followed by a list of links.
    const list = heading.nextElementSibling as HTMLElement
    const items = [...list.querySelectorAll('li')].map((item) => {
      const link = item.querySelector('a')
      return { item, words: `${link?.textContent} ${link?.hash} ${heading.textContent}`.toLowerCase() }
    })
    return { heading, list, items }
  })
  field.addEventListener('input', () => {
    const sought = field.value.trim().toLowerCase().split(/\s+/)
    for (const { heading, list, items } of groups) {
      for (const { item, words } of items) item.hidden = !sought.every((word) => words.includes(word))
      heading.hidden = list.hidden = items.every(({ item }) => item.hidden)
    }
  })
}

function markPresent(nav: HTMLElement): void {
  const links = new Map([...nav.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]))
  const sections = [...document.querySelectorAll('main [id]')].filter(({ id }) => links.has(id))
  let present: HTMLElement | undefined
  const look = () => {
    // Finds the last section that begins in the upper third of the window.
    const line = innerHeight / 3
    const found = sections.findLast((section) => section.getBoundingClientRect().top <= line) ?? sections[0]
    const link = links.get(found?.id ?? '')
    if (link === present) return
    present?.removeAttribute('aria-current')
    link?.setAttribute('aria-current', 'location')
    present = link
    keepInView(nav, link)
  }
  let asked = false
  addEventListener(
    'scroll',
    () => {
      if (asked) return
      asked = true
      requestAnimationFrame(() => {
        asked = false
        look()
      })
    },
    { passive: true },
  )
  look()
}

// On wide screens the list is always open; on phones it closes when a link is followed. The style sheet shows the list on wide screens
// anyway, but screen readers use the state of the `<details>`.
function foldByWidth(nav: HTMLElement): void {
  const fold = nav.querySelector('details')
  if (!fold) return
  const desk = matchMedia('(min-width: 62rem)')
  const follow = () => {
    fold.open = desk.matches
  }
  desk.addEventListener('change', follow)
  follow()
  nav.addEventListener('click', (event) => {
    if (!desk.matches && event.target instanceof Element && event.target.closest('a')) fold.open = false
  })
}

// scrollIntoView would also scroll the page.
function keepInView(nav: HTMLElement, link: HTMLElement | undefined): void {
  if (!link || nav.scrollHeight <= nav.clientHeight) return
  const place = link.getBoundingClientRect()
  const frame = nav.getBoundingClientRect()
  if (place.top < frame.top + 40) nav.scrollTop -= frame.top + 40 - place.top
  else if (place.bottom > frame.bottom - 40) nav.scrollTop += place.bottom - frame.bottom + 40
}
