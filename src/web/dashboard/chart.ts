// A bar chart as SVG, with its numbers in a table below it unless the page has them anyway. No script, no style attribute: classes only.
//
//   chart(words, { title, bars: [{ label: '16 Nov', value: 1999, text: '€19.99' }], top: money, heads: ['Day', 'Sales'] })

import { type Html, html } from '../../platform/html/html.ts'
import type { DashboardWords } from './words.ts'

export interface ChartBar {
  label: string
  value: number
  // The value, formatted for display.
  text: string
  // Additional columns of the table.
  more?: readonly string[]
}

export interface ChartParts {
  title: string
  bars: readonly ChartBar[]
  // Headings of the table: label, value, and one for each of `more` (default: no table).
  heads?: readonly string[]
  // Formats the value at the top of the chart.
  top: (value: number) => string
}

const width = 720
const height = 160
const gap = 0.25

export function chart(words: DashboardWords, { title, bars, heads, top }: ChartParts): Html {
  const most = niceTop(Math.max(0, ...bars.map(({ value }) => value)))
  const step = width / Math.max(1, bars.length)
  const lines = [0, 0.5, 1].map((part) => round(height - part * height))
  const [first, last] = [bars[0], bars.at(-1)]
  return html`<figure class="chart">
<div class="chart-plot">
<svg viewBox="0 -1 ${width} ${height + 2}" preserveAspectRatio="none" role="img" aria-label="${title}">
${lines.map((y) => html`<path class="chart-line" d="M0 ${y}H${width}"/>`)}
${bars.map(({ label, value, text }, index) => {
  const tall = most === 0 ? 0 : Math.max(value > 0 ? 2 : 0, (Math.max(0, value) / most) * height)
  const x = round(index * step + (step * gap) / 2)
  const wide = round(step * (1 - gap))
  return html`<g class="bar">
    <rect class="bar-area" x="${round(index * step)}" y="0" width="${round(step)}" height="${height}"/>
    <rect class="bar-value" x="${x}" y="${round(height - tall)}" width="${wide}" height="${round(tall)}" rx="1.5"/>
    <title>${label}: ${text}</title>
  </g>`
})}
</svg>
<span class="chart-top" aria-hidden="true">${top(most)}</span>
</div>
<div class="chart-ends" aria-hidden="true"><span>${first?.label}</span><span>${last?.label}</span></div>
${heads && tableOf(words, title, bars, heads)}
</figure>`
}

function tableOf(words: DashboardWords, title: string, bars: readonly ChartBar[], heads: readonly string[]): Html {
  return html`<details class="chart-table"><summary>${words.say('chart.table')}</summary>
<div class="scroll"><table class="numbers"><caption class="hidden">${title}</caption>
<thead><tr>${heads.map((head, index) => html`<th scope="col"${index > 0 && html` class="end"`}>${head}</th>`)}</tr></thead>
<tbody>${bars.map(
    ({ label, text, more = [] }) =>
      html`<tr><th scope="row">${label}</th>${[text, ...more].map((cell) => html`<td class="end">${cell}</td>`)}</tr>`,
  )}</tbody></table></div></details>`
}

// Rounds up to 1, 2, 2.5 or 5 times a power of ten, so the number at the top line is easy to read.
export function niceTop(most: number): number {
  if (most <= 0) return 0
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= most) ?? 10
  return Math.ceil(step * power)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
