// The country of a delivery: which ones the page lists, which one it preselects, and that no other is accepted.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { berlin, market } from '../harness/carts.ts'
import { type Checkout, checkoutOf, secretOf } from '../harness/checkout.ts'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'

anyEngine('the country of the delivery address', (given) => {
  let testServer: TestServer
  let checkout: Checkout
  before(async () => {
    testServer = await openTestServer(given, { shops: [market] })
    checkout = await checkoutOf(testServer)
  })

  // The same shop, from this country to these.
  const shop = (country: string, countries: readonly string[]): ShopFile => ({
    ...market,
    merchant: { ...market.merchant, country },
    shipping: [{ zone: 'all', countries: [...countries], options: [{ id: 'post', label: 'Post', amount: 490 }] }],
  })

  async function open(file: ShopFile, more: object = {}): Promise<string> {
    await testServer.apply(file)
    return secretOf((await checkout.open({ CARD: 1 }, more)).body.data.url)
  }

  function choiceIn(text: string): { listed: string[]; selected: string | undefined; words: string } {
    const [, words = ''] = /<select id="country"[^>]*>(.*?)<\/select>/s.exec(text) ?? []
    const [, selected] = /<option value="(\w*)" selected>/.exec(words) ?? []
    return { listed: [...words.matchAll(/<option value="(\w*)"/g)].map(([, code = '']) => code), selected, words }
  }

  async function shown(secret: string, language?: string) {
    const headers = { 'accept-language': language ?? '' }
    return choiceIn((await testServer.fetch(`/c/${secret}`, { headers })).text)
  }

  const post = (secret: string, fields: Readonly<Record<string, string>>) =>
    testServer.fetch(`/c/${secret}/details`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'ada@example.com', ...fields }),
      redirect: 'manual',
    })

  const guesses: readonly (readonly [country: string, served: readonly string[], language: string, guess: string])[] = [
    // A region that the browser names, in its order of preference.
    ['DE', ['AT', 'CH', 'DE'], 'de-AT,de;q=0.9', 'AT'],
    ['DE', ['AT', 'CH', 'DE'], 'en-US,de-CH;q=0.8', 'CH'],
    // A language says little about where someone lives; the merchant sells at home first.
    ['DE', ['AT', 'CH', 'DE'], 'en', 'DE'],
    ['DE', ['AT', 'CH', 'DE'], 'fr-CA', 'DE'],
    ['CH', ['*'], 'en-US', 'US'],
    ['CH', ['*'], 'en', 'CH'],
    // The only one.
    ['US', ['FR'], 'en-US', 'FR'],
    // Not known: the shopper is asked.
    ['US', ['AT', 'FR'], 'en-US', ''],
  ]
  for (const [country, served, language, guess] of guesses) {
    test(`${guess || 'none'} of ${served} is preselected for a browser that prefers ${language}, if the merchant is in ${country}`, async () => {
      const { selected, listed } = await shown(await open(shop(country, served)), language)
      assert.equal(selected, guess)
      if (served[0] !== '*') assert.deepEqual(listed.toSorted(), guess === '' ? ['', ...served] : served)
    })
  }

  test('the region of the session’s locale is preselected if the browser names none', async () => {
    const secret = await open(shop('DE', ['AT', 'CH', 'DE']), { locale: 'de-CH' })
    assert.equal((await shown(secret, 'en')).selected, 'CH')
    assert.equal((await shown(secret, 'de-AT')).selected, 'AT')
  })

  test('the country of the saved address takes precedence over the region of the browser', async () => {
    const secret = await open(shop('AT', ['AT', 'CH', 'DE']))
    const { phone: _, ...address } = berlin
    await post(secret, { version: '1', ...address })
    assert.equal((await shown(secret, 'de-CH')).selected, 'DE')
  })

  test('a missing country is asked for again, and what was typed stays', async () => {
    const secret = await open(shop('US', ['AT', 'FR']))
    const { text } = await post(secret, { version: '1', country: '', name: 'Ada Lovelace', line1: 'Weg 1' })
    assert.match(text, /<a href="#country">Please choose: Country or region\.<\/a>/)
    assert.match(text, /<select id="country"[^>]* aria-describedby="country-error" aria-invalid="true"/)
    assert.equal(choiceIn(text).selected, '')
    assert.match(text, /id="line1"[^>]* value="Weg 1"/)
  })

  test('a country without delivery is refused, and is not in the list', async () => {
    const secret = await open(shop('DE', ['AT', 'DE']))
    const { phone: _, ...address } = berlin
    const { text } = await post(secret, { version: '1', ...address, country: 'FR' })
    assert.match(text, /this shop does not deliver to that country/)
    const { listed, selected } = choiceIn(text)
    assert.deepEqual([listed.toSorted(), selected], [['', 'AT', 'DE'], ''])
    assert.match(text, /id="line1"[^>]* value="Unter den Linden 1"/)
  })

  test('the empty option has a translated label', async () => {
    const { words } = await shown(await open(shop('US', ['AT', 'FR']), { locale: 'de' }))
    assert.match(words, /<option value="" selected>Bitte wählen<\/option>/)
  })
})
