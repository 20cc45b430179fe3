// Splits a list into parts of at most `lengthMax` items, since an SQL statement takes a limited number of values.
export function* splitIntoGroups<Item>(items: readonly Item[], lengthMax: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += lengthMax) yield items.slice(start, start + lengthMax)
}

// Splits a list into parts of at most `weightMax`. An item that is heavier by itself is a part of its own.
export function* inWeights<Item>(
  items: readonly Item[],
  weightMax: number,
  weightOf: (item: Item) => number,
): Generator<readonly Item[]> {
  let start = 0
  let weight = 0
  for (const [index, item] of items.entries()) {
    const own = weightOf(item)
    if (index > start && weight + own > weightMax) {
      yield items.slice(start, index)
      start = index
      weight = 0
    }
    weight += own
  }
  if (start < items.length) yield items.slice(start)
}
