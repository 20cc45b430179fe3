// An e-mail as HTML: one column of tables, as mail programs require, with inline styles, and a style sheet for dark mode and narrow
// screens that mail programs may drop. Only the merchant's logo and the pictures of items are loaded; other pictures are attached. Pure.

import { storedLook } from '../../domain/sites/content.ts'
import { formatColor, inkOn, parseColor } from '../../platform/html/color.ts'
import { type Html, html, trusted } from '../../platform/html/html.ts'
import { headingFontOf } from '../checkout/look.ts'
import type { Email, EmailItem, EmailPart } from './content.ts'
import { type EmailFrame, frameTexts, pictureUrl } from './frame.ts'

export function emailHtml(email: Email, frame: EmailFrame): string {
  const { speaker, merchant } = frame
  const { test, help, reason, links } = frameTexts(frame)
  const start = speaker.direction === 'rtl' ? 'right' : 'left'
  const [first] = email.parts
  const { font: pair, corners } = storedLook(merchant.look)
  const page: Page = {
    ...{ start, end: start === 'left' ? 'right' : 'left', color: colorOf(merchant.color), origin: frame.origin },
    round: { round: '8px', soft: '6px', square: '0' }[corners],
  }
  const face = merchant.look === null ? null : headingFontOf(pair)
  return html`<!doctype html>
<html lang="${speaker.locale}" dir="${speaker.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${email.subject}</title>
<style>${sheet}</style>
</head>
<body class="paper" style="margin:0;padding:0;background-color:#f4f5f4;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all" aria-hidden="true" data-preview>
  ${first?.kind === 'text' && first.text}</div>
<table
  role="presentation"
  width="100%"
  cellpadding="0"
  cellspacing="0"
  border="0"
  class="paper"
  style="background-color:#f4f5f4">
  <tr><td class="around" align="center" style="padding:32px 16px 40px">
<table
  role="presentation"
  width="100%"
  cellpadding="0"
  cellspacing="0"
  border="0"
  style="max-width:560px;margin:0 auto;${font}">
<tr><td class="head" align="${start}" style="padding:0 4px 20px">${brand(frame)}</td></tr>
${
  test !== null &&
  html`<tr>
    <td style="padding:0 0 12px">
      <div
        class="test"
        style="padding:10px 16px;border-radius:8px;background-color:#fbf0d4;color:#5c4200;font-size:14px;line-height:20px">
        ${test}
      </div>
    </td>
  </tr>`
}
<tr>
  <td
    class="sheet"
    align="${start}"
    style="background-color:#ffffff;border:1px solid #e2e6e4;border-radius:12px;padding:32px">
<h1
  class="ink"
  style="margin:0 0 12px;font-size:24px;line-height:32px;font-weight:600;letter-spacing:-0.01em;color:#17211f${
    face !== null && html`;font-family:${face.replaceAll('"', "'")}`
  }">
  ${email.title}</h1>
${email.parts.map((part, index) => partHtml(part, page, index === email.parts.length - 1))}
</td></tr>
<tr><td class="foot" align="${start}" style="padding:24px 4px 0;font-size:13px;line-height:20px;color:#5b6764">
${help !== null && html`<p class="soft" style="margin:0 0 8px;color:#5b6764">${help}</p>`}
<p class="soft" style="margin:0 0 8px;color:#5b6764">${reason}</p>
${
  links.length > 0 &&
  html`<p class="soft" style="margin:0;color:#5b6764">
    ${links.map(
      ({ name, url }, index) => html`${index > 0 && ' · '}
      <a class="soft" href="${url}" style="color:#5b6764;text-decoration:underline">${name}</a>`,
    )}
  </p>`
}
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`.toString()
}

const font =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'Noto Sans','Noto Sans Arabic','Noto Sans JP',sans-serif"

// The classes only have an effect in mail programs that support dark mode or media queries.
const sheet = trusted(`:root{color-scheme:light dark;supported-color-schemes:light dark}
a{text-decoration-thickness:1px;text-underline-offset:2px}
@media (max-width:480px){.around{padding:20px 12px 32px!important}.sheet{padding:24px 20px!important}.box{padding:14px 16px!important}.button a{display:block!important;text-align:center!important}}
@media (prefers-color-scheme:dark){.paper{background-color:#111716!important}.sheet{background-color:#1a2220!important;border-color:#2d3835!important}.ink,.ink a{color:#e8edeb!important}.soft{color:#a3b0ac!important}.line{border-color:#2d3835!important}.box{background-color:#232d2a!important}.test{background-color:#3a2f10!important;color:#f2dc9b!important}.logo{background-color:#ffffff!important}.name{color:#e8edeb!important}}`)

interface Page {
  start: 'left' | 'right'
  end: 'left' | 'right'
  color: { ground: string; text: string }
  origin: string
  // Border radius of buttons.
  round: string
}

function brand({ merchant, speaker }: EmailFrame): Html {
  const name = html`<span class="name" dir="auto" style="font-size:17px;line-height:24px;font-weight:600;color:#17211f">
    ${merchant.name}
  </span>`
  if (merchant.logo === null || !/^https?:\/\//i.test(merchant.logo)) return name
  const gap = speaker.direction === 'rtl' ? html`margin-left:10px` : html`margin-right:10px`
  return html`<img
    class="logo"
    src="${merchant.logo}"
    alt=""
    width="32"
    height="32"
    style="vertical-align:middle;border:0;border-radius:6px;object-fit:contain;${gap}">
  ${name}`
}

// The last part has no space below it, because it is followed by the edge of the sheet.
function partHtml(part: EmailPart, page: Page, isLast: boolean): Html {
  const below = (space: string) => (isLast ? '0' : space)
  switch (part.kind) {
    case 'text':
      return html`<p
        class="ink"
        style="margin:0 0 ${below('16px')};font-size:16px;line-height:25px;color:#17211f;overflow-wrap:anywhere;word-break:break-word">
        ${part.text}
      </p>
`
    case 'box':
      return html`<div
        class="box"
        style="margin:4px 0 ${below('20px')};padding:16px 20px;border-radius:8px;background-color:#f1f4f3">
<h2 class="ink" style="margin:0 0 6px;font-size:15px;line-height:22px;font-weight:600;color:#17211f">${part.title}</h2>
${part.texts.map(
  (text) =>
    html`<p
    class="ink"
    dir="auto"
    style="margin:0 0 6px;font-size:15px;line-height:23px;color:#17211f;overflow-wrap:anywhere;word-break:break-word">
    ${lines(text)}
  </p>
`,
)}</div>
`
    case 'facts':
      return html`<table
        role="presentation"
        cellpadding="0"
        cellspacing="0"
        border="0"
        style="margin:4px 0 ${below('20px')};font-size:15px;line-height:22px">
${part.rows.map(
  ({ name, value, isCode, url }) =>
    html`<tr>
    <td class="soft" align="${page.start}" valign="top" style="padding:2px 0;color:#5b6764">${name}</td>
    <td style="width:20px">&nbsp;</td>
    <td class="ink" align="${page.start}" valign="top" style="padding:2px 0;color:#17211f;word-break:break-word">
      <bdi${isCode === true && html` dir="ltr"`}${
        isCode === true && value.length <= unbrokenMax && html` style="white-space:nowrap"`
      }>
        ${url ? html`<a class="ink" href="${url}" style="color:#17211f;text-decoration:underline">${value}</a>` : value}
      </bdi>
    </td>
  </tr>
`,
)}</table>
`
    case 'items':
      return html`<h2
        class="ink line"
        style="margin:8px 0 0;padding:20px 0 8px;border-top:1px solid #e2e6e4;font-size:15px;line-height:22px;font-weight:600;color:#17211f">
        ${part.title}
      </h2>
<table
  role="presentation"
  width="100%"
  cellpadding="0"
  cellspacing="0"
  border="0"
  style="font-size:15px;line-height:22px">
${itemRows(part.rows, page)}</table>
`
    case 'totals':
      return html`<table
        role="presentation"
        width="100%"
        cellpadding="0"
        cellspacing="0"
        border="0"
        class="line"
        style="margin:8px 0 0;padding:12px 0 0;border-top:1px solid #e2e6e4;font-size:15px;line-height:22px">
${part.rows.map((row) => totalRow(row, page))}</table>
`
    case 'legal':
      return html`<h2
        class="ink line"
        style="margin:24px 0 0;padding:20px 0 8px;border-top:1px solid #e2e6e4;font-size:13px;line-height:20px;font-weight:600;color:#17211f">
        ${part.title}
      </h2>
<p
  class="soft"
  dir="auto"
  style="margin:0;font-size:12px;line-height:18px;color:#5b6764;overflow-wrap:anywhere;word-break:break-word">
  ${lines(part.text)}</p>
${
  part.picture &&
  html`<img
    src="cid:${part.picture.cid}"
    alt="${part.picture.alt}"
    width="420"
    style="display:block;width:100%;max-width:420px;height:auto;margin:12px 0 0;border:0;background-color:#ffffff">`
}
`
    case 'button':
      return html`<table
        role="presentation"
        cellpadding="0"
        cellspacing="0"
        border="0"
        width="100%"
        style="margin:8px 0 ${below('24px')}">
        <tr>
          <td class="button" align="${page.start}">
            <a
              href="${part.url}"
              style="display:inline-block;padding:12px 22px;border-radius:${page.round};background-color:${
                page.color.ground
              };color:${page.color.text};font-size:16px;line-height:24px;font-weight:600;text-decoration:none">
              ${part.label}
            </a>
          </td>
        </tr>
      </table>
`
  }
}

// If at least one item has a picture, all rows reserve its space.
function itemRows(rows: readonly EmailItem[], { start, end, origin }: Page): Html {
  const pictures = rows.map(({ image }) => pictureUrl(origin, image))
  const hasPictures = pictures.some((url) => url !== null)
  return html`${rows.map(
    ({ name, detail, amount }, at) =>
      html`<tr>
    ${hasPictures && pictureCell(pictures[at] ?? null, start)}
    <td class="ink" align="${start}" valign="top" style="padding:8px 0;color:#17211f">
      <bdi>${name}</bdi>
      <br>
      <span class="soft" style="font-size:13px;line-height:20px;color:#5b6764">${detail}</span>
    </td>
    ${
      amount !== '' &&
      html`<td
        class="ink"
        align="${end}"
        valign="top"
        style="padding:8px 0;white-space:nowrap;color:#17211f;font-variant-numeric:tabular-nums">
        ${amount}
      </td>`
    }
  </tr>
`,
  )}`
}

// The picture has no alternative text, because the name is beside it.
function pictureCell(url: string | null, start: Page['start']): Html {
  const style = html`border:0;border-radius:6px;object-fit:cover;display:block`
  return html`<td width="60" align="${start}" valign="top" style="padding:10px 0">${
    url !== null && html`<img src="${url}" alt="" width="48" height="48" style="${style}">`
  }</td>`
}

// A code of up to this length fits in one line with its name on a phone.
const unbrokenMax = 24

function totalRow(
  { name, value, note, isSum }: Extract<EmailPart, { kind: 'totals' }>['rows'][number],
  { start, end }: Page,
): Html {
  if (!isSum)
    return html`<tr>
      <td class="soft" align="${start}" style="padding:3px 0;color:#5b6764">${name}</td>
      <td
        class="ink"
        align="${end}"
        style="padding:3px 0;white-space:nowrap;color:#17211f;font-variant-numeric:tabular-nums">
        ${value}
      </td>
    </tr>
`
  return html`<tr>
    <td
      class="ink"
      align="${start}"
      valign="top"
      style="padding:10px 0 0;font-size:17px;line-height:24px;font-weight:600;color:#17211f">
      ${name}
    </td>
    <td
      class="ink"
      align="${end}"
      valign="top"
      style="padding:10px 0 0;font-size:17px;line-height:24px;font-weight:600;color:#17211f;font-variant-numeric:tabular-nums">
      ${value}
      ${
        note !== undefined &&
        html`<br><span class="soft" style="font-size:13px;line-height:20px;font-weight:400;color:#5b6764">${note}</span>`
      }
    </td>
  </tr>
`
}

function lines(text: string): Html[] {
  return text.split(/\r?\n/).map((line, index) => html`${index > 0 && html`<br>`}${line}`)
}

const usualColor = { ground: '#1b5270', text: '#ffffff' }

function colorOf(color: string | null): { ground: string; text: string } {
  const ground = color === null ? undefined : parseColor(color)
  return ground ? { ground: formatColor(ground), text: formatColor(inkOn(ground)) } : usualColor
}
