// Queries as shoppers type them, by kind, and the product that must be among the first three. A shop of two languages, since merchants
// write as they please.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bloom } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'

type Product = NonNullable<ShopFile['products']>[number]

const products: readonly [slug: string, name: string, more?: Partial<Product>][] = [
  ['kettle', 'Wasser Kocher Edelstahl 1,7 l', { tags: ['Küche'] }],
  ['kettle-mini', 'Reisewasserkocher 0.5l'],
  ['bedding', 'Bett-Wäsche Set 2-teilig', { description: 'Aus Baumwolle, 135 x 200 cm.' }],
  ['dried-fruit', 'Trocken Früchte Mix 500 g'],
  ['pressure-cooker', 'Schnellkoch Topf 6 Liter'],
  ['tomato-paste', 'Tomatenmark 200g Dose'],
  ['incense', 'Räucherstäbchen Sandelholz'],
  ['beans', 'Grüne Bohnen 400 g'],
  ['muesli', 'Muesli mit Aepfeln 1 kg'],
  ['brush', 'Spülbürste Buche'],
  ['mustard-oil', 'Mustard Öl 500ml'],
  ['soy-sauce', 'Soy sauce 700 ml'],
  ['syrup', 'Sirop de menthe 500 Milliliter'],
  ['toor-dal', 'Toor Dal 2kg'],
  ['rice', 'Daawat Basmati Rice 2 kg'],
  ['perfume', 'Eau de toilette 100ml', { description: 'Also sold as 30 ml.' }],
  ['charger', 'USB charger 65 W'],
  ['ssd', 'Portable SSD 2 TB'],
  ['ring', 'Silver ring with opal'],
  ['necklace', 'Silver necklace'],
  ['sofa', 'Three-seat sofa, grey'],
  ['nightstand', 'Oak nightstand'],
  ['bed', 'Bed frame 160 cm', { description: 'Comes with slats.' }],
  ['headboard', 'Upholstered headboard'],
  ['striped-shirt', 'Stripe shirt'],
  ['sweater', 'Merino sweater', { tags: ['Winter'] }],
  ['gloves', 'Snow gloves', { description: 'Warm.' }],
  ['jacket', 'Ski jacket Burton'],
  ['burnt-candle', 'Burnt sienna candle'],
  ['t-shirt', 'T-Shirt organic cotton'],
  ['teapot', 'Tea pot cast iron'],
  ['notebook', 'Note book A5 dotted'],
  ['dishes', 'Baking dishes'],
  ['knife', 'Chef knife 20cm', { skus: [{ code: 'KN-20-CHEF', price: 900, stock: 3, barcode: '4006381333931' }] }],
  ['case', 'iPhone 15 case', { options: [{ name: 'Colour', values: ['Nacht blau'] }] }],
  ['cream', 'Crème brûlée set'],
  ['smoerrebroed', 'Smørrebrød plate'],
  ['socks', "Men's hiking socks"],
  ['lamp', 'Bedside lamp brass'],
  ['table', 'Dining table walnut'],
  ['poster', 'Poster 50x70 cm'],
  ['cup-ja', '湯呑みカップ'],
  ['jug-ru', 'Чайник эмалированный 2 л'],
]

const shop: ShopFile = {
  ...bloom,
  merchant: {
    ...{ slug: 'bloom', name: 'Bloom', currency: 'EUR', country: 'DE' },
    synonyms: [
      ['sofa', 'couch', 'settee'],
      ['nightstand', 'bedside table'],
      ['sweater', 'pullover', 'jumper'],
    ],
  },
  categories: [{ slug: 'garden', name: 'Garten Möbel' }],
  products: products.map(([slug, name, more = {}], at) => ({
    slug,
    name,
    publishedAt: new Date(Date.UTC(2026, 0, 1) - at * 86_400_000).toISOString(),
    skus: [
      {
        code: `ART-${100 + at}`,
        price: 1_000,
        stock: 5,
        ...(more.options && { options: { Colour: 'Nacht blau' } }),
      },
    ],
    ...more,
  })),
}

// By kind: what is typed, and what must be found.
const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a compound that the merchant wrote as two words': {
    wasserkocher: 'kettle',
    'wasserkocher edelstahl': 'kettle',
    wasserkoch: 'kettle',
    bettwäsche: 'bedding',
    bettwaesche: 'bedding',
    trockenfrüchte: 'dried-fruit',
    trockenfruechte: 'dried-fruit',
    schnellkochtopf: 'pressure-cooker',
    teapot: 'teapot',
    notebook: 'notebook',
    tshirt: 't-shirt',
  },
  'two words that the merchant wrote as one': {
    'tomaten mark': 'tomato-paste',
    'tomaten mark dose': 'tomato-paste',
    'räucher stäbchen': 'incense',
    'spül bürste': 'brush',
    'reise wasserkocher': 'kettle-mini',
    'night stand': 'nightstand',
    'head board': 'headboard',
    'neck lace silver': 'necklace',
    'iphone 15 cas': 'case',
  },
  'ä, ö, ü as two letters or without dots, and the reverse': {
    raeucherstaebchen: 'incense',
    raucherstabchen: 'incense',
    'gruene bohnen': 'beans',
    'grune bohnen': 'beans',
    'grüne bohnen': 'beans',
    'mustard oel': 'mustard-oil',
    'mustard ol': 'mustard-oil',
    müsli: 'muesli',
    'müsli äpfeln': 'muesli',
    spuelbuerste: 'brush',
    spulburste: 'brush',
    smoerrebroed: 'smoerrebroed',
    smorrebrod: 'smoerrebroed',
    kueche: 'kettle',
  },
  'accents and case': {
    'creme brulee': 'cream',
    'CRÈME BRÛLÉE': 'cream',
    'crème brulée': 'cream',
    SILVER: 'ring',
    ｓｉｌｖｅｒ: 'ring',
  },
  'a number with its unit, together or apart': {
    'mustard öl 500 ml': 'mustard-oil',
    'mustard öl 500ml': 'mustard-oil',
    'soy sauce 700ml': 'soy-sauce',
    'soy sauce 700 ml': 'soy-sauce',
    'sirop 500 ml': 'syrup',
    'sirop 500ml': 'syrup',
    'toor dal 2 kg': 'toor-dal',
    'daawat 2kg': 'rice',
    'rice 2 kilo': 'rice',
    '100 ml': 'perfume',
    '30ml': 'perfume',
    '1.7 l': 'kettle',
    '1,7l wasserkocher': 'kettle',
    '0,5 liter': 'kettle-mini',
    'topf 6l': 'pressure-cooker',
    'bohnen 400g': 'beans',
    'trockenfrüchte 500 gramm': 'dried-fruit',
    'charger 65w': 'charger',
    'ssd 2tb': 'ssd',
    'knife 20 cm': 'knife',
    'bed 160cm': 'bed',
    'poster 50x70': 'poster',
    'чайник 2л': 'jug-ru',
  },
  'typing mistakes': {
    sliver: 'ring',
    silverr: 'ring',
    'silvr ring': 'ring',
    neckalce: 'necklace',
    necklce: 'necklace',
    sweatr: 'sweater',
    swaeter: 'sweater',
    'merino sweeter': 'sweater',
    headbord: 'headboard',
    upholsterd: 'headboard',
    nightstnd: 'nightstand',
    bohmen: 'beans',
    tomatenmrk: 'tomato-paste',
    sandelhloz: 'incense',
    'burtn jacket': 'jacket',
    'jaket burton': 'jacket',
    'sienna burnd': 'burnt-candle',
    'silver rings': 'ring',
    basmatti: 'rice',
    smorrebrot: 'smoerrebroed',
    portabel: 'ssd',
    organik: 't-shirt',
    waknut: 'table',
    'cuoch grey': 'sofa',
  },
  'one word that the product does not have': {
    'bed without headboard': 'bed',
    'gloves burtn': 'gloves',
    'striped sweater': 'sweater',
    'silver ring platinum': 'ring',
    'grey sofa leather': 'sofa',
    'oak nightstand tall': 'nightstand',
  },
  'synonyms that the merchant set': {
    couch: 'sofa',
    'grey couch': 'sofa',
    sofas: 'sofa',
    settee: 'sofa',
    'bedside table': 'nightstand',
    'oak bedside table': 'nightstand',
    jumper: 'sweater',
    'merino pullover': 'sweater',
  },
  'order, plurals and half typed words': {
    'ring silver': 'ring',
    'opal ri': 'ring',
    necklaces: 'necklace',
    dish: 'dishes',
    dosen: 'tomato-paste',
    'men socks': 'socks',
    'mens socks': 'socks',
    'din tab': 'table',
  },
  'codes and barcodes': {
    'KN-20-CHEF': 'knife',
    'kn 20 chef': 'knife',
    kn20chef: 'knife',
    '4006381333931': 'knife',
    'ART-120': 'sofa',
  },
  'Japanese and Russian': {
    カップ: 'cup-ja',
    湯呑み: 'cup-ja',
    чайник: 'jug-ru',
  },
}

eachEngine('typical queries of shoppers', (given) => {
  let testServer: TestServer
  before(async () => {
    testServer = await openTestServer(given.shared, { shops: [shop] })
  })

  for (const [kind, expected] of Object.entries(queries))
    test(`${kind}: the product is among the first three`, async () => {
      const missed: string[] = []
      for (const [q, slug] of Object.entries(expected)) {
        const { body } = await testServer.ask('searchCatalogProducts', { query: `?${new URLSearchParams({ q })}` })
        const found: string[] = body.data.map((row: { slug: string }) => row.slug)
        if (!found.slice(0, 3).includes(slug)) missed.push(`${q}: ${found.slice(0, 3).join(', ') || 'nothing'}`)
      }
      assert.deepEqual(missed, [])
    })
})
