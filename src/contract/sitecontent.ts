// A merchant's settings for the online store: its appearance, the sections of its home page and its menus. Shared by both surfaces.

import { optional, picture, slug, text } from './entries.ts'
import { described, nullable, object, oneOf, type Static, Type } from './schema.ts'
import { linkKinds, productSources, sectionKinds, siteCorners, siteDensities, siteFonts, siteSchemes } from './words.ts'

export const sectionsMax = 20
export const menuLinksMax = 20
export const sectionProductsMax = 24
export const sectionColumnsMax = 4
export const sectionBodyLengthMax = 10_000
export const columnBodyLengthMax = 2_000

export const SiteLook = object({
  logo: nullable(picture, { description: 'In place of the name; draw the name into it.' }),
  color: nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }), {
    description:
      'Of buttons and links, as `#2c4c3e`. Every other colour is derived from it, and text can always be read.',
  }),
  font: oneOf(siteFonts, { description: 'A pair of typefaces that devices have: for headings and for text.' }),
  corners: oneOf(siteCorners, { description: 'Of buttons, fields and pictures.' }),
  density: oneOf(siteDensities, { description: 'How close products stand.' }),
  scheme: oneOf(siteSchemes, { description: '`auto`: light or dark, as the device of the shopper is.' }),
})

export const SiteLink = object({
  kind: oneOf(linkKinds, { description: 'What it leads to. `all`: all products.' }),
  target: described(
    'A slug; of `address`: https, http, mailto, tel, or a path of the shop. Empty for `all`.',
    text(2_000),
  ),
  label: described('Empty: the name of the category or page.', text(100)),
})

export const SiteColumn = object({ title: text(200), bodyHtml: text(columnBodyLengthMax) })

export const SiteSection = object({
  kind: oneOf(sectionKinds, { description: 'Members that its kind does not have are dropped.' }),
  title: optional('Of every kind but `notice`.', text(200)),
  bodyHtml: optional(
    'Of `hero`, `text`, `picture` and `notice`: HTML with headings, lists, bold, links. Anything else is removed.',
    text(sectionBodyLengthMax),
  ),
  image: optional('Of `hero` and `picture`.', nullable(picture)),
  imageAlt: optional('What the picture shows, for those who do not see it.', text(300)),
  imageSide: optional('Of `picture`: where the picture stands (default: start).', oneOf(['start', 'end'])),
  link: optional('Of `hero`, `picture` and `notice`.', nullable(SiteLink)),
  source: optional('Of `products`: which ones (default: newest).', oneOf(productSources)),
  category: optional('Of `products` from a category.', slug),
  products: optional(
    'Of `products` that are chosen, in this order. Those that are not for sale are left out.',
    Type.Array(slug, { maxItems: sectionProductsMax }),
  ),
  limit: optional(
    'Of `products`: how many at most (default: 8).',
    Type.Integer({ minimum: 1, maximum: sectionProductsMax }),
  ),
  columns: optional('Of `columns`.', Type.Array(SiteColumn, { maxItems: sectionColumnsMax })),
})

const menu = nullable(Type.Array(SiteLink, { maxItems: menuLinksMax }))

export const SiteMenus = object({
  head: described('null: all categories, and the pages whose menu is `head`.', menu),
  foot: described('null: the pages whose menu is `foot`. Legal pages are always linked.', menu),
})

export const siteHome = nullable(Type.Array(SiteSection, { maxItems: sectionsMax }), {
  description: 'Its sections, from top to bottom. null: a product, the categories, and all products.',
})

export const SiteContent = object({ look: SiteLook, home: siteHome, menus: SiteMenus })

export type SiteLook = Static<typeof SiteLook>
export type SiteLink = Static<typeof SiteLink>
export type SiteSection = Static<typeof SiteSection>
export type SiteMenus = Static<typeof SiteMenus>
export type SiteHome = Static<typeof siteHome>
export type SiteContent = Static<typeof SiteContent>
