// Line icons on a grid of 20 by 20, in the colour of the text. Each icon stands beside a text with the same meaning, or in a button or
// link with such a label.

import { type Html, html, trusted } from '../../platform/html/html.ts'

// biome-ignore format: a table is read by its rows
const paths = {
  home: 'M3 9.2 10 3l7 6.2M5 8v8.5h3.5v-5h3v5H15V8',
  orders: 'M3 11h3.6l1.2 2h4.4l1.2-2H17M3 11l2-7h10l2 7v5.5H3z',
  customers: 'M7.500 9.500a2.700 2.700 0 1 0 0-5.400 2.700 2.700 0 0 0 0 5.400ZM2.500 16c.5-2.800 2.400-4.200 5-4.200s4.500 1.400 5 4.200M13 4.400a2.500 2.500 0 0 1 0 4.900M14.500 12c1.700.5 2.700 1.900 3 4',
  products: 'M10 2.8 16.5 6v8L10 17.2 3.5 14V6zM3.5 6 10 9.3 16.5 6M10 9.3v7.9',
  discounts: 'M10.8 3H16v5.2L8.6 16.9 3 11.3zM13 6.6v.1',
  store: 'M3 8 4.500 3.500h11L17 8M3 8h14M4.500 8v8.500h11V8M8 16.500v-5h4v5',
  reports: 'M3.5 16.5h13M5.5 13.5V10M10 13.5V4M14.5 13.5V7.5',
  settings: 'M3 6h6M13 6h4M3 14h3M10 14h7M11 4v4M8 12v4',
  developers: 'm7 6-4 4 4 4M13 6l4 4-4 4',
  search: 'M8.8 14.2a5.4 5.4 0 1 0 0-10.8 5.4 5.4 0 0 0 0 10.8ZM12.8 12.8 17 17',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  close: 'm5 5 10 10M15 5 5 15',
  down: 'm6 8 4 4 4-4',
  back: 'M12 5l-5 5 5 5',
  check: 'm4 10.5 4 4 8-9',
  next: 'm8 5 5 5-5 5',
  person: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 17c.6-3.2 3-4.8 6-4.8s5.4 1.6 6 4.8',
  eye: 'M2.5 10S5 5 10 5s7.5 5 7.5 5-2.5 5-7.5 5-7.5-5-7.5-5ZM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  print: 'M6 8V3h8v5M6 14H3.5V8h13v6H14M6 12h8v5H6z',
  alert: 'M10 3 2.5 16.5h15zM10 8v4M10 14.2v.1',
  up: 'm6 12 4-4 4 4',
} as const

export type IconName = keyof typeof paths

const drawn = new Map<string, Html>()

export function icon(name: IconName): Html {
  const known = drawn.get(name)
  if (known) return known
  const made = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="${trusted(paths[name])}"/></svg>`
  drawn.set(name, made)
  return made
}
