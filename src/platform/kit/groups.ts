// Splits a list into parts of at most `lengthMax`, since a statement takes a limited number of values.
export function* splitIntoGroups<Item>(items: readonly Item[], lengthMax: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += lengthMax) yield items.slice(start, start + lengthMax)
}

// Parts of a list whose items together weigh at most so much. An item that is heavier is a part by itself.
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
