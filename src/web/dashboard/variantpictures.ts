// The form's choice of the variants that a picture shows: all, those with one value of an option, or a set that only the API can make,
// which stays unchanged. Pure.

export const showsAll = ''
export const showsSame = 'same'

export interface ShownPicture {
  url: string
  // `showsAll`, `showsSame`, or the slot of an option and one of its values: `1:Moss`.
  shows: string
}

export function showsValue(slot: number, value: string): string {
  return `${slot}:${value}`
}

export function valueShown(shows: string): { slot: number; value: string } | undefined {
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
  if (!first) return showsAll
  for (const [slot, value] of first.values.entries()) {
    const having = variants.filter(({ values }) => values[slot] === value)
    const isExact = having.length === shown.length && having.every(({ image }) => image === url)
    if (value !== '' && isExact) return showsValue(slot, value)
  }
  return showsSame
}

// Returns the picture of one variant; null if it shows the product's pictures. `before`: saved values.
export function pictureOfVariant(
  values: readonly string[],
  pictures: readonly ShownPicture[],
  before: { image: string | null; pictures: readonly string[] },
): string | null {
  const chosen = pictures.find(({ shows }) => {
    const shown = valueShown(shows)
    return shown !== undefined && values[shown.slot] === shown.value
  })
  if (chosen) return chosen.url
  const present = pictures.find(({ url }) => url === before.image)
  if (present) return present.shows === showsSame ? present.url : null
  // A picture that was removed from the product is removed from the variant too. A picture that the product never had is not in the form,
  // so it stays.
  return before.image !== null && before.pictures.includes(before.image) ? null : before.image
}
