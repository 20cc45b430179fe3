import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAddress } from './check.ts'
import { countriesWithFormat, formatFor } from './formats.ts'
import { addressLayoutFor, addressLines } from './lines.ts'

// The country; the typed name, company, line 1, line 2, city, region and postal code; and the lines of the label, joined by /.
// biome-ignore format: a table is read by its rows
const addresses: readonly (readonly [country: string, typed: string, lines: string])[] = [
  ['DE', 'Ada Berg||Unter den Linden 1|2. Stock|Berlin||10115',             'Ada Berg / Unter den Linden 1 / 2. Stock / 10115 Berlin'],
  ['AT', 'Eva Huber|Huber GmbH|Mariahilfer Straße 12||Wien||1060',          'Eva Huber / Huber GmbH / Mariahilfer Straße 12 / 1060 Wien'],
  ['CH', 'Urs Frei||Bahnhofstrasse 3||Zürich||8001',                        'Urs Frei / Bahnhofstrasse 3 / 8001 Zürich'],
  ['FR', 'Luc Petit||5 rue de Rivoli|Bât. B|Paris||75001',                  'Luc Petit / 5 rue de Rivoli / Bât. B / 75001 Paris'],
  ['NL', 'Jan Vos||Damrak 9||Amsterdam||1012js',                            'Jan Vos / Damrak 9 / 1012 JS Amsterdam'],
  ['SE', 'Åsa Lind||Drottninggatan 4||Stockholm||11129',                    'Åsa Lind / Drottninggatan 4 / 111 29 Stockholm'],
  ['PL', 'Ewa Nowak||ul. Prosta 20||Warszawa||00-950',                      'Ewa Nowak / ul. Prosta 20 / 00-950 Warszawa'],
  ['PT', 'Rui Melo||Rua Augusta 100||Lisboa||1100053',                      'Rui Melo / Rua Augusta 100 / 1100-053 Lisboa'],
  ['ES', 'Ana Gil||Calle Mayor 7||Getafe|Madrid|28901',                     'Ana Gil / Calle Mayor 7 / 28901 Getafe / Madrid'],
  ['ES', 'Ana Gil||Calle Mayor 7||Madrid|Madrid|28013',                     'Ana Gil / Calle Mayor 7 / 28013 Madrid'],
  ['IT', 'Ugo Riva||Via Roma 1||Firenze|Firenze|50123',                     'Ugo Riva / Via Roma 1 / 50123 Firenze FI'],
  ['HU', 'Béla Tóth||Fő utca 8.||Budapest||1011',                           'Béla Tóth / Budapest / Fő utca 8. / 1011'],
  ['RO', 'Ion Pop||Str. Lungă 2||Brașov|Brașov|500009',                     'Ion Pop / Str. Lungă 2 / 500009 Brașov'],
  ['LV', 'Jānis Ozols||Brīvības iela 5||Rīga||1010',                        'Jānis Ozols / Brīvības iela 5 / Rīga, LV-1010'],
  ['IE', 'Sean Daly||1 Main Street||Naas|Co. Kildare|W91 X2Y3',             'Sean Daly / 1 Main Street / Naas / Co. Kildare / W91 X2Y3'],
  ['GB', 'Jo Hill||12 Salter Street||London||e148dq',                       'Jo Hill / 12 Salter Street / London / E14 8DQ'],
  ['GB', 'Jo Hill||3 Mill Lane||Ely|Cambridgeshire|CB7 4AA',                'Jo Hill / 3 Mill Lane / Ely / Cambridgeshire / CB7 4AA'],
  ['TR', 'Can Ak||İstiklal Cad. 4||Beyoğlu|İstanbul|34430',                 'Can Ak / İstiklal Cad. 4 / 34430 Beyoğlu/İstanbul'],
  ['UA', 'Ivan Bondar||vul. Khreshchatyk 1||Kyiv||01001',                   'Ivan Bondar / vul. Khreshchatyk 1 / Kyiv / 01001'],
  ['US', 'Sam Lee||2114 Alberta Street|Apt 3|Portland|Oregon|97211',        'Sam Lee / 2114 Alberta Street / Apt 3 / Portland OR 97211'],
  ['PR', 'Luz Díaz||Calle Sol 9||San Juan||00901',                          'Luz Díaz / Calle Sol 9 / San Juan PR 00901'],
  ['CA', 'Amy Roy||80 Wellington St||Ottawa|Ontario|k1a0b1',                'Amy Roy / 80 Wellington St / Ottawa ON K1A 0B1'],
  ['MX', 'José Ruiz||Av. Juárez 5||Zapopan|Jalisco|45100',                  'José Ruiz / Av. Juárez 5 / 45100 Zapopan, Jalisco'],
  ['BR', 'Bia Reis||Av. Paulista 1000|Apto 12|São Paulo|SP|01310100',       'Bia Reis / Av. Paulista 1000 / Apto 12 / São Paulo-SP / 01310-100'],
  ['AR', 'Leo Paz||Av. Corrientes 300||Rosario|Santa Fe|2000',              'Leo Paz / Av. Corrientes 300 / 2000 Rosario / Santa Fe'],
  ['AU', 'Kim Wood||7 George St||Sydney|New South Wales|2000',              'Kim Wood / 7 George St / Sydney NSW 2000'],
  ['NZ', 'Tui Hall||2 Lambton Quay||Wellington||6011',                      'Tui Hall / 2 Lambton Quay / Wellington 6011'],
  ['JP', 'Aiko Mori||1-1 Chiyoda||Chiyoda-ku|Tokyo|1000001',                'Aiko Mori / 1-1 Chiyoda / Chiyoda-ku, Tokyo / 100-0001'],
  ['JP', '森 愛子|株式会社森|千代田1-1|101号室|千代田区|東京都|1000001',      '〒100-0001 / 東京都千代田区 / 千代田1-1 / 101号室 / 株式会社森 / 森 愛子'],
  ['JP', '林 健||中央1-2||札幌市|北海道|0600001',                            '〒060-0001 / 北海道札幌市 / 中央1-2 / 林 健'],
  ['CN', 'Li Wei||1 Nanjing Road||Shanghai|Shanghai|200001',                'Li Wei / 1 Nanjing Road / Shanghai / 200001'],
  ['CN', '李伟||中山路1号||广州市|广东|510000',                               '510000 / 广东广州市 / 中山路1号 / 李伟'],
  ['KR', 'Min Kim||10 Sejong-daero||Jongno-gu|Seoul|03051',                 'Min Kim / 10 Sejong-daero / Jongno-gu / Seoul / 03051'],
  ['KR', '김민||세종대로 10||종로구|서울|03051',                              '서울 종로구 / 세종대로 10 / 김민 / 03051'],
  ['TW', '王小明||信義路1號||大安區|臺北市|106',                               '106 / 臺北市大安區 / 信義路1號 / 王小明'],
  ['IN', 'Asha Rao||4 MG Road||Bengaluru|Karnataka|560001',                 'Asha Rao / 4 MG Road / Bengaluru 560001 / Karnataka'],
  ['SG', 'Tan Li||1 Raffles Place||Singapore||048616',                      'Tan Li / 1 Raffles Place / Singapore 048616'],
  ['MY', 'Nur Aziz||5 Jalan Ampang||Kuala Lumpur|KUL|50050',                'Nur Aziz / 5 Jalan Ampang / 50050 Kuala Lumpur'],
  ['AE', 'Omar Said||Sheikh Zayed Rd 1||Jumeirah|Dubai|',                   'Omar Said / Sheikh Zayed Rd 1 / Jumeirah / Dubai'],
  ['HK', 'Ann Ho||8 Queens Road||Central|Hong Kong Island|',                'Ann Ho / 8 Queens Road / Central / Hong Kong Island'],
  ['ZA', 'Thabo Nel||6 Long Street||Cape Town||8001',                       'Thabo Nel / 6 Long Street / Cape Town / 8001'],
  ['BB', 'Joy King||9 Bay Street||Bridgetown|St. Michael|BB11000',          'Joy King / 9 Bay Street / Bridgetown BB11000 / St. Michael'],
]

test('an address is written in the order of its country', () => {
  for (const [country, typed, lines] of addresses) {
    const [name = '', company = '', line1 = '', line2 = '', city = '', region = '', postalCode = ''] = typed.split('|')
    const checked = checkAddress({ name, company, line1, line2, city, region, postalCode, country })
    assert.ok('address' in checked, `${country} ${typed}: ${JSON.stringify(checked)}`)
    assert.equal(addressLines(checked.address).join(' / '), lines)
  }
})

test('the country is the last line if that is requested, and missing parts are left out', () => {
  const address = { name: '', line1: 'Weg 1', city: 'Berlin', country: 'DE' }
  assert.deepEqual(addressLines(address, 'GERMANY'), ['Weg 1', 'Berlin', 'GERMANY'])
  assert.deepEqual(addressLines({ ...address, city: '', country: 'US' }), ['Weg 1'])
})

test('the layout of each country has the fields of its form, each once', () => {
  for (const country of [...countriesWithFormat, 'BB'])
    for (const isLocal of [false, true]) {
      const layout = addressLayoutFor(country, isLocal)
      const count = (letters: RegExp) => layout.match(letters)?.length ?? 0
      const { postalCode, region } = formatFor(country)
      assert.deepEqual(
        [count(/%N/g), count(/%O/g), count(/%A/g), count(/%C/g), count(/%Z/g), count(/%[SR]/g)],
        [1, 1, 1, 1, postalCode.need === 'none' ? 0 : 1, region.need === 'none' ? 0 : 1],
        `${country} ${layout}`,
      )
    }
})
