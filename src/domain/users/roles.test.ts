import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminScopes } from '../../contract/words.ts'
import { mayGive, mayGrant, mayInstall, type NamedRole, rightsFor, rightsOf, rowOf, scopesOfRole } from './roles.ts'

const roles = ['owner', 'staff', 'viewer'] as const satisfies readonly NamedRole[]

test('an owner may do everything, a viewer only look, staff the daily work', () => {
  assert.deepEqual(scopesOfRole.owner, adminScopes)
  assert.deepEqual(scopesOfRole.viewer, ['admin:read'])
  assert.deepEqual(
    adminScopes.filter((scope) => !scopesOfRole.staff.includes(scope)),
    ['admin:settings', 'admin:developers', 'admin:people'],
  )
})

test('rights that were chosen contain looking, in the order of the words, and nothing that is no scope', () => {
  assert.deepEqual(rightsFor('custom', ['admin:orders', 'admin:catalog', 'catalog:read', 'all']), {
    role: 'custom',
    scopes: ['admin:read', 'admin:catalog', 'admin:orders'],
  })
  assert.deepEqual(rightsFor('staff', ['admin:people']).scopes, scopesOfRole.staff)
})

test('a version before reads chosen rights as those of a viewer, and this one as they were', () => {
  const packer = rightsFor('custom', ['admin:orders'])
  assert.deepEqual(rowOf(packer), { role: 'viewer', scopes: 'admin:read admin:orders' })
  for (const rights of [packer, ...roles.map((role) => rightsFor(role))])
    assert.deepEqual(rightsOf(rowOf(rights)), rights)
})

test('a role is given only by one who has all of its scopes', () => {
  const given = roles.map((holder) => roles.filter((role) => mayGive(scopesOfRole[holder], rightsFor(role))))
  assert.deepEqual(given, [['owner', 'staff', 'viewer'], ['staff', 'viewer'], ['viewer']])
  assert.deepEqual(
    roles.filter((role) => mayGive(['admin:people', 'admin:read'], rightsFor(role))),
    ['viewer'],
  )
  assert.equal(mayGive(scopesOfRole.staff, rightsFor('custom', ['admin:orders'])), true)
  assert.equal(mayGive(scopesOfRole.staff, rightsFor('custom', ['admin:settings'])), false)
})

test('admin scopes are granted to an app only by one who has them', () => {
  assert.deepEqual(
    roles.filter((role) => mayGrant(rightsFor(role), ['catalog:read', 'admin:people'])),
    ['owner'],
  )
})

test('only who may manage keys and apps installs apps', () => {
  assert.deepEqual(
    roles.filter((role) => mayInstall(rightsFor(role))),
    ['owner'],
  )
  assert.equal(mayInstall(rightsFor('custom', ['admin:developers'])), true)
})
