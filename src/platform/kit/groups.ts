// Parts of a list that are at most so long: a statement takes only so many values.
export function* inGroups<Item>(items: readonly Item[], lengthMax: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += lengthMax) yield items.slice(start, start + lengthMax)
}
