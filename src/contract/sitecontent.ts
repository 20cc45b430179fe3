// A merchant's settings for the online store: its appearance, the sections of its home page and its menus. Shared by both surfaces.

import { optionalMember, pictureSchema, slugSchema, textSchema } from './entries.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from './schema.ts'
import { linkKinds, productSources, sectionKinds, siteCorners, siteDensities, siteFonts, siteSchemes } from './words.ts'

export const sectionsMax = 20
export const menuLinksMax = 20
export const sectionProductsMax = 24
export const sectionColumnsMax = 4
export const sectionBodyLengthMax = 10_000
export const columnBodyLengthMax = 2_000

export const SiteLook = object({
  logo: nullable(pictureSchema, { description: 'In place of the name; draw the name into it.' }),
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
  target: withDescription(
    'A slug; of `address`: https, http, mailto, tel, or a path of the shop. Empty for `all`.',
    textSchema(2_000),
  ),
  label: withDescription('Empty: the name of the category or page.', textSchema(100)),
})

export const SiteColumn = object({ title: textSchema(200), bodyHtml: textSchema(columnBodyLengthMax) })

export const SiteSection = object({
  kind: oneOf(sectionKinds, { description: 'Members that its kind does not have are dropped.' }),
  title: optionalMember('Of every kind but `notice`.', textSchema(200)),
  bodyHtml: optionalMember(
    'Of `hero`, `text`, `picture` and `notice`: HTML with headings, lists, bold, links. Anything else is removed.',
    textSchema(sectionBodyLengthMax),
  ),
  image: optionalMember('Of `hero` and `picture`.', nullable(pictureSchema)),
  imageAlt: optionalMember('What the picture shows, for those who do not see it.', textSchema(300)),
  imageSide: optionalMember('Of `picture`: where the picture stands (default: start).', oneOf(['start', 'end'])),
  link: optionalMember('Of `hero`, `picture` and `notice`.', nullable(SiteLink)),
  source: optionalMember('Of `products`: which ones (default: newest).', oneOf(productSources)),
  category: optionalMember('Of `products` from a category.', slugSchema),
  products: optionalMember(
    'Of `products` that are chosen, in this order. Those that are not for sale are left out.',
    Type.Array(slugSchema, { maxItems: sectionProductsMax }),
  ),
  limit: optionalMember(
    'Of `products`: how many at most (default: 8).',
    Type.Integer({ minimum: 1, maximum: sectionProductsMax }),
  ),
  columns: optionalMember('Of `columns`.', Type.Array(SiteColumn, { maxItems: sectionColumnsMax })),
})

const menu = nullable(Type.Array(SiteLink, { maxItems: menuLinksMax }))

export const SiteMenus = object({
  head: withDescription('null: all categories, and the pages whose menu is `head`.', menu),
  foot: withDescription('null: the pages whose menu is `foot`. Legal pages are always linked.', menu),
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
