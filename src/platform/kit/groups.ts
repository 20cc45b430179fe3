// Splits a list into parts of at most `lengthMax`, since a statement takes a limited number of values.
export function* inGroups<Item>(items: readonly Item[], lengthMax: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += lengthMax) yield items.slice(start, start + lengthMax)
}
