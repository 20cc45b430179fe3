// The languages that a browser asks for.

const acceptedMax = 20

// `de-CH,de;q=0.9,en;q=0.8` → the tags in the order of their weight.
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

// The header comes from outside: what is not a language tag is ignored.
export function localeOf(tag: string): Intl.Locale | undefined {
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/i.test(tag)) return undefined
  try {
    return new Intl.Locale(tag)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
