import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminScopes } from '../../contract/words.ts'
import {
  mayGrantRights,
  mayGrantScopes,
  mayInstall,
  type NamedRole,
  rightsFor,
  rightsFromRow,
  rightsToRow,
  scopesOfRole,
} from './roles.ts'

const roles = ['owner', 'staff', 'viewer'] as const satisfies readonly NamedRole[]

test('an owner has all scopes, a viewer can only read, and staff have those for daily work', () => {
  assert.deepEqual(scopesOfRole.owner, adminScopes)
  assert.deepEqual(scopesOfRole.viewer, ['admin:read'])
  assert.deepEqual(
    adminScopes.filter((scope) => !scopesOfRole.staff.includes(scope)),
    ['admin:settings', 'admin:developers', 'admin:people'],
  )
})

test('custom rights include reading, and have only existing scopes in a fixed order', () => {
  assert.deepEqual(rightsFor('custom', ['admin:orders', 'admin:catalog', 'catalog:read', 'all']), {
    role: 'custom',
    scopes: ['admin:read', 'admin:catalog', 'admin:orders'],
  })
  assert.deepEqual(rightsFor('staff', ['admin:people']).scopes, scopesOfRole.staff)
})

test('custom rights are stored so that an earlier release reads them as those of a viewer, and are read back unchanged', () => {
  const packer = rightsFor('custom', ['admin:orders'])
  assert.deepEqual(rightsToRow(packer), { role: 'viewer', scopes: 'admin:read admin:orders' })
  for (const rights of [packer, ...roles.map((role) => rightsFor(role))])
    assert.deepEqual(rightsFromRow(rightsToRow(rights)), rights)
})

test('only a member with all scopes of a role can grant it', () => {
  const given = roles.map((holder) => roles.filter((role) => mayGrantRights(scopesOfRole[holder], rightsFor(role))))
  assert.deepEqual(given, [['owner', 'staff', 'viewer'], ['staff', 'viewer'], ['viewer']])
  assert.deepEqual(
    roles.filter((role) => mayGrantRights(['admin:people', 'admin:read'], rightsFor(role))),
    ['viewer'],
  )
  assert.equal(mayGrantRights(scopesOfRole.staff, rightsFor('custom', ['admin:orders'])), true)
  assert.equal(mayGrantRights(scopesOfRole.staff, rightsFor('custom', ['admin:settings'])), false)
})

test('only a user with the admin scopes can grant them to an app', () => {
  assert.deepEqual(
    roles.filter((role) => mayGrantScopes(rightsFor(role), ['catalog:read', 'admin:people'])),
    ['owner'],
  )
})

test('only a user who may manage keys and apps can install apps', () => {
  assert.deepEqual(
    roles.filter((role) => mayInstall(rightsFor(role))),
    ['owner'],
  )
  assert.equal(mayInstall(rightsFor('custom', ['admin:developers'])), true)
})
