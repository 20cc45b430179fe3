import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminScopes } from '../../contract/words.ts'
import { scopesOfRole } from '../users/roles.ts'
import { currentScopes, grantableScopes, isDocumentUrl, readClientDocument } from './assistants.ts'

const url = 'https://chat.example/oauth/client.json'
const good = { client_id: url, client_name: 'Chatty', redirect_uris: ['https://chat.example/back'] }

test('the address of a client document must be https with a path, in normalized spelling', () => {
  const https = { allowHttp: false }
  assert.ok(isDocumentUrl(url, https))
  assert.ok(isDocumentUrl('https://chat.example:8443/c?v=1', https))
  for (const wrong of [
    'app_01h',
    'http://chat.example/c',
    'https://chat.example',
    'https://chat.example/',
    'https://chat.example/a/../c',
    'https://chat.example/%2e%2e/c',
    'https://chat.example/c#part',
    'https://user@chat.example/c',
    'https://CHAT.example/c',
    'https://chat.example\\c',
    'https://chat.example/ c',
    'https://chat.example:443/c',
    `https://chat.example/${'c'.repeat(600)}`,
    `https://${'c.'.repeat(60)}example/c`,
    'ftp://chat.example/c',
  ])
    assert.ok(!isDocumentUrl(wrong, https), wrong)
  assert.ok(isDocumentUrl('http://localhost:3000/c', { allowHttp: true }))
})

test('only the name and the redirect URIs of a client document are used', () => {
  assert.deepEqual(readClientDocument(url, { ...good, scope: 'admin:people', dpop_bound_access_tokens: true }), {
    url,
    host: 'chat.example',
    name: 'Chatty',
    redirectUris: ['https://chat.example/back'],
  })
  const { client_name: _, ...nameless } = good
  const read = readClientDocument(url, {
    ...nameless,
    redirect_uris: ['cursor://back', 'https://localhost/back', 'http://localhost/back', 'http://evil.example/back', 7],
  })
  assert.ok(!('problem' in read))
  assert.deepEqual([read.name, read.redirectUris], ['chat.example', ['http://localhost/back']])
})

test('a client document is refused if it is for another address, or has a secret or an unsafe name', () => {
  for (const [part, value] of [
    [/JSON object/, []],
    [/its address/, { ...good, client_id: `${url}?` }],
    [/must be none/, { ...good, token_endpoint_auth_method: 'private_key_jwt' }],
    [/must be none/, { ...good, client_secret: 'x' }],
    [/cannot be shown/, { ...good, client_name: 'Chat\u202Ety' }],
    [/redirect_uris/, { ...good, redirect_uris: ['cursor://back'] }],
    [/redirect_uris/, { ...good, redirect_uris: 'https://chat.example/back' }],
  ] as const) {
    const read = readClientDocument(url, value)
    assert.match('problem' in read ? read.problem : '', part)
  }
})

test('an assistant has those of its granted scopes that its user has now', () => {
  assert.deepEqual(grantableScopes(['admin:read']), ['admin:read'])
  assert.ok(!grantableScopes(adminScopes).includes('admin:people'))
  assert.deepEqual(currentScopes(['admin:read', 'admin:settings', 'admin:people'], scopesOfRole.staff), ['admin:read'])
  assert.deepEqual(currentScopes(['admin:read', 'admin:settings'], adminScopes), ['admin:read', 'admin:settings'])
})
