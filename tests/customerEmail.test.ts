// One rule for a shopper's e-mail address, at the API and on the page.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { berlin, market } from '../harness/carts.ts'
import { checkoutOf, secretOf } from '../harness/checkout.ts'
import { emails } from '../harness/emails.ts'
import { givenEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'
import { issueAt } from '../src/contract/issues.ts'

describe("a shopper's e-mail address", () => {
  const given = givenEngine('sqlite')

  test('the API accepts valid addresses and refuses others with their path', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, open } = await checkoutOf(testServer)
    const cartId = await carts.create({ CARD: 1 })
    for (const [email, isAddress, why] of emails) {
      const body = { idempotencyKey: randomUUID(), cartId, successUrl: 'http://localhost/x', customer: { email } }
      const answer = await testServer.ask('createHostedCheckoutSession', { body })
      if (isAddress) assert.equal(answer.status, 200, why)
      // Half a character is refused by the reader of JSON already.
      else if (!email.isWellFormed()) assert.equal(answer.status, 400, why)
      else {
        assertError(answer, 'invalid_request')
        assert.deepEqual(
          answer.body.error.issues.map(({ path }: { path: string }) => path),
          ['/customer/email'],
          why,
        )
      }
    }
    assert.equal((await open({ CARD: 1 }, { customer: { email: 'ada@example..com' } })).status, 400)
  })

  test('the page accepts the same addresses, and normalizes typed ones', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { open, look } = await checkoutOf(testServer)
    const secret = secretOf((await open({ COURSE: 1 })).body.data.url)
    const { name, line1, city, postalCode, country } = berlin
    for (const [email, isAddress, why, asTyped] of emails) {
      const before = await look(secret)
      const form = { version: String(before.session.version), email, name, line1, city, postalCode, country }
      const answer = await fetch(`${testServer.origin}/c/${secret}/details`, {
        method: 'POST',
        body: new URLSearchParams(form),
        redirect: 'manual',
      })
      const expected = isAddress ? email : (asTyped ?? before.customer.email)
      assert.equal((await look(secret)).customer.email, expected, `${JSON.stringify(email)}: ${why}`)
      const isTaken = isAddress || asTyped !== undefined
      // No browser sends it.
      if (email.includes('\0')) {
        assert.equal(answer.status, 400, why)
        continue
      }
      assert.equal(answer.status, isTaken ? 303 : 200, why)
      if (!isTaken) assert.match(await answer.text(), /id="email"[^>]*aria-invalid="true"/, why)
    }
  })

  test('an address from the page is checked again where it is stored', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { open, look } = await checkoutOf(testServer)
    const secret = secretOf((await open({ COURSE: 1 })).body.data.url)
    for (const [email, isAddress, why] of emails) {
      const { version } = (await look(secret)).session
      const contact = { email, name: 'Ada', phone: '' }
      const result = await testServer.app.checkout.setDetails(secret, version, {
        contact,
        address: null,
        shippingOptionId: null,
      })
      const isTaken = isAddress || emails.some(([text, isOther]) => isOther && text === email.trim())
      assert.deepEqual(
        result?.problem,
        isTaken ? null : { code: 'invalid', issues: [issueAt('/email', 'not_an_email')] },
        why,
      )
    }
  })
})
