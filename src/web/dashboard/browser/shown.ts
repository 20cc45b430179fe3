// A preview that follows typing: shows the first of its fields that is not empty.

export function followTyped(): void {
  const shown = document.querySelectorAll<HTMLElement>('[data-shows]')
  if (shown.length === 0) return
  document.addEventListener('input', () => {
    for (const part of shown) part.textContent = typedIn(part.dataset.shows ?? '')
  })
}

function typedIn(names: string): string {
  for (const name of names.split(' ')) {
    const found = document.getElementById(`field-${name}`) as HTMLInputElement | null
    if (found !== null && found.value.trim() !== '') return found.value.trim()
  }
  return ''
}
