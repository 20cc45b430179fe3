// Shoppers of the demo shop: invented people with addresses in the format of their country. Data only.

import type { Address } from '../../src/contract/open/carts.ts'

export interface Shopper {
  name: string
  email: string
  locale: string
  address: Address
}

type Row = readonly [
  name: string,
  email: string,
  locale: string,
  line1: string,
  postalCode: string,
  city: string,
  country: string,
  region?: string,
]

// biome-ignore format: a table is read by its rows
const rows: readonly Row[] = [
  ['Hanne Brückner',      'hanne.brueckner@example.com',   'de', 'Karl-Heine-Straße 41',     '04229',    'Leipzig',     'DE'],
  ['Jonas Wiebe',         'jonas.wiebe@example.org',       'de', 'Eppendorfer Weg 118',      '20259',    'Hamburg',     'DE'],
  ['Mirjam Osei',         'mirjam.osei@example.net',       'de', 'Weserstraße 27',           '12045',    'Berlin',      'DE'],
  ['Till Radtke',         'till.radtke@example.com',       'de', 'Südvorstadt 9',            '01187',    'Dresden',     'DE'],
  ['Annegret Pohl',       'a.pohl@example.org',            'de', 'Marktplatz 3',             '37073',    'Göttingen',   'DE'],
  ['Ferdinand Kuhn',      'ferdi.kuhn@example.com',        'de', 'Schanzenstraße 56',        '51063',    'Köln',        'DE'],
  ['Lena Sommerfeld',     'lena.sommerfeld@example.net',   'de', 'Schwabinger Weg 12',       '80796',    'München',     'DE'],
  ['Okan Yildirim',       'okan.yildirim@example.com',     'de', 'Nordring 78',              '63067',    'Offenbach',   'DE'],
  ['Britta Hansen',       'britta.hansen@example.org',     'de', 'Holtenauer Straße 210',    '24105',    'Kiel',        'DE'],
  ['Paul Zacharias',      'paul.zacharias@example.com',    'de', 'Am Stadtpark 5',           '90409',    'Nürnberg',    'DE'],
  ['Sophie Landgraf',     'sophie.landgraf@example.net',   'de', 'Wiehre 14',                '79102',    'Freiburg',    'DE'],
  ['Georg Mattern',       'georg.mattern@example.org',     'de', 'Steinweg 31',              '38100',    'Braunschweig','DE'],
  ['Ines Kowalczyk',      'ines.kowalczyk@example.com',    'de', 'Lindenallee 8',            '45127',    'Essen',       'DE'],
  ['Ruben Alt',           'ruben.alt@example.net',         'de', 'Hafengasse 2',             '89073',    'Ulm',         'DE'],
  ['Marlene Fritsch',     'marlene.fritsch@example.com',   'de', 'Neubaugasse 64',           '1070',     'Wien',        'AT'],
  ['Lukas Hinterberger',  'l.hinterberger@example.org',    'de', 'Griesgasse 17',            '5020',     'Salzburg',    'AT'],
  ['Katharina Egger',     'kathi.egger@example.net',       'de', 'Herrengasse 22',           '8010',     'Graz',        'AT'],
  ['Beat Zürcher',        'beat.zuercher@example.com',     'de', 'Länggassstrasse 33',       '3012',     'Bern',        'CH'],
  ['Noémie Favre',        'noemie.favre@example.org',      'fr', 'Rue de la Louve 6',        '1003',     'Lausanne',    'CH'],
  ['Sanne de Wit',        'sanne.dewit@example.com',       'nl', 'Haarlemmerdijk 92',        '1013 JE',  'Amsterdam',   'NL'],
  ['Joris Vermeulen',     'joris.vermeulen@example.net',   'nl', 'Oudegracht 240',           '3511 NR',  'Utrecht',     'NL'],
  ['Camille Rousselet',   'camille.rousselet@example.com', 'fr', '18 rue des Martyrs',       '75009',    'Paris',       'FR'],
  ['Étienne Marchal',     'etienne.marchal@example.org',   'fr', '4 quai Saint-Antoine',     '69002',    'Lyon',        'FR'],
  ['Freja Mikkelsen',     'freja.mikkelsen@example.com',   'en', 'Jægersborggade 11',        '2200',     'København',   'DK'],
  ['Elin Bergqvist',      'elin.bergqvist@example.net',    'en', 'Götgatan 55',              '116 21',   'Stockholm',   'SE'],
  ['Chiara Benedetti',    'chiara.benedetti@example.com',  'it', 'Via Saragozza 73',         '40123',    'Bologna',     'IT', 'BO'],
  ['Inés Valcárcel',      'ines.valcarcel@example.org',    'es', 'Calle de la Palma 40',     '28004',    'Madrid',      'ES', 'M'],
  ['Wanda Zielińska',     'wanda.zielinska@example.com',   'en', 'ul. Krupnicza 12',         '31-123',   'Kraków',      'PL'],
  ['Harriet Cole',        'harriet.cole@example.net',      'en', '7 Narrow Street',          'E14 8DQ',  'London',      'GB'],
  ['Ewan Sinclair',       'ewan.sinclair@example.com',     'en', '29 Leith Walk',            'EH6 8LN',  'Edinburgh',   'GB'],
  ['Maggie Tran',         'maggie.tran@example.org',       'en', '2114 Alberta Street',      '97211',    'Portland',    'US', 'OR'],
]

export const shoppers: readonly Shopper[] = rows.map(
  ([name, email, locale, line1, postalCode, city, country, region]) => ({
    name,
    email,
    locale,
    address: { name, line1, postalCode, city, country, ...(region && { region }) },
  }),
)
