// Finds unique names for apps, and for the installations of a merchant.

const namesAtOnce = 64

// Returns the name if it is free, otherwise the name followed by ` 2`, ` 3` and so on.
export async function findFreeName(
  name: string,
  listTaken: (names: readonly string[]) => Promise<readonly string[]>,
): Promise<string> {
  for (let first = 1; ; first += namesAtOnce) {
    const names = Array.from({ length: namesAtOnce }, (_, i) => (first + i === 1 ? name : `${name} ${first + i}`))
    const taken = new Set(await listTaken(names))
    const free = names.find((candidate) => !taken.has(candidate))
    if (free !== undefined) return free
  }
}
