// Directive 2011/83/EU, Art. 8(2), and C-249/21: the words on the button alone say that pressing it obliges to pay.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkoutTexts, type Language, languages } from './texts.ts'

// Words that say so. Words such as order, confirm or continue do not.
const obliging: Readonly<Record<Language, RegExp>> = {
  en: /^Pay\b|\bBuy and\b|obligation to pay/,
  de: /kaufen|zahlungspflichtig/i,
  fr: /payer|obligation de paiement|passer au paiement/,
  es: /Pagar|Comprar|obligación de pago/,
  nl: /betalen$|verder naar betalen|betalingsverplichting/,
  ja: /支払う|購入|支払義務/,
  ar: /ادفع|الشراء|الالتزام بالدفع/,
}

for (const language of languages)
  test(`the order button says that the order must be paid for: ${language}`, () => {
    for (const kind of ['button', 'next', 'later'] as const) {
      const words = checkoutTexts[language][`pay.${kind}`]
      assert.match(words, /\{amount\}/, 'the amount is beside it')
      assert.match(
        words.replace(/\s*·?\s*\{amount\}(を)?/, (_, particle = '') => particle).replace(/^ /, ''),
        obliging[language],
        kind,
      )
    }
  })
