// Cells of a sheet: a table with data-sheet whose inputs are the cells. Arrows up and down and Enter move, and a paste of cells
// fills this one and those to its right and below.

;(() => {
  for (const sheet of document.querySelectorAll('[data-sheet]')) {
    sheet.addEventListener('keydown', (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key]
      if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || !isCell(event.target)) return
      const cell = neighbour(sheet, event.target, step, 0)
      event.preventDefault()
      cell?.focus()
      cell?.select()
    })
    sheet.addEventListener('paste', (event) => {
      const text = event.clipboardData?.getData('text') ?? ''
      const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')
      if (!isCell(event.target) || (lines.length === 1 && !text.includes('\t'))) return
      event.preventDefault()
      for (const [down, line] of lines.entries())
        for (const [right, value] of line.split('\t').entries()) {
          const cell = neighbour(sheet, event.target, down, right)
          if (!cell) continue
          cell.value = value.trim()
          cell.dispatchEvent(new Event('input', { bubbles: true }))
        }
    })
  }

  function isCell(target) {
    return target.matches?.('input:not([type=checkbox])')
  }

  function neighbour(sheet, cell, down, right) {
    const rows = [...sheet.querySelectorAll('tbody tr')].map((row) => [
      ...row.querySelectorAll('input:not([type=checkbox], [type=hidden])'),
    ])
    const y = rows.findIndex((row) => row.includes(cell))
    return rows[y + down]?.[rows[y].indexOf(cell) + right]
  }
})()
