// The public facts of a merchant's site: everything that a storefront shows of the shop besides its products.

import { LegalEntry } from '../entries.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { SiteMenus, siteHome } from '../sitecontent.ts'
import {
  modes,
  pageMenus,
  pathKinds,
  siteCorners,
  siteDensities,
  siteFonts,
  siteSchemes,
  siteStatuses,
  textLanguages,
} from '../words.ts'

export const SiteMerchant = object({
  slug: Type.String(),
  name: Type.String(),
  currency: Type.String({ description: 'ISO 4217.' }),
  country: Type.String({ description: 'ISO 3166-1, two letters.' }),
})

const shade = Type.String({ description: '#rrggbb.' })

// One colour scheme. Each text colour is readable on each background (WCAG 2.2, AA).
export const SitePalette = object({
  paper: withDescription('The ground of the page.', shade),
  sheet: withDescription('The ground of cards and fields.', shade),
  well: withDescription('The ground of what is set off.', shade),
  ink: shade,
  inkSoft: shade,
  line: withDescription('Decoration.', shade),
  lineStrong: withDescription('The edge of a field.', shade),
  action: withDescription('The ground of a button.', shade),
  onAction: withDescription('Text on it.', shade),
  actionOver: withDescription('The ground of a button below the pointer.', shade),
  link: shade,
})

export const Site = object({
  merchant: SiteMerchant,
  mode: oneOf(modes),
  status: oneOf(siteStatuses, {
    description: 'Of the shop that this server shows. The API answers in both cases.',
  }),
  url: nullable(Type.String(), { description: 'Where this server shows the shop, if it does.' }),
  supportEmail: nullable(Type.String()),
  logo: nullable(Type.String(), { description: 'Address of a picture.' }),
  color: nullable(Type.String(), { description: '#rrggbb.' }),
  look: object(
    {
      font: oneOf(siteFonts),
      corners: oneOf(siteCorners),
      density: oneOf(siteDensities),
      scheme: oneOf(siteSchemes),
      palette: nullable(object({ light: SitePalette, dark: SitePalette }), {
        description: 'Derived from the colour. null without one.',
      }),
    },
    { description: 'As the merchant published it.' },
  ),
  home: siteHome,
  menus: SiteMenus,
  links: object(
    {
      terms: Type.Optional(Type.String()),
      privacy: Type.Optional(Type.String()),
      refunds: Type.Optional(Type.String()),
      imprint: Type.Optional(Type.String()),
    },
    { description: 'Legal pages.' },
  ),
  withdrawalUrl: nullable(Type.String(), {
    description: 'Where shoppers withdraw from a contract; link it from every page. null where no country demands it.',
  }),
  legalGuarantee: Type.Optional(
    nullable(
      object({
        years: Type.Integer({ minimum: 1 }),
        notices: Type.Optional(
          Type.Array(object({ language: oneOf(textLanguages), url: Type.String() }), {
            maxItems: 20,
            description:
              'Pictures of the harmonised notice (Implementing Regulation (EU) 2025/1960): show the one in the language of the page, whole and in colour.',
          }),
        ),
      }),
      {
        description:
          'For how long, at least, the seller answers for goods, which pages that offer them have to say (Directive (EU) 2024/825). null where no country demands it.',
      },
    ),
  ),
  legal: nullable(LegalEntry, { description: 'Who sells.' }),
  pricesIncludeTax: Type.Boolean(),
  pages: Type.Array(object({ slug: Type.String(), title: Type.String(), menu: oneOf(pageMenus) }), {
    maxItems: 100,
    description: 'Published ones, in the order of menus.',
  }),
  shipsTo: Type.Array(Type.String(), {
    description: 'Countries, two letters each; `*` is any other.',
  }),
})

export const SitePage = object({
  slug: Type.String({ description: 'Its path in the shop.' }),
  title: Type.String(),
  description: Type.String(),
  bodyHtml: Type.String({ description: 'Safe in any page.' }),
})

export const SitePageResponse = object({ data: SitePage })

export const sitePathQuery = object({
  path: Type.String({ minLength: 1, maxLength: 1500, description: 'A path of the shop, without its query.' }),
})

export const SitePathResponse = object({
  data: object({
    kind: oneOf(pathKinds),
    path: nullable(Type.String(), { description: 'Where it is, below the root of the shop.' }),
  }),
})

export const SiteResponse = object({ data: Site })

export type SitePalette = Static<typeof SitePalette>
export type Site = Static<typeof Site>
export type SiteResponse = Static<typeof SiteResponse>
export type SitePath = Static<typeof SitePathResponse>['data']
export type SitePage = Static<typeof SitePage>
