// Names that pages and their scripts share.

// Not a state of the page: taken out of the address once it was shown, and left out of its links.
export const toastParameters = ['done', 'failed', 'n', 'refused', 'change'] as const

// Selects all rows at the first look; not read again.
export const chosenParameter = 'chosen'

// Sizes of one picture, by the pixels of the longer side. The contract has the same limit.
export const pictureSides = [1600, 640, 160] as const
export const pictureBytesMax = 1_048_576

// What a field proposes that looks products up while one types.
export interface PickedProduct {
  code: string
  name: string
  note: string
}

// What a search field shows while one types.
export interface SearchAnswer {
  href: string
  name: string
  detail: string
  // What it is, such as an order.
  kind: string
}

export interface SearchAnswers {
  items: readonly SearchAnswer[]
  // Names the list, and says how many there are.
  label: string
  said: string
}
