import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Plural, Text, TextKey } from './en.ts'
import { checkoutTexts, languages } from './texts.ts'

const keys = Object.keys(checkoutTexts.en) as TextKey[]

function formsOf(text: Text): string[] {
  return typeof text === 'string' ? [text] : Object.values(text)
}

function placeholders(text: Text): string[] {
  const whole = typeof text === 'string' ? text : text.other
  return [...whole.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()
}

describe('the texts of the checkout', () => {
  for (const language of languages) {
    test(`${language} has every text, with the placeholders of the English one`, () => {
      assert.deepEqual(Object.keys(checkoutTexts[language]), keys)
      for (const key of keys) {
        for (const form of formsOf(checkoutTexts[language][key])) assert.ok(form.trim().length > 0, `${key} is empty`)
        assert.deepEqual(placeholders(checkoutTexts[language][key]), placeholders(checkoutTexts.en[key]), key)
      }
    })

    test(`${language} has every plural form that its numbers need`, () => {
      const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories
      for (const key of keys) {
        const text: string | Plural = checkoutTexts[language][key]
        if (typeof text === 'string') continue
        for (const form of wanted) {
          // Counts are whole numbers from 1, below a million. For these, only Arabic uses the form `many`.
          if (form === 'zero' || (form === 'many' && language !== 'ar')) continue
          assert.ok(text[form], `${key} has no ${form}`)
        }
      }
    })
  }

  test('no language has sentences that are still in English', () => {
    for (const language of languages.filter((one) => one !== 'en')) {
      const same = keys.filter((key) => {
        const [one, other] = [checkoutTexts[language][key], checkoutTexts.en[key]]
        return typeof one === 'string' && one === other && one.split(' ').length > 2
      })
      assert.deepEqual(same, [], language)
    }
  })
})
