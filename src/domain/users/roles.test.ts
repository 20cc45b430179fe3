import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminScopes, roles } from '../../contract/words.ts'
import { mayGive, mayGrant, mayInstall, scopesOfRole } from './roles.ts'

test('an owner may do everything, a viewer only look, staff the daily work', () => {
  assert.deepEqual(scopesOfRole.owner, adminScopes)
  assert.deepEqual(scopesOfRole.viewer, ['admin:read'])
  assert.deepEqual(
    adminScopes.filter((scope) => !scopesOfRole.staff.includes(scope)),
    ['admin:settings', 'admin:developers', 'admin:people'],
  )
})

test('a role is given only by one who has all of its scopes', () => {
  const given = roles.map((holder) => roles.filter((role) => mayGive(scopesOfRole[holder], role)))
  assert.deepEqual(given, [['owner', 'staff', 'viewer'], ['staff', 'viewer'], ['viewer']])
  assert.deepEqual(
    roles.filter((role) => mayGive(['admin:people', 'admin:read'], role)),
    ['viewer'],
  )
})

test('admin scopes are granted to an app only by one who has them', () => {
  assert.deepEqual(
    roles.filter((role) => mayGrant(role, ['catalog:read', 'admin:people'])),
    ['owner'],
  )
})

test('only owners install apps', () => {
  assert.deepEqual(roles.filter(mayInstall), ['owner'])
})
