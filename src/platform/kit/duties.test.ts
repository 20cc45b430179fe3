import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dutyIds } from '../../contract/words.ts'
import { type DutyFacts, duties, dutyStates, legalGuaranteeYears, longerGuarantees } from './duties.ts'

const nothing: DutyFacts = {
  country: 'DE',
  zoneCountries: [],
  hasSeller: false,
  texts: new Set(),
  links: new Set(),
}
const by = (facts: DutyFacts) => new Map(dutyStates(facts).map((state) => [state.id, state]))

test('each duty has a date and a source', () => {
  for (const id of dutyIds) {
    assert.match(duties[id].since, /^\d{4}-\d\d-\d\d$/)
    assert.match(duties[id].source, /^(Directive|Regulation) /)
  }
})

test('duties of the server are done, missing facts of the merchant are listed, and other duties need a person', () => {
  const states = by(nothing)
  assert.equal(states.get('prior_price')?.status, 'done')
  assert.deepEqual(states.get('confirmation'), {
    id: 'confirmation',
    status: 'missing',
    countries: ['DE'],
    lacks: ['seller', 'terms', 'withdrawal'],
  })
  assert.deepEqual([states.get('unit_price')?.status, states.get('unit_price')?.lacks], ['by_hand', ['measures']])
  assert.equal(by({ ...nothing, hasMeasures: true }).get('unit_price')?.status, 'done')
  assert.equal(states.get('accessibility')?.status, 'by_hand')
  const safety = (withoutMaker: number, withoutResponsible: number) => {
    const state = by({ ...nothing, withoutMaker, withoutResponsible }).get('product_safety')
    return [state?.status, state?.lacks]
  }
  assert.deepEqual(safety(3, 0), ['by_hand', ['makers']])
  assert.deepEqual(safety(0, 1), ['by_hand', ['responsible']])
  assert.deepEqual(safety(0, 0), ['done', []])
  assert.deepEqual([states.get('guarantee')?.status, states.get('guarantee')?.lacks], ['missing', ['guarantee']])
  const texts = new Set(['guarantee', 'shipping'])
  const given = by({ ...nothing, sellsGoods: true, texts })
  assert.deepEqual([given.get('guarantee')?.status, given.get('delivery')?.status], ['done', 'done'])
  const digital = by({ ...nothing, sellsGoods: false })
  assert.deepEqual([digital.get('guarantee')?.status, digital.get('delivery')?.status], ['not_needed', 'not_needed'])
})

test('a page on the merchant’s own site fulfils the duty of privacy, but not that of the order confirmation, which is e-mailed', () => {
  const links = new Set(['terms', 'withdrawal', 'privacy'])
  const states = by({ ...nothing, hasSeller: true, links })
  assert.equal(states.get('privacy')?.status, 'done')
  assert.deepEqual(states.get('confirmation')?.lacks, ['terms', 'withdrawal'])
  const texts = new Set(['terms', 'withdrawal', 'accessibility'])
  const written = by({ ...nothing, hasSeller: true, texts })
  assert.deepEqual([written.get('confirmation')?.status, written.get('accessibility')?.status], ['done', 'done'])
})

test('the countries of the delivery zones decide, and only without zones the country of the shop', () => {
  assert.ok(dutyStates({ ...nothing, zoneCountries: ['US', 'CH'] }).every(({ status }) => status === 'not_needed'))
  assert.deepEqual(by({ ...nothing, country: 'US', zoneCountries: ['FR', 'US'] }).get('seller')?.countries, ['FR'])
  assert.equal(by({ ...nothing, zoneCountries: ['*'] }).get('seller')?.countries.length, 27)
})

test('the legal guarantee is that of the destination, and the minimum while the destination is unknown', () => {
  const years = [null, 'DE', 'ES', 'PT', 'SE', 'US', 'GB'].map(legalGuaranteeYears)
  assert.deepEqual(years, [2, 2, 3, 3, 3, null, null])
  for (const { country, since } of longerGuarantees) {
    assert.ok(duties.guarantee.countries.includes(country), country)
    assert.match(since, /^\d{4}-\d\d-\d\d$/)
  }
})
