// A table that is wider than its place is reached by the keyboard: not every browser offers what scrolls as a stop of the tab key.

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
