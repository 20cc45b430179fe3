// Makes a table that is wider than its container reachable by keyboard, because not every browser makes scrolling elements focusable.

export function reachScrolling(): void {
  const mark = () => {
    for (const part of document.querySelectorAll<HTMLElement>('.scroll')) {
      const isReached = part.querySelector('a[href], button, input, select, textarea') !== null
      if (part.scrollWidth > part.clientWidth && !isReached) part.tabIndex = 0
      else part.removeAttribute('tabindex')
    }
  }
  mark()
  addEventListener('resize', mark)
}
