// The logo: a cart wheel, in three levels of detail.

import { type Html, html } from './html.ts'

// Icon and colour with which browsers show the site.
export const siteBranding = { icon: '/favicon.svg', themeColor: '#17455d' } as const

// The logo in the top bar. Its colours are visible on the top bar and on light and dark browser tabs.
export function logoMark(): Html {
  return html`<svg class="mark" viewBox="0 0 64 64" aria-hidden="true" focusable="false">
    ${wheel(10, { rim: '#e6b84a', spoke: '#e6b84a', hub: '#c9573a' })}
  </svg>`
}

// The large wheel of the start page: rim, iron tyre, lined spokes and a turned hub.
export function largeWheel(): Html {
  const spokes = anglesOf(14).map(
    (angle) =>
      html`<g transform="rotate(${angle} 200 200)">
        <path d="M194 168 190 44h20l-4 124z" fill="#c9573a"/>
        <path d="M200 158V56" stroke="#e6b84a" stroke-width="2"/>
      </g>`,
  )
  return html`<svg class="wheel" viewBox="0 0 400 400" aria-hidden="true" focusable="false"><g fill="none">
<circle cx="200" cy="200" r="192" stroke="#0e2b3a" stroke-width="12"/><circle cx="200" cy="200" r="170" stroke="#b04a30" stroke-width="32"/>
<circle cx="200" cy="200" r="170" stroke="#e6b84a" stroke-width="2" stroke-dasharray="60 16.3"/></g>
${spokes}<circle cx="200" cy="200" r="44" fill="#b04a30"/><circle cx="200" cy="200" r="36" fill="none" stroke="#e6b84a" stroke-width="2"/>
<circle cx="200" cy="200" r="20" fill="#17455d"/><circle cx="200" cy="200" r="9" fill="#e6b84a"/></svg>`
}

export const favicon = String(html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
  <rect width="64" height="64" rx="13" fill="#17455d"/>
  <g transform="translate(5 5) scale(.84375)">${wheel(8, { rim: '#e6b84a', spoke: '#e6b84a', hub: '#e2765a' })}</g></svg>`)

interface Paint {
  rim: string
  spoke: string
  hub: string
}

function wheel(spokes: number, { rim, spoke, hub }: Paint): Html {
  return html`<circle cx="32" cy="32" r="26" fill="none" stroke="${rim}" stroke-width="6"/>
  <g stroke="${spoke}" stroke-width="3.5" stroke-linecap="round">
    ${anglesOf(spokes).map((angle) => html`<path d="M32 25V8" transform="rotate(${angle} 32 32)"/>`)}
  </g>
  <circle cx="32" cy="32" r="7.5" fill="${hub}"/>`
}

function anglesOf(spokes: number): number[] {
  return Array.from({ length: spokes }, (_, index) => Math.round((index * 36_000) / spokes) / 100)
}
