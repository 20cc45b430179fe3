// Cells of a sheet: a table with data-sheet whose inputs are the cells. Arrows and Enter move, a paste of cells fills this one and
// those to its right and below, and what differs from what was read is marked and counted.

;(() => {
  for (const sheet of document.querySelectorAll('[data-sheet]')) {
    sheet.addEventListener('keydown', (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !isCell(event.target)) return
      const [down, right] = stepOf(event)
      if (down === 0 && right === 0) return
      const cell = neighbour(sheet, event.target, down, right)
      event.preventDefault()
      cell?.focus()
      cell?.select()
    })
    sheet.addEventListener('paste', (event) => {
      const text = event.clipboardData?.getData('text') ?? ''
      const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')
      if (!isCell(event.target) || (lines.length === 1 && !text.includes('\t'))) return
      event.preventDefault()
      const rows = cellsOf(sheet)
      const y = rows.findIndex((row) => row.includes(event.target))
      const x = rows[y].indexOf(event.target)
      let leftOut = 0
      for (const [down, line] of lines.entries())
        for (const [right, value] of line.split('\t').entries()) {
          const cell = rows[y + down]?.[x + right]
          if (cell) cell.value = value.trim()
          else if (value.trim() !== '') leftOut += 1
        }
      tell(sheet, '[data-left-out]', leftOut)
      event.target.dispatchEvent(new Event('input', { bubbles: true }))
    })
    sheet.addEventListener('input', () => mark(sheet))
    addEventListener('pageshow', () => mark(sheet))
  }

  function isCell(target) {
    return target.matches?.('input:not([type=checkbox])')
  }

  // Left and right move only from the end of what is typed.
  function stepOf({ key, target }) {
    const length = target.value.length
    const [from, to] = [target.selectionStart, target.selectionEnd]
    if (key === 'ArrowUp') return [-1, 0]
    if (key === 'ArrowDown' || key === 'Enter') return [1, 0]
    if (key === 'ArrowLeft' && (to === 0 || (from === 0 && to === length))) return [0, -1]
    if (key === 'ArrowRight' && from === (to === length && from === 0 ? 0 : length)) return [0, 1]
    return [0, 0]
  }

  function cellsOf(sheet) {
    return [...sheet.querySelectorAll('tbody tr')].map((row) => [
      ...row.querySelectorAll('input:not([type=checkbox], [type=hidden])'),
    ])
  }

  function neighbour(sheet, cell, down, right) {
    const rows = cellsOf(sheet)
    const y = rows.findIndex((row) => row.includes(cell))
    return rows[y + down]?.[rows[y].indexOf(cell) + right]
  }

  function mark(sheet) {
    let changed = 0
    for (const cell of cellsOf(sheet).flat()) {
      const differs = cell.value !== cell.defaultValue
      cell.classList.toggle('changed', differs)
      if (differs) changed += 1
    }
    tell(sheet, '[data-changed]', changed)
  }

  function tell(sheet, place, count) {
    const told = sheet.closest('form')?.querySelector(place)
    if (told) told.textContent = count > 0 ? told.dataset.text.replace('{count}', String(count)) : ''
  }
})()
