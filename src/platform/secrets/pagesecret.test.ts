import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageSecretsFor } from './pagesecret.ts'
import { RootSecret } from './secrets.ts'

const text = 'a-root-secret-for-the-tests-of-page-secrets'
const other = 'another-root-secret-for-those-same-tests-1'

test('a page secret is decrypted, also repeatedly, only for its own kind of page and record and with its version of the root secret', () => {
  const both = new RootSecret(
    new Map([
      [1, text],
      [2, other],
    ]),
    1,
  )
  const secrets = pageSecretsFor('order page')
  const made = secrets.make(both, 'one')
  for (let time = 0; time < 2; time += 1) {
    assert.equal(secrets.open(both, made.sealed, 'one'), made.text)
    assert.equal(secrets.open(both, made.sealed, 'two'), undefined)
    assert.equal(pageSecretsFor('checkout page').open(both, made.sealed, 'one'), undefined)
    // The version of the root secret that encrypted the text was discarded.
    assert.equal(secrets.open(new RootSecret(new Map([[2, other]]), 2), made.sealed, 'one'), undefined)
  }
})
