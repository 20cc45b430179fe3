// Shortcuts. Single letters can be turned off on this device, never act in a field, and each stands for a link or a button that
// can be seen.

;(() => {
  const off = 'dashboard-keys-off'
  const isOff = () => {
    try {
      return localStorage.getItem(off) === 'yes'
    } catch {
      return false
    }
  }

  for (const box of document.querySelectorAll('[data-keys-off]')) {
    box.checked = isOff()
    box.addEventListener('change', () => {
      try {
        if (box.checked) localStorage.setItem(off, 'yes')
        else localStorage.removeItem(off)
      } catch {
        box.checked = false
      }
    })
  }

  let isGoing = false
  let goingTimer

  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') return save(event)
    if (event.ctrlKey || event.metaKey || event.altKey || isOff() || isTyping(event.target)) return
    if (document.querySelector('dialog[open]')) return
    if (isGoing) {
      stopGoing()
      const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`)
      if (link) act(event, () => link.click())
      return
    }
    const deed = deeds[event.key]
    if (deed) deed(event)
  })

  const deeds = {
    '/': (event) => {
      const field = document.querySelector('.find-large input, .find input')
      if (field) act(event, () => focusField(field))
    },
    g: () => {
      isGoing = true
      goingTimer = setTimeout(stopGoing, 1500)
    },
    j: (event) => move(event, 1),
    k: (event) => move(event, -1),
    x: (event) => {
      const box = row()?.querySelector('[data-choose]')
      if (box) act(event, () => box.click())
    },
    Enter: (event) => {
      const link = event.target.closest('a, button, summary') ? null : row()?.querySelector('[data-open]')
      if (link) act(event, () => link.click())
    },
    f: (event) => press(event, 'f'),
    e: (event) => press(event, 'e'),
    '?': (event) => {
      const list = document.getElementById('shortcuts')
      if (list?.togglePopover) act(event, () => list.togglePopover())
    },
  }

  function act(event, work) {
    event.preventDefault()
    work()
  }

  function stopGoing() {
    isGoing = false
    clearTimeout(goingTimer)
  }

  function isTyping(target) {
    return target.matches?.('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]')
  }

  // The search field is in the menu, which on a telephone is closed.
  function focusField(field) {
    const side = field.closest('[popover]')
    if (side && getComputedStyle(side).display === 'none') side.showPopover()
    field.focus()
    field.select()
  }

  function rows() {
    return [...document.querySelectorAll('[data-row]')]
  }

  function row() {
    return document.querySelector('[data-row].at')
  }

  function move(event, step) {
    const all = rows()
    if (all.length === 0) return
    act(event, () => {
      const at = all.indexOf(row())
      const next = all[Math.min(all.length - 1, Math.max(0, at + step))]
      row()?.classList.remove('at')
      next.classList.add('at')
      next.querySelector('[data-open]')?.focus({ preventScroll: true })
      next.scrollIntoView({ block: 'nearest' })
    })
  }

  function press(event, key) {
    const button = document.querySelector(`[data-key="${key}"]`)
    if (button) act(event, () => button.click())
  }

  function save(event) {
    const { activeElement } = document
    const forms = [
      // A button that stands in this form may belong to another, as those for the rows per page.
      activeElement?.matches('button') ? activeElement.closest('form') : activeElement?.form,
      document.querySelector('dialog[open] form'),
      document.querySelector('main .form'),
    ]
    const button = forms.find(Boolean)?.querySelector('[data-key="save"]')
    if (button) act(event, () => button.click())
  }
})()
