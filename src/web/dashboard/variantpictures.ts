// The choice, in a form, of the variants that a picture shows: all, those with a certain value of an option, or a set that only the API
// can create and that stays unchanged. Pure.

export const scopeAll = ''
export const scopeUnchanged = 'same'

export interface ScopedPicture {
  url: string
  // `scopeAll`, `scopeUnchanged`, or an option's slot and value: `1:Moss`.
  shows: string
}

export function scopeOfValue(slot: number, value: string): string {
  return `${slot}:${value}`
}

export function valueOfScope(shows: string): { slot: number; value: string } | undefined {
  const [, slot, value = ''] = /^(\d):(.+)$/s.exec(shows) ?? []
  return slot === undefined ? undefined : { slot: Number(slot), value }
}

// Returns a picture's choice, derived from the pictures of the variants.
export function pictureScopeOf(
  url: string,
  variants: readonly { values: readonly string[]; image: string | null }[],
): string {
  const shown = variants.filter(({ image }) => image === url)
  const [first] = shown
  if (!first) return scopeAll
  for (const [slot, value] of first.values.entries()) {
    const having = variants.filter(({ values }) => values[slot] === value)
    const isExact = having.length === shown.length && having.every(({ image }) => image === url)
    if (value !== '' && isExact) return scopeOfValue(slot, value)
  }
  return scopeUnchanged
}

// Returns a variant's own picture, or null if it shows the product's pictures. `before`: the saved values.
export function choosePictureOfVariant(
  values: readonly string[],
  pictures: readonly ScopedPicture[],
  before: { image: string | null; pictures: readonly string[] },
): string | null {
  const chosen = pictures.find(({ shows }) => {
    const shown = valueOfScope(shows)
    return shown !== undefined && values[shown.slot] === shown.value
  })
  if (chosen) return chosen.url
  const present = pictures.find(({ url }) => url === before.image)
  if (present) return present.shows === scopeUnchanged ? present.url : null
  // A picture that was removed from the product is also removed from the variant. A picture that was never one of the product's is not in
  // the form, so it stays.
  return before.image !== null && before.pictures.includes(before.image) ? null : before.image
}
