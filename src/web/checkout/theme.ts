// The merchant's design as a style sheet of its own, whose name contains the values of the design, because the content security policy of
// the pages forbids inline styles.

import { siteCorners, siteFonts, siteSchemes } from '../../contract/words.ts'
import { parseColor } from '../../platform/html/color.ts'
import type { HtmlPage } from '../../platform/http/pages.ts'
import { type CheckoutTheme, themeStyleSheet } from './look.ts'
import { lostAnswer } from './show.ts'

const names = new RegExp(
  `^([0-9a-f]{6}|none)(?:\\.(${siteFonts.join('|')})\\.(${siteCorners.join('|')})\\.(${siteSchemes.join('|')}))?\\.css$`,
)

export const themePage: HtmlPage = {
  path: '/checkout/color/:file',
  name: 'checkout color',
  async answer(request) {
    const [whole, digits = '', font = 'system', corners = 'round', scheme = 'auto'] =
      names.exec(request.path.file ?? '') ?? []
    if (whole === undefined) return lostAnswer(request)
    const headers = {
      'content-type': 'text/css; charset=utf-8',
      // Cached for a day only, because a later release may derive other shades.
      'cache-control': 'public, max-age=86400',
    }
    // The cast holds: the regular expression matches only these words.
    const theme = { color: parseColor(digits) ?? null, font, corners, scheme } as CheckoutTheme
    return { status: 200, body: themeStyleSheet(theme), headers }
  },
}
