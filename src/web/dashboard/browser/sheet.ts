// Sheets: a table with data-sheet whose inputs are cells. Arrow keys and Enter move between cells. A paste fills this cell and the cells
// to its right and below. Cells that differ from the loaded values are marked and counted.

type Cell = HTMLInputElement

for (const sheet of document.querySelectorAll<HTMLElement>('[data-sheet]')) {
  sheet.addEventListener('keydown', (event) => {
    const { target } = event
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !isCell(target)) return
    const [down, right] = stepOf(event.key, target)
    if (down === 0 && right === 0) return
    const [rows, y, x] = placeOf(sheet, target)
    const cell = rows[y + down]?.[x + right]
    event.preventDefault()
    cell?.focus()
    cell?.select()
  })
  sheet.addEventListener('paste', (event) => {
    const { target } = event
    const text = event.clipboardData?.getData('text') ?? ''
    const lines = text.replace(/\r\n?/g, '\n').replace(/\n+$/, '').split('\n')
    if (!isCell(target) || (lines.length === 1 && !text.includes('\t'))) return
    event.preventDefault()
    const [rows, y, x] = placeOf(sheet, target)
    let leftOut = 0
    for (const [down, line] of lines.entries())
      for (const [right, value] of line.split('\t').entries()) {
        const cell = rows[y + down]?.[x + right]
        if (cell) cell.value = value.trim()
        else if (value.trim() !== '') leftOut += 1
      }
    showCount(sheet, '[data-left-out]', leftOut)
    target.dispatchEvent(new Event('input', { bubbles: true }))
  })
  sheet.addEventListener('input', () => mark(sheet))
  addEventListener('pageshow', () => mark(sheet))
}

function isCell(target: EventTarget | null): target is Cell {
  return target instanceof Element && target.matches('input:not([type=checkbox])')
}

// The left and right arrows leave the cell only if the cursor is at that end of its text, or all of the text is selected.
function stepOf(key: string, { value, selectionStart: from, selectionEnd: to }: Cell): [down: number, right: number] {
  const { length } = value
  if (key === 'ArrowUp') return [-1, 0]
  if (key === 'ArrowDown' || key === 'Enter') return [1, 0]
  if (key === 'ArrowLeft' && (to === 0 || (from === 0 && to === length))) return [0, -1]
  if (key === 'ArrowRight' && from === (to === length && from === 0 ? 0 : length)) return [0, 1]
  return [0, 0]
}

function cellsOf(sheet: HTMLElement): Cell[][] {
  return [...sheet.querySelectorAll('tbody tr')].map((row) => [
    ...row.querySelectorAll<Cell>('input:not([type=checkbox], [type=hidden])'),
  ])
}

function placeOf(sheet: HTMLElement, cell: Cell): [rows: Cell[][], y: number, x: number] {
  const rows = cellsOf(sheet)
  const y = rows.findIndex((row) => row.includes(cell))
  return [rows, y, rows[y]?.indexOf(cell) ?? -1]
}

function mark(sheet: HTMLElement): void {
  let changed = 0
  for (const cell of cellsOf(sheet).flat()) {
    const differs = cell.value !== cell.defaultValue
    cell.classList.toggle('changed', differs)
    if (differs) changed += 1
  }
  showCount(sheet, '[data-changed]', changed)
}

function showCount(sheet: HTMLElement, place: string, count: number): void {
  const status = sheet.closest('form')?.querySelector<HTMLElement>(place)
  if (status) status.textContent = count > 0 ? (status.dataset.text ?? '').replace('{count}', String(count)) : ''
}
