// The first letter of a name as a reader sees it, for where there is no picture. One segmenter serves all: making one costs as
// much as a tenth of a page.

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function initialOf(name: string): string {
  const [first] = letters.segment(name.trim())
  return (first?.segment ?? '').toUpperCase()
}
