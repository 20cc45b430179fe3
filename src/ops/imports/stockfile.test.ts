import assert from 'node:assert/strict'
import { test } from 'node:test'
import { remark } from '../../contract/remarks.ts'
import { readCsv } from './csv.ts'
import { readStock } from './stockfile.ts'

async function read(...lines: string[]) {
  const chunks = (async function* () {
    yield Buffer.from(`${lines.join('\n')}\n`)
  })()
  return Array.fromAsync(readStock(readCsv(chunks)))
}

const header =
  'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,SKU,Location,On hand (current),On hand (new)'

test('the counts of an inventory file are added up over its locations', async () => {
  const outcomes = await read(
    header,
    'mug,Mug,Size,S,Color,Red,M-S,Berlin,3,',
    'mug,Mug,Size,S,Color,Red,M-S,Paris,4,5',
    'mug,Mug,Size,M,Color,Red,,Berlin,not stocked,',
    'mug,Mug,Size,M,Color,Red,,Paris,-2,',
    'card,Card,Title,Default Title,,,,Berlin,7,',
  )
  const level = { kind: 'level', expectedOnHand: null }
  assert.deepEqual(outcomes, [
    { ...level, line: 2, code: 'M-S', onHand: 8, variant: { slug: 'mug', values: ['S', 'Red'] } },
    { ...level, line: 4, code: '', onHand: 0, variant: { slug: 'mug', values: ['M', 'Red'] } },
    { ...level, line: 6, code: '', onHand: 7, variant: { slug: 'card', values: [] } },
  ])
})

test('invalid counts, rows of a SKU that are not adjacent, and rows without a handle are refused', async () => {
  const outcomes = await read(
    header,
    'mug,Mug,Size,S,,,M-S,Berlin,many,',
    'mug,Mug,Size,S,,,M-S,Paris,4,',
    'card,Card,,,,,CARD,Berlin,1,',
    'mug,Mug,Size,S,,,M-S,Rome,4,',
    ',Nameless,,,,,N,Rome,4,',
  )
  assert.deepEqual(
    outcomes.map(({ kind, line, code }) => [kind, line, code]),
    [
      ['refused', 2, 'M-S'],
      ['level', 4, 'CARD'],
      ['refused', 5, 'M-S'],
      ['refused', 6, 'N'],
    ],
  )
})

test('an older inventory file has one column for each location', async () => {
  const outcomes = await read(
    'Handle,Title,Option1 Name,Option1 Value,SKU,HS Code,COO,Berlin,"Paris, Nord"',
    "mug,Mug,Size,S,'0012,,DE,3,4",
    'mug,Mug,Size,M,M-M,,DE,not stocked,-2',
    'mug,Mug,Size,L,M-L,,DE,many,1',
  )
  const level = { kind: 'level', expectedOnHand: null }
  assert.deepEqual(outcomes, [
    { ...level, line: 2, code: '0012', onHand: 7, variant: { slug: 'mug', values: ['S'] } },
    { ...level, line: 3, code: 'M-M', onHand: 0, variant: { slug: 'mug', values: ['M'] } },
    {
      kind: 'refused',
      line: 4,
      code: 'M-L',
      reason: remark('stock_not_a_number', { value: 'many', max: 1_000_000_000 }),
    },
  ])
})

test('a code with a formula guard is read without the guard', async () => {
  const [row] = await read('SKU,On hand (new)', "'00169,4")
  assert.equal(row?.code, '00169')
})

test('a stock file without locations identifies SKUs by their codes', async () => {
  assert.deepEqual(await read('SKU,On hand (current),On hand (new)', 'A,3,4', 'B,3,', 'A,1,1'), [
    { kind: 'level', line: 2, code: 'A', onHand: 4, expectedOnHand: 3 },
    { kind: 'same', line: 3, code: 'B' },
    { kind: 'refused', line: 4, code: 'A', reason: remark('sku_repeated', { otherLine: 2 }) },
  ])
})
