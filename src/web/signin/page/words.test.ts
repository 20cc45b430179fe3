import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SignInTextKey } from '../../languages/signin/en.ts'
import { type SignInLanguage, signInTexts, signInWordsFor, signInWordsIn } from './words.ts'

const keys = Object.keys(signInTexts.en) as SignInTextKey[]
const languages = Object.keys(signInTexts) as SignInLanguage[]

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()
}

describe('the texts of the sign-in and account pages', () => {
  for (const language of languages)
    test(`${language} has every text, with the placeholders of the English one`, () => {
      const texts = signInTexts[language]
      assert.deepEqual(Object.keys(texts), keys)
      for (const key of keys) assert.deepEqual(placeholders(texts[key]), placeholders(signInTexts.en[key]), key)
      const same = keys.filter((key) => texts[key] === signInTexts.en[key] && texts[key].split(' ').length > 2)
      assert.deepEqual(language === 'en' ? [] : same, [])
    })

  test('the language is the first of the browser’s languages that exists', () => {
    assert.equal(signInWordsFor(undefined).language, 'en')
    assert.equal(signInWordsFor('pt-BR,de-CH;q=0.9,en;q=0.8').language, 'de')
    assert.deepEqual([signInWordsFor('ar').direction, signInWordsFor('ja').direction], ['rtl', 'ltr'])
    assert.equal(signInWordsFor('toString,__proto__').language, 'en')
  })

  test('values are inserted without changing the direction of the text', () => {
    assert.equal(signInWordsIn('en').say('home.as', { email: 'a@b.example' }), 'Signed in as a@b.example')
    assert.match(signInWordsIn('ar').say('home.as', { email: 'a@b.example' }), /\u2068a@b\.example\u2069/)
    assert.match(signInWordsIn('fr').say('signin.forgotten'), /\u00a0\?/)
  })
})
