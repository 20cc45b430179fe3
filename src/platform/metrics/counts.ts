// Numbers with labels, as exposed by /metrics.

export type Labels = Readonly<Record<string, string>>

export interface Sample {
  labels: Labels
  value: number
}

// One number per set of labels. Callers must use few different sets.
export class Counts {
  readonly #samples = new Map<string, Sample>()

  raise(labels: Labels): void {
    const key = labelText(labels)
    const sample = this.#samples.get(key)
    if (sample) sample.value += 1
    else this.#samples.set(key, { labels, value: 1 })
  }

  samples(): Sample[] {
    return [...this.#samples.values()].map((sample) => ({ ...sample }))
  }
}

// Returns a sample for each member, labelled with its name.
export function samplesBy(name: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([member, value]) => ({ labels: { [name]: member }, value }))
}

// Formats labels in the Prometheus text format: `state="open",mode="test"`. Backslashes, quotation marks and line feeds are escaped.
export function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(
      ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
    )
    .join(',')
}
