// The form's choice of the variants that a picture shows: all, those with one value of an option, or a set that only the API can make,
// which stays unchanged. Pure.

export const scopeAll = ''
export const scopeUnchanged = 'same'

export interface ScopedPicture {
  url: string
  // `scopeAll`, `scopeUnchanged`, or the slot of an option and one of its values: `1:Moss`.
  shows: string
}

export function scopeOfValue(slot: number, value: string): string {
  return `${slot}:${value}`
}

export function valueOfScope(shows: string): { slot: number; value: string } | undefined {
  const [, slot, value = ''] = /^(\d):(.+)$/s.exec(shows) ?? []
  return slot === undefined ? undefined : { slot: Number(slot), value }
}

// Returns the choice for a picture from the pictures of the variants.
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

// Returns the picture of one variant; null if it shows the product's pictures. `before`: saved values.
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
  // A picture that was removed from the product is removed from the variant too. A picture that the product never had is not in the form,
  // so it stays.
  return before.image !== null && before.pictures.includes(before.image) ? null : before.image
}
