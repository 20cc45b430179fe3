// Makes tables that are wider than their container focusable, so they can be scrolled by keyboard. Not every browser does this for
// scrolling elements.

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
