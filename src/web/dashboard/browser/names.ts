// Names shared by pages and their scripts.

// Parameters of a toast rather than of the page: removed from the URL once the toast was shown, and omitted from links.
export const toastParameters = ['done', 'failed', 'n', 'refused', 'change'] as const

// Selects all rows when the page is first shown; ignored when the list reloads itself.
export const chosenParameter = 'chosen'

// Sizes of a picture: pixels of the longer side. The maximum number of bytes is that of the contract.
export const pictureSides = [1600, 640, 160] as const
export const pictureBytesMax = 1_048_576

// A suggestion below a field that looks up products while the person types.
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
  // The kind of resource, such as an order.
  kind: string
}

export interface SearchAnswers {
  items: readonly SearchAnswer[]
  // `label` is the name of the list for screen readers, and `said` announces the number of suggestions.
  label: string
  said: string
}
