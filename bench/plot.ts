// Plots of a run, as hand-written SVG: how much of each limit is used, how costs grow with the data, and what the same work costs peers.

import { type Growth, holds, type Ratio, type Table } from './row.ts'

export interface Bar {
  row: string
  ratio: Ratio
}

const font = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"'
const colours = { ink: '#1f2933', soft: '#616e7c', grid: '#d9dee4', good: '#2f7d5b', bad: '#b4462f', limit: '#1f2933' }

// Longer bars are cut off and marked, so the others stay readable.
const shareShownMax = 3

// Each bar is as long as the used share of its limit: what ends left of the line holds.
export function ratioPlot(bars: readonly Bar[], caption: string): string {
  const [left, width, step, top] = [430, 360, 30, 84]
  const shares = bars.map(({ ratio }) => shareOf(ratio))
  const most = Math.min(shareShownMax, Math.max(1.25, ...shares))
  const x = (share: number) => left + (Math.min(share, most) / most) * width
  const bottom = top + bars.length * step
  const rows = bars.flatMap(({ row, ratio }, index) => {
    const y = top + index * step
    const colour = holds(ratio) ? colours.good : colours.bad
    const share = shares[index] ?? 0
    const length = Math.max(1, x(share) - left)
    const mark = share > most ? [text(left + width - 8, y + 19, '≫', { anchor: 'end', colour: '#ffffff' })] : []
    return [
      text(left - 10, y + 19, `${row}: ${ratio.what}`, { anchor: 'end' }),
      `<rect x="${left}" y="${y + 5}" width="${round(length)}" height="${step - 10}" rx="2" fill="${colour}"/>`,
      ...mark,
      text(left + width + 14, y + 19, told(ratio), { colour: colours.soft }),
    ]
  })
  const apart = [0.25, 0.5, 1, 2, 5].find((distance) => most / distance <= 6) ?? 10
  const ticks = Array.from({ length: Math.floor(most / apart) + 1 }, (_, index) => index * apart)
  const axis = ticks.flatMap((share) => [
    `<line x1="${round(x(share))}" y1="${top - 6}" x2="${round(x(share))}" y2="${bottom}" stroke="${colours.grid}"/>`,
    text(x(share), bottom + 18, `${Math.round(share * 100)} %`, { anchor: 'middle', colour: colours.soft }),
  ])
  return svg(left + width + 220, bottom + 62, [
    text(16, 26, 'How much of each limit is used', { size: 17, weight: 600 }),
    text(16, 46, caption, { colour: colours.soft, size: 12 }),
    ...axis,
    ...rows,
    `<line x1="${round(x(1))}" y1="${top - 10}" x2="${round(x(1))}" y2="${bottom + 4}" stroke="${colours.limit}" stroke-width="1.5" stroke-dasharray="4 3"/>`,
    text(x(1), top - 14, 'limit', { anchor: 'middle', size: 12 }),
    text(left + width / 2, bottom + 42, 'share of the limit; shorter is better', {
      anchor: 'middle',
      colour: colours.soft,
    }),
  ])
}

const sideColours = ['#2f7d5b', '#5aa784', '#7a6fae', '#c08a3e']

// A bar for each column of each row, on a logarithmic scale in µs.
export function peersPlot({ title, columns, rows }: Table, caption: string): string {
  const [left, width, step, gap, top] = [150, 520, 18, 14, 112]
  const values = rows.flatMap(([, ...cells]) => cells.filter((cell) => cell !== null))
  const [least, most] = [
    10 ** Math.floor(Math.log10(Math.min(...values))),
    10 ** Math.ceil(Math.log10(Math.max(...values))),
  ]
  const x = (value: number) => left + (Math.log10(value / least) / Math.log10(most / least)) * width
  const group = columns.length * step + gap
  const bottom = top + rows.length * group
  const bars = rows.flatMap(([name, ...cells], index) => {
    const y = top + index * group
    return [
      text(left - 10, y + (columns.length * step) / 2 + 5, name, { anchor: 'end' }),
      ...cells.flatMap((cell, at) =>
        cell === null
          ? []
          : [
              `<rect x="${left}" y="${y + at * step + 2}" width="${round(x(cell) - left)}" height="${step - 4}" rx="2" fill="${sideColours[at % sideColours.length]}"/>`,
              text(x(cell) + 8, y + at * step + 13, shortTime(cell), { colour: colours.soft, size: 12 }),
            ],
      ),
    ]
  })
  const ticks = Array.from({ length: Math.round(Math.log10(most / least)) + 1 }, (_, at) => least * 10 ** at)
  const axis = ticks.flatMap((tick) => [
    `<line x1="${round(x(tick))}" y1="${top - 6}" x2="${round(x(tick))}" y2="${bottom}" stroke="${colours.grid}"/>`,
    text(x(tick), bottom + 18, shortTime(tick), { anchor: 'middle', colour: colours.soft }),
  ])
  const legend = columns.flatMap((column, at) => [
    `<rect x="${16 + at * 200}" y="64" width="12" height="12" rx="2" fill="${sideColours[at % sideColours.length]}"/>`,
    text(34 + at * 200, 75, column, { size: 13 }),
  ])
  return svg(left + width + 150, bottom + 40, [
    text(16, 26, title.replace(', µs', ', per piece of work'), { size: 17, weight: 600 }),
    text(16, 46, caption, { colour: colours.soft, size: 12 }),
    ...legend,
    ...axis,
    ...bars,
  ])
}

function shortTime(us: number): string {
  return us < 1_000 ? `${us.toFixed(0)} µs` : `${(us / 1_000).toFixed(us < 10_000 ? 1 : 0)} ms`
}

function shareOf({ value, bar }: Ratio): number {
  if (!bar) return 0
  return bar.sense === 'at most' ? value / bar.limit : bar.limit / value
}

function told({ value, bar, unit }: Ratio): string {
  return `${number(value, unit)} (${bar?.sense} ${number(bar?.limit ?? 0, unit)})`
}

function number(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : 2
  const shown = Number(value.toFixed(digits)).toLocaleString('en-US')
  return unit === '×' ? `${shown}×` : `${shown} ${unit}`
}

const lines = ['#1f5fa8', '#b4462f', '#2f7d5b', '#7a4fa3', '#9a6b00', '#3f4c5a']

// Costs as multiples of those at the smallest size, over a logarithmic axis of sizes.
export function growthPlot(growth: readonly Growth[], caption: string): string {
  const [left, top, width, height] = [64, 64, 520, 300]
  const sizes = growth[0]?.points.map(({ size }) => size) ?? []
  const [least, most] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)]
  const highest = Math.max(1.6, ...growth.flatMap(({ points }) => points.map(({ multiple }) => multiple * 1.05)))
  const x = (size: number) => left + ((Math.log10(size) - least) / Math.max(1e-9, most - least)) * width
  const y = (multiple: number) => top + height - (multiple / highest) * height
  const apart = [0.5, 1, 2, 5].find((distance) => highest / distance <= 8) ?? 10
  const marks = Array.from({ length: Math.floor(highest / apart) + 1 }, (_, index) => index * apart)
  const grid = marks.flatMap((mark) => [
    `<line x1="${left}" y1="${round(y(mark))}" x2="${left + width}" y2="${round(y(mark))}" stroke="${colours.grid}"/>`,
    text(left - 8, y(mark) + 4, `${mark}×`, { anchor: 'end', colour: colours.soft }),
  ])
  const ends = spread(growth.map(({ points }) => y(points.at(-1)?.multiple ?? 0)))
  const drawn = growth.flatMap(({ what, points, unit }, index) => {
    const colour = lines[index % lines.length] as string
    const path = points.map((point) => `${round(x(point.size))},${round(y(point.multiple))}`).join(' ')
    const last = points.at(-1)
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map(
        (point) => `<circle cx="${round(x(point.size))}" cy="${round(y(point.multiple))}" r="3.5" fill="${colour}"/>`,
      ),
      text(
        left + width + 12,
        (ends[index] ?? 0) + 4,
        `${what}: ${last?.multiple.toFixed(2)}× (${number(last?.value ?? 0, unit)})`,
        { colour },
      ),
    ]
  })
  return svg(left + width + 300, top + height + 64, [
    text(16, 26, 'Cost with more data, as a multiple of the smallest', { size: 17, weight: 600 }),
    text(16, 46, caption, { colour: colours.soft, size: 12 }),
    ...grid,
    ...sizes.map((size) =>
      text(x(size), top + height + 20, size.toLocaleString('en-US'), { anchor: 'middle', colour: colours.soft }),
    ),
    text(left + width / 2, top + height + 44, 'products and orders in the database', {
      anchor: 'middle',
      colour: colours.soft,
    }),
    `<line x1="${left}" y1="${round(y(1.3))}" x2="${left + width}" y2="${round(y(1.3))}" stroke="${colours.limit}" stroke-width="1.5" stroke-dasharray="4 3"/>`,
    text(left + 6, y(1.3) - 6, 'limit of 1.3×, for all but the start', { size: 12 }),
    ...drawn,
  ])
}

// Labels beside the ends of the lines, moved apart where they would overlap.
function spread(heights: readonly number[]): number[] {
  const order = heights.map((_, index) => index).sort((one, other) => (heights[one] ?? 0) - (heights[other] ?? 0))
  const placed = [...heights]
  for (const [rank, index] of order.entries()) {
    const above = order[rank - 1]
    if (above !== undefined) placed[index] = Math.max(placed[index] ?? 0, (placed[above] ?? 0) + 18)
  }
  return placed
}

interface TextStyle {
  anchor?: 'start' | 'middle' | 'end'
  colour?: string
  size?: number
  weight?: number
}

function text(x: number, y: number, words: string, style: TextStyle = {}): string {
  const { anchor = 'start', colour = colours.ink, size = 13, weight = 400 } = style
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}" font-weight="${weight}" fill="${colour}">${escaped(words)}</text>`
}

function svg(width: number, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${font}>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
