// A text whose form depends on a number.

export interface Plural {
  one: string
  other: string
}
