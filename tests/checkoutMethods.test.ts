// What the page shows of the ways to pay: everything comes from the traits of the method, whichever provider has it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { createRedirectProvider } from '../harness/redirectProvider.ts'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { createProviders, type Method, type PaymentProvider } from '../src/domain/payments/port.ts'
import { cardMethod, cardTexts } from '../src/domain/payments/providers/sandbox/card.ts'

anyEngine('payment methods on the checkout page', (given) => {
  // A provider that sends nobody anywhere and is asked nothing here.
  const providerWith = (methods: readonly Method[], texts: Readonly<Record<string, string>>): PaymentProvider => ({
    ...createRedirectProvider(),
    name: 'acme',
    methods,
    texts: { en: { ...cardTexts.en, ...texts } },
  })

  async function shown(provider: PaymentProvider, language = 'en'): Promise<string> {
    const testServer = await openTestServer(given, {
      shops: [market],
      payHooks: { providers: createProviders([provider]) },
    })
    const { secret } = await (await checkoutOf(testServer)).ready({ CARD: 1 })
    return (await testServer.fetch(`/c/${secret}`, { headers: { 'accept-language': language } })).text
  }

  test('the note of the provider is shown if the checkout has no text of its own for the method', async () => {
    const card = { ...cardMethod, noteKey: 'acme.note' }
    const wallet: Method = {
      id: 'wallet',
      labelKey: 'acme.wallet',
      noteKey: 'acme.walletNote',
      fields: [],
      shape: 'page',
    }
    const later: Method = { id: 'later', labelKey: 'acme.later', noteKey: 'acme.laterNote', fields: [], shape: 'later' }
    const text = await shown(
      providerWith([card, wallet, later], {
        'acme.note': 'Cards by Acme.',
        'acme.wallet': 'Acme Wallet',
        'acme.walletNote': 'Opens the app.',
        'acme.later': 'Acme Later',
        'acme.laterNote': 'In thirty days.',
      }),
    )
    for (const words of ['Cards by Acme.', 'Acme Wallet', 'Opens the app.', 'Acme Later', 'In thirty days.'])
      assert.ok(text.includes(words), words)
    assert.doesNotMatch(text, /4242 ?4242/)
  })

  test('a method that leads to the provider’s page has a hint if it has no note; a card has no hint', async () => {
    const wallet: Method = { id: 'wallet', labelKey: 'acme.wallet', noteKey: null, fields: [], shape: 'page' }
    const text = await shown(providerWith([cardMethod, wallet], { 'acme.wallet': 'Acme Wallet' }))
    assert.match(text, /You pay with Acme Wallet and come back here afterwards\./)
    assert.doesNotMatch(text, /class="hint">\s*</)
  })

  test('the checkout’s own text for a key takes precedence over the provider’s, in the shopper’s language', async () => {
    const card = { ...cardMethod, noteKey: 'test.note' }
    const text = await shown(providerWith([card], { 'test.note': 'Only English.' }), 'fr')
    assert.match(text, /Mode test/)
    assert.doesNotMatch(text, /Only English/)
  })
})
