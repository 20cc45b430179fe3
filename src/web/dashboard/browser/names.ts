// Names that pages and their scripts share.

// Parameters of a toast, not of the page: removed from the address after the toast was shown, and left out of links.
export const toastParameters = ['done', 'failed', 'n', 'refused', 'change'] as const

// Selects all rows when the page is first shown; not read again.
export const chosenParameter = 'chosen'

// Sizes of one picture: pixels of the longer side. The contract has the same limit.
export const pictureSides = [1600, 640, 160] as const
export const pictureBytesMax = 1_048_576

// A suggestion of a field that looks up products while the person types.
export interface PickedProduct {
  code: string
  name: string
  note: string
}

// A suggestion of the search field.
export interface SearchAnswer {
  href: string
  name: string
  detail: string
  // Kind of thing, such as an order.
  kind: string
}

export interface SearchAnswers {
  items: readonly SearchAnswer[]
  // `label` names the list, `said` announces the number of suggestions.
  label: string
  said: string
}
