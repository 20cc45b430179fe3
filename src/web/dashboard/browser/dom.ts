// Access to elements of events.

export function closest<E extends HTMLElement>({ target }: Event, selector: string): E | null {
  return target instanceof Element ? target.closest<E>(selector) : null
}

export function pageIn(text: string): Document {
  return new DOMParser().parseFromString(text, 'text/html')
}
