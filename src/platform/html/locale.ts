// Languages from the Accept-Language header of a browser.

const acceptedMax = 20

// Returns the language tags of `de-CH,de;q=0.9,en;q=0.8`, sorted by weight.
export function acceptedLocales(header = ''): string[] {
  return header
    .slice(0, 1_000)
    .split(',', acceptedMax)
    .map((part) => {
      const [tag = '', weight] = part.trim().split(/\s*;\s*q=/i)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ tag, weight }) => weight > 0 && localeOf(tag) !== undefined)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
}

// Returns undefined for anything but a language tag, since clients can send any text.
export function localeOf(tag: string): Intl.Locale | undefined {
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/i.test(tag)) return undefined
  try {
    return new Intl.Locale(tag)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
