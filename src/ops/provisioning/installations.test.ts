import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Installation } from '../../domain/merchants/store.ts'
import { planInstallations } from './installations.ts'

const web: Installation = {
  id: 'ins_web',
  merchantId: 'mer_one',
  name: 'Web',
  mode: 'live',
  redirectHosts: '["shop.example"]',
  disabledAt: null,
}

test('an installation is found by its name; a new one is created, and different hosts are a change', () => {
  const entries = [
    { name: 'Web', mode: 'live' as const, redirectHosts: ['SHOP.example', 'other.example'] },
    { name: 'App', mode: 'test' as const },
  ]
  const plan = planInstallations({ installations: entries }, 'mer_one', [web])
  assert.deepEqual(plan.changedInstallations, [{ ...web, redirectHosts: '["shop.example","other.example"]' }])
  const [made] = plan.newInstallations
  assert.ok(made)
  assert.deepEqual({ ...made, id: '' }, { ...web, id: '', name: 'App', mode: 'test', redirectHosts: '[]' })
  assert.deepEqual(
    [...plan.installationIds],
    [
      ['Web', 'ins_web'],
      ['App', made.id],
    ],
  )
  assert.deepEqual(
    plan.changes.map(({ kind, name }) => [kind, name]),
    [
      ['change', 'Web'],
      ['create', 'App'],
    ],
  )
})

test('an equal entry changes nothing, and an installation that the file does not contain stays', () => {
  const same = [{ name: 'Web', mode: 'live' as const, redirectHosts: ['shop.example'] }]
  assert.deepEqual(planInstallations({ installations: same }, 'mer_one', [web]).changes, [])
  assert.deepEqual(planInstallations({}, 'mer_one', [web]).changes, [])
})

test('changing the mode of an installation is an error', () => {
  const entries = [{ name: 'Web', mode: 'test' as const }]
  assert.throws(() => planInstallations({ installations: entries }, 'mer_one', [web]), /a mode never changes/)
})
