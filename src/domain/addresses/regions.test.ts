import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countriesWithFormat, formatFor } from './formats.ts'
import { findRegionCode, regionsFor } from './regions.ts'

// biome-ignore format: a table is read by its rows
const counts = {
  AE: 7, AR: 24, AU: 8, BR: 27, CA: 13, CN: 31, ES: 52, IN: 36, IT: 111, JP: 47, KR: 17, MX: 32, MY: 16, US: 59,
} as const

test('the lists are complete, and each region is found by its code and its name', () => {
  for (const [country, count] of Object.entries(counts)) {
    const regions = regionsFor(country) ?? []
    assert.equal(regions.length, count, country)
    assert.equal(new Set(regions.map(({ code }) => code)).size, count, country)
    for (const { code, name } of regions) {
      assert.match(code, /^[A-Z0-9]{1,3}$/)
      for (const text of [code, name, code.toLowerCase(), name.toUpperCase(), ` ${name.toLowerCase()} `]) {
        assert.equal(findRegionCode(country, text), code, text)
      }
      assert.equal(
        findRegionCode(country, name.normalize('NFD').replace(/\p{M}/gu, '')),
        code,
        `${name} without accents`,
      )
    }
  }
})

test('a country has a list of regions only if its addresses have a region, and always if they require one', () => {
  for (const country of countriesWithFormat) {
    const { need } = formatFor(country).region
    if (country in counts) assert.notEqual(need, 'none', country)
    if (need === 'required') assert.ok(country in counts, country)
  }
  assert.equal(regionsFor('DE'), undefined)
  assert.equal(findRegionCode('DE', 'Berlin'), undefined)
  assert.equal(findRegionCode('constructor', 'CA'), undefined)
})

// biome-ignore format: a table is read by its rows
const spellings: readonly (readonly [country: string, text: string, code: string | undefined])[] = [
  ['US', 'new york', 'NY'], ['US', 'N.Y.', 'NY'], ['US', 'D.C.', 'DC'], ['US', 'puerto rico', 'PR'],
  ['US', 'ON', undefined], ['US', 'New', undefined], ['US', '', undefined], ['US', 'constructor', undefined],
  ['CA', 'québec', 'QC'], ['CA', 'Quebec', 'QC'], ['CA', 'Colombie-Britannique', 'BC'], ['CA', 'NY', undefined],
  ['AU', 'nsw', 'NSW'], ['AU', 'Victoria', 'VIC'], ['AU', 'Otago', undefined],
  ['BR', 'sao paulo', 'SP'], ['BR', 'SÃO PAULO', 'SP'], ['BR', 'Lisboa', undefined],
  ['MX', 'CDMX', 'CMX'], ['MX', 'Ciudad de Mexico', 'CMX'], ['MX', 'Q. Roo', 'ROO'], ['MX', 'Texas', undefined], ['MX', 'Nuevo Leon', 'NLE'],
  ['IN', 'Orissa', 'OD'], ['IN', 'TG', 'TS'], ['IN', 'Jammu & Kashmir', 'JK'], ['IN', 'Sindh', undefined],
  ['JP', '東京都', '13'], ['JP', '東京', '13'], ['JP', 'Tokyo-to', '13'], ['JP', 'Kyoto', '26'], ['JP', '京都府', '26'],
  ['JP', 'Kyōto-fu', '26'], ['JP', '北海道', '01'], ['JP', 'Kanagawa Prefecture', '14'], ['JP', '都', undefined],
  ['CN', '北京市', 'BJ'], ['CN', '广西壮族自治区', 'GX'], ['CN', 'Guangdong Sheng', 'GD'], ['CN', '台湾省', undefined],
  ['KR', '서울특별시', '11'], ['KR', '경기도', '41'], ['KR', 'Gyeonggi-do', '41'], ['KR', '전북특별자치도', '45'],
  ['KR', '충청남도', '44'], ['KR', '제주특별자치도', '49'], ['KR', '도쿄', undefined],
  ['IT', 'Roma', 'RM'], ['IT', 'forli-cesena', 'FC'], ['IT', "L’Aquila", 'AQ'], ['IT', 'Lazio', undefined],
  ['ES', 'A Coruña', 'C'], ['ES', 'barcelona', 'B'], ['ES', 'Illes Balears', 'PM'], ['ES', 'Porto', undefined],
  ['AR', 'CABA', 'C'], ['AR', 'Buenos Aires', 'B'], ['AR', 'cordoba', 'X'], ['AR', 'Montevideo', undefined],
  ['AE', 'Dubai', 'DU'], ['AE', 'دبي', 'DU'], ['AE', 'Doha', undefined],
  ['MY', 'Penang', '07'], ['MY', 'kuala lumpur', '14'], ['MY', 'Singapore', undefined],
]

test('a region is found by its common names', () => {
  for (const [country, text, code] of spellings) assert.equal(findRegionCode(country, text), code, `${country} ${text}`)
})

test('a long text is refused quickly', () => {
  const before = process.cpuUsage()
  for (const country of Object.keys(counts)) {
    for (const piece of ['a', ' ', 'é', '도', 'to', '\u0301']) {
      assert.equal(findRegionCode(country, piece.repeat(10_000)), undefined)
    }
  }
  // Measures CPU time, because the elapsed time includes the work of other processes.
  assert.ok(process.cpuUsage(before).user < 2_000_000)
})
