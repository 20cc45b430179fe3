import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addDays, dayAt, daysBetween, isDay, lastDayAs31, rangesWithout, startOfDay, startOfPeriod } from './days.ts'

const at = (text: string) => Date.parse(text)

describe('days in a time zone', () => {
  test('begin at local midnight', () => {
    assert.equal(startOfDay('2026-06-01', 'UTC'), at('2026-06-01T00:00:00Z'))
    assert.equal(startOfDay('2026-06-01', 'Europe/Berlin'), at('2026-05-31T22:00:00Z'))
    assert.equal(startOfDay('2026-06-01', 'Pacific/Kiritimati'), at('2026-05-31T10:00:00Z'))
    assert.equal(startOfDay('2026-06-01', 'Etc/GMT+12'), at('2026-06-01T12:00:00Z'))
    assert.equal(startOfDay('2026-06-01', 'Asia/Kathmandu'), at('2026-05-31T18:15:00Z'))
  })

  test('have 23 or 25 hours when the clocks change', () => {
    const hours = (day: string) =>
      (startOfDay(addDays(day, 1), 'Europe/Berlin') - startOfDay(day, 'Europe/Berlin')) / 3_600_000
    assert.deepEqual(['2026-03-28', '2026-03-29', '2026-10-25'].map(hours), [24, 23, 25])
  })

  test('begin later if midnight is skipped', () => {
    assert.equal(startOfDay('2018-11-04', 'America/Sao_Paulo'), at('2018-11-04T03:00:00Z'))
  })

  test('contain every instant of their date', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe'])
      for (let now = at('2026-01-01T00:00:00Z'); now < at('2026-12-31T00:00:00Z'); now += 37 * 3_600_000) {
        const day = dayAt(now, zone)
        assert.ok(startOfDay(day, zone) <= now && now < startOfDay(addDays(day, 1), zone), `${zone} ${day}`)
      }
  })
})

describe('periods', () => {
  test('a week begins on Monday, and a month on its first day', () => {
    assert.deepEqual(
      ['2026-06-01', '2026-06-07', '2026-06-08', '2027-01-01'].map((day) => startOfPeriod(day, 'week')),
      ['2026-06-01', '2026-06-01', '2026-06-08', '2026-12-28'],
    )
    assert.equal(startOfPeriod('2026-02-28', 'month'), '2026-02-01')
    assert.equal(startOfPeriod('2026-02-28', 'day'), '2026-02-28')
  })

  test('the number of days includes the first and the last', () => {
    assert.deepEqual([daysBetween('2026-02-28', '2026-03-01'), daysBetween('2026-03-02', '2026-03-01')], [2, 0])
  })

  test('a range without some of its months is split into the remaining ranges', () => {
    const range = { from: '2025-12-15', to: '2026-04-30' }
    const without = (...months: string[]) => rangesWithout(range, months).map(({ from, to }) => `${from} ${to}`)
    assert.deepEqual(without(), ['2025-12-15 2026-04-30'])
    assert.deepEqual(without('2026-01', '2026-02'), ['2025-12-15 2025-12-31', '2026-03-01 2026-04-30'])
    assert.deepEqual(without('2026-02', '2026-04'), ['2025-12-15 2026-01-31', '2026-03-01 2026-03-31'])
    assert.deepEqual(rangesWithout({ from: '2026-02-01', to: '2026-02-28' }, ['2026-02']), [])
    assert.deepEqual(['2026-02-28', '2026-02-27', '2024-02-28', '2026-12-31'].map(lastDayAs31), [
      '2026-02-31',
      '2026-02-27',
      '2024-02-28',
      '2026-12-31',
    ])
  })

  test('only existing dates within the limits are days', () => {
    const days = ['2026-02-28', '1900-01-01', '2999-12-31']
    const others = ['2026-02-30', '2026-2-3', 'today', '', '1899-12-31', '3000-01-01', '9999-12-31', '0000-01-01']
    assert.deepEqual([...days, ...others].filter(isDay), days)
  })
})
